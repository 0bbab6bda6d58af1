"""Networks: ONNX files, their notes, and running them. Needs onnxruntime (extra `nets`)."""

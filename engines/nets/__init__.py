"""Networks: files in ONNX, what stands in them, and running them. Needs onnxruntime (extra `nets`)."""

"""Training networks by self-play and from stored games; alone imports torch and onnx, both only when needed."""

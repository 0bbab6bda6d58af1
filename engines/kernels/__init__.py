"""The compiler of kernels, and small kernels for all rooms."""

"""What compiles, and small kernels that everybody uses."""

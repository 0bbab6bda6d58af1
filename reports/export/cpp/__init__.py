"""Engines as C++: kernels printed from their typed trees, and what plays with them."""

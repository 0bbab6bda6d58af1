"""Functions, kernels and classes as syntax trees of Python, and what is decided in them."""

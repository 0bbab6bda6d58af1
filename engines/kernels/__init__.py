"""The compiler of kernels and its cache, their contract, and small kernels for all games and searches."""

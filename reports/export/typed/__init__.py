"""Kernels as typed trees: what printers to other languages read."""

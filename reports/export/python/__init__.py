"""Kernels in Python, for its own numbers on lists: what a file that no compiler sees has of them.

A typed tree (`typed/`) loses the calls that cost more than they do (`inlining.py`); then it is known how
large its numbers may be (`ranges.py`, `addresses.py`), and it is printed (`printer.py`).
"""

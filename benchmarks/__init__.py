"""Benchmarks: ratios against a twin in C in the same process."""

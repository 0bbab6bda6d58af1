"""Tron: rules, evaluations, an ending, CodinGame's lines."""

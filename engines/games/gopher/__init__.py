"""Gopher: rules."""

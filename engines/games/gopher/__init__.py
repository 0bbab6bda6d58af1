"""Gopher: rules and evaluations."""

"""Dodo: rules."""

"""Dodo: rules and an evaluation."""

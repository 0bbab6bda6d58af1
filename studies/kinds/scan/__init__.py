"""`scan`: score against a parameter."""

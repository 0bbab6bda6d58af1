"""Chess."""

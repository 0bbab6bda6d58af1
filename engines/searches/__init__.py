"""One file a search."""

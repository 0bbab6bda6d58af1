"""One file an evaluation."""

"""`train`: a network learns by self-play or from stored games."""

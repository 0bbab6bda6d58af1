"""`train-search`: which settings of a training make the strongest network."""

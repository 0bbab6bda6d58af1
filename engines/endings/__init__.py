"""One file an ending: plays what a search is bad at, and hands the rest to the search."""

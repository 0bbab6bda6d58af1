"""`tune`: the best point of a space, confirmed on fresh openings."""

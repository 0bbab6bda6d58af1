"""Go: rules, sets of cells, SGF."""

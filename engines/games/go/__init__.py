"""Go: rules, sets of cells, evaluations, playout policies, SGF and GTP."""

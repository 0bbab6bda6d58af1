"""Random games at large: whether rules, keys and texts hold in ten thousand games of every size."""

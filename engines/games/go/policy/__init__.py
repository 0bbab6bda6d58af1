"""Rules of thumb in Go: for playouts, and for a guess of each move before any search."""

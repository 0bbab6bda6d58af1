"""What a program of Go plays by rule: in playouts, and as a guess of each move before any search."""

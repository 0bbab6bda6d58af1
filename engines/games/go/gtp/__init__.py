"""GTP 2, the Go Text Protocol: programs of Go as engines, and our engines under graphical clients."""

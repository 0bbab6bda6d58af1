"""Plots, one file each; a file is named like its plot. Alone imports matplotlib."""

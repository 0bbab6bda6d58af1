"""Targets of `joute export`, one file each; a file is named like its target."""

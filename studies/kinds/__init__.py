"""Kinds of study, one file each; a file is named like its kind."""

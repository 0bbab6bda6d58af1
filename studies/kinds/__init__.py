"""Kinds of study, a file or a folder each, named like its kind."""

"""Reads study files; all errors of a file are reported at once."""

"""Engines as data, as constants, and as files that play."""

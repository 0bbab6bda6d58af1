"""Reads study files: what they may say, and every error in them at once."""

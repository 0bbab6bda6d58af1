"""Protocols of several games, a file or a folder each; that of one game alone is in its folder."""

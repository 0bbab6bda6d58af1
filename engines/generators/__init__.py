"""One file a generator of the actions that a search considers."""

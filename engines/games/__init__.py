"""Games, one folder each: rules, and all that belongs to one game."""

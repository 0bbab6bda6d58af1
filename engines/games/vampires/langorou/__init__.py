"""Moves and evaluation of Langorou, four students' player."""

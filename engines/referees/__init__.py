"""Outside referees: commands that start the bots, play a whole game and answer with its result."""

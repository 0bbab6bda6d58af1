"""What happened: the game record, the store, statistics, ratings and CSV tables."""

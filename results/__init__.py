"""Results of a run: the game record, the store, statistics, ratings and CSV tables."""

if __name__ != "joute.results":
    raise ImportError("this folder is joute.results; no module of another name")

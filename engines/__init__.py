"""What plays: games, evaluations, generators, searches, protocols, networks, programs, and their common types."""

if __name__ != "joute.engines":
    raise ImportError("this folder is joute.engines; no module of another name")

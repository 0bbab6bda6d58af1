"""What plays: games, evaluations, generators, searches, protocols, and the nouns they share."""

if __name__ != "joute.engines":
    raise ImportError("this folder is joute.engines; no module of another name")

"""What plays: games, evaluations, generators, searches, protocols, and the nouns they share."""

"""Vamperouge, a bot with a network: what its network sees, and the turns it considers."""

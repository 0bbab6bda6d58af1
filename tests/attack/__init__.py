"""An attack on Joute, by chance and repeatable by its seed: kills, mutated inputs, bad bots."""

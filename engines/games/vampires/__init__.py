"""Vampires vs Werewolves: rules, maps, Langorou's turns and evaluation, its course's protocol."""

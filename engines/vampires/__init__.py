"""What the members of Vampires vs Werewolves share: boards as text, map files, random maps."""

"""What the members of Tron share: territory, the rooms of a zone, the lines of CodinGame."""

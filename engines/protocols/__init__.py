"""One file a protocol: players that are not our own searches."""

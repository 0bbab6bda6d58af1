"""How engines meet: openings, schedules of blocks, one match loop, and the runner over workers."""

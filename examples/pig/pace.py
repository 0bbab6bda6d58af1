"""A bot for Pig that keeps pace: the further it is behind, the longer it rolls."""

import sys

for line in sys.stdin:
    mine, others, turn = map(int, line.split())
    enough = turn >= max(12, 21 + (others - mine) // 8)
    print("hold" if enough or mine + turn >= 100 else "roll", flush=True)

"""Squares and men by their letters, and the start positions of Chess960."""

from __future__ import annotations

from itertools import combinations

FILES = "abcdefgh"
KINDS = "PNBRQK"  # in the order of the state's words
PROMOTIONS = " NBRQ"  # in the order of an action's third part
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def square_name(square: int) -> str:
    """Return the name of a square, e4."""
    return f"{FILES[square % 8]}{square // 8 + 1}"


def square_of(name: str) -> int | None:
    """Return the square of a name, or None if it is none."""
    if len(name) == 2 and name[0] in FILES and name[1] in "12345678":
        return 8 * (ord(name[1]) - ord("1")) + FILES.index(name[0])
    return None


def first_rank(number: int) -> str:
    """Return the men of White's first rank in the start position of Chess960 with a number, 0 to 959
    (518 is chess), as Reinhard Scharnagl numbers them.
    """
    left, light = divmod(number, 4)
    left, dark = divmod(left, 4)
    pair, queen = divmod(left, 6)
    rank = [""] * 8
    rank[2 * light + 1] = rank[2 * dark] = "B"
    rank[[file for file in range(8) if not rank[file]][queen]] = "Q"
    for knight in list(combinations([file for file in range(8) if not rank[file]], 2))[pair]:
        rank[knight] = "N"
    for file, man in zip([file for file in range(8) if not rank[file]], "RKR", strict=True):
        rank[file] = man
    return "".join(rank)


def start_of(number: int) -> str:
    """Return the FEN of a start position of Chess960."""
    rank = first_rank(number)
    return f"{rank.lower()}/pppppppp/8/8/8/8/PPPPPPPP/{rank} w KQkq - 0 1"

"""Records of games that nobody played."""

from __future__ import annotations

from joute.engines.record import GameRecord, SeatRecord


def game(number: int, **changes: object) -> GameRecord:
    """Return the record of a short game that `a` wins against `b`."""
    pair = (SeatRecord("a", 1, 1.0, move_ms=(1.5,)), SeatRecord("b", 2, 0.0))
    made = GameRecord(
        f"g{number}", "s", 0, number, f"b{number // 2}", number % 2, "", "1", "2 3", "",
        f"{number}", "normal", 2, pair,
    )  # fmt: skip
    return made._replace(**changes)

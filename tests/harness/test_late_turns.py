"""What the conformance suite says of engines that are late: once is no proof of a fault."""

from __future__ import annotations

from itertools import count

import pytest

from engines.engine import Engine, parse_game
from engines.player import Choice, Player, PlayerFailure
from engines.position import Position
from engines.search import Search
from harness.conformance.check import check_engine
from harness.conformance.findings import Checked


class Hiccup(Search):
    """Plays the first action; the turns of these numbers, counted over all games, come late."""

    name = "hiccup"
    summary = "is late"
    late: frozenset[int] = frozenset()
    turns = count()

    def player(self, engine: Engine) -> Player:
        return HiccupPlayer(self)


class HiccupPlayer(Player):
    def __init__(self, search: Hiccup) -> None:
        self.search = search

    def choose(self, position: Position) -> Choice:
        if next(self.search.turns) in self.search.late:
            raise PlayerFailure("timeout", "took 120 ms of 100 ms")
        return Choice(position.legal_actions()[0])


def checked(*late: int, reproducible: bool = True) -> dict[str, Checked]:
    """Return the findings of an engine that is late in these turns, by rule."""
    engine = Engine(parse_game("connect4[columns=4,rows=4]"), {"search": "random"})
    engine.search = Hiccup()
    engine.search.late, engine.search.turns = frozenset(late), count()
    engine.search.reproducible = reproducible
    return {one.rule: one for one in check_engine(engine)}


def test_a_single_late_turn_is_a_note() -> None:
    found = checked(1)["plays whole games legally"]
    assert found.fault == ""
    assert found.note.startswith("one turn was late, by a hiccup of this machine or by the engine")
    assert "timeout: took 120 ms of 100 ms" in found.note


def test_late_turns_are_a_fault() -> None:
    found = checked(1, 3)["plays whole games legally"]
    assert found.note == ""
    assert found.fault.startswith("2 turns of 4 games were late, the first: seat 0, ply ")


@pytest.mark.parametrize("reproducible", [True, False])
def test_who_is_late_is_not_called_irreproducible(reproducible: bool) -> None:
    rule = "fixed work is reproducible" + ("" if reproducible else ": not seen")
    whole = next(n for n in range(4, 100) if not checked(n)["plays whole games legally"].note)
    found = checked(whole, reproducible=reproducible)[rule]
    assert found.fault == "" and "timeout" in found.note

"""Positions whose end is forced within a few plies: an opening that no engine can play wrongly."""

from __future__ import annotations

from collections.abc import Callable

from joute.engines.engine import Engine
from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.position import Position
from joute.engines.record import FURTHEST, WIN
from joute.engines.registry import Entry, entries

PLIES = 3
"""How far it is looked: a win at once or after one answer, a loss whatever is played."""


def why_not_solved(game: Game) -> str:
    """Return why forced ends of a game cannot be seen, "" where they can."""
    if game.players != 2 or game.chance or not game.alternating or game.refereed:
        return "forced ends are looked for in games of two players in turn without chance"
    if game.path_dependent and not game.repeats:
        return f"{game.name} ends late, and all its actions make such a look dear"
    if not game.compiled or solver_of(game) is None:
        return f"no search finds forced ends of {game.name}"
    return ""


def solver_of(game: Game) -> Engine | None:
    """Return an engine that sees every forced end within `PLIES` plies; None if there is none.

    Its evaluation is any of the game's own, one that came with the game before others: what is forced
    does not depend on it.
    """
    home = found.file if (found := entries("game").get(game.name)) is not None else None

    def nearness(item: tuple[str, Entry]) -> tuple[bool, bool, str]:
        name, entry = item
        return entry.file != home, home is None or entry.file.parent != home.parent, name

    for name, entry in sorted(entries("evaluation").items(), key=nearness):
        if game.name in (entry.facts.get("games") or ()) and not entry.facts.get("guided"):
            settings = {"search": "alphabeta", "evaluation": name, "depth": PLIES}
            try:
                return Engine(game, settings)
            except Refused:
                continue
    return None


def forced_end(game: Game) -> Callable[[Position], bool]:
    """Return a function that tells whether one side of a position wins by force within `PLIES`."""
    engine = solver_of(game)
    assert engine is not None
    player, name = engine.player(), engine.settings["evaluation"]

    def is_forced(position: Position) -> bool:
        value = player.choose(position).value
        if value is not None and not abs(value) <= WIN:  # of leaves that are no numbers
            raise Refused(
                f"evaluation {name}: positions after {position.line()!r} have no value; allowed: finite "
                "numbers (joute check names one)"
            )
        return value is not None and WIN - abs(value) <= FURTHEST

    return is_forced

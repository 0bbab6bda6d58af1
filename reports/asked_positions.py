"""Positions to put to engines: those of a run's stored games, each once, or the cases of a suite."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.position import Position
from joute.engines.record import GameRecord
from joute.reports.replay import line_of, named
from joute.results.database import no_run
from joute.results.store import Store
from joute.studies.stored import game_of
from joute.studies.suites.suite import Case, Suite, load_suite

SPARE = 20  # times as many positions are collected as are asked for: so that many games take part


@dataclass(frozen=True)
class AskedPosition:
    """A position as a case that any action passes, the block it comes from, and its ply."""

    case: Case
    block: str
    ply: int


@dataclass(frozen=True)
class Asked:
    """Positions of one game, and in words where they come from."""

    source: str
    game: Game
    positions: tuple[AskedPosition, ...]

    @property
    def suite(self) -> Suite:
        """The positions as a suite."""
        return Suite(self.source, self.game, tuple(position.case for position in self.positions))


def positions_of(source: str, most: int, seed: int) -> Asked:
    """Return positions of a run (its folder) or of a suite (a file, or a ready-made one's name).

    Of a run at most `most`, drawn by the seed: each once, however often and by whichever engine it was
    met (symmetric ones are the same), where somebody has a choice. Raises Refused if there is none.
    """
    path = Path(source)
    if len(path.parts) > 1 and not path.suffix and not path.exists():  # meant as a run
        raise no_run(path)
    if not path.is_dir():
        suite = load_suite(source)
        cases = [
            AskedPosition(Case(case.name, case.position, (), (), case.remark), case.name, 0)
            for case in suite.cases
        ]
        return Asked(source, suite.game, tuple(cases))
    with Store.open(source) as store:
        game = game_of(store.meta())
        found = collected(store, game, SPARE * most, np.random.default_rng([seed, 61]))
    if not found:
        raise Refused(f"{source}: no position of a stored game in which a player has a choice")
    rng = np.random.default_rng([seed, 67])
    drawn = np.sort(rng.permutation(len(found))[:most])
    return Asked(source, game, tuple(found[i] for i in drawn))


def collected(store: Store, game: Game, most: int, rng: np.random.Generator) -> list[AskedPosition]:
    """Return positions of games in a drawn order until there are `most`, each once by its key."""
    ids, found, met = store.ids(), [], set()
    for i in rng.permutation(len(ids)):
        record = store.game(ids[i])
        assert record is not None
        for position in choices_of(game, record):
            if (key := position.key()) in met:
                continue
            met.add(key)
            name = f"{record.id}-{position.ply + 1}"
            case = Case(name, named(position), (), ())
            found.append(AskedPosition(case, record.block, position.ply))
        if len(found) >= most:
            break
    return found


def choices_of(game: Game, record: GameRecord) -> list[Position]:
    """Return the positions of a game in which a player has a choice, up to the first failed turn."""
    failed = {game.action_text(action) for action in game.on_failure.values()}
    positions = []
    for position, moved in line_of(game, record):
        if moved in failed:
            break
        if not position.over and (not game.listed or len(position.legal_actions()) > 1):
            positions.append(position.copy())
    return positions

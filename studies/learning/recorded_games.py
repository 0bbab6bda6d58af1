"""Samples from stored games: the moves teach the policy, the result teaches the value.

Games come from a run, or from a folder of records (`.sgf`). Random opening plies teach nothing;
games that an engine lost by a failure are left out.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.kernels.random import seed_of
from joute.engines.position import Position, parse_position
from joute.engines.record import FAILURE
from joute.engines.transcript import transcripts_of
from joute.engines.view import View
from joute.results.store import Store
from joute.studies.file.records import files_in
from joute.studies.learning.planes import Planes
from joute.studies.learning.sample_file import SampleFile, SampleWriter
from joute.studies.learning.samples import Samples, joined, no_samples

AT_ONCE = 64  # games whose samples are in memory


class RecordedGame(NamedTuple):
    """A stored game: its start, all actions as texts, outcomes of chance (empty without chance),
    number of opening plies, returns and players by seat.
    """

    start: str
    actions: tuple[str, ...]
    outcomes: tuple[int, ...]
    opened: int
    returns: tuple[float, ...]
    seats: tuple[str, ...]


@dataclass(frozen=True)
class Found:
    """The games of a source: those that teach, counts of the others by reason, and a digest."""

    games: tuple[RecordedGame, ...]
    left_out: Counter[str]
    first: str = ""  # the error of the first unreadable file

    @property
    def content(self) -> str:
        """A digest of the games."""
        text = "\n".join(map(str, self.games))
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def games_of_run(folder: Path, game: Game, players: Sequence[str] = ()) -> Found:
    """Return the games of a run of the same game; with `players`, only games of one of them."""
    with Store.open(folder) as store:
        label = store.meta().get("game", "")
        if label != game.label:
            raise Refused(f"{folder} holds games of {label or 'nothing'}, not of {game.label}")
        names = dict(store.rows("SELECT id, name FROM engines"))
        if unknown := sorted({*players} - {*names.values()}):
            known = ", ".join(sorted(names.values()))
            raise Refused(f"{folder}: no engine there is called {unknown[0]!r}; known: {known}")
        games, left_out = [], Counter[str]()
        for game_record in store.games():
            seats = tuple(names.get(seat.engine, seat.engine) for seat in game_record.seats)
            if players and not {*players} & {*seats}:
                continue
            if game_record.termination == FAILURE:
                left_out["ended by a failure"] += 1
                continue
            start, _, opened = game_record.opening.partition(" moves ")
            first = tuple(opened.split())
            returns = tuple(seat.returns for seat in game_record.seats)
            outcomes = tuple(map(int, game_record.outcomes.split()))
            actions = (*first, *game_record.actions.split())
            games.append(RecordedGame(start, actions, outcomes, len(first), returns, seats))
    return Found(tuple(games), left_out)


def games_of_folder(path: Path, game: Game) -> Found:
    """Return the games of the records in a folder, by name; broken ones and those without a result
    are counted and left out.
    """
    games, left_out, first = [], Counter[str](), ""
    for file, form in files_in(path, transcripts_of(game.name), game):
        try:
            line, returns = form.whole(file, game)
            position = parse_position(game, line)
        except Refused as error:
            left_out["cannot be read"] += 1
            reason = str(error)
            first = first or (reason if reason.startswith(str(file)) else f"{file}: {reason}")
            continue
        if position.over:
            returns = tuple(position.returns())
        if returns is None:
            left_out["no result"] += 1
            continue
        actions = tuple(map(game.action_text, position.moves))
        games.append(RecordedGame(position.start, actions, (), 0, returns, ("", "")))
    if not games:
        raise Refused(f"{path} has no game to learn from: {first or 'none has a result'}")
    return Found(tuple(games), left_out, first)


def samples_on_disk(
    path: Path,
    games: Sequence[RecordedGame],
    game: Game,
    view: View,
    players: Sequence[str] = (),
) -> tuple[SampleFile, int]:
    """Return the same as `samples_of`, from a file without a name: it takes no memory, and is gone
    when nobody reads it any more. `path`: where it has a name while it is written.
    """
    writer, lost = SampleWriter(path, view.shape(game)), 0
    for begin in range(0, len(games), AT_ONCE):
        some = games[begin : begin + AT_ONCE]
        samples, unknown = samples_of(some, game, view, players, begin)
        writer.add(samples)
        lost += unknown
    writer.write()
    try:
        return SampleFile(path), lost
    finally:
        path.unlink()


def samples_of(
    games: Sequence[RecordedGame],
    game: Game,
    view: View,
    players: Sequence[str] = (),
    first: int = 0,
) -> tuple[Samples, int]:
    """Return the samples of games, numbered in order from `first`, and how many moves the view's
    generator did not give and were left out. Only the moves of `players`, if any are named, teach
    the policy.
    """
    view_planes, parts, lost = Planes(game, view), [no_samples(view.shape(game))], 0
    for number, recorded in enumerate(games, first):
        rows = [*moves_of(recorded, view_planes, players)]
        moves = [row for row in rows if row is not None]
        lost += len(rows) - len(moves)
        if moves:
            policy = np.zeros((len(moves), view_planes.shape.policy), np.float32)
            policy[np.arange(len(moves)), [row.entry for row in moves]] = 1.0
            parts.append(
                Samples(
                    np.stack([row.planes for row in moves]),
                    policy,
                    np.array([row.value for row in moves], np.float32),
                    np.array([row.teaches for row in moves], np.float32),
                    np.full(len(moves), number, np.int64),
                    np.array([row.ply for row in moves], np.int64),
                    np.full(len(moves), len(recorded.actions), np.int64),
                )
            )
    return joined(parts), lost


class Row(NamedTuple):
    """One sample: planes, the entry played, the value, whether it teaches the policy, the ply."""

    planes: np.ndarray
    entry: int
    value: float
    teaches: float
    ply: int


def moves_of(
    recorded: RecordedGame, view_planes: Planes, players: Sequence[str]
) -> Iterator[Row | None]:
    """Yield the sample of each move after the opening; None for one that the view does not know."""
    game = view_planes.game
    position = Position(game, recorded.start)
    for ply, text in enumerate(recorded.actions):
        action = game.action_of(text)
        if ply >= recorded.opened:
            mover, entry = position.to_move, view_planes.entries(position).get(action)
            teaches = not players or recorded.seats[mover] in players
            value = 2 * recorded.returns[mover] - 1
            yield (
                None
                if entry is None
                else Row(view_planes.planes(position), entry, value, float(teaches), ply)
            )
        position.play(action, recorded.outcomes[ply] if recorded.outcomes else 0)


def parted(
    games: Sequence[RecordedGame], held_out: float, seed: int
) -> tuple[list[RecordedGame], list[RecordedGame]]:
    """Return the games to learn from, and the share kept for testing: no line of play is in both,
    and neither is empty unless all games are one line.
    """
    lines = [seed_of("held out", seed, recorded.start, *recorded.actions) for recorded in games]
    limit = min(max(held_out * 2**64, min(lines) + 1), max(lines))
    learnt = [recorded for recorded, line in zip(games, lines, strict=True) if line >= limit]
    return learnt, [recorded for recorded, line in zip(games, lines, strict=True) if line < limit]

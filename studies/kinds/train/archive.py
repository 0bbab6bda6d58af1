"""Self-play games kept in a run folder beside the samples, as stored games: `selfplay:7:12` is game
12 of iteration 7.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.record import GameRecord, SeatRecord
from joute.harness.match import ranks_of
from joute.studies.kinds.train.history import read_history
from joute.studies.learning.plan import called
from joute.studies.learning.sample_file import read_about

SAMPLES = "samples"
BEGINS = "selfplay:"
NAME = re.compile(rf"{BEGINS}(\d{{1,9}}):(\d{{1,9}})")


def name_of(iteration: int, number: int) -> str:
    """Return the name of a game."""
    return f"{BEGINS}{iteration:04}:{number}"


def iterations_kept(folder: Path) -> dict[int, list[Path]]:
    """Return the files of each iteration's games: one joined file, or one per finished task."""
    files_of = dict[int, list[Path]]()
    for path in sorted((folder / SAMPLES).glob("[0-9]*.npz")):
        number = path.stem.partition("-")[0]
        if number.isdecimal():
            files_of.setdefault(int(number), []).append(path)
    joined = {number: folder / SAMPLES / f"{number:04}.npz" for number in files_of}
    return {k: [joined[k]] if joined[k] in files else files for k, files in files_of.items()}


def games_kept(files: Sequence[Path]) -> dict[int, dict[str, Any]]:
    """Return the facts about the games in these files, by number; raise SamplesDamaged."""
    return {game["number"]: game for file in files for game in read_about(file)}


def kept_game(
    folder: Path, meta: Mapping[str, str], game: Game, name: str
) -> tuple[GameRecord, tuple[str, ...]]:
    """Return a game of self-play and the engine of each seat; raise Refused if there is none."""
    asked = NAME.fullmatch(name)
    if asked is None:
        raise Refused(f"{name!r} names no game of self-play; allowed: selfplay:ITERATION:NUMBER")
    iteration, number = map(int, asked.groups())
    files_of = iterations_kept(folder)
    if not files_of:
        raise Refused(f"{folder} keeps no games of self-play")
    if iteration not in files_of:
        raise Refused(f"{name}: there are games of the iterations {spans(files_of)}")
    games = games_kept(files_of[iteration])
    if number not in games:
        raise Refused(f"{name}: iteration {iteration} has the games {spans(games)}")
    facts = games[number]
    if game.chance and "outcomes" not in facts:
        raise Refused(f"{name}: chance takes part, and this run did not keep what it drew")
    player = called(player_of(meta, iteration))
    return record_of(facts, name_of(iteration, number), iteration), (player,) * game.players


def record_of(facts: Mapping[str, Any], name: str, iteration: int) -> GameRecord:
    """Return a kept game as a stored record; times of its searches are unknown."""
    start, _, line = facts["line"].partition(" moves ")
    moves, opened, returns = line.split(), facts["opened"], facts["returns"]
    seats = (SeatRecord("", *seat) for seat in zip(ranks_of(returns), returns, strict=True))
    return GameRecord(
        id=name, stage="self-play", round=iteration - 1, order=facts["number"], block="", seating=0,
        group="", opening=" ".join([start, *(["moves", *moves[:opened]] if opened else [])]),
        actions=" ".join(moves[opened:]), outcomes=" ".join(map(str, facts.get("outcomes", ()))),
        digest="", termination=facts["termination"], plies=len(moves) - opened, seats=tuple(seats),
    )  # fmt: skip


def player_of(meta: Mapping[str, str], iteration: int) -> int:
    """Return the generation that played an iteration against itself: the champion at that time."""
    entries = read_history(meta)
    return max((k for k, e in entries.items() if k < iteration and e.get("accepted")), default=0)


def spans(numbers: Iterable[int]) -> str:
    """Return numbers as text: `0 to 31, 64 to 99`."""
    ends = list[list[int]]()
    for number in sorted(numbers):
        if ends and number == ends[-1][1] + 1:
            ends[-1][1] = number
        else:
            ends.append([number, number])
    return ", ".join(str(a) if a == b else f"{a} to {b}" for a, b in ends)

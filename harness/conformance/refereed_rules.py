"""Rules of conformance for a referee and a bot: what a few games tell of the two."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from joute.engines.engine import Engine
from joute.engines.referees.form import NoResult, Result
from joute.engines.referees.refereed_game import RefereedGame, Seated
from joute.harness.conformance.findings import Note
from joute.harness.refereed import seated

SEED, OTHERS = 1, (2, 3, 4)
DEAD = "false"  # a program that ends at once
UNSEEDED = "the referee draws its own seeds, so that the games of a pair differ by chance"
KEEPER = b"reaper.py"  # ours, which ends what is left behind


def played(engine: Engine, seed: int = SEED, look: Callable[[], None] | None = None) -> Result:
    """Return the result of a game of a bot against copies of itself."""
    bots = seated([engine] * engine.game.players)
    return game_of(engine).play_whole(f"seed {seed}", bots, look)


def game_of(engine: Engine) -> RefereedGame:
    """Return the game of a bot."""
    assert isinstance(engine.game, RefereedGame)
    return engine.game


def has_result(engine: Engine) -> str:
    """A game of the bot against itself has a result; how long it lasts, and how many processes it takes."""
    most = 0

    def look() -> None:
        nonlocal most
        most = max(most, descendants())

    begun = time.perf_counter()
    try:
        result = played(engine, look=look)
    except NoResult as none:
        return f"no result of seed {SEED}: {none}"
    spent = time.perf_counter() - begun
    processes = f", {most} processes at most" if most > 1 else ""
    if failed := [f"bot {seat} failed: {why}" for seat, why in enumerate(result.failed, 1) if why]:
        return f"seed {SEED}: {'; '.join(failed)} ({said(result)})"
    return Note(f"{said(result)}, in {spent:.2f} s{processes}")


def same_again(engine: Engine) -> str:
    """The same seed gives the same result twice."""
    if not game_of(engine).seeded:
        return Note(UNSEEDED)
    one, two = played(engine), played(engine)
    if one.points == two.points:
        return ""
    return Note(
        f"no: {said(one)}, then {said(two)} of seed {SEED}: the bots or the referee draw or measure "
        "something else, so that pairs of games tell less"
    )


def same_exchanged(engine: Engine) -> str:
    """Two copies of the bot, told apart by their commands, give the same result when they change seats."""
    if not game_of(engine).seeded:
        return Note(UNSEEDED)
    bots = seated([engine] * engine.game.players)
    copies = [*bots[:-1], named_copy(bots[-1])]
    one = game_of(engine).play_whole(f"seed {SEED}", copies)
    two = game_of(engine).play_whole(f"seed {SEED}", [named_copy(bots[0]), *bots[1:]])
    if one.points == two.points:
        return ""
    return Note(
        f"no: {said(one)}, with a copy in the last seat; {said(two)}, with one in the first"
    )


def seats_are_kept(engine: Engine) -> str:
    """A bot that ends at once is last, in whatever seat it is."""
    unseen = []
    for seat in (0, engine.game.players - 1):
        bots = seated([engine] * engine.game.players)
        bots[seat] = dead
        try:
            result = game_of(engine).play_whole(f"seed {SEED}", bots)
        except NoResult as none:
            return Note(f"not seen: where a bot ends at once there is no result: {none}")
        own = result.points[seat]
        others = [points for other, points in enumerate(result.points) if other != seat]
        if own > min(others):
            return f"the bot in seat {seat + 1} ended at once, and was not last: {said(result)}"
        if own == min(others):
            unseen.append(f"{said(result)} where seat {seat + 1} ends at once")
    return Note(f"not seen: {'; '.join(unseen)}") if unseen else ""


def seeds_matter(engine: Engine) -> str:
    """Other seeds give other results."""
    every = {played(engine, seed).points for seed in (SEED, *OTHERS)}
    if len(every) > 1:
        return ""
    return Note(f"not seen: {len(OTHERS) + 1} seeds have the same result")


REFEREED_FIRST: dict[str, Callable[[Engine], str]] = {"a game has a result": has_result}
REFEREED_RULES: dict[str, Callable[[Engine], str]] = {
    "a seed played twice has one result": same_again,
    "copies that change seats have one result": same_exchanged,
    "a bot that ends at once is last, wherever it sits": seats_are_kept,
    "other seeds have other results": seeds_matter,
}


def named_copy(bot: Seated) -> Seated:
    """Return a bot with another command line that does the same."""
    return lambda folder: f"env JOUTE_COPY=1 {bot(folder)}"


def dead(folder: object) -> str:
    """Return the command line of a bot that ends at once."""
    return DEAD


def said(result: Result) -> str:
    """Return the points or ranks of a result as a text."""
    sign, what = (-1, "ranks") if result.ranked else (1, "scores")
    return f"{what} {' '.join(f'{sign * points:g}' for points in result.points)}"


def descendants() -> int:
    """Return how many processes run below this one; 0 where the system does not tell."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir() if Path("/proc").is_dir() else ():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                if fields[0] != "Z" and KEEPER not in (entry / "cmdline").read_bytes():
                    parents[int(entry.name)] = int(fields[1])
            except OSError:
                continue
    return sum(1 for process in parents if below(process, parents))


def below(process: int, parents: dict[int, int]) -> bool:
    """Whether a process runs below this one."""
    known = set[int]()
    while (process := parents.get(process, 0)) and process not in known:
        if process == os.getpid():
            return True
        known.add(process)
    return False

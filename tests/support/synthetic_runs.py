"""Runs of a game that was never played: game records with planted strengths, for tests."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import numpy as np

from joute.engines.record import FAILURE, NORMAL, EngineRecord, GameRecord, SeatRecord
from joute.harness.schedule import seatings
from joute.results.store import Store

META = {
    "name": "synthetic-width-depth",
    "kind": "tournament",
    "seed": "2019",
    "game": "connect4[columns=12,rows=6]",
    "study": 'name = "synthetic-width-depth"\nkind = "tournament"\nseed = 2019\n',
    "slow_after_ms": "8000",
    "exclude_p99_over_ms": "",
    "sprt": "",
    "versions": json.dumps({"joute": "0.1.0", "python": "3.11", "numpy": "2.4"}),
    "machine": "a test machine, 2 cores",
    "commit": "0123456789ab",
    "workers": "2",
}


def digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=8).hexdigest()


def engine(name: str, /, **parameters: float | int | str) -> EngineRecord:
    inside = ",".join(f"{key}={value}" for key, value in parameters.items())
    spec = f"{META['game']}/alphabeta:{inside}"
    return EngineRecord(digest(name + spec), name, spec, dict(parameters), digest("code"))


class Players:
    """Plays pairs of games whose results follow planted Elo ratings."""

    def __init__(self, strengths: dict[str, float], seed: int = 1, advantage: float = 40.0) -> None:
        self.strengths = strengths
        self.advantage = advantage
        self.rng = np.random.default_rng(seed)
        self.speed: dict[str, float] = {}
        self.draws = 0.15
        self.failing: dict[str, str] = {}

    def pair(
        self, a: str, b: str, stage: str, number: int, order: int, group: str = ""
    ) -> list[GameRecord]:
        block = digest(f"{stage} {group} {number} {sorted((a, b))}")
        opening = f"{number % 12 + 1} {number // 12 % 12 + 1}"
        place = (stage, number, order, block, group, opening)
        return [self.game(a, b, 0, *place), self.game(b, a, 1, *place)]

    def game(
        self,
        first: str,
        second: str,
        seating: int,
        stage: str,
        number: int,
        order: int,
        block: str,
        group: str,
        opening: str,
    ) -> GameRecord:
        gap = self.strengths[first] - self.strengths[second] + self.advantage
        chance = 1 / (1 + 10 ** (-gap / 400))
        score = 0.5 if self.rng.random() < self.draws else float(self.rng.random() < chance)
        failed = ""
        for name, other in ((first, 0.0), (second, 1.0)):
            if name in self.failing and self.rng.random() < 0.1:
                failed, score = name, other
        plies = int(self.rng.integers(8, 42))
        actions = " ".join(str(a) for a in self.rng.integers(1, 13, plies))
        kind = self.failing.get(failed, "")
        seats = [
            self.seat(name, returns, plies, kind if name == failed else "")
            for name, returns in ((first, score), (second, 1 - score))
        ]
        return GameRecord(
            id=digest(f"{block} {seating}"),
            stage=stage,
            round=number,
            order=order,
            block=block,
            seating=seating,
            group=group,
            opening=opening,
            actions=actions,
            outcomes="",
            digest=digest(opening + actions),
            termination=FAILURE if failed else NORMAL,
            plies=plies,
            seats=(seats[0], seats[1]),
        )

    def seat(self, name: str, returns: float, plies: int, failure: str) -> SeatRecord:
        moves = plies // 2
        ms = self.speed.get(name, 5.0) * self.rng.lognormal(0, 0.4, moves)
        return SeatRecord(
            engine=name,
            rank=2 - returns,
            returns=returns,
            failure=failure,
            failure_ply=plies if failure else -1,
            failure_text=f"Traceback of {name}\n<b>no move</b>" if failure else "",
            nodes=int(moves * 40 * self.speed.get(name, 5.0)),
            plies=moves,
            move_ms=tuple(round(float(t), 3) for t in ms),
        )


class Tables:
    """Plays games of three or four by planted Elo ratings: the order of strength plus noise."""

    def __init__(self, strengths: dict[str, float], seats: int, ties: float = 0.1) -> None:
        self.strengths, self.seats = strengths, seats
        self.rng = np.random.default_rng(1)
        self.ties = ties
        self.failing = ""

    def block(self, table: Sequence[str], stage: str, order: int) -> list[GameRecord]:
        name = digest(f"{stage} {order} {sorted(table)}")
        return [
            self.game([table[i] for i in seating], stage, order, name, number)
            for number, seating in enumerate(seatings(self.seats))
        ]

    def game(
        self, seated: Sequence[str], stage: str, order: int, block: str, seating: int
    ) -> GameRecord:
        strength = np.array([self.strengths[one] for one in seated]) * math.log(10) / 400
        strength[0] += 0.3  # moving first helps
        ranks = np.argsort(np.argsort(-(strength + self.rng.gumbel(size=self.seats)))) + 1.0
        if self.rng.random() < self.ties:
            ranks[ranks >= self.seats - 1] = self.seats - 0.5
        failed = [name == self.failing and self.rng.random() < 0.1 for name in seated]
        plies = int(self.rng.integers(5, 15))
        actions = " ".join(str(a) for a in self.rng.integers(1, 8, plies * self.seats))
        seats = tuple(
            SeatRecord(
                engine=name,
                rank=float(rank),
                returns=(self.seats - float(rank)) / (self.seats - 1),
                failure="timeout" if bad else "",
                failure_ply=plies if bad else -1,
                failure_text="took too long" if bad else "",
                nodes=plies * 100,
                plies=plies,
                move_ms=tuple(round(float(ms), 3) for ms in self.rng.lognormal(1, 0.4, plies)),
            )
            for name, rank, bad in zip(seated, ranks, failed, strict=True)
        )
        opening = f"startpos moves {order % 40 + 1}"
        return GameRecord(
            digest(f"{block} {seating}"), stage, order, order, block, seating, "", opening, actions,
            "", digest(opening + actions), NORMAL, plies * self.seats, seats,
        )  # fmt: skip


def many(
    folder: Path,
    seats: int,
    blocks: int = 20,
    gap: float = 80.0,
    last: float = 0.0,
    ties: float = 0.1,
) -> Path:
    """Store a tournament of five engines at tables of three or four, each `gap` below the one before,
    the last one `last` more; `ties` is the share of games in which two come last together.
    """
    engines = [engine(f"e{n}", depth=7 - n, search="uct") for n in range(1, 6)]
    strengths = {one.id: -gap * n for n, one in enumerate(engines)}
    strengths[engines[-1].id] -= last
    tables = Tables(strengths, seats, ties)
    tables.failing = engines[-1].id
    with Store.create(folder) as store:
        store.add_engines(engines)
        store.set_meta({**META, "game": "arena", "stages": '["tables"]'})
        rounds = itertools.product(
            range(blocks), itertools.combinations([one.id for one in engines], seats)
        )
        for order, (_, table) in enumerate(rounds):
            store.add_games(tables.block(table, "tables", order))
    return folder


def many_match(
    folder: Path, seats: int, elo: float = 120.0, blocks: int = 40, ties: float = 0.1
) -> Path:
    """Store a match at tables of one against copies of the other, and the reverse."""
    new, old = engine("new", depth=6), engine("old", depth=4)
    tables = Tables({new.id: elo, old.id: 0.0}, seats, ties)
    with Store.create(folder) as store:
        store.add_engines([new, old])
        store.set_meta({**META, "kind": "match", "game": "arena", "stages": '["main"]'})
        for order in range(blocks):
            one, other = (new.id, old.id) if order % 2 == 0 else (old.id, new.id)
            store.add_games(tables.block((one, *[other] * (seats - 1)), "main", order))
    return folder


def campaign(
    folder: Path, depths: Sequence[int] = (4, 5, 6, 7, 8), blocks: int = 10, seed: int = 1
) -> Path:
    """Store 7 widths inside each depth, then the champions: the shape of the first study."""
    widths = [0.40, 0.45, 0.50, 0.55, 0.60, 0.65, 0.70]
    grid = {f"d{depth}-w{width:.2f}": (depth, width) for depth in depths for width in widths}
    entrants = {
        name: engine(name, depth=depth, width=width, evaluation="lines")
        for name, (depth, width) in grid.items()
    }
    ids = {name: record.id for name, record in entrants.items()}
    strengths = {
        ids[name]: 60.0 * depth - 900 * (width - 0.58) ** 2 * 10
        for name, (depth, width) in grid.items()
    }
    players = Players(strengths, seed)
    players.speed = {ids[n]: 0.02 * (12 * w) ** (d / 1.6) for n, (d, w) in grid.items()}
    players.failing = {ids[f"d{depths[-1]}-w0.70"]: "timeout"}
    with Store.create(folder) as store:
        store.add_engines(entrants.values())
        store.set_meta({**META, "stages": json.dumps(["widths", "champions"])})
        order = 0
        for depth in depths:
            names = [ids[name] for name in grid if grid[name][0] == depth]
            games = []
            for number in range(blocks):
                for a, b in itertools.combinations(names, 2):
                    games += players.pair(a, b, "widths", number, order, f"depth={depth}")
                    order += 1
            store.add_games(games)
        champions = [ids[f"d{depth}-w{width:.2f}"] for depth in depths for width in (0.55, 0.60)]
        games = []
        for number in range(3 * blocks):
            for i, (a, b) in enumerate(itertools.combinations(champions, 2)):
                games += players.pair(a, b, "champions", number, 1000 * number + i)
        store.add_games(games)
    return folder


def match(folder: Path, elo: float = 60.0, blocks: int = 200, **meta: str) -> Path:
    """Store a match between two engines, the first of them `elo` stronger."""
    new, old = engine("new", depth=6, width=0.6), engine("old", depth=6, width=0.45)
    players = Players({new.id: elo, old.id: 0.0})
    with Store.create(folder) as store:
        store.add_engines([new, old])
        store.set_meta({**META, "kind": "match", "stages": '["match"]', **meta})
        for number in range(blocks):
            store.add_games(players.pair(new.id, old.id, "match", number, number))
    return folder


def gauntlet(folder: Path, strengths: dict[str, float], blocks: int = 60) -> Path:
    """Store the games of the first engine with each other one."""
    records = [engine(name, depth=n) for n, name in enumerate(strengths, 1)]
    players = Players({one.id: strengths[one.name] for one in records})
    with Store.create(folder) as store:
        store.add_engines(records)
        store.set_meta({**META, "stages": '["main"]'})
        pairs = itertools.product(range(blocks), records[1:])
        for order, (number, other) in enumerate(pairs):
            store.add_games(players.pair(records[0].id, other.id, "main", number, order))
    return folder

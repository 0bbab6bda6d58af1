"""Tuners tune a real engine; what each recommends meets the study's engine on fresh openings.

    python -m benchmarks.engines chess-glaurung --tuners joute,itself,clop,tpe,spsa-duel \
        --games 4000 --looks 1000 --seeds 3 --start spoiled --blocks 200

`joute`, `itself` (points against each other), `both` (one and the other in turn) and `tpe` (Optuna
alone: its best trial) play as in a study, without its final; the others are those of
`benchmarks/tuners/rivals`. They play the engine they start from: the study's own, that `spoiled`, each
number a quarter of the way up its range, or the `lowest`, each number at the low end. With `--pool` they
play the study's opponents, a pair with each in turn, and so does what they recommend. Games are of fixed
work if the engines are; so runs do not depend on the machine. Runs and matches are stored as they end and
never repeated; a search that is stopped goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import click
import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student
from tabulate import tabulate
from tqdm import tqdm

from benchmarks.batches import Batches
from benchmarks.errors import told
from benchmarks.tuners.rivals import RIVALS, Rival
from benchmarks.tuners.space import Axis as RivalAxis
from benchmarks.tuners.space import Category, Real, Whole
from joute.engines.engine import Engine
from joute.engines.errors import Refused, unknown
from joute.harness.openings import Openings
from joute.harness.schedule import Block, block_id
from joute.harness.worker import Task, die_with, play_batch
from joute.results.statistics import elo_of
from joute.studies.load import load_study
from joute.studies.search.ask_tell import Trials
from joute.studies.search.plan import TunePlan
from joute.studies.search.recommend import read
from joute.studies.search.space import Space
from joute.studies.search.trial import BOTH, COMPLETE, ITSELF, POOL, Trial
from joute.studies.study import Study
from joute.studies.tuner.axis import Axis
from joute.studies.tuner.domain import Point

PAIR = 2
EXACT = 1e-12  # a spread below it is that of rounding
MATCH_SEED = 10**6  # of the openings of matches: no search has seen them
SPOILED = {"spoiled": 0.25, "lowest": 0.0}  # share of its range at which each number of a start is
OURS = {"joute": POOL, "itself": ITSELF, "both": BOTH}
TPE = "tpe"
STARTS = ("own", *SPOILED)
Row = dict[str, Any]
Floats = NDArray[np.float64]


class Games(NamedTuple):
    """What a tuner asks for: games at a point, against the start or against another point."""

    point: Point
    other: Point | None
    count: int


class Tuning(Protocol):
    """A tuner of a space as it is used here."""

    def ask(self) -> Games:
        """Return the next games."""

    def tell(self, scores: Sequence[float]) -> None:
        """Take the scores of the first point in these games, in order."""

    def recommend(self) -> Point:
        """Return the point believed best."""


class Asked:
    """Our tuner, or Optuna's, asked as a study asks. `opponents`: how many the pool has; 0: it is the
    start alone.
    """

    def __init__(
        self, space: Space, name: str, seed: int, start: Point, blocks: int, opponents: int = 0
    ) -> None:
        against, alone = OURS.get(name, POOL), opponents == 0
        known = against == POOL and alone and name != TPE
        sampler = TPE if name == TPE else "joute"
        self._pool = PAIR * max(opponents, 1)
        self._trials = Trials(
            space, sampler, seed, 1, None if known else start, self._pool, against
        )
        self._space, self._seed, self._start, self._best = space, seed, start, name == TPE
        self._opponent = start if alone else None
        self._blocks = blocks
        self._trial: Trial | None = None

    def ask(self) -> Games:
        """Return the games of the next trial."""
        self._trial = trial = self._trials.ask()
        if trial.blocks is None:
            return Games(trial.point, None, PAIR * self._blocks)
        each = self._pool if trial.other is None else PAIR
        return Games(trial.point, trial.other, each * trial.blocks)

    def tell(self, scores: Sequence[float]) -> None:
        """Finish the trial."""
        trial = self._trial
        assert trial is not None
        trial.values = [float(np.mean(scores[i : i + PAIR])) for i in range(0, len(scores), PAIR)]
        draws = sum(score == 0.5 for score in scores)
        wins = sum(score for score in scores if score != 0.5)
        trial.results = (wins, float(draws), len(scores) - draws - wins)
        trial.state, trial.block_games = COMPLETE, PAIR
        self._trials.tell(trial)

    def recommend(self) -> Point:
        """Return what the model of all games recommends; of Optuna's sampler the best trial."""
        best = self._trials.incumbent() if self._best else None
        if best is not None:
            return best.point
        trials = self._trials.finished
        return read(self._space, trials, PAIR, self._seed, self._opponent, self._start).point


class Outsider:
    """A rival of `benchmarks/tuners`."""

    def __init__(self, space: Space, name: str, seed: int, games: int, start: Point) -> None:
        axes = {axis.name: rival_axis(axis) for axis in space.axes}
        self._logs = {axis.name: axis for axis in space.axes if axis.log}
        self._rival: Rival = RIVALS[name](axes, seed, games)
        places = {name: axis.place(start[name]) for name, axis in self._logs.items()}
        self._rival.begin_at({**start, **places})
        self._point: Point = {}

    def ask(self) -> Games:
        """Return the next games, a pair at most."""
        self._point, count = self._rival.ask(PAIR)[0]
        other = self._rival.against
        return Games(self._read(self._point), None if other is None else self._read(other), count)

    def tell(self, scores: Sequence[float]) -> None:
        """Tell wins, draws and losses."""
        wins, losses = (sum(score == end for score in scores) for end in (1.0, 0.0))
        self._rival.tell(self._point, wins, len(scores) - wins - losses, losses)

    def recommend(self) -> Point:
        """Return its answer."""
        return self._read(self._rival.recommend())

    def _read(self, point: Point) -> Point:
        """Return a point of the rival as one of the space."""
        plain = {name: axis.value(float(point[name])) for name, axis in self._logs.items()}
        return {**point, **plain}


def rival_axis(axis: Axis) -> RivalAxis:
    """Return an axis of a study as the rivals know it: of one by logarithms, the place in its range."""
    if axis.kind == "choice":
        return Category(axis.choices)
    if axis.step not in (None, 1.0):
        raise Refused(f"{axis.name}: rivals do not know steps; leave them out")
    if axis.log:
        return Real(0.0, 1.0)
    if axis.kind == "int":
        return Whole(int(axis.low), int(axis.high))
    return Real(axis.low, axis.high)


class Board:
    """Plays games of a study, each two on the next opening, with seats exchanged."""

    def __init__(self, study: Study, stage: str, seed: int) -> None:
        self._study, self._stage, self._seed = study, stage, seed
        self._openings = Openings(study.game, seed, study.openings, growing=True)
        self._setting = study.setting()
        self._played = 0

    def play(self, ours: Engine, pool: Sequence[Engine], count: int) -> list[float]:
        """Return the returns of an engine in so many games against a pool, a pair with each in turn; 1/2
        against itself.
        """
        scores: list[float] = []
        while len(scores) < count:
            number, seating = divmod(self._played, PAIR)
            both = seating == 0 and count - len(scores) > 1
            seatings = (0, 1) if both else (seating,)
            theirs = pool[number % len(pool)]
            if ours.id == theirs.id:
                scores += [0.5] * len(seatings)
                self._played += len(seatings)
                continue
            table = ours.id, theirs.id
            name = block_id(self._seed, self._study.game.label, self._stage, number, table)
            block = Block(name, self._stage, "", number, number, table)
            texts = {engine.id: engine.text for engine in (ours, theirs)}
            opening = self._openings.of(block, shared=True)
            task = Task(number, block, opening, seatings, texts)
            records = play_batch(self._setting, [task]).results
            if len(records) < len(seatings):
                raise Refused("this machine is too busy for games by time")
            for record in records:
                seats = zip(block.seats(record.seating), record.seats, strict=True)
                scores += [seat.returns for engine, seat in seats if engine == ours.id]
            self._played += len(seatings)
        return scores

    def skip(self, count: int) -> None:
        """Leave out so many games, which were played before."""
        self._played += count


def plan_of(study: Study) -> TunePlan:
    """Return the plan of a tune study of two players."""
    if not isinstance(study.own, TunePlan) or study.game.players != PAIR:
        raise Refused(f"{study.name} is no tune study of a game of two players")
    return study.own


def start_of(study: Study, start: str) -> Point:
    """Return the point that tuners start from, and play."""
    plan = plan_of(study)
    own = plan.space.point_of(plan.default.engine)
    if own is None:
        raise Refused(f"{study.name}: its default is outside the space")
    if start == "own":
        return own
    return {
        axis.name: own[axis.name] if axis.kind == "choice" else axis.at(SPOILED[start])
        for axis in plan.space.axes
        if axis.name in own
    }


def under_way(out: Path, key: Row) -> Path:
    """Return the file of a folder that holds the games of a search until its answer is stored."""
    return out / f"under_way_{hash_of(key)}.jsonl"


def tune(source: str, settings: Sequence[str], out: Path, key: Row) -> Row:
    """Return a tuner's run: what it recommends after each of `looks` games. Games are kept in a file of a
    folder, and those of before are not played again.
    """
    study = load_study(source, settings)
    plan, seed, tuner = plan_of(study), int(key["seed"]), key["tuner"]
    start, games = start_of(study, key["start"]), int(key["games"])
    base = plan.space.engine(start)
    pool = [entrant.engine for entrant in plan.pool] if key["pool"] else [base]
    tuning: Tuning
    if tuner in OURS or tuner == TPE:
        opponents = 0 if all(engine.text == base.text for engine in pool) else len(pool)
        tuning = Asked(plan.space, tuner, seed, start, plan.trial_blocks, opponents)
    else:
        tuning = Outsider(plan.space, tuner, seed, games, start)
    board = Board(study, "search", seed)
    batches = Batches(under_way(out, key))
    played, looks = 0, dict[str, Point]()
    for look in key["looks"]:
        while played < look:
            asked = tuning.ask()
            scores = batches.take(asked)
            if scores is None:
                met = pool if asked.other is None else [plan.space.engine(asked.other)]
                scores = board.play(plan.space.engine(asked.point), met, asked.count)
                batches.add(asked, scores)
            else:
                board.skip(asked.count)
            tuning.tell(scores)
            played += asked.count
        looks[str(look)] = tuning.recommend()
    return {**key, "recommended": looks}


def meet(source: str, settings: Sequence[str], point: Point, key: Row) -> Row:
    """Return the scores of a point's blocks against the study's own engine, or its opponents."""
    study = load_study(source, settings)
    plan = plan_of(study)
    board = Board(study, "meeting", MATCH_SEED)
    own = plan.space.engine(start_of(study, "own"))
    met = [entrant.engine for entrant in plan.pool] if key["pool"] else [own]
    scores = board.play(plan.space.engine(point), met, PAIR * int(key["blocks"]))
    blocks = [float(np.mean(scores[i : i + PAIR])) for i in range(0, len(scores), PAIR)]
    return {**key, "scores": blocks}


class Stored:
    """Rows of a file, one a line, by their keys; a line that a kill cut short counts as not there."""

    def __init__(self, path: Path, names: Sequence[str]) -> None:
        self.path, self.names = path, names
        self.rows: dict[str, Row] = {}
        for line in path.read_text().splitlines() if path.exists() else ():
            try:
                row = json.loads(line)
                self.rows[self.key(row)] = row
            except (ValueError, KeyError, TypeError):
                continue

    def key(self, row: Row) -> str:
        """Return the key of a row as a text."""
        return json.dumps([row[name] for name in self.names])

    def add(self, row: Row) -> None:
        """Add a row, on a line of its own."""
        self.rows[self.key(row)] = row
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(f"\n{json.dumps(row)}")


def made(stored: Stored, jobs: Iterable[tuple[Any, ...]], workers: int, what: str) -> None:
    """Make the rows that are missing; a job is a function and its arguments, the last one the key."""
    missing = {stored.key(job[-1]): job for job in jobs if stored.key(job[-1]) not in stored.rows}
    context = multiprocessing.get_context("spawn")
    count = min(workers, max(len(missing), 1))
    with ProcessPoolExecutor(count, context, die_with, (os.getpid(),)) as pool:
        futures = [pool.submit(*job) for job in missing.values()]
        for future in tqdm(as_completed(futures), what, len(futures), leave=False):
            stored.add(future.result())


def interval(scores: Floats) -> tuple[float, float, float]:
    """Return mean and ends of the 95 % interval of scores by repetition (rows) and opening (columns).

    Both are samples, so the variance of the mean is that of an analysis of variance with two crossed
    random effects and nothing repeated; Student's t with Satterthwaite's degrees of freedom. Never
    narrower than either effect alone has it. Where all scores are alike nothing is known of the spread,
    and the ends are 0 and 1.
    """
    repetitions, openings = scores.shape
    mean = float(np.mean(scores))
    by_repetition, by_opening = scores.mean(axis=1), scores.mean(axis=0)
    residuals = scores - by_repetition[:, None] - by_opening + mean
    frees = np.array([repetitions - 1, openings - 1, (repetitions - 1) * (openings - 1)])
    squares = np.array([
        openings * np.sum((by_repetition - mean) ** 2),
        repetitions * np.sum((by_opening - mean) ** 2),
        np.sum(residuals**2),
    ])  # fmt: skip
    rows, columns, rest = squares / frees
    total = max(rows + columns - rest, rows, columns)
    if total <= EXACT:
        return mean, 0.0, 1.0
    free = total**2 / float(np.sum((squares / frees) ** 2 / frees))
    half = float(student.ppf(0.975, max(free, 1.0)) * np.sqrt(total / scores.size))
    return mean, mean - half, mean + half


def digest(study: Study) -> str:
    """Return what identifies a study, but for its budget, its seed and whom its points play."""
    table = {key: value for key, value in study.resolved().items() if key not in ("budget", "seed")}
    table["tune"] = {key: value for key, value in table["tune"].items() if key != "against"}
    return hash_of(table)


def hash_of(row: Row) -> str:
    """Return a short name that tells a row from others."""
    return hashlib.sha256(json.dumps(row, sort_keys=True).encode()).hexdigest()[:12]


def difference(scores: Floats, others: Floats) -> str:
    """Return what some scores have beyond others on the same openings, in points."""
    beyond = scores - others
    if np.ptp(beyond) <= EXACT:
        return f"{100 * beyond.flat[0]:+.1f} in every pair"
    mean, low, high = (f"{100 * value:+.1f}" for value in interval(beyond))
    return f"{mean} ({low} to {high})"


def table_of(
    tuners: Sequence[str], looks: Sequence[int], met: Mapping[tuple[str, int], Floats]
) -> str:
    """Return the table of scores by tuner and games, and what the first tuner has beyond each."""
    rows, first = [], tuners[0]
    for tuner in tuners:
        row = [tuner]
        for look in looks:
            mean, low, high = interval(met[tuner, look])
            elo = f"{elo_of(mean):+.0f} Elo" if 0 < mean < 1 else ""
            row.append(f"{100 * mean:.1f} % ({100 * low:.1f} to {100 * high:.1f}) {elo}")
        rows.append(row)
    headers = [f"{look:,} games" for look in looks]
    more = [
        [tuner, *(difference(met[first, look], met[tuner, look]) for look in looks)]
        for tuner in tuners[1:]
    ]
    tables = [tabulate(rows, ["tuner", *headers], "github")]
    if more:
        tables.append(tabulate(more, [f"{first} less, points", *headers], "github"))
    return "\n\n".join(tables)


@click.command()
@click.argument("source", metavar="STUDY")
@click.option("--tuners", default="joute,itself,clop,tpe,spsa-duel", show_default=True)
@click.option("--games", type=click.IntRange(min=100), default=1000, show_default=True)
@click.option("--looks", default="", help="Looks before the end, such as 1000,4000.")
@click.option("--seeds", type=click.IntRange(min=2), default=5, show_default=True)
@click.option("--start", type=click.Choice(STARTS), default="own", show_default=True)
@click.option("--pool", is_flag=True, help="Points play the study's opponents, not the start.")
@click.option("--blocks", type=click.IntRange(min=2), default=200, show_default=True,
              help="Pairs of each match with the study's own engine.")  # fmt: skip
@click.option("--set", "settings", multiple=True, metavar="PATH=VALUE", help="Of the study.")
@click.option("-j", "--workers", type=click.IntRange(min=1), default=2, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), default=Path("runs/engines"))
def main(
    source: str,
    tuners: str,
    games: int,
    looks: str,
    seeds: int,
    start: str,
    pool: bool,
    blocks: int,
    settings: tuple[str, ...],
    workers: int,
    out: Path,
) -> None:
    """Let tuners tune a study's engine; let what they recommend meet that engine."""
    names, known = tuners.split(","), [*OURS, *(n for n, rival in RIVALS.items() if not rival.ours)]
    for name in names:
        if name not in known:
            raise unknown("tuner", name, known)
    stops = sorted({*(int(look) for look in looks.split(",") if look), games})
    study = load_study(source, settings)
    start_of(study, start)
    out.mkdir(parents=True, exist_ok=True)
    common = {"study": study.name, "digest": digest(study)}
    run = {"games": games, "looks": stops, "start": start, "pool": pool}
    searches = Stored(out / "searches.jsonl", ("digest", "tuner", "seed", *run))
    keys = [
        {**common, "tuner": name, "seed": seed, **run}
        for seed in range(1, seeds + 1)
        for name in names
    ]
    made(searches, [(tune, source, settings, out, key) for key in keys], workers, "searches")
    for key in keys:
        under_way(out, key).unlink(missing_ok=True)
    matches = Stored(out / "matches.jsonl", ("digest", "point", "blocks", "pool"))
    meetings, blocks_of = [], dict[tuple[str, int], list[list[float]]]()
    for key in keys:
        for look, point in searches.rows[searches.key(key)]["recommended"].items():
            meeting = {**common, "point": point, "blocks": blocks, "pool": pool}
            meetings.append((key["tuner"], int(look), meeting))
    jobs = [(meet, source, settings, m["point"], m) for *_, m in meetings]
    made(matches, jobs, workers, "matches")
    for name, games_so_far, meeting in meetings:
        scores = matches.rows[matches.key(meeting)]["scores"]
        blocks_of.setdefault((name, games_so_far), []).append(scores)
    met = {key: np.array(rows) for key, rows in blocks_of.items()}
    first = plan_of(study).space.engine(start_of(study, start))
    if start != "own" or pool:
        begun = {**common, "point": start_of(study, start), "blocks": blocks, "pool": pool}
        made(matches, [(meet, source, settings, begun["point"], begun)], 1, "start")
        lost = float(np.mean(matches.rows[matches.key(begun)]["scores"]))
        click.echo(f"the start, {first.text}, scores {100 * lost:.1f} %")
    click.echo(table_of(names, stops, met))
    whom = "opponents" if pool else "engine"
    click.echo(f"against the {whom} of {study.name}, {seeds} repetitions, {blocks} pairs each")


if __name__ == "__main__":
    with told("engines"):
        main()

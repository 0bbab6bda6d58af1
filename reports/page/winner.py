"""The winner of a run as data: `winner.json`, what a bot is exported from, with where it comes from."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from joute.engines.engine import parse_engine, parse_game
from joute.engines.errors import Refused
from joute.engines.parameter import Value
from joute.reports.page.answer import Answer, answer
from joute.reports.page.search import SURE, Search
from joute.reports.page.search_answer import default_may_be_best
from joute.reports.page.words import listed
from joute.results.frames import Results, load
from joute.results.standings import standings_table
from joute.results.statistics import estimate_means
from joute.results.tables import write_atomically
from joute.studies.tuner.space import Space

WINNER = "winner.json"
STRENGTH = ("score", "score_low", "score_high", "elo", "elo_low", "elo_high")


@dataclass(frozen=True)
class Winner:
    """The engine that a run recommends, how strong it was, and whether that is confirmed.

    `engine` is its canonical text. The score, in [0, 1], and the Elo are against the other engines
    of `stage`, with 95 % intervals (None where there is none to give). `confirmed` means: shown at
    95 % to be stronger than every other of its stage, on openings that did not choose it (of a
    search: than the default, by all its games and fresh ones together); `why`
    says in words why it is or is not.
    """

    name: str
    engine: str
    game: str
    parameters: dict[str, Value]
    confirmed: bool
    why: str
    study: str
    kind: str
    seed: int
    stage: str
    games: int
    blocks: int
    score: float
    score_low: float
    score_high: float
    elo: float | None
    elo_low: float | None
    elo_high: float | None
    versions: dict[str, str] = field(default_factory=dict)
    commit: str = ""

    def data(self) -> dict[str, Any]:
        """Return plain data, ready for JSON."""
        return asdict(self)


def winner_of(results: Results, found: Answer | None = None) -> Winner | None:
    """Return the winner of a run, or its best guess unconfirmed; None if there is nothing to tell."""
    found = found or answer(results)
    if not len(results.games):
        return None
    if results.search is not None:
        return search_winner(results, found)
    stage = stage_of(results, found.winner)
    rows = standings_table(results, stage).to_dict("records")
    fit = [row for row in rows if row["engine"] not in found.excluded] or rows
    row = next((row for row in fit if row["engine"] == found.winner), fit[0])
    name = str(row["engine"])
    confirmed, why = _verdict(results, found, name, [str(r["engine"]) for r in rows])
    strength = {k: rounded(row[k]) for k in STRENGTH}
    return Winner(
        name=name,
        engine=str(results.engines.set_index("name").loc[name, "spec"]),
        parameters={k: v for k, v in results.values[name].items() if v is not None},
        confirmed=confirmed,
        why=why,
        stage=stage,
        games=int(row["games"]),
        blocks=int(row["blocks"]),
        **strength,  # type: ignore[arg-type]
        **origin(results),
    )


def stage_of(results: Results, winner: str | None) -> str:
    """Return the stage that decides: the last one; of a search among trainings the winner's own of the end."""
    for stage in results.finals:
        if winner in set(results.seats[results.seats["stage"] == stage]["engine"]):
            return stage
    return (results.finals or results.stages)[-1]


def search_winner(results: Results, found: Answer) -> Winner | None:
    """Return the winner of a search; None while nothing can be recommended."""
    if results.search is None or not results.trials:
        return None
    search = Search.of(results)
    if search.kind == "scan":
        return _of_scan(results, search)
    final = search.final()
    if final is None or found.winner is None:
        return None
    default_kept = found.winner == final.default
    scores = final.theirs if default_kept else final.mine
    measured = estimate_means(scores)
    engines = results.engines.set_index("name")
    why = (
        "nothing was shown to be better than the default, which is kept"
        if default_kept
        else "better than the default by all games, of the search and on fresh openings"
    )
    known = found.winner in engines.index
    spec = str(engines.loc[found.winner, "spec"]) if known else ""
    values = results.values.get(found.winner, {})
    return Winner(
        name=found.winner,
        engine=spec,
        parameters={k: v for k, v in values.items() if v is not None},
        confirmed=not default_kept,
        why=why,
        stage="final",
        games=len(scores) * search.games_per_block,
        blocks=len(scores),
        score=round(measured.score, 6),
        score_low=round(measured.score_low, 6),
        score_high=round(measured.score_high, 6),
        elo=rounded(measured.elo),
        elo_low=rounded(measured.elo_low),
        elo_high=rounded(measured.elo_high),
        **origin(results),
    )


def _of_scan(results: Results, search: Search) -> Winner | None:
    """Return the best point of a scan, or the default where the scan shows no effect."""
    flat = search.p_value >= SURE or default_may_be_best(search)
    point = search.default_point if flat else search.best
    score, low, high = search.expected(point)
    assert results.search is not None
    base: dict[str, Value] = {**results.search["base"], **point}
    spec = {row.name: row.spec for row in results.engines.itertuples()}.get(search.default, "")
    try:
        engine = Space(parse_game(results.meta["game"]), base, search.axes).engine(point)
    except Refused:
        return None  # a plugin's engine, and the plugin is not at hand
    if flat and spec:
        engine = parse_engine(str(spec))
    blocks = sum(len(trial.values) for trial in search.trials)
    why = (
        "the scan shows nothing better than the default, which is kept"
        if flat
        else ("a scan shows where to look; no match on fresh openings confirms it")
    )
    return Winner(
        name=search.default if flat else engine.text.removeprefix(f"{engine.game.label}/"),
        engine=engine.text,
        parameters=dict(engine.settings),
        confirmed=False,
        why=why,
        stage="scan",
        games=blocks * search.games_per_block,
        blocks=blocks,
        score=round(score, 6),
        score_low=round(low, 6),
        score_high=round(high, 6),
        elo=None,
        elo_low=None,
        elo_high=None,
        **origin(results),
    )


def origin(results: Results) -> dict[str, Any]:
    """Return where a winner comes from: study, kind, game, seed, versions and commit."""
    meta = results.meta
    return {
        "study": meta.get("name", ""),
        "kind": meta.get("kind", ""),
        "game": meta.get("game", ""),
        "seed": int(meta.get("seed") or 0),
        "versions": json.loads(meta.get("versions") or "{}"),
        "commit": meta.get("commit", ""),
    }


def rounded(value: Any) -> float | None:
    """Return a number to six decimals, or None."""
    return None if value is None else round(float(value), 6)


def _verdict(results: Results, found: Answer, name: str, names: list[str]) -> tuple[bool, str]:
    if len(names) == 1:
        return False, "it played alone"
    if name in found.excluded:
        return False, "it is too slow to win, as is every other engine"
    if found.winner is None or found.winner != name:
        return False, "nothing was shown to be stronger than all others at 95 %"
    if found.tied:
        return False, f"it cannot be told from {listed(found.tied)} at 95 %"
    if len(results.stages) == 1 and len(names) > 2:
        return False, "it was found and measured on the same games; no later stage confirms it"
    return True, "stronger than every other engine of its stage at 95 %, on fresh openings"


def write_winner(results: Results, found: Answer | None = None) -> Path | None:
    """Write `winner.json` into the run folder, or nothing if no game was played."""
    best = winner_of(results, found)
    if best is None:
        return None
    path = results.folder / WINNER
    write_atomically(path, json.dumps(best.data(), indent=2) + "\n")
    return path


def load_winner(folder: Path | str) -> Winner | None:
    """Return the winner of the run in `folder`, computed anew from its store."""
    return winner_of(load(folder))

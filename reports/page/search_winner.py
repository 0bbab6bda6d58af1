"""The winner of a scan or a tune study: the confirmed finalist, or the default that is kept."""

from __future__ import annotations

from engines.engine import parse_engine, parse_game
from engines.errors import Refused
from engines.game import Game
from engines.parameter import Value
from reports.page.answer import Answer
from reports.page.search import SURE, Search
from reports.page.search_answer import default_may_be_best
from reports.page.winner import Winner, origin, rounded
from results.frames import Results
from results.statistics import estimate_means
from studies.tuner.space import Space


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
    kept = found.winner == final.default
    scores = final.theirs if kept else final.mine
    told = estimate_means(scores)
    engines = results.engines.set_index("name")
    why = (
        "nothing was shown to be better than the default, which is kept"
        if kept
        else "better than the default at 95 %, on fresh openings against the same opponents"
    )
    known = found.winner in engines.index
    spec = str(engines.loc[found.winner, "spec"]) if known else ""
    values = results.values.get(found.winner, {})
    return Winner(
        name=found.winner,
        engine=spec,
        parameters={k: v for k, v in values.items() if v is not None},
        confirmed=not kept,
        why=why,
        stage="final",
        games=len(scores) * search.rows,
        blocks=len(scores),
        score=round(told.score, 6),
        score_low=round(told.score_low, 6),
        score_high=round(told.score_high, 6),
        elo=rounded(told.elo),
        elo_low=rounded(told.elo_low),
        elo_high=rounded(told.elo_high),
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
        engine = Space(_game(results), base, search.axes).engine(point)
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
        games=blocks * search.rows,
        blocks=blocks,
        score=round(score, 6),
        score_low=round(low, 6),
        score_high=round(high, 6),
        elo=None,
        elo_low=None,
        elo_high=None,
        **origin(results),
    )


def _game(results: Results) -> Game:

    return parse_game(results.meta["game"])

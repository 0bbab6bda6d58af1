"""`scan`: the score against one or two parameters that are drawn anew for every block."""

from __future__ import annotations

from dataclasses import replace

from joute.engines.engine import parse_engine, parse_game
from joute.engines.errors import Refused
from joute.engines.parameter import Value
from joute.reports.kinds._search import SearchTelling
from joute.reports.reading.answer import SETTLED, Answer
from joute.reports.reading.next_command import MORE
from joute.reports.reading.search import SURE, Search
from joute.reports.reading.search_answer import default_may_be_best, edge_line, scan_lines
from joute.reports.reading.winner import Winner, declared_kinds, origin, typed
from joute.studies.search.space import Space


class ScanTelling(SearchTelling):
    """The score against one or two parameters that are drawn anew for every block."""

    name = "scan"
    summary = "whether the parameters matter, and where the best value lies"
    note = (
        "By a model of all trials, never by the best trial alone. Best expected: where the model "
        "expects the highest score. The interval holds the best value with 95 %."
    )

    def lines(self) -> tuple[list[str], str | None]:
        """Return the results of the scan; a scan names no winner."""
        return scan_lines(self.search), None

    def answer(self) -> Answer:
        """Return the answer; the default is kept for good only where a larger gain is ruled out."""
        answered = super().answer()
        if not self.results.trials:
            return answered
        if not default_stays(self.search):
            outside = edge_line(self.search.axes, self.search.best)
            return replace(
                answered, before="Widen [space] and run with another --out." if outside else ""
            )
        gain = self.search.may_gain(self.search.default_point)
        further = (MORE - 1) * len(self.results.games)
        return replace(answered, gain_below=gain, undecided=gain >= SETTLED, more=further)

    def winner(self, answered: Answer) -> Winner | None:
        """Return the best point, never confirmed; the default where no effect is shown."""
        return scan_winner(self.search) if self.results.trials else None


def default_stays(search: Search) -> bool:
    """Whether no value is shown to be better than the default."""
    return search.p_value >= SURE or default_may_be_best(search)


def scan_winner(search: Search) -> Winner | None:
    """Return the best point of a scan, or the default where the scan shows no effect."""
    results = search.results
    flat = default_stays(search)
    point = search.default_point if flat else search.best
    score, low, high = search.expected(point)
    base: dict[str, Value] = {**search.space.base, **point}
    spec = {row.name: row.spec for row in results.engines.itertuples()}.get(search.default, "")
    try:
        engine = Space(parse_game(results.meta.game), base, search.axes).engine(point)
    except Refused:
        return None  # a plugin's engine, and the plugin is not at hand
    if flat and spec:
        engine = parse_engine(str(spec))
    blocks = sum(len(trial.values) for trial in search.trials)
    why = (
        "the scan shows no value that is better than the default"
        if flat
        else ("a scan shows where to look; no match on fresh openings has confirmed it")
    )
    return Winner(
        name=search.default if flat else engine.text.removeprefix(f"{engine.game.label}/"),
        engine=engine.text,
        parameters=typed(engine.settings, declared_kinds(results)),
        confirmed=False,
        why=why,
        stage="scan",
        games=blocks * search.games_per_block,
        blocks=blocks,
        score=score,
        score_low=low,
        score_high=high,
        elo=None,
        elo_low=None,
        elo_high=None,
        **origin(results),
    )

"""`compare.html` and `compare.csv`: a comparison as a page that needs nothing else, and as data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from reports import compare_search
from reports.compare import Comparison
from reports.compare_answer import answer, beware
from reports.compare_lines import Line, Side
from reports.compare_plot import draw, svg
from reports.page.html_table import Column
from reports.page.search_answer import p_number, point_text, points
from reports.page.words import elo_text, percent
from results.tables import write_atomically, write_csv

TEMPLATE = "compare.html.jinja"
SIDE = ("score", "low", "high", "blocks", "games", "elo", "elo_low", "elo_high")
BETWEEN = {
    "difference": "difference",
    "low": "difference_low",
    "high": "difference_high",
    "p": "p",
    "p_holm": "p_holm",
    "elo_difference": "elo_difference",
    "elo_low": "elo_difference_low",
    "elo_high": "elo_difference_high",
}
"""What a line says of both runs, and its columns."""


def write_comparison(found: Comparison, path: Path) -> Path:
    """Write the page and, beside it, the CSV of the same name; return the path of the CSV."""
    numbers = path.with_suffix(".csv")
    page = render(found, numbers.name)
    write_csv(table(found), numbers)
    write_atomically(path, page)
    return numbers


def render(found: Comparison, csv: str) -> str:
    """Return the page; `csv` is the name of the file with its numbers."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    lines = found.engines
    return environment.get_template(TEMPLATE).render(
        labels=found.labels,
        runs=runs(found),
        game=found.a.meta.get("game", ""),
        answer=answer(found),
        warnings=beware(found),
        plot=svg(draw(lines)) if lines else Markup(""),
        engines=columns(lines) if lines else [],
        tested=sum(line.p is not None for line in lines),
        rated=any(line.elo_difference is not None for line in lines),
        pairings=columns(found.pairings, paired=True) if found.pairings else [],
        search=_search(found),
        parameters=_parameters(found),
        winners=_winners(found),
        study=found.study,
        csv=csv,
    )


def runs(found: Comparison) -> list[dict[str, Any]]:
    """Return who A and B are."""
    return [
        {
            "letter": letter,
            "label": label,
            "name": run.meta.get("name", ""),
            "kind": run.meta.get("kind", ""),
            "games": len(run.games),
            "engines": len(run.engines),
            "seed": run.meta.get("seed", ""),
        }
        for letter, label, run in zip("AB", found.labels, (found.a, found.b), strict=True)
    ]


def columns(lines: list[Line], paired: bool = False) -> list[Column]:
    """Return the table of lines; `paired` ones have one opponent each, which is named."""
    staged, rated = len({one.stage for one in lines}) > 1, any(_rated(one) for one in lines)
    names = [one.engine.label for one in lines]
    if paired:
        against = Column("against", [one.opponents[0].label for one in lines], False)
    else:
        against = Column("opponents of both", [_field(one) for one in lines])
    return [
        *([Column("stage", [one.stage for one in lines], False)] if staged else []),
        Column("engine", names, False),
        *([against] if paired else []),
        Column("verdict", [mark(one) for one in lines], False),
        Column("score in A", [_score(one.a) for one in lines]),
        Column("score in B", [_score(one.b) for one in lines]),
        Column("difference", [_gap(one) for one in lines]),
        Column("p (Holm)", ["" if one.p_holm is None else p_number(one.p_holm) for one in lines]),
        *(
            [
                Column(
                    "Elo in A", [_elo(one.a.elo, one.a.elo_low, one.a.elo_high) for one in lines]
                ),
                Column(
                    "Elo in B", [_elo(one.b.elo, one.b.elo_low, one.b.elo_high) for one in lines]
                ),
                Column(
                    "Elo difference",
                    [_elo(one.elo_difference, one.elo_low, one.elo_high) for one in lines],
                ),
            ]
            if rated
            else []
        ),
        *([] if paired else [against]),
        Column("in B it is", [one.engine.how for one in lines], False),
        Column("blocks A, B", [f"{one.a.blocks}, {one.b.blocks}" for one in lines]),
    ]


def _rated(line: Line) -> bool:
    return line.elo_difference is not None


def _field(line: Line) -> str:
    common = len(line.opponents)
    met = f"{common} of {line.met[0]} in A, {line.met[1]} in B"
    return f"all {common}" if line.same_field else met


def _score(side: Side) -> str:
    return f"{percent(side.score)} ({100 * side.low:.1f} to {100 * side.high:.1f})"


def _gap(line: Line) -> str:
    if line.low is None or line.high is None:
        return points(line.difference) if line.difference else "none"
    ends = [points(end).removesuffix(" points") for end in (line.low, line.high)]
    return f"{points(line.difference).removesuffix(' points')} ({ends[0]} to {ends[1]})"


def _elo(elo: float | None, low: float | None, high: float | None) -> str:
    return "" if elo is None else f"{elo_text(elo)} ({elo_text(low)} to {elo_text(high)})"


def mark(line: Line) -> str:
    """Return what a line comes to, in two words."""
    if line.p is None:
        return "the same games"
    return "★ more than luck" if line.real else "(★) alone only" if line.alone else ""


def _search(found: Comparison) -> list[Column]:
    if not all(found.searches):
        return []
    both = [one for one in found.searches if one]
    return [
        Column("run", ["A", "B"], False),
        Column("kind", [one.kind for one in both], False),
        Column("trials", [str(one.trials) for one in both]),
        Column("given up", [str(one.trials - one.finished) for one in both]),
        Column("blocks", [str(one.blocks) for one in both]),
        Column("p of any effect", [p_number(one.p_value) for one in both]),
        Column("expected best", [point_text(one.best) for one in both], False),
        Column(
            "expected score (95 %)",
            [f"{percent(o.score)} ({100 * o.low:.1f} to {100 * o.high:.1f})" for o in both],
        ),
    ]


def _parameters(found: Comparison) -> list[Column]:
    a, b = found.searches
    return compare_search.columns(a, b) if a and b else []


def _winners(found: Comparison) -> list[Column]:
    told = [(n, one) for n, one in zip("AB", found.winners, strict=True) if one is not None]
    if not told:
        return []
    return [
        Column("run", [n for n, _ in told], False),
        Column("recommends", [one.name for _, one in told], False),
        Column("confirmed", ["yes" if one.confirmed else "no" for _, one in told], False),
        Column("stage", [one.stage for _, one in told], False),
        Column(
            "score (95 %)",
            [
                f"{percent(w.score)} ({100 * w.score_low:.1f} to {100 * w.score_high:.1f})"
                for _, w in told
            ],
        ),
        Column("games", [str(one.games) for _, one in told]),
        Column("why", [one.why for _, one in told], False),
    ]


def table(found: Comparison) -> pd.DataFrame:
    """Return all lines as numbers: scores and differences as shares of 1, Elo in Elo."""
    rows = [row("engine", one) for one in found.engines]
    rows += [row("pairing", one) for one in found.pairings]
    names = list(rows[0]) if rows else ["of", "stage", "engine_a", "engine_b"]
    return pd.DataFrame({n: pd.Series([one[n] for one in rows], dtype=object) for n in names})


def row(kind: str, line: Line) -> dict[str, Any]:
    """Return one line as plain data; `difference_*` and `p` are of scores."""
    sides = {
        f"{letter}_{name}": getattr(side, name)
        for letter, side in (("a", line.a), ("b", line.b))
        for name in SIDE
    }
    between = {column: getattr(line, name) for name, column in BETWEEN.items()}
    return {
        "of": kind,
        "stage": line.stage,
        "engine_a": line.engine.a,
        "engine_b": line.engine.b,
        "in_b": line.engine.how,
        "opponents": "; ".join(one.a for one in line.opponents),
        "same_field": line.same_field,
        **{k: round(v, 6) if isinstance(v, float) else v for k, v in (sides | between).items()},
        "more_than_luck": line.real,
    }


def data(found: Comparison, page: Path, csv: Path) -> dict[str, Any]:
    """Return the comparison for machines."""
    shared = found.shared
    return {
        "report": str(page),
        "csv": str(csv),
        "answer": answer(found),
        "beware": beware(found),
        "runs": runs(found),
        "differs": found.study,
        "shared_games": {"same": shared.same, "otherwise": shared.otherwise},
        "correction": "holm",
        "engines": [row("engine", one) for one in found.engines],
        "pairings": [row("pairing", one) for one in found.pairings],
        "searches": [compare_search.data(one) for one in found.searches],
        "winners": [one and one.data() for one in found.winners],
    }

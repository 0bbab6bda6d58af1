"""`compare.html` and `compare.csv`: a comparison as one self-contained page, and as data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from joute.engines.errors import Refused
from joute.engines.parameter import text_of
from joute.reports.compare.answer import answer, beware
from joute.reports.compare.run_pair import Comparison
from joute.reports.compare.scores import ScoreLine
from joute.reports.compare.searches import data_of, expected, trials_of
from joute.reports.html import page as html_page
from joute.reports.plots.differences import draw, svg
from joute.reports.reading.search_answer import p_number, point_text, range_text
from joute.results.manifest import noting
from joute.results.quantity import SHARE, Quantity
from joute.results.tables import write_atomically, write_csv

PAGE, TEMPLATE = "compare.html", "compare.html.jinja"
"""Where templates are: ours, and those of all pages."""


def page_path(both: Comparison, out: Path | None) -> Path:
    """Return where the page goes: `out`, or compare.html in the folder of run A."""
    path = out or both.runs[0].folder / PAGE
    if path.suffix.lower() not in (".html", ".htm"):
        raise Refused(f"--out {path}: a page needs a name that ends in .html")
    if not path.parent.is_dir():
        raise Refused(f"--out {path}: the folder {path.parent} does not exist")
    return path


def write_comparison(both: Comparison, path: Path) -> Path:
    """Write the page and, beside it, the CSV of the same name; return the path of the CSV."""
    numbers = path.with_suffix(".csv")
    page = render(both, numbers.name)
    with noting(both.runs[0].folder):
        write_csv(table(both), numbers)
        write_atomically(path, page)
    return numbers


def render(both: Comparison, csv: str) -> str:
    """Return the page; `csv` is the name of the file with its numbers."""
    lines = both.scores.engines
    return html_page(
        TEMPLATE,
        {"p": p_number, "point": point_text, "value": text_of},
        found=both,
        runs=runs(both),
        answer=answer(both),
        warnings=beware(both),
        plot=svg(draw(lines)) if lines else "",
        tested=sum(line.p is not None for line in lines),
        trials_of=trials_of,
        expected=expected,
        range_text=range_text,
        share=lambda *numbers: Quantity("", SHARE, *numbers).cell,
        csv=csv,
    )


def runs(both: Comparison) -> list[dict[str, Any]]:
    """Return the descriptions of A and B."""
    return [
        {
            "letter": letter,
            "label": label,
            "name": run.meta.name,
            "kind": run.meta.kind,
            "games": len(run.games),
            "engines": len(run.engines),
            "seed": run.meta.get("seed", ""),
        }
        for letter, label, run in zip("AB", both.labels, both.runs, strict=True)
    ]


def table(both: Comparison) -> pd.DataFrame:
    """Return all lines as numbers: scores and differences as shares of 1, Elo in Elo."""
    rows = [row("engine", line) for line in both.scores.engines]
    rows += [row("pairing", line) for line in both.scores.pairings]
    names = list(rows[0]) if rows else ["of", "stage", "engine_a", "engine_b"]
    return pd.DataFrame({n: pd.Series([line[n] for line in rows], dtype=object) for n in names})


def row(kind: str, line: ScoreLine) -> dict[str, Any]:
    """Return one line as plain data; `difference_*` and `p` are of scores."""
    sides: dict[str, Any] = {}
    for i, run in enumerate(("a", "b")):
        sides |= line.scores[i].columns(f"{run}_score", f"{run}_")
        sides |= {f"{run}_blocks": line.blocks[i], f"{run}_games": line.games[i]}
        sides |= line.elos[i].columns(f"{run}_elo", f"{run}_elo_")
    chances = {"p": line.p, "p_holm": line.p_holm}
    return {
        "of": kind,
        "stage": line.stage,
        "engine_a": line.engine.a,
        "engine_b": line.engine.b,
        "in_b": line.engine.how,
        "opponents": "; ".join(pair.a for pair in line.opponents),
        "same_field": line.same_field,
        **sides,
        **line.difference.columns("difference", "difference_"),
        **{name: p if p is None else round(p, 6) for name, p in chances.items()},
        **line.elos[2].columns("elo_difference", "elo_difference_"),
        "more_than_luck": line.real,
    }


def data(both: Comparison, page: Path, csv: Path) -> dict[str, Any]:
    """Return the comparison as JSON data."""
    return {
        "report": str(page),
        "csv": str(csv),
        "answer": answer(both),
        "beware": beware(both),
        "runs": runs(both),
        "differs": both.study.texts(),
        "shared_games": {"same": len(both.shared.same), "otherwise": both.shared.otherwise},
        "correction": "holm",
        "engines": [row("engine", line) for line in both.scores.engines],
        "pairings": [row("pairing", line) for line in both.scores.pairings],
        "searches": [line and data_of(line) for line in both.searches],
        "winners": [line and line.data() for line in both.winners],
    }

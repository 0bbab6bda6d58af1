"""Studies typed on the command line rather than written in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from joute.engines.engine import parse_engine
from joute.engines.errors import Refused
from joute.studies.file.validation import Errors, StudyRefused
from joute.studies.load import read
from joute.studies.study import Study

BLOCKS = 100


def match_study(
    spec: str,
    two: str,
    blocks: int | None = None,
    sprt: tuple[float, float] | None = None,
    seed: int = 1,
    plies: int | None = None,
    records: str | None = None,
    margin_ms: float | None = None,
) -> Study:
    """Return the study of a match between two engine texts; the first names the game.

    `plies`: random plies, or plies to take from each of the `records` (a file or a folder).
    `margin_ms`: as `time.margin_ms` of a study.
    """
    if blocks and sprt:
        raise Refused("--blocks does not go with --sprt, which ends the match itself")
    first = parse_engine(spec)
    second = parse_engine(two, first.game)
    if first.game.label != second.game.label:
        raise Refused(f"{second.text} plays another game than {first.game.label}")
    data: dict[str, Any] = {
        "name": f"match-{first.id[:6]}-{second.id[:6]}",
        "kind": "match",
        "game": first.game.label,
        "seed": seed,
        "openings": {} if plies is None else {"plies": plies},
        "a": {"spec": first.text},
        "b": {"spec": second.text},
    }
    if records is not None:
        data["openings"]["records"] = records
    if margin_ms is not None:
        data["time"] = {"margin_ms": margin_ms}
    if sprt:
        data["sprt"] = {"elo0": sprt[0], "elo1": sprt[1]}
    else:
        data["blocks"] = blocks or BLOCKS
    errors = Errors()
    study = read(data, "", Path.cwd(), errors)
    if study is None or errors.lines():
        raise StudyRefused("match", errors.lines())
    return study

"""The winner of a run as data, and that of matches; other kinds make theirs in `reports/kinds/`,
and `reports/telling.py` asks the kind and writes `winner.json`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from joute.engines.check import LIMIT_RANGE
from joute.engines.parameter import Value, text_of
from joute.reports.reading.answer import Answer
from joute.reports.reading.match import undecided_test
from joute.reports.reading.words import listed
from joute.results.frames import Results
from joute.results.standings import standings_table
from joute.studies.tuner.axis import Axis

WINNER = "winner.json"
LIMIT_KINDS = {name: limit.kind for name, limit in LIMIT_RANGE.items()}
IN_DOUBT = ("nothing was shown to be stronger", "it cannot be told from", "the test ")
"""How the reasons begin for which an engine is the first of its run, and not its winner."""
AVERAGE = "the average of its stage, weak engines too"
TOO_FEW = "the fresh games alone are too few to show it"
"""How the reason ends for which the model of a search alone confirms its winner."""
STRENGTH = ("score", "score_low", "score_high", "elo", "elo_low", "elo_high")


@dataclass(frozen=True)
class Winner:
    """The engine that a run recommends, its strength, and whether that is confirmed.

    `engine` is its canonical text. The score, in [0, 1], and the Elo are against the other engines
    of `stage`, with 95 % intervals (None if unknown). `confirmed`: shown at 95 % to be stronger
    than every other engine of its stage, on openings that did not choose it (of a search: than the
    default, by all its games and fresh ones together); `why` gives the reason in words. `elo_above`: what
    has the Elo 0, an opponent or the average of the stage; "" where no Elo is known.
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
    elo_above: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    commit: str = ""

    @property
    def by_model(self) -> bool:
        """Whether the model of all games alone confirms it, as the fresh ones are too few."""
        return self.confirmed and self.why.endswith(TOO_FEW)

    @property
    def in_doubt(self) -> bool:
        """Whether others may be as strong."""
        return not self.confirmed and self.why.startswith(IN_DOUBT)

    def data(self) -> dict[str, Any]:
        """Return plain data, ready for JSON, with no more decimals than games can tell."""
        return {name: rounded(name, value) for name, value in asdict(self).items()}


def stored_winner(folder: Path) -> Winner | None:
    """Return the winner that a run's end wrote into its folder; None where there is no such file."""
    try:
        data = json.loads((folder / WINNER).read_text("utf-8"))
        return Winner(**data)
    except (OSError, ValueError, TypeError):
        return None


def replaced(before: Winner | None, now: Winner | None) -> str:
    """Say that other games made another engine the winner; "" if it is the same, or there was none."""
    if before is None or now is None or before.engine == now.engine or before.in_doubt:
        return ""
    names = apart(now, before)
    is_now, was = (
        f"{one.name} ({values})" if (values := values_told(one, names)) else one.name
        for one in (now, before)
    )
    first = f"the winner is now {is_now}"
    if now.in_doubt:
        first = f"{is_now} is first now, and cannot be told from others"
    return f"{first}; before these games it was {was}: what you exported of that is out of date"


def apart(one: Winner, other: Winner) -> list[str]:
    """Return the parameters in which two engines differ."""
    names = dict.fromkeys([*one.parameters, *other.parameters])
    return [n for n in names if one.parameters.get(n) != other.parameters.get(n)]


def values_told(winner: Winner, names: Iterable[str]) -> str:
    """Return an engine's values of these parameters in words, without those that its name says."""
    values = {n: text_of(winner.parameters[n]) for n in names if n in winner.parameters}
    return ", ".join(f"{n} = {v}" for n, v in values.items() if f"{n}={v}" not in winner.name)


def match_winner(results: Results, answer: Answer, stage: str = "") -> Winner:
    """Return the best of a stage (default: the last one with games), confirmed or not."""
    stage = stage or results.stages[-1]
    rows = standings_table(results, stage).to_dict("records")
    fit = [row for row in rows if row["engine"] not in answer.excluded] or rows
    row = next((row for row in fit if row["engine"] == answer.leader), fit[0])
    name = str(row["engine"])
    confirmed, why = _verdict(results, answer, name, [str(r["engine"]) for r in rows])
    strength = {k: None if row[k] is None else float(row[k]) for k in STRENGTH}
    return Winner(
        name=name,
        engine=str(results.engines.set_index("name").loc[name, "spec"]),
        parameters=typed(results.values[name], declared_kinds(results)),
        confirmed=confirmed,
        why=why,
        stage=stage,
        games=int(row["games"]),
        blocks=int(row["blocks"]),
        **strength,  # type: ignore[arg-type]
        elo_above="" if strength["elo"] is None else above(rows, row),
        **origin(results),
    )


def above(rows: Sequence[Mapping[Any, Any]], row: Mapping[Any, Any]) -> str:
    """Return what has the Elo 0 in the standings of a row's group: of two engines the other one."""
    others = [r["engine"] for r in rows if r["group"] == row["group"] and r is not row]
    return str(others[0]) if len(others) == 1 else AVERAGE


def declared_kinds(results: Results) -> dict[str, str]:
    """Return the kinds of the limits and of the parameters that the study declares or searches, by
    name: int, float, choice or text.
    """
    declared = results.meta.study.get("parameters", {})
    searched = {axis["name"]: axis["kind"] for axis in (results.search or {}).get("axes", [])}
    told = {name: str(table["kind"]) for name, table in declared.items()}
    return {**LIMIT_KINDS, **searched, **told}


def meanings_of(results: Results) -> dict[str, str]:
    """Return what a study says of its declared and searched parameters, by name: the meaning, the
    default and the searched range.
    """
    declared = results.meta.study.get("parameters", {})
    search = results.search or {}
    axes = {axis["name"]: Axis.stored(axis).as_written() for axis in search.get("axes", [])}
    usual = {name: table.get("default") for name, table in declared.items()}
    usual |= {name: value for name, value in search.get("base", {}).items() if name in axes}
    texts = {}
    for name in {**declared, **axes}:
        parts = [f"default {text_of(usual[name])}"] if usual.get(name) is not None else []
        parts += [f"searched {searched_text(axes[name])}"] if name in axes else []
        meaning = str(declared.get(name, {}).get("meaning", "")).strip("?")
        texts[name] = "; ".join(filter(None, (meaning, ", ".join(parts))))
    return texts


def searched_text(axis: Any) -> str:
    """Return the range or the choices of an axis, given as a study writes it."""
    if isinstance(axis, list):
        return ", ".join(map(str, axis))
    return f"{text_of(axis['from'])} to {text_of(axis['to'])}"


def typed(values: Mapping[str, Value | None], kinds: Mapping[str, str]) -> dict[str, Value]:
    """Return the values that there are, numbers as ints and floats as their parameters are."""
    cast: dict[str, type] = {"int": int, "float": float}
    return {
        name: cast[kinds[name]](value)
        if kinds.get(name) in cast and type(value) in (int, float) and value == int(value)
        else value
        for name, value in values.items()
        if value is not None
    }


def origin(results: Results) -> dict[str, Any]:
    """Return the origin of a winner: study, kind, game, seed, versions and commit."""
    meta = results.meta
    return {
        "study": meta.name,
        "kind": meta.kind,
        "game": meta.game,
        "seed": meta.seed,
        "versions": meta.versions,
        "commit": meta.get("commit", ""),
    }


def rounded(name: str, value: Any) -> Any:
    """Return a score with four decimals, an Elo with one, anything else as it is."""
    return round(float(value), 4 if "score" in name else 1) if value and name in STRENGTH else value


def _verdict(results: Results, answer: Answer, name: str, names: list[str]) -> tuple[bool, str]:
    if len(names) == 1:
        return False, "it played alone"
    if name in answer.excluded:
        return False, "it is too slow to win, as is every other engine"
    if answer.leader is None or answer.leader != name:
        if tested := undecided_test(results):
            return False, tested
        return False, f"{IN_DOUBT[0]} than all others at 95 %"
    if answer.tied:
        return False, f"{IN_DOUBT[1]} {listed(answer.tied)} at 95 %"
    if len(results.stages) == 1 and len(names) > 2:
        return False, "it was chosen and measured on the same games; no later stage confirms it"
    return True, "stronger than every other engine of its stage at 95 %, on fresh openings"

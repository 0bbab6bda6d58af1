"""The results that programs report at the end of games, beside ours, which count."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from joute.engines.record import AGREES, DIFFERS, SILENT, Claim, conceded_by_all
from joute.engines.registry import find, names
from joute.reports.reading.words import counted, listed
from joute.results.frames import Results
from joute.results.quantity import percent

FEW = 0.01
"""Share of games up to which other results are no reason to doubt the whole."""
NAMED = 4


def shares(results: Results) -> dict[str, int | float]:
    """Return the number of games whose result a program reported, how many reports differed from
    ours, their share, and how often a program reported none; empty if none was asked.
    """
    claims = results.claims
    if not len(claims):
        return {}
    asked = claims[claims["verdict"].isin([AGREES, DIFFERS])]["game"].nunique()
    differs = claims[claims["verdict"] == DIFFERS]["game"].nunique()
    silent = int((claims["verdict"] == SILENT).sum())
    share = differs / asked if asked else 0.0
    return {"games": asked, "differ": differs, "share": round(share, 4), "silent": silent}


def claim_notes(results: Results) -> list[str]:
    """Say how reported results compare with ours, and what it means if many differ."""
    tally = shares(results)
    if not tally:
        return []
    notes = list[str]()
    if tally["differ"]:
        rows = results.claims[results.claims["verdict"] == DIFFERS]
        first = rows.iloc[0]
        notes.append(
            f"In {tally['differ']} of {tally['games']} games ({percent(tally['share'])}) a "
            f"program claims another result than Joute, whose result counts: {_who(rows)} (game "
            f"{first['game']}: "
            f"{first['said']}, Joute's "
            f"{first['ours']}).{_why(results, rows, float(tally['share']))}"
        )
    elif tally["games"]:
        notes.append(
            f"Programs were asked for the result of {counted(int(tally['games']), 'game')}, and "
            f"always agreed with Joute."
        )
    if agreed := _conceded(results):
        notes.append(
            f"In {counted(agreed, 'game')} the stones that all players agreed were dead were "
            f"removed before counting; claims.csv and joute replay list them."
        )
    silent = results.claims[results.claims["verdict"] == SILENT]
    if len(silent):
        notes.append(f"A program was asked for the result and gave none: {_who(silent)}: "
                     f"{silent['said'].iloc[0]}.")  # fmt: skip
    return notes


def doubts(results: Results) -> list[str]:
    """Return the notes that point to a fault."""
    tally = shares(results)
    wrong = tally and (tally["share"] > FEW or tally["silent"])
    return claim_notes(results) if wrong else []


def claims_line(results: Results) -> str:
    """Say in one short line that many results are doubtful; "" if they are not."""
    tally = shares(results)
    if not tally or tally["share"] <= FEW:
        return ""
    return (
        f"Caution: in {tally['differ']} of {tally['games']} games ({percent(tally['share'])}) a "
        f"program claims another result than Joute."
    )


def _conceded(results: Results) -> int:
    """Count the games at whose end all players conceded something."""
    rows = results.claims[results.claims["conceded"] != ""]
    claims = [Claim(*row) for row in rows[[*Claim._fields]].itertuples(index=False, name=None)]
    by_game: dict[str, list[Claim]] = {}
    for game, claim in zip(rows["game"], claims, strict=True):
        by_game.setdefault(game, []).append(claim)
    return sum(
        len(given) == results.players and bool(conceded_by_all(given)) for given in by_game.values()
    )


def _who(rows: pd.DataFrame) -> str:
    """Name the engines of some claims, each with how many."""
    counts = rows["engine"].value_counts()
    some = [f"{engine} in {number}" for engine, number in counts.head(NAMED).items()]
    return listed([*some, *([f"{len(counts) - NAMED} more"] if len(counts) > NAMED else [])])


def _why(results: Results, rows: pd.DataFrame, share: float) -> str:
    """Say what differing results usually mean in the protocols of their programs."""
    if share <= FEW or "protocol" not in results.engines:
        return ""
    protocols = results.engines[results.engines["name"].isin(rows["engine"].unique())]["protocol"]
    return "".join(f" That usually means: {text}." for text in _disputes(protocols.unique()))


def _disputes(protocols: Iterable[object]) -> list[str]:
    known = names("protocol")
    texts = [find("protocol", str(name)).disputes for name in protocols if name in known]
    return [text for text in texts if text]

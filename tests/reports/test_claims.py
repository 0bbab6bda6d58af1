"""What is said of results that programs claim."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from joute.engines.record import Claim, EngineRecord
from joute.reports.reading.caveats import warnings
from joute.reports.reading.reported_results import claim_notes, doubts, shares
from joute.reports.telling import answer
from joute.results.store import Store
from joute.results.tables import Results, load, write_tables
from tests.support import synthetic_runs as runs


def claimed(folder: Path, verdicts: list[str]) -> Results:
    """Return a match of which the first seat of each game says something."""
    players = runs.Players({"gnu": 0.0, "ours": 0.0})
    games = [
        one for i in range(len(verdicts) // 2) for one in players.pair("gnu", "ours", "main", i, i)
    ]
    said = {"agrees": "B+3.5", "differs": "W+0.5", "silent": "no answer in 10 ms"}
    found = []
    for one, verdict in zip(games, verdicts, strict=True):
        first = one.seats[0]
        if verdict:
            first = first._replace(claim=Claim(verdict, said[verdict], "B+3.5"))
        found.append(one._replace(seats=(first, one.seats[1])))
    with Store.create(folder) as store:
        store.set_meta(runs.META)
        engines = [runs.engine(name, protocol="gtp", command=name) for name in ("gnu", "ours")]
        store.add_engines(engines)
        names = {one.name: one.id for one in engines}
        store.add_games(
            [
                g._replace(seats=tuple(s._replace(engine=names[s.engine]) for s in g.seats))
                for g in found
            ]
        )
    return load(folder)


def test_other_results_are_counted_explained_and_written(tmp_path: Path) -> None:
    results = claimed(tmp_path, ["differs", "agrees", "differs", "", "silent", "agrees"])
    assert shares(results) == {"games": 4, "differ": 2, "share": 0.5, "silent": 1}
    first, second = claim_notes(results)
    assert "In 2 of 4 games (50.0 %) a program claims another result than Joute" in first
    assert "gnu in 2" in first and "W+0.5, Joute's B+3.5" in first and "--capture-all-dead" in first
    assert second.endswith("ours in 1: no answer in 10 ms.") or "gnu in 1" in second
    assert doubts(results) == [first, second]
    assert first in warnings(results)
    assert "Caution: in 2 of 4 games (50.0 %)" in " ".join(answer(results).lines)
    write_tables(results)
    table = pd.read_csv(tmp_path / "claims.csv")
    assert list(table.columns) == [
        "stage", "group", "game", "seat", "engine", "verdict", "said", "ours", "conceded",
    ]  # fmt: skip
    assert table["verdict"].tolist() == ["differs", "agrees", "differs", "silent", "agrees"]


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [(["", ""], []), (["agrees", ""], ["1 game,"]), (["agrees", "agrees"], ["2 games"])],
)
def test_who_agrees_or_is_not_asked_is_no_reason_for_doubt(
    tmp_path: Path, verdicts: list[str], said: list[str]
) -> None:
    results = claimed(tmp_path, verdicts)
    notes = claim_notes(results)
    assert len(notes) == len(said) and all(
        text in note for text, note in zip(said, notes, strict=True)
    )
    assert not doubts(results) and "Caution" not in " ".join(answer(results).lines)
    write_tables(results)
    assert (tmp_path / "claims.csv").exists() == bool(said)


def test_what_both_gave_up_is_told(tmp_path: Path) -> None:
    players = runs.Players({"a": 0.0, "b": 0.0})
    games = players.pair("a", "b", "main", 0, 0)
    both = [Claim("agrees", "0", "0", "D4 C3"), Claim("", conceded="C3 E5")]
    one = [Claim("", conceded="C3"), None]
    games = [
        game._replace(
            seats=tuple(s._replace(claim=c) for s, c in zip(game.seats, claims, strict=True))
        )
        for game, claims in zip(games, (both, one), strict=True)
    ]
    with Store.create(tmp_path) as store:
        store.set_meta(runs.META)
        store.add_engines([EngineRecord(name, name, "x", {}, "") for name in ("a", "b")])
        store.add_games(games)
        assert [game.conceded for game in store.games()] == [("C3",), ()]
    notes = claim_notes(load(tmp_path))
    assert len(notes) == 2 and notes[1].startswith(
        "In 1 game the stones that all players agreed were dead"
    )

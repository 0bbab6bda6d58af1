"""The winner of a run that goes on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

import joute
from joute.reports.reading.final import final_of
from joute.reports.reading.winner import Winner, replaced, stored_winner


def winner(name: str, k: float) -> Winner:
    parameters = {"iterations": 100, "k": k}
    return Winner(
        name, f"connect4/uct:iterations=100,k={k}", "connect4", parameters, True, "why", "s", "tune", 1,
        "final", 40, 20, 0.6, 0.55, 0.65, None, None, None,
    )  # fmt: skip


def test_another_winner_is_told_by_what_differs() -> None:
    before, now = winner("tuned-1", 1.1), winner("tuned-1", 0.8)
    told = replaced(before, now)
    assert told.startswith(
        "the winner is now tuned-1 (k = 0.8); before these games it was tuned-1 "
    )
    assert "(k = 1.1)" in told and "iterations" not in told and "out of date" in told


def test_the_same_winner_is_not_told() -> None:
    one = winner("tuned-1", 1.1)
    assert replaced(one, replace(one, score=0.7, name="tuned-2")) == ""
    assert replaced(None, one) == replaced(one, None) == ""


def test_a_run_that_goes_on_tells_of_another_winner(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pair = ["connect4/uct:iterations=10", "connect4/uct:iterations=200"]
    run = joute.match(*pair, blocks=20, out=tmp_path / "run")
    path = run.folder / "winner.json"
    found = stored_winner(run.folder)
    assert found is not None and "iterations=200" in found.engine
    path.write_text(
        path.read_text().replace("iterations=200", "iterations=10")
    )  # as if it had lost
    joute.match(*pair, blocks=30, out=tmp_path / "run")
    assert "the winner is now" in capsys.readouterr().err


def test_a_default_that_is_kept_has_the_score_of_the_answer() -> None:
    """Against the pool, itself counted as 1/2; or, alone there, that of its games against the finalist."""
    rows = [  # block, round, two engines, what the first scored in the block's two games
        (1, 1, "best", "default", (1, 1)),
        (2, 1, "best", "other", (0, 1)),
        (3, 1, "default", "other", (1, 0.5)),
    ]
    seats = pd.DataFrame(
        {"stage": "final", "block": block, "engine": name, "returns": value}
        for block, _, one, two, scores in rows
        for score in scores
        for name, value in ((one, score), (two, 1 - score))
    )
    games = pd.DataFrame({"stage": "final", "block": row[0], "round": row[1]} for row in rows)
    meta = SimpleNamespace(finalist="best", final_rounds=1)
    results: Any = SimpleNamespace(meta=meta, games=games, seats=seats)
    final = final_of(results, "default", ["default", "other"])
    assert final is not None
    assert (final.mine, final.theirs, final.blocks) == ([1, 0.5], [0.5, 0.75], 3)
    assert final.own == final.theirs and final.own_blocks == 1  # 1/2 against itself: the answer's
    alone = seats[seats["block"] == 1]
    only: Any = SimpleNamespace(meta=meta, games=games[:1], seats=alone)
    final = final_of(only, "default", ["default"])
    assert final is not None
    assert (final.theirs, final.own, final.own_blocks) == ([0.5], [0], 1)


def test_a_kept_default_alone_of_three_has_its_own_returns() -> None:
    """It sits twice in a game with the finalist: a block's returns add up to 1.5 a game, not to 1."""
    seats = pd.DataFrame(
        {"stage": "final", "block": 1, "engine": name, "returns": value}
        for name, value in (("best", 0.0), ("default", 1.0), ("default", 0.5))
    )
    games = pd.DataFrame({"stage": "final", "block": [1], "round": [1]})
    meta = SimpleNamespace(finalist="best", final_rounds=1)
    results: Any = SimpleNamespace(meta=meta, games=games, seats=seats)
    final = final_of(results, "default", ["default"])
    assert final is not None and (final.own, final.own_blocks) == ([0.75], 1)

"""The report of a training run, from entries and games that are made up."""

from __future__ import annotations

import itertools
import json
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from joute.reports.card import card_of
from joute.reports.page.page import report
from joute.reports.page.standings import standing_columns
from joute.reports.reading.caveats import warnings
from joute.reports.reading.plateau import by_heart, trend_of
from joute.reports.telling import answer, telling_of, winner_of
from joute.results.store import Store
from joute.results.tables import load
from tests.support.synthetic_runs import META, Players, engine
from tests.support.watching import now, served

ANCHOR = "uct:iterations=1000"
STUDY = "[selfplay]\niterations = 5\n[ladder]\nblocks = 10\n"


def measures(loss: float) -> dict[str, Any]:
    return {
        "samples": 900, "policy_loss": loss, "value_loss": loss / 3, "accuracy": 0.4, "error": 0.5
    }  # fmt: skip


def entry(number: int, accepted: bool, decided: bool = True) -> dict[str, Any]:
    gate = {"score": 0.6, "low": 0.5, "high": 0.7, "blocks": 20, "decided": decided, "text": "x"}
    return {
        "generation": number, "parent": number - 1, "champion": 0, "games": 100, "window": 2000,
        "positions": 1000, "accepted": accepted, "gate": gate, "fresh": measures(1.8),
        "learnt": measures(1.6 / number), "seconds": {"self-play": 3000.0, "learning": 600.0, "gate": 9.0},
    }  # fmt: skip


FIRST = {"generation": 0, "accepted": True, "from": "drawn", "seconds": {}}


def run(
    folder: Path,
    strengths: dict[str, float],
    entries: list[dict[str, Any]],
    timed: dict[str, float] | None = None,
) -> Path:
    """Store a training run whose ladder has these engines, by planted Elo, and its games at equal time
    those `timed`, the first against each other one.
    """
    timed = timed or {}
    engines = {name: engine(name, iterations=100) for name in {**strengths, **timed}}
    players = Players({engines[name].id: elo for name, elo in {**strengths, **timed}.items()})
    stages = ["gate-001", *(["equal-time"] if timed else []), "ladder"]
    meta = {
        **META,
        "kind": "train",
        "study": f"{META['study']}{STUDY}",
        "stages": json.dumps(stages),
        "generations": json.dumps(entries),
    }
    with Store.create(folder) as store:
        store.add_engines(engines.values())
        store.set_meta(meta)
        for order, (number, name) in enumerate(itertools.product(range(60), [*timed][1:])):
            two = (engines[next(iter(timed))].id, engines[name].id)
            store.add_games(players.pair(*two, "equal-time", number, order))
        ladder = [engines[name] for name in strengths]
        pairs = itertools.product(range(60), itertools.combinations(ladder, 2))
        for order, (number, (a, b)) in enumerate(pairs):
            store.add_games(players.pair(a.id, b.id, "ladder", number, order))
    return folder


def test_the_answer_measures_the_champion_by_the_anchors(tmp_path: Path) -> None:
    strengths = {
        "generation 0": -900.0, "generation 3": 200.0, "generation 4": 210.0, "generation 5": 205.0,
        ANCHOR: 0.0,
    }  # fmt: skip
    told = [FIRST, *(entry(k, k != 2, k != 2) for k in range(1, 6))]
    folder = run(tmp_path / "run", strengths, told)
    found = answer(load(folder))
    assert found.winner == "generation 5" and len(found.lines) == 3
    assert found.lines[0].startswith(f"generation 5 beats {ANCHOR} by ")
    assert found.lines[0].endswith("at 100 iterations per move.")
    assert found.lines[1].startswith(
        "The last 3 generations of the ladder cannot be told apart (generation 5 over generation 3: Elo -"
    )
    assert (
        "the loss on new games no longer falls surely, from 2.40 to 2.40 in the" in found.lines[1]
    )
    assert "more games of the same kind may not help. Above generation 0: +" in found.lines[1]
    assert found.lines[2] == (
        "500 games of self-play in 5 iterations, 4 of them accepted; 5.0 h: self-play 4.2 h, "
        "learning 50 min and gate 45 s."
    )
    page = report(folder).page.read_text()
    assert "<h2>Generations</h2>" in page and "undecided: rejected" in page and "★ champion" in page
    assert {p.stem for p in (folder / "plots").glob("*.csv")} >= {
        "learning",
        "gates",
        "generations",
    }
    assert json.loads((folder / "winner.json").read_text())["name"] == "generation 5"


@pytest.mark.parametrize(
    ("losses", "told"),
    [
        ([2.4, 2.2, 2.1, 1.9, 1.8], "still falls, from 2.3"),
        ([2.4, 2.2], "after so few iterations nobody can tell"),
        ([2.4, 2.5, 2.4, 2.5, 2.4], "may not help"),
    ],
)
def test_more_games_are_advised_by_what_trends_say(
    losses: list[float], told: str, tmp_path: Path
) -> None:
    number = len(losses)
    strengths = {"generation 0": -900.0, ANCHOR: 0.0}
    strengths |= {f"generation {k}": 200.0 for k in range(max(1, number - 3), number)}
    strengths[f"generation {number}"] = 170.0
    entries = [
        {**entry(k, True), "fresh": measures(0.75 * loss)} for k, loss in enumerate(losses, 1)
    ]
    line = answer(load(run(tmp_path / "run", strengths, [FIRST, *entries]))).lines[1]
    assert line.startswith("The last ") and told in line
    assert ("same kind may not help" in line) == (told == "may not help")
    assert not any("looks better than it is" in text for text in caveats(tmp_path / "run"))


def caveats(folder: Path) -> list[str]:
    results = load(folder)
    return warnings(results.matches, telling_of(results).confirms)


@pytest.mark.parametrize(
    ("own", "new", "said"),
    [
        ([0.52, 0.49, 0.46, 0.44, 0.42], [0.74, 0.73, 0.75, 0.74, 0.74], "learns games by heart"),
        ([0.52, 0.49, 0.46, 0.44, 0.42], [0.74, 0.70, 0.66, 0.62, 0.58], ""),
        ([0.52, 0.52, 0.52, 0.52, 0.52], [0.74, 0.73, 0.75, 0.74, 0.74], ""),
        ([0.52, 0.45, 0.40, 0.32, 0.22], [0.74, 0.73, 0.75, 0.74, 0.74], "has memorised games"),
        ([0.52, 0.42], [0.74, 0.74], ""),
    ],
)
def test_a_value_that_learns_by_heart_is_noticed(
    own: list[float], new: list[float], said: str
) -> None:
    entries = [{"generation": 0, "learnt": {"value_loss": own[0]}}] + [
        {"generation": k, "parent": k - 1, "learnt": {"value_loss": mine},
         "fresh": {"value_loss": others, "policy_loss": 1.0}}
        for k, (mine, others) in enumerate(zip(own[1:] + own[-1:], new, strict=True), 1)
    ]  # fmt: skip
    text = by_heart(entries)
    assert said in text and bool(text) == bool(said)


def test_a_trend_is_a_line_with_an_honest_slope() -> None:
    """Noise alone falls surely in one of forty."""
    rng = np.random.default_rng(5)
    trends = [trend_of(rng.normal(2, 0.1, 6).tolist()) for _ in range(4000)]
    assert 0.018 < np.mean([t.falls for t in trends if t is not None]) < 0.032
    line = trend_of([9.0, 3.0, 2.5, 2.0, 1.5, 1.0, 0.5])
    assert line is not None and line.first == pytest.approx(3.0)
    assert line.last == pytest.approx(0.5) and line.falls
    assert trend_of([2.0, 1.0, 0.5]) is None


def test_what_is_not_shown_is_not_claimed(tmp_path: Path) -> None:
    even = {"generation 0": 0.0, "generation 1": 0.0, ANCHOR: 0.0}
    lines = answer(load(run(tmp_path / "even", even, [FIRST, entry(1, True)]))).lines
    assert f"cannot be told from {ANCHOR}, " in lines[0]
    assert lines[1].startswith("The 2 generations of the ladder cannot be told apart.")
    weak = {"generation 0": -300.0, "generation 1": -250.0, ANCHOR: 200.0}
    results = load(run(tmp_path / "weak", weak, [FIRST, entry(1, True)]))
    found = answer(results)
    assert f"generation 1 loses to {ANCHOR} by " in found.lines[0]
    columns = {one.title: one.cells for one in standing_columns(results, "ladder", None)}
    verdict = dict(zip(columns["engine"], columns["verdict"], strict=True))
    assert verdict[ANCHOR] == "★ first" and verdict["generation 1"] == ""


@pytest.mark.parametrize(
    ("elo", "timed", "title", "confirmed", "why", "command"),
    [
        (200.0, None, "Take generation 1", True, f"stronger than {ANCHOR} at 95 %", " export "),
        (
            -300.0,
            None,
            f"Not strong enough: generation 1 loses to {ANCHOR}",
            False,
            f"it loses to {ANCHOR} at 95 %",
            "iterations=20",
        ),
        (0.0, None, "Cannot tell", False, f"it cannot be told from {ANCHOR}", "ladder.blocks=40"),
        # what the two do at equal time decides
        (
            200.0,
            -300.0,
            "Not strong enough: generation 1 loses to uct at 20 ms",
            False,
            "it loses to uct at 20 ms",
            "iterations=20",
        ),
        (-300.0, 200.0, "Take generation 1", True, "stronger than uct at 20 ms", " export "),
    ],
)
def test_the_card_takes_a_champion_that_beats_the_anchors_and_no_other(
    tmp_path: Path,
    elo: float,
    timed: float | None,
    title: str,
    confirmed: bool,
    why: str,
    command: str,
) -> None:
    ladder = {"generation 0": -500.0, "generation 1": elo, ANCHOR: 0.0}
    equal = {} if timed is None else {"generation 1 at 20 ms": timed, "uct at 20 ms": 0.0}
    folder = run(tmp_path / "run", ladder, [FIRST, entry(1, True)], equal)
    results = load(folder)
    found = answer(results)
    best = winner_of(results, found)
    assert best is not None and best.name == "generation 1"
    assert best.confirmed == confirmed and best.why.startswith(why)
    card = card_of(results, found, best)
    assert card is not None and card.title == title and command in card.next
    assert dict(card.facts)["learnt"].endswith(" above generation 0")


@pytest.mark.parametrize("entries", [[], [FIRST], [FIRST, entry(1, False)]])
def test_a_run_without_a_ladder_is_answered_in_words(
    tmp_path: Path, entries: list[dict[str, Any]]
) -> None:
    folder = tmp_path / "run"
    with Store.create(folder) as store:
        store.set_meta({**META, "kind": "train", "generations": json.dumps(entries)})
    said = " ".join(answer(load(folder)).lines)
    expected = "its strength is unknown" if entries else "No game was played"
    assert expected in said and report(folder).page.is_file()


@pytest.mark.parametrize("new, told", [(1.4, True), (0.5, False)])
def test_a_value_that_learns_by_heart_is_told(tmp_path: Path, new: float, told: bool) -> None:
    entries = [FIRST, *(entry(k, True) for k in range(1, 6))]
    for number, one in enumerate(entries[1:], 1):
        one["learnt"] = {**measures(1.0), "value_loss": 0.3}
        one["fresh"] = {**measures(1.0), "value_loss": new if number > 2 else 9.0}
    strengths = {"generation 0": 0.0, "generation 5": 150.0, ANCHOR: 50.0}
    said = answer(load(run(tmp_path / "run", strengths, entries))).lines[1]
    expected = "The value has memorised games: its squared error is 0.30 on games that it learnt from and 1.40"
    assert (expected in said) == told and ("has memorised games" in said) == told


def test_a_training_run_is_watched(tmp_path: Path) -> None:
    strengths = {"generation 0": 0.0, "generation 1": 150.0, ANCHOR: 50.0}
    folder = run(tmp_path / "run", strengths, [FIRST, entry(1, True)])
    with served(folder) as server:
        found = now(server)["parts"]
    assert all(line in unescape(found["answer"]) for line in answer(load(folder)).lines)
    assert (
        "only by passing its gate" in found["answer"]
        and "<h2>Generations</h2>" in found["standings"]
    )

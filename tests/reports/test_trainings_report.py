"""The report of a search among trainings, from entries and games that are made up."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from joute.reports.card import card_of
from joute.reports.page.page import report
from joute.reports.telling import answer, winner_of
from joute.results.meta import TRAINING_SEARCH
from joute.results.store import Store
from joute.results.tables import load
from joute.studies.tuner.axis import Axis
from tests.support.synthetic_runs import META, Players, engine
from tests.support.watching import now, served

BEST = "trial-001"
OWN = {"learn.rate": 0.01, "net.filters": "4"}
FILTERS = Axis("net.filters", "choice", choices=("4", "8"))


def entry(name: str, score: float, rate: float | None, seed: int = 0) -> dict[str, Any]:
    return {
        "name": name, "role": "final" if seed else "search", "seed": seed, "note": "",
        "point": {} if rate is None else {"learn.rate": rate, "net.filters": "8"},
        "generation": 2, "games": 600, "score": score, "low": score - 0.1, "high": score + 0.1,
        "blocks": 20, "seconds": 90.0, "net": f"trials/{name}/nets/0002.onnx",
    }  # fmt: skip


def run(folder: Path, scores: list[float], gap: float = 200.0, low: float = 0.0001) -> Path:
    """Store a search of two trials whose best one meets the study's own in so many pairs, that differ by
    so much Elo and scored so.
    """
    entries = [entry("trial-000", 0.4, 0.01), entry(BEST, 0.6, 0.002)]
    duels, stages, elos = [], ["trial-000", BEST], dict[str, float]()
    for seed, score in enumerate(scores, 1):
        pair = [f"{BEST}-{seed}", f"default-{seed}"]
        entries += [entry(pair[0], 0.5 + 0.05 * seed, 0.002, seed), entry(pair[1], 0.4, None, seed)]
        duels.append(
            {"name": f"final-001-{seed}", "best": BEST, "seed": seed, "score": score,
             "low": score - 0.1, "high": score + 0.1, "blocks": 40}
        )  # fmt: skip
        stages += [*pair, duels[-1]["name"]]
        elos |= {pair[0]: gap, pair[1]: 0.0}
    axes = (Axis("learn.rate", "float", low, 0.02, log=True), FILTERS)
    told = {
        "axes": [asdict(axis) for axis in axes], "own": OWN, "stages": stages,
        "entries": entries, "duels": duels, "best": BEST if scores else "",
    }  # fmt: skip
    names = [e["name"] for e in entries]
    engines = {name: engine(name, iterations=100) for name in [*names, "anchor"]}
    players = Players({engines[n].id: elos.get(n, 0.0) for n in engines})
    with Store.create(folder) as store:
        store.add_engines(engines.values())
        meta = {
            TRAINING_SEARCH: json.dumps(told),
            "stages": json.dumps(stages),
            "kind": "train-search",
            "study": f"{META['study']}[trials]\ntrials = 2\nseeds = 3\n",
        }
        store.set_meta({**META, **meta})
        for order in range(20):
            for name in names:
                games = players.pair(engines[name].id, engines["anchor"].id, name, order, order)
                store.add_games(games)
            for duel in duels:
                a, b = (engines[f"{who}-{duel['seed']}"].id for who in (BEST, "default"))
                store.add_games(players.pair(a, b, duel["name"], order, order))
    return folder


def test_better_settings_are_told_with_their_networks_and_their_cost(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", [0.7, 0.8, 0.75])
    found = answer(load(folder))
    first, second, third = found.lines
    assert first.startswith(
        "learn.rate = 0.002 and net.filters = 8 makes stronger networks than the study's own "
        "settings: 75.0 % of the points ("
    )
    assert "over 3 pairs of networks trained again" in first
    assert (
        "score 55 %, 60 % and 65 %, those of the study's own settings 40 %, 40 % and 40 %" in second
    )
    assert "strongest is trials/trial-001-3/nets/0002.onnx (65.0 %, 55.0 % to 75.0 %)" in second
    assert third == "8 trainings, 4,800 games of self-play, 12 min."
    assert found.winner == "trial-001-3"
    winner = winner_of(load(folder))
    assert winner is not None and winner.name == "trial-001-3" and winner.stage == "final-001-3"
    assert winner.confirmed


def test_better_settings_at_the_end_of_a_range_ask_for_a_wider_one(tmp_path: Path) -> None:
    lines = answer(load(run(tmp_path / "run", [0.7, 0.8, 0.75], low=0.002))).lines
    assert lines[2] == (
        "learn.rate = 0.002 lies at the end of the searched range: widen it, if larger or smaller values are allowed."
    )


@pytest.mark.parametrize(
    ("scores", "start", "end"),
    [
        ([0.9], "Cannot tell learn.rate", "one training of each does not show the effect of chance."),
        ([0.9, 0.4, 0.6], "Cannot tell learn.rate", "a larger trials.seeds may tell."),
        ([0.2, 0.25, 0.3], "The study's own settings make stronger networks than learn.rate", "again."),
    ],
)  # fmt: skip
def test_what_is_not_shown_is_not_claimed(
    tmp_path: Path, scores: list[float], start: str, end: str
) -> None:
    found = answer(load(run(tmp_path / "run", scores, gap=0.0)))
    assert found.lines[0].startswith(start) and found.lines[0].endswith(end), found.lines
    assert found.winner is None


@pytest.mark.parametrize(
    ("scores", "title", "command"),
    [
        ([0.7, 0.8, 0.75], "Take learn.rate = 0.002 and net.filters = 8", " export "),
        ([0.9, 0.4, 0.6], "Cannot tell yet, so keep the study's own settings", "trials.seeds=12"),
        ([0.2, 0.25, 0.3], "Keep the study's own settings", "trials.trials=8"),
    ],
)
def test_the_card_is_about_settings(
    tmp_path: Path, scores: list[float], title: str, command: str
) -> None:
    results = load(run(tmp_path / "run", scores))
    found = answer(results)
    card = card_of(results, found, winner_of(results, found))
    assert card is not None and card.title == title and command in card.next
    facts = dict(card.facts)
    assert facts["scores"].endswith("over 3 pairs of networks trained again")
    if title.startswith("Take"):
        assert facts["its best net"] == "trial-001-3"
    else:
        assert facts["best tried"] == "learn.rate = 0.002 and net.filters = 8"


def test_before_the_end_nothing_is_confirmed(tmp_path: Path) -> None:
    found = answer(load(run(tmp_path / "run", [])))
    assert found.lines[0].startswith("Nothing is confirmed yet. Of 2 trainings learn.rate = 0.002")
    assert found.winner is None


@pytest.mark.slow
def test_the_page_and_the_plot_show_every_training(tmp_path: Path) -> None:
    made = report(run(tmp_path / "run", [0.7, 0.8]))
    page = unescape(made.page.read_text("utf-8"))
    assert len(re.findall(r"<td[^>]*>0\.01</td>", page)) == 3  # the study's own, also trained again
    assert "<h2>Trainings</h2>" in page and "trial-001-2" in page
    assert "Standings: stage “final-001-2”" in page and "Strength by setting" in page
    numbers = (made.page.parent / "plots" / "training_space.csv").read_text("utf-8").splitlines()
    assert len(numbers) == 1 + 6 and numbers[0].startswith(
        "training,what,learn.rate,net.filters,score"
    )
    assert sum("the study's own, trained again" in line for line in numbers) == 2


def test_such_a_run_is_watched(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", [0.7, 0.8])
    with served(folder) as server:
        found = now(server)["parts"]
    assert all(line in unescape(found["answer"]) for line in answer(load(folder)).lines)
    assert "trained again" in found["answer"] and "<h2>Trainings</h2>" in found["standings"]

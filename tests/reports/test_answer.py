"""The answer in words: true, short, and able to say that it cannot tell."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from joute.reports.card import card_of
from joute.reports.plots.time_strength import TimeStrengthPlot
from joute.reports.reading.caveats import warnings
from joute.reports.reading.match import challenger, running_counts
from joute.reports.telling import answer, winner_of
from joute.results.meta import Meta
from joute.results.standings import groups_of
from joute.results.store import Store
from joute.results.tables import Results, load
from tests.support import synthetic_runs as runs

SPRT = json.dumps({"elo0": 0, "elo1": 40, "alpha": 0.05, "beta": 0.05, "model": "logistic"})


@pytest.fixture(scope="module")
def champions(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return load(runs.campaign(tmp_path_factory.mktemp("campaign"), depths=(4, 6, 8), blocks=6))


def with_meta(results: Results, **meta: str) -> Results:
    return replace(results, meta=Meta({**results.meta, **meta}))


def test_the_last_stage_names_the_winner_and_its_cost(champions: Results) -> None:
    said = answer(champions)
    assert said.winner is None and said.first is not None
    assert said.first.startswith("d8")
    assert said.first in said.lines[0]
    assert all(name in said.lines[0] for name in said.tied)
    assert "per move (median" in said.lines[1]
    assert len(said.lines) <= 3


def test_an_engine_that_is_too_slow_cannot_win(champions: Results) -> None:
    said = answer(with_meta(champions, exclude_p99_over_ms="150"))
    assert said.excluded == ["d8-w0.55", "d8-w0.60"]
    assert said.winner is None and said.first is not None
    assert said.first.startswith("d6")
    assert "fast enough" in said.lines[0]
    assert all(f"{name} (" in said.lines[1] for name in said.excluded)
    assert not set(said.tied) & set(said.excluded)


def test_all_too_slow(champions: Results) -> None:
    said = answer(with_meta(champions, exclude_p99_over_ms="0.0001"))
    assert said.winner is None
    assert "every engine is too slow" in said.lines[0]


def test_a_stage_of_groups_has_one_first_in_each(tmp_path: Path) -> None:
    runs.campaign(tmp_path, depths=(4, 5), blocks=3)
    with Store.open(tmp_path, write=True) as store:
        store.count_first("champions", 0)
    results = load(tmp_path)
    said = answer(results)
    assert said.winner is None
    assert "depth=4: d4-" in said.lines[0]
    assert "depth=5: d5-" in said.lines[0]
    assert any(
        "are of an earlier final or schedule of this study" in text for text in warnings(results)
    )


def test_below_a_card_is_what_it_does_not_say(tmp_path: Path, champions: Results) -> None:
    said = answer(load(runs.match(tmp_path, elo=150)))
    assert said.beyond is not None and " per move" not in " ".join(said.beyond)
    assert said.beyond[0].startswith("new beats old: Elo +") and "LOS" in said.beyond[0]
    assert said.winner is not None and " % (" not in said.beyond[0]
    field = answer(champions).beyond
    assert field is not None and " of the points" not in " ".join(field)


def test_a_bot_that_thinks_in_half_of_its_moves_is_not_the_fastest(tmp_path: Path) -> None:
    results = load(runs.match(tmp_path, elo=0))
    stage = results.stages[-1]
    quick, split = np.full(90, 0.02, np.float32), np.repeat(np.float32([0.01, 90]), [50, 40])
    times = {(stage, "", "old"): quick, (stage, "", "new"): split}
    said = " ".join(answer(replace(results, times=times)).lines)
    assert "Mean time per move: old 20 µs (median 20 µs) and new 40 ms (median 10 µs)." in said
    made, numbers = TimeStrengthPlot().draw(replace(results, times=times))
    assert list(numbers["engine"]) == ["old", "new"]
    assert made.axes[0].get_xlabel().startswith("time per move: mean (point)")


def test_a_clear_match(tmp_path: Path) -> None:
    said = answer(load(runs.match(tmp_path, elo=150)))
    assert said.winner == "new"
    assert said.lines[0].startswith("new beats old: new scores ")
    assert "Elo +" in said.lines[0]
    assert "LOS" in said.lines[0]


def test_the_score_is_of_who_beats_whoever_was_named_first(tmp_path: Path) -> None:
    said = answer(load(runs.match(tmp_path, elo=-150)))
    assert said.winner == "old"
    assert said.lines[0].startswith("old beats new: old scores ")
    assert "Elo +" in said.lines[0] and "LOS over 99.9 %" in said.lines[0]


def test_equal_engines_cannot_be_told_apart(tmp_path: Path) -> None:
    said = answer(load(runs.match(tmp_path, elo=0, blocks=40)))
    assert said.winner is None
    assert said.lines[0].startswith("Cannot tell new from old")
    assert sorted(said.tied) == ["new", "old"]


def test_the_stronger_one_of_a_match_may_be_too_slow(tmp_path: Path) -> None:
    said = answer(load(runs.match(tmp_path, elo=150, exclude_p99_over_ms="0.01")))
    assert said.winner is None
    assert "too slow to win" in said.lines[0]


@pytest.mark.parametrize(("elo", "word"), [(120, "passed"), (-60, "failed")])
def test_a_sequential_test_gives_its_verdict(tmp_path: Path, elo: float, word: str) -> None:
    results = load(runs.match(tmp_path, elo=elo, blocks=300, sprt=SPRT))
    said = answer(results)
    assert f"SPRT(0, 40) {word} after " in said.lines[1]
    assert "median-unbiased Elo" in said.lines[1]
    assert said.winner == ("new" if elo > 0 else None)
    assert len(said.lines) == 3
    later = answer(replace(results, surplus=76)).lines[1]
    assert later == f"{said.lines[1][:-1]}; 76 games that ended later are not counted."


def test_the_sequential_test_reads_the_finished_prefix_alone(tmp_path: Path) -> None:
    runs.match(tmp_path, blocks=30)
    results = load(tmp_path)
    group = groups_of(results, "match")[0]
    assert challenger(group) == "new"
    assert len(running_counts(group, "new")) == 30
    holed = replace(group, seats=group.seats[group.seats["order"] != 12])
    assert len(running_counts(holed, "new")) == 12
    assert sum(running_counts(holed, "new")[-1]) == 12


def test_repeated_games_are_said(tmp_path: Path) -> None:
    a, b = runs.engine("a", depth=1), runs.engine("b", depth=2)
    players = runs.Players({a.id: 100, b.id: 0})
    with Store.create(tmp_path) as store:
        store.add_engines([a, b])
        store.set_meta({**runs.META, "sprt": SPRT})
        for number in range(40):
            games = players.pair(a.id, b.id, "s", number, number)
            store.add_games([game._replace(digest=f"same {game.seating}") for game in games])
    results = load(tmp_path)
    said = answer(results)
    assert "78 of 80 games repeat" in said.lines[-1]
    assert len(said.lines) == 3
    assert any("more openings" in text for text in warnings(results))


@pytest.mark.parametrize(("alike", "told"), [(20, "s: a and b in 20 of 40 blocks"), (3, "")])
@pytest.mark.parametrize("outcomes", ["", "1 2 3"])
def test_engines_that_never_differ_in_a_block_are_named(
    alike: int, told: str, outcomes: str, tmp_path: Path
) -> None:
    """Both of a block's games are the same game: with chance, too."""
    a, b = runs.engine("a", depth=1), runs.engine("b", depth=2)
    players = runs.Players({a.id: 0, b.id: 0})
    with Store.create(tmp_path) as store:
        store.add_engines([a, b])
        store.set_meta(runs.META)
        for number in range(40):
            games = players.pair(a.id, b.id, "s", number, number)
            same = number < alike
            store.add_games(
                [
                    g._replace(digest=f"{number} {0 if same else g.seating}", outcomes=outcomes)
                    for g in games
                ]
            )
    results = load(tmp_path)
    found = [text for text in warnings(results) if "play the same moves" in text]
    assert len(found) == bool(told) and told in "".join(found)
    short = "in 20 of 40 blocks both play the same moves" if told else ""
    assert ("same moves" in answer(results).lines[-1]) == bool(told)
    assert short in answer(results).lines[-1]


def test_two_engines_that_never_differ_are_level_and_need_no_more_blocks(tmp_path: Path) -> None:
    a, b = runs.engine("a", depth=1), runs.engine("b", depth=2)
    players = runs.Players({a.id: 0, b.id: 0})

    def add(blocks: range) -> Results:
        with Store.open(tmp_path, write=True) if blocks.start else Store.create(tmp_path) as store:
            if not blocks.start:
                store.add_engines([a, b])
                store.set_meta(runs.META)
            for number in blocks:
                for game in players.pair(a.id, b.id, "s", number, number):
                    seats = tuple(s._replace(returns=0.5, rank=1.5) for s in game.seats)
                    store.add_games([game._replace(digest=f"{number}", seats=seats)])
        return load(tmp_path)

    few = add(range(3))
    assert "in 3 of 3 blocks both play the same moves" in answer(few).lines[-1]
    card = card_of(few, answer(few), winner_of(few, answer(few)))
    assert card is not None and card.title == "Cannot tell" and card.next
    results = add(range(3, 20))
    said = answer(results)
    assert "in all 20 blocks both play the same moves; more will tell little" in said.lines[-1]
    card = card_of(results, said, winner_of(results, said))
    assert card is not None and card.title == "Cannot tell" and not card.next


def test_nothing_played(tmp_path: Path) -> None:
    Store.create(tmp_path).close()
    results = load(tmp_path)
    assert answer(results).lines == ["No game was played, so there is no answer."]
    assert warnings(results) == []


def test_one_engine_alone(tmp_path: Path) -> None:
    a = runs.engine("a", depth=1)
    players = runs.Players({a.id: 0})
    with Store.create(tmp_path) as store:
        store.add_engines([a])
        store.add_games(players.pair(a.id, a.id, "s", 0, 0))
    results = load(tmp_path)
    assert answer(results).lines[0] == "Cannot tell: a played alone."
    assert any("only one engine" in text for text in warnings(results))


@pytest.mark.parametrize("returns", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("blocks", [1, 5, 40])
def test_blocks_that_are_all_alike_are_said_in_words(
    tmp_path: Path, returns: float, blocks: int
) -> None:
    a, b = runs.engine("a", depth=1), runs.engine("b", depth=2)
    players = runs.Players({a.id: 0, b.id: 0})
    with Store.create(tmp_path) as store:
        store.add_engines([a, b])
        for number in range(blocks):
            for game in players.pair(a.id, b.id, "s", number, number):
                points = [returns if s.engine == a.id else 1 - returns for s in game.seats]
                seats = tuple(
                    s._replace(returns=r, rank=2 - r)
                    for s, r in zip(game.seats, points, strict=True)
                )
                store.add_games([game._replace(seats=seats)])
    results = load(tmp_path)
    said = answer(results)
    text = " ".join([*said.lines, *warnings(results)])
    assert "nan" not in text
    assert "None" not in text
    if returns == 0.5 or blocks == 1:
        assert said.winner is None
    if blocks > 1:
        assert f"all {blocks} blocks ended the same way" in said.lines[0]
    if blocks == 40 and returns != 0.5:
        assert said.winner == ("a" if returns else "b")


def test_a_gauntlet_says_whom_its_engine_beats(tmp_path: Path) -> None:
    """And what it says of the first of all does not deny that."""
    field = {"new": 0.0, "weak": -250.0, "level": 0.0, "strong": 250.0}
    said = answer(load(runs.gauntlet(tmp_path / "a", field)))
    line = said.lines[0]
    assert line.startswith("new beats weak, loses to strong and cannot be told from level: ")
    assert all(f" against {name}" in line for name in ("weak", "level", "strong"))
    assert said.first == "strong" and "new" not in said.tied and "weak" not in said.tied
    few = answer(load(runs.gauntlet(tmp_path / "c", {"new": 0.0, "best": 60.0, "weak": -900.0}, 8)))
    assert few.lines[0].startswith("new beats weak and cannot be told from best")
    assert few.lines[1].startswith("best is first") and few.tied == ["new"]
    field = {"new": 0.0, "weak": -250.0, "old": -200.0}
    best = answer(load(runs.gauntlet(tmp_path / "b", field, 40)))
    assert best.lines[0].startswith("new beats old and weak: ")
    assert best.lines[1].startswith("new wins: the highest rating") and best.winner == "new"

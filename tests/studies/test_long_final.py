"""Tune short, confirm long: the final at another limit, apart from the model of the search."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from joute.engines.time_control import TimeControl
from joute.harness.openings import NoMoreOpenings
from joute.reports.card import card_of
from joute.reports.reading.confirmation import Confirmation, confirmation_of, outcome_of
from joute.reports.reading.decision import Decision
from joute.reports.reading.search import Search
from joute.reports.reading.search_answer import confirmed_text
from joute.reports.telling import answer, winner_of
from joute.results.frames import load
from joute.results.statistics import estimate, pair_counts
from joute.results.store import Store
from joute.studies.load import StudyRefused, load_study
from joute.studies.play.estimate import estimate_run
from joute.studies.play.study_run import run_study


def study_of(final: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    table: dict[str, Any] = {
        "name": "longer", "kind": "tune", "game": "connect4[columns=5,rows=4]", "seed": 3,
        "budget": "180 games",
        "engine": {"search": "alphabeta", "evaluation": "lines", "depth": 1},
        "space": {"width": {"from": 0.1, "to": 1.0}},
        **more,
    }  # fmt: skip
    return {**table, **({"final": final} if final is not None else {})}


# --- the file


def test_a_study_says_its_long_final() -> None:
    given = {"limit": {"depth": 3}, "blocks": 8}
    study = load_study(study_of(given))
    assert study.resolved()["final"] == given
    assert load_study(study.resolved()) == study
    plain = load_study(study_of())
    assert "final" not in plain.resolved() and "final" not in plain.identity()["search"]
    assert plain.identity() != study.identity()
    longer = load_study(study_of({**given, "blocks": 80}))
    assert longer.identity() == study.identity()  # a run may go on
    assert not study.timed
    assert load_study(study_of({"limit": {"milliseconds": 5}, "blocks": 8})).timed


@pytest.mark.parametrize(
    ("final", "said"),
    [
        ({}, r"final\.limit: is missing"),
        ({"limit": {"depth": 3}}, r"final\.blocks: is missing"),
        ({"limit": {"depth": 1}, "blocks": 3}, "changes nothing"),
        ({"limit": {"width": 0.5}, "blocks": 3}, r"final\.limit\.width: is searched"),
        ({"limit": {"dept": 3}, "blocks": 3}, "did you mean 'depth'"),
        ({"limit": {"depth": 3}, "blocks": 3, "sprt": {"elo1": 5}}, "cannot be combined"),
        ({"limit": {"depth": 3}, "sprt": {"elo1": -5}}, r"final\.sprt\.elo1"),
        ({"limit": {"clock": 30}, "blocks": 3}, r"final\.clock"),
        ({"clock": "5 min", "blocks": 3}, "is no clock"),
        ({"limit": {"depth": 3}, "block": 3}, r"final\.block"),
    ],
)
def test_what_is_no_long_final(final: dict[str, Any], said: str) -> None:
    with pytest.raises(StudyRefused, match=said):
        load_study(study_of(final))


def test_a_test_that_may_need_more_openings_than_there_are_says_what_to_set() -> None:
    study = load_study(study_of({"limit": {"depth": 3}, "sprt": {"elo1": 40}}))
    with pytest.raises(NoMoreOpenings, match=r"may take 20,000 blocks: .*final\.sprt\.max_blocks"):
        estimate_run(study, 1)


def test_it_is_for_two_players() -> None:
    table = study_of(
        {"limit": {"depth": 3}, "blocks": 3}, game="tron[players=3]",
        engine={"search": "paranoid", "evaluation": "zones", "depth": 1},
        space={"depth": {"from": 1, "to": 2}},
    )  # fmt: skip
    with pytest.raises(StudyRefused, match="final: is for two players"):
        load_study(table)


def test_another_limit_takes_the_place_of_ours() -> None:
    table = study_of(
        {"limit": {"nodes": 500}, "clock": "2+0.1", "blocks": 4},
        engine={"search": "alphabeta", "evaluation": "lines", "depth": 5, "milliseconds": 3},
    )
    study = load_study(table)
    long = study.own.long  # type: ignore[union-attr]
    assert long.default.limit == ("nodes", 500.0)
    assert long.space.engine({"width": 0.5}).limit == ("nodes", 500.0)
    assert long.default.values["depth"] == 60  # the depth of the search would end it too early
    deep = load_study({**table, "final": {"limit": {"nodes": 500, "depth": 7}, "blocks": 4}})
    assert deep.own.long.default.values["depth"] == 7  # type: ignore[union-attr]
    assert long.label == "nodes=500,2+0.1"
    setting = study.setting()
    assert setting.rules_of("confirmation").clock == TimeControl(2000, 100)
    assert setting.rules_of("final").clock is None and study.timed


# --- a run


def test_a_run_confirms_at_its_own_limit(tmp_path: Path) -> None:
    """Both engines play deeper; the model of the search reads none of these games; it resumes."""
    study = load_study(study_of({"limit": {"depth": 3}, "blocks": 8}))
    run_study(study, tmp_path / "run", workers=1)
    results = load(tmp_path / "run")
    games = results.games[results.games["stage"] == "confirmation"]
    assert len(games) == 16
    specs = results.engines.set_index("name")["spec"]
    for name in ("tuned-1 at depth=3", "default at depth=3"):
        assert "depth=3" in specs[name]
    longer = confirmation_of(results)
    assert longer is not None and longer.finished and len(longer.blocks) == 8
    assert Search.of(results).games_read == len(results.games) - 16
    winner = winner_of(results)
    assert winner is not None and winner.stage == "confirmation"
    assert "depth=3" in winner.engine and winner.confirmed == (longer.outcome == "better")
    kept = replace(winner, name=longer.default, confirmed=False)
    card = card_of(results, replace(answer(results), undecided=True, longer=8), kept)
    assert card is not None and card.title == "Cannot tell yet, so keep default at depth=3"
    assert card.next.endswith("--set final.blocks=32")
    more = load_study(study_of({"limit": {"depth": 3}, "blocks": 10}))
    run_study(more, tmp_path / "run", workers=2)
    with Store.open(tmp_path / "run") as store:
        ids = [game.id for game in store.games()]
    assert len(ids) == len({*ids}) == len(results.games) + 4


def test_same_games_for_any_workers(tmp_path: Path) -> None:
    study = load_study(study_of({"limit": {"depth": 2}, "blocks": 6}))
    digests = []
    for workers in (1, 2):
        run_study(study, tmp_path / str(workers), workers=workers)
        with Store.open(tmp_path / str(workers)) as store:
            digests.append({game.id: game.digest for game in store.games()})
    assert digests[0] == digests[1]


def test_a_test_ends_the_final_early(tmp_path: Path) -> None:
    """A default that plays one ply, against all that plays the same at 4: the test says so."""
    sprt = {"elo0": 100, "elo1": 300, "max_blocks": 40}
    study = load_study(study_of({"limit": {"depth": 2}, "sprt": sprt}))
    run_study(study, tmp_path / "run", workers=1)
    longer = confirmation_of(load(tmp_path / "run"))
    assert longer is not None and longer.finished
    assert len(longer.blocks) < 40 and longer.test.startswith(
        "SPRT(100, 300) failed, median-unbiased Elo "
    )
    assert longer.outcome == "failed"
    text, winner = confirmed_text("x", longer, decided(0.02))
    assert (
        text.startswith("Keep the default. x has failed the test at") and winner == longer.default
    )


def test_the_dry_run_says_what_it_costs() -> None:
    study = load_study(study_of({"limit": {"depth": 3}, "blocks": 8}))
    told = estimate_run(study, 1)
    line = next(line for line in told.text.splitlines() if line.startswith("confirmation: "))
    assert "at depth=3, 8 blocks (16 games)" in line and "more on 1 worker" in line
    assert told.data["confirmation_games"] == 16
    assert told.data["further_seconds"] > 0
    bare = estimate_run(study, 1, start=False)
    assert bare.data["further_seconds"] is None


# --- words


def of(scores: list[float], **more: Any) -> Confirmation:
    found = estimate(pair_counts(scores))
    return Confirmation(
        *("tuned-1 at depth=8", "default at depth=8", "depth=8"),
        *(outcome_of(found, ""), found, "", len(scores), tuple(scores)), **more,
    )  # fmt: skip


def decided(gain: float) -> Decision:
    return Decision("better", gain, gain - 0.05, gain + 0.05, 1000, None, None, True)


@pytest.mark.parametrize(
    ("scores", "gain", "said", "winner"),
    [
        ([0.5, 0.75] * 40, 0.02, "is better than the default at depth=8", "tuned-1 at depth=8"),
        ([0.5, 0.25] * 40, 0.02, r"Keep the default.*is worse.*sign has changed: it seemed to gain", "default at depth=8"),
        ([0.5, 0.25] * 40, 0.08, r"Keep the default.*is worse.*sign has changed: it gained", "default at depth=8"),
        ([0.5, 0.25] * 40, -0.02, r"Keep the default\. x is worse at depth=8\.$", "default at depth=8"),
        ([0.25, 0.75, 0.25] * 9, 0.02, r"Cannot tell yet at depth=8.*below the default there, which may", "default at depth=8"),
        ([0.25, 0.75] * 9, 0.02, r"Cannot tell yet at depth=8, so keep the default", "default at depth=8"),
    ],
)  # fmt: skip
def test_the_long_games_decide(scores: list[float], gain: float, said: str, winner: str) -> None:
    import re

    text, name = confirmed_text("x", of(scores), decided(gain))
    assert re.search(said, text) and name == winner


def test_nothing_is_said_before_the_end(tmp_path: Path) -> None:
    running = Confirmation("a", "b", "depth=8", planned=20, blocks=(0.5,) * 3)
    text, name = confirmed_text("x", running, decided(0.1))
    assert "not finished" in text and name is None
    assert (
        running.line()
        == "At depth=8: not finished, 3 blocks of 20; nothing is said before the end."
    )
    assert json.dumps(text)

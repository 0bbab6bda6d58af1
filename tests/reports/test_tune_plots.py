"""What the plots of a tune study say: the posterior of the best point, and the regret that is left."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import joute
from joute.reports.kinds._search import effect_of, table
from joute.reports.kinds.tune import why_better
from joute.reports.plots.curve import CurvePlot
from joute.reports.plots.posterior import PosteriorPlot, shares, value_text
from joute.reports.plots.regret import RegretLine, RegretPlot, fitted, prefixes, worth
from joute.reports.reading.caveats import warnings
from joute.reports.reading.decision import MADE, Decision, decide
from joute.reports.reading.final import Final
from joute.reports.reading.search import Plane, Search, effect_at
from joute.reports.reading.search_answer import (
    doubt_text,
    left_text,
    surprise,
    tune_lines,
    uneven,
    widen_line,
    worth_text,
)
from joute.reports.reading.settling_match import settling_match
from joute.reports.telling import answer, telling_of
from joute.results.gain import paired_gain
from joute.results.tables import load
from joute.studies.load import load_study
from joute.studies.ready_made import STUDIES
from joute.studies.search.plan import ScanPlan, TunePlan
from joute.studies.tuner import answer as tuner_answer
from joute.studies.tuner.answer import Effect
from joute.studies.tuner.axis import Axis
from tests.support.runs import ROOT, play, study_of

PLANTED = ROOT / "examples" / "planted.py"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished search for the top of Coulom's LOG."""
    home = tmp_path_factory.mktemp("planted")
    text = PLANTED.with_suffix(".toml").read_text().replace('"planted.py"', f'"{PLANTED}"')
    play(study_of(home, text.replace("4000 games", "600 games")), home / "run")
    return home / "run"


@pytest.fixture(scope="module")
def found(folder: Path) -> Search:
    return Search.of(load(folder))


def test_the_docs_name_the_kinds_of_rows_of_a_curve(found: Search) -> None:
    _, numbers = CurvePlot().draw(found)
    line = next(
        line
        for line in (ROOT / "docs" / "plots.md").read_text().splitlines()
        if "| `curve`" in line
    )
    assert all(f"`{what}`" in line for what in numbers["what"].unique())


def test_the_posterior_is_a_distribution_round_the_truth(found: Search) -> None:
    _, numbers = PosteriorPlot().draw(found)
    assert numbers["chance"].sum() == pytest.approx(1)
    near = numbers[(numbers["low"] >= -0.85) & (numbers["high"] <= -0.15)]
    assert near["chance"].sum() > 0.8  # the truth is -0.525


def test_each_value_of_a_short_parameter_has_a_bar_of_its_own() -> None:
    choice = Axis("kind", "choice", choices=("a", "b"))
    assert [bar["chance"] for bar in shares(choice, ["a", "a", "b", "a"])] == [0.75, 0.25]
    whole = Axis("n", "int", low=1, high=3)
    assert [bar["chance"] for bar in shares(whole, [1, 3, 3, 3])] == [0.25, 0, 0.75]
    fine = shares(Axis("x", "float", low=0.1, high=10, log=True), [0.1, 10.0])
    assert fine[0]["chance"] == fine[-1]["chance"] == 0.5
    assert fine[0]["high"] - fine[0]["low"] < fine[-1]["high"] - fine[-1]["low"]


@pytest.mark.slow
def test_regret_is_read_from_longer_and_longer_prefixes(found: Search) -> None:
    rows = prefixes(found)
    games = [row["games"] for row in rows]
    assert games == sorted(set(games)) and 5 <= len(games) <= 8
    assert games[-1] == sum(len(t.values) for t in found.trials) * found.games_per_block
    assert all(row["expected"] >= 0 and row["hindsight"] >= 0 for row in rows)
    assert rows[-1]["expected"] < rows[0]["expected"]
    _, numbers = RegretPlot().draw(found)
    drawn = numbers[numbers["what"] == "extrapolated"]
    assert drawn.empty or drawn["games"].min() > games[-1]


def test_the_line_is_the_power_law_of_the_readings() -> None:
    games = [100, 200, 400, 800, 1600]
    line = fitted(games, [0.4 * n**-0.5 for n in games])
    assert line is not None
    assert (line.factor, line.exponent) == (pytest.approx(0.4), pytest.approx(-0.5))
    assert "would lower the regret by some 22 %" in worth(line, 1600, 0.01)
    assert "less than 0.1 points" in worth(line, 1600, 0.0009)
    moved = line.through(1600, 0.02)
    assert moved.at(1600) == pytest.approx(0.02)
    assert moved.at(2600) / moved.at(1600) == pytest.approx(line.at(2600) / line.at(1600))


def test_no_line_is_drawn_where_the_regret_does_not_fall() -> None:
    assert fitted([100, 200, 400], [0.01, 0.02, 0.04]) is None
    assert fitted([100, 200, 400], [0.0, 0.0, 0.04]) is None
    assert fitted([100, 200, 400], [0.04, 0.02, 0.0005]) is None
    assert "does not fall steadily" in worth(None, 400, 0.01)
    assert RegretLine(0.1, -1.0).at(10) == pytest.approx(0.01)


def test_the_table_says_interval_and_effect(found: Search) -> None:
    [row] = table(found).to_dict("records")
    assert row["effect"] == "detected"
    assert float(row["low_80"]) < -0.525 < float(row["high_80"])
    assert float(row["low_80"]) <= float(row["best"]) <= float(row["high_80"])


def test_the_interval_holds_what_a_final_confirmed(found: Search) -> None:
    effect = Effect("k", 0.95, 0.926, 1.0, detected=True)
    moved = effect_at(effect, 0.917)
    assert moved == replace(effect, value=0.917, low=0.917)
    assert effect_of(moved, str) == {"low_80": "0.917", "high_80": "1.0", "effect": "detected"}
    assert value_text(moved) == " = 0.917 (80 %: 0.917 to 1)"
    named = effect_at(Effect("order", "killer", None, None, detected=False), "history")
    assert named.value == "history" and effect_of(named, str)["low_80"] == "None"
    assert [effect.value for effect in found.effects] == list(found.reported.values())


def test_python_has_the_table_as_numbers(folder: Path, found: Search) -> None:
    run = joute.load(folder)
    [own], [row] = run.parameters.to_dict("records"), table(found).to_dict("records")
    assert list(own) == list(row) and own["best"] == float(row["best"])
    assert run.parameters[["default", "best", "low_80", "high_80"]].dtypes.eq(float).all()
    assert run.trials.nlargest(2, "score")["score"].is_monotonic_decreasing


def test_what_is_left_is_told_of_what_is_recommended(found: Search) -> None:
    final = found.final()
    assert final is not None
    told = decide(found, final)
    assert told.verdict == "better" and told.regret is not None
    assert f"more than {final.finalist}:" in left_text(told, final)
    assert "more than the default:" in left_text(replace(told, verdict="keep"), final)
    assert "less than 0.1 points" in left_text(replace(told, regret=0.0004), final)


def test_the_final_of_a_search_needs_no_later_stage(found: Search) -> None:
    assert not any(
        "later stage" in text
        for text in warnings(found.results.matches, telling_of(found.results).confirms)
    )


def test_a_run_is_read_the_same_without_its_plugin(
    folder: Path, found: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("joute.reports.reading.search.game_of", lambda meta: None)
    absent = load(folder)
    assert answer(absent).lines == answer(found.results).lines
    assert Search.of(absent).best == found.best and Search.of(absent).space.game is None


@pytest.mark.parametrize("name", ["vampires-langorou", "vampires-threshold", "connect4-tune"])
def test_a_stored_space_has_the_parameters_of_the_played_one(name: str) -> None:
    study = load_study(STUDIES / f"{name}.toml")
    assert isinstance(study.own, ScanPlan | TunePlan)
    space = study.own.space
    base = dict(study.own.default.engine.settings)
    stored = Plane(study.game, base, tuple(Axis.stored(vars(axis)) for axis in space.axes))
    assert list(stored.corners()) == list(space.corners())
    middle = np.full((1, space.shape.columns), 0.5)
    assert stored.point(middle[0]) == space.point(middle[0])


def test_each_verdict_is_one_plain_sentence(found: Search, monkeypatch: pytest.MonkeyPatch) -> None:
    def said(verdict: str, low: float, high: float, more: int | None = None) -> str:
        told = Decision(verdict, (low + high) / 2, low, high, 600, more, 0.02, True)
        monkeypatch.setattr("joute.reports.reading.search_answer.decide", lambda *_: told)
        lines, winner = tune_lines(found)
        assert winner == ("tuned-1" if verdict == "better" else "default")
        return lines[0].replace(lines[0].partition(" (x")[2].partition(")")[0], "")

    assert said("keep", -0.02, 0.04) == (
        "Keep the default. The best point found, tuned-1 (x), is unlikely to gain 5 Elo (0.7 points) or more: +1.0 points "
        "(95 %: -2.0 to +4.0), by the model of all 600 games."
    )
    assert "tuned-1 (x), is worse: -3.0 points" in said("keep", -0.04, -0.02)
    assert said("unknown", -0.01, 0.07, 400) == (
        "Cannot tell yet, so keep the default. tuned-1 (x) may be better by about +3.0 points (95 %: "
        "-1.0 to +7.0), by the model of all 600 games. After about 400 more games a verdict is likely "
        "(80 %): better, or keep the default."
    )
    assert said("unknown", -0.01, 0.03).endswith(
        "A match of the best point against the default decides after some 14,000 games, if the gain is real; "
        "to go on with the search would take more than 20 times those so far."
    )
    assert "(x) may be better or worse: -0.3 points" in said("unknown", -0.016, 0.01)
    assert "Below 1,000 games Joute asks for more" in said("unknown", 0.01, 0.03)


def test_a_kept_default_says_how_likely_a_gain_is(
    found: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Decision("keep", 0.01, -0.02, 0.04, 600, None, 0.02, True, worth=0.083)
    monkeypatch.setattr("joute.reports.reading.search_answer.decide", lambda *_: told)
    assert (
        "to gain 5 Elo (0.7 points) or more (a chance of 8 %, as defaults are mostly good already)"
        in tune_lines(found)[0][0]
    )
    assert worth_text(replace(told, worth=0.0)).startswith(
        "5 Elo (0.7 points) or more (a chance of 0.1 %"
    )


def test_two_that_are_hard_to_tell_apart_had_better_meet(found: Search) -> None:
    final = found.final()
    assert final is not None
    unsure = Decision("unknown", 0.05, -0.02, 0.12, 600, 4000, 0.02, True)
    settled = settling_match(found, final, unsure)
    assert settled is not None
    saved, command = settled
    assert saved == (
        "of the best point against the default decides after some 540 games, if the gain is real; to "
        "go on with the search would take 4,000 more"
    )  # 1.33 / 0.05 squared, rounded up
    words = shlex.split(command)
    at = words.index("match")
    assert words[at + 1 : at + 4] == [final.finalist, final.default, "--like"]
    assert words[-3:] == ["--sprt", "0", "35"]
    large = settling_match(found, final, replace(unsure, gain=0.3))  # no alternative of 241 Elo
    assert large is not None and large[1].endswith("--sprt 0 60") and "some 30 games" in large[0]
    hopeless = settling_match(found, final, replace(unsure, more=None))
    assert hopeless is not None and hopeless[0].endswith("more than 20 times those so far")
    assert hopeless[1] == command
    assert settling_match(found, final, replace(unsure, more=500)) is None  # the search is as soon
    assert settling_match(found, final, replace(unsure, gain=0.004)) is None
    assert settling_match(found, final, replace(unsure, verdict="keep")) is None


def test_fresh_games_may_decide_alone_and_a_gain_that_they_deny_is_not_confirmed(
    found: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    final = found.final()
    assert final is not None

    def decided(verdict: str, mean: float, mine: float, theirs: float) -> Decision:
        model = tuner_answer.Gain(mean, mean - 0.1, mean + 0.1, 0.9, 0.8, verdict, 500)
        monkeypatch.setattr(type(found.answer), "compare", lambda *_: model)
        ours, base = [mine, mine + 0.25] * 40, [theirs, theirs] * 40
        played = Final(
            *(final.finalist, final.default, ours, base, paired_gain(ours, base), {}),
            *(2 * len(ours), base, len(base)),
        )
        MADE.clear()
        return decide(found, played)

    fresh = decided("unknown", 0.05, 0.5, 0.25)
    assert (fresh.verdict, fresh.fresh) == ("better", True)
    assert fresh.low > 0 and fresh.gain == pytest.approx(0.375)
    assert decided("keep", 0.05, 0.5, 0.25).verdict == "better"
    assert decided("keep", -0.05, 0.5, 0.25).verdict == "keep"  # the model is sure of the contrary
    denied = decided("better", 0.2, 0.125, 0.5)
    assert denied.verdict == "unknown" and denied.gain == 0.2 and denied.more == denied.games
    assert "The fresh games of the final show no gain." in doubt_text(denied)
    assert decided("better", 0.2, 0.5, 0.5).verdict == "better"


def test_the_card_says_which_games_show_it(found: Search) -> None:
    final = found.final()
    assert final is not None
    by_model = Decision("better", 0.05, 0.01, 0.09, 600, None, 0.02, True)
    clear = replace(final, gain=paired_gain([0.75, 0.5] * 40, [0.25] * 80))
    thin = replace(final, gain=paired_gain([0.75, 0.25] * 4, [0.25, 0.5] * 4))
    assert why_better(replace(by_model, fresh=True), clear).endswith("the fresh games of the final")
    assert why_better(by_model, clear).endswith("by the games of the search and by fresh ones")
    assert why_better(by_model, thin).endswith("the fresh games alone are too few to show it")
    assert "agree" not in why_better(by_model, thin)  # no word on how well the model foresaw them


@pytest.mark.parametrize(
    ("fresh", "said"),
    [
        ([0.5, 0.6, 0.75] * 4, ""),
        ([0.25, 0.5, 0.75] * 4, "; their score lies below that, as chance may have it"),
        ([0.25, 0.5, 0.75] * 400, "; their score lies below that, beyond chance"),
        ([0.5, 0.75, 1.0] * 400, "; their score lies above that, beyond chance"),
    ],
)
def test_fresh_games_outside_what_was_expected_are_said_to_be_so_and_whether_by_chance(
    fresh: list[float], said: str
) -> None:
    assert surprise(0.6, 0.52, 0.68, fresh) == said


def test_opponents_that_always_lose_or_win_are_named() -> None:
    def told(**scores: float) -> str:
        rows = [
            ("search", engine, returns)
            for name, score in scores.items()
            for engine, returns in ((name, score), ("#1", 1 - score))
        ]
        seats = pd.DataFrame(40 * rows, columns=["stage", "engine", "returns"])
        pool = [name for name in scores if name != "#1"]
        return uneven(SimpleNamespace(results=SimpleNamespace(seats=seats), pool=pool))  # type: ignore[arg-type]

    assert told(default=0.5, even=0.3) == ""
    assert told(default=0.5, weak=0.0).startswith(
        "weak loses nearly all its games, so those games hardly tell good points apart"
    )
    assert told(weak=0.02, strong=1.0).startswith(
        "weak loses nearly all its games and strong wins nearly all its games, so those games"
    )


def test_the_fresh_games_are_those_that_were_played(found: Search) -> None:
    """The default is in this pool, or counts as half a point against itself without a game."""
    final = found.final()
    assert final is not None
    games = found.results.games
    assert final.blocks * found.games_per_block == int((games["stage"] == "final").sum())


def test_ends_of_ranges_where_the_best_point_piles_up_are_told(
    found: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    [axis] = found.axes
    low, middle, high = (axis.value(u) for u in (0.0, 0.5, 1.0))

    def said(*values: float) -> str:
        monkeypatch.setitem(vars(found), "tops", [{axis.name: value} for value in values])
        return widen_line(found)

    assert (
        found.allowed(axis) == (-1, 1) and said(middle, high, high) == ""
    )  # it has no more values
    monkeypatch.setattr(found, "allowed", lambda axis: (2 * axis.low, 2 * axis.high))
    assert said(middle, middle, high) == ""
    assert said(middle, high, high).startswith(f"{axis.name} may be better above {high:g}: if")
    inside = axis.value(0.95)  # near the end, but the score falls before it
    assert said(middle, *[inside] * 9) == "" and "above" in said(middle, high, *[inside] * 8)
    both = said(low, low, high, high)
    monkeypatch.setattr(found, "allowed", lambda axis: (axis.low, 2 * axis.high))
    only = said(low, low, high, high)
    assert "better below" not in only and "better above" in only
    assert "better below" in both and "better above" in both

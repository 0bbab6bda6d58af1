"""[space] and [tune]: every fault with its path, and points that are engines."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from joute.engines.engine import parse_game
from joute.engines.parameter import Value
from joute.engines.registry import names
from joute.studies.file.validation import StudyRefused
from joute.studies.load import load_study
from joute.studies.search.plan import ScanPlan, TunePlan
from joute.studies.search.sampler import able, find_sampler
from joute.studies.search.space import Space
from joute.studies.tuner.axis import Axis
from tests.support.runs import study_of
from tests.support.searches import scan_text, tune_text

BASE = {"search": "alphabeta", "evaluation": "static", "depth": 2, "width": 0.5}
WIDTH = Axis("width", "float", 0.3, 1.0)
DEPTH = Axis("depth", "int", 1, 6, 1.0)
EVALUATION = Axis("evaluation", "choice", choices=("static", "lines"))
READING = Axis("reading", "choice", choices=("A", "B", "C"))


def space(*axes: Axis) -> Space:
    return Space(parse_game("connect4"), BASE, axes)


def faults(tmp_path: Path, text: str) -> str:
    with pytest.raises(StudyRefused) as refused:
        study_of(tmp_path, text)
    return "\n".join(refused.value.errors)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("width = { from = 0.3,", "widht = { from = 0.3,", "space.widht: unknown parameter"),
        ("width = { from = 0.3,", "width = { from = -1,", "space.width.from: width = -1 is not a number"),
        ("to = 1.0 }", "to = 7 }", "space.width.to: width = 7 is not a number from 0.01 to 1"),
        ("{ from = 0.3, to = 1.0 }", "{ from = 0.9, to = 0.3 }", "from = 0.9 is not below to = 0.3"),
        ("{ from = 0.3, to = 1.0 }", "{ from = 0.3 }", "space.width.to: is missing"),
        ("{ from = 0.3, to = 1.0 }", "0.5", "space.width: 0.5 is not a range"),
        ("to = 1.0 }", "to = 1.0, stpe = 1 }", "space.width.stpe: unknown key"),
        ("to = 4 }", "to = 4, step = 0.5 }", "space.depth.step: 0.5 is not a whole number above 0"),
        ('["A", "B"]', '["A"]', 'space.reading: ["A"] leaves no choice'),
        ('["A", "B"]', '["A", "A"]', "lists a value twice"),
        ('["A", "B"]', '["A", "X"]', 'space.reading: "X" is not one of A, B, C'),
        ('["static", "lines"]', '["static", "lins"]', 'space.evaluation: "lins" is not one of'),
        ('name = "strong"\ndepth = 3', 'name = "strong"\ndepht = 3', "opponents.0"),
        ("trial_blocks = 6", 'trial_blocks = 6\nsampler = "tpee"', "did you mean 'tpe'"),
        ("trial_blocks = 6", "trial_blocks = 0", "tune.trial_blocks: 0 is not a whole number from 1"),
        ("trial_blocks = 6", 'trial_blocks = 6\nsampler = "cmaes"', "cmaes takes no choices"),
        ("trial_blocks = 6", 'trial_blocks = 6\nsampler = "grid"', "grid needs a step for width"),
        ('budget = "500 games"', 'budget = "40 games"', "is too little for a search"),
        ('budget = "500 games"\n', "", "budget: is missing"),
        ('name = "strong"', 'name = "default"', "'default' is the name of the base engine, from "
         "which this opponent differs in "),
    ],
)  # fmt: skip
def test_a_fault_is_told_with_its_path(tmp_path: Path, old: str, new: str, told: str) -> None:
    text = tune_text()
    assert old in text
    assert told in faults(tmp_path, text.replace(old, new, 1))


def test_a_run_s_study_with_another_base_engine_says_how_to_go_on(tmp_path: Path) -> None:
    text = tune_text().replace('name = "strong"', 'name = "defaults"')
    text = re.sub(r'(name = "defaults"\n)(?:\w+ = .*\n)*', r"\1", text)  # the base engine itself
    again = tmp_path / "run.toml"
    again.write_text(study_of(tmp_path, text).resolved_toml())
    change = "engine.width=0.4"
    with pytest.raises(StudyRefused) as refused:
        load_study(again, [change])
    [line] = refused.value.errors
    assert "'default' is the name of the base engine, from which this opponent differs in " in line
    told = line.partition("--set ")[2]
    assert load_study(again, [change, told]).own is not None


@pytest.mark.parametrize("setting", ["candidates = 2", "candidates = 7", "trial_blocks = 40"])
def test_the_least_budget_is_one_number_that_works(tmp_path: Path, setting: str) -> None:
    name = setting.split()[0]
    text = re.sub(f"{name} = .*", setting, tune_text("BUDGET"))
    told = [
        faults(tmp_path, text.replace("BUDGET", few)) for few in ("1 game", "40 games", "3 blocks")
    ]
    [need] = {int(re.findall(r"allowed: from (\d+) games up", one)[0]) for one in told}
    for games in (need, need + 1, need + 37):
        assert study_of(tmp_path, text.replace("BUDGET", f"{games} games")).own is not None
    assert "too little" in faults(tmp_path, text.replace("BUDGET", f"{need // 2} games"))


def test_the_samplers_that_can_are_named(tmp_path: Path) -> None:
    told = faults(tmp_path, tune_text(more='sampler = "cmaes"\n'))
    assert "samplers that can: joute, random, tpe" in told or "can: gp, joute, random, tpe" in told


def test_a_scan_draws_one_or_two(tmp_path: Path) -> None:
    text = scan_text().replace(
        "width = { from", "depth = { from = 1, to = 3 }\nordering = ['canonical', 'evaluation']\nwidth = { from", 1
    )  # fmt: skip
    assert "a scan takes one or two parameters" in faults(tmp_path, text)


def test_inactive_axes_are_left_out() -> None:
    found = space(EVALUATION, DEPTH, WIDTH, READING)
    points = [found.walk(lambda axis: axis.at(random.random())) for _ in range(200)]
    assert all(("reading" in p) == (p["evaluation"] == "lines") for p in points)
    assert found.conditional == ["reading"]
    for point in points:
        assert found.point_of(found.engine(point)) == point


def test_a_base_setting_that_the_point_does_not_know_is_left_out() -> None:
    lines = {**BASE, "evaluation": "lines", "reading": "C"}
    found = Space(parse_game("connect4"), lines, (EVALUATION,))
    assert "reading" not in found.engine({"evaluation": "static"}).settings
    assert found.engine({"evaluation": "lines"}).settings["reading"] == "C"


def test_a_value_of_a_shared_name_stays_with_its_own_evaluation() -> None:
    """Both of Tron's evaluations have a `spread`, of other ranges and defaults."""
    chosen = Axis("evaluation", "choice", choices=("zones", "chambers"))
    base = {"search": "alphabeta", "evaluation": "chambers", "depth": 3}
    tron, other = parse_game("tron"), {"evaluation": "zones", "score": "difference"}
    unsaid = Space(tron, base, (chosen,))
    resolved = Space(tron, dict(unsaid.engine({"evaluation": "chambers"}).settings), (chosen,))
    assert resolved.base["spread"] == 20_000
    for point in ({"evaluation": "chambers"}, other):
        assert resolved.engine(point).text == unsaid.engine(point).text
    assert resolved.engine(other).values["spread"] == 40
    asked = Space(tron, {**base, "spread": 900.0}, (chosen,))
    assert asked.engine(other).values["spread"] == 900


def test_places_are_numbers_then_choices_and_lead_back() -> None:
    found = space(EVALUATION, DEPTH, WIDTH, READING)
    points = list(found.corners())
    X = found.places(points)
    assert X.shape == (len(points), 1 + 1 + 2 + 3)
    assert X.min() == -1 and X.max() == 1 and set(X[:, 2:].ravel()) == {0, 1}
    assert [found.point(place) for place in X] == points
    assert (found.snapped(X) == X).all()


@given(st.floats(0, 1, exclude_max=True), st.booleans())
def test_a_place_and_its_value_agree(unit: float, log: bool) -> None:
    axis = Axis("k", "float", 0.02, 3.0, log=log)
    value = axis.at(unit)
    assert axis.low <= float(value) <= axis.high
    assert abs(axis.place(value) - unit) < 1e-3
    assert axis.tidy(value) == value


@given(st.floats(0, 1, exclude_max=True))
def test_steps_are_exact(unit: float) -> None:
    axis = Axis("width", "float", 0.4, 0.7, 0.05)
    assert axis.at(unit) in (0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7)


def test_fine_steps_and_huge_ranges() -> None:
    axis = Axis("x", "float", -1.0, 1.0, 0.0625)
    assert axis.count == 33 and axis.tidy(-0.94) == -0.9375
    huge = Axis("max_nodes", "int", 1000, 50_000_000, 1.0)
    assert huge.at(0.5) == 1000 + int(0.5 * huge.count)


@pytest.mark.parametrize(
    ("step", "told"),
    [("inf", "step"), ("2.0", "is wider than the range"), ("1e-9", "makes more than 10000 values")],
)
def test_a_step_that_makes_no_sense(tmp_path: Path, step: str, told: str) -> None:
    text = tune_text().replace("from = 0.3, to = 1.0", f"from = 0.3, to = 1.0, step = {step}")
    assert told in faults(tmp_path, text)


def test_a_range_ends_at_its_last_step(tmp_path: Path) -> None:
    text = tune_text().replace("from = 0.3, to = 1.0", "from = 0.3, to = 1.0, step = 0.2")
    study = study_of(tmp_path, text)
    assert isinstance(study.own, ScanPlan | TunePlan)
    [width] = [axis for axis in study.own.space.axes if axis.name == "width"]
    assert width.high == 0.9 and width.values() == [0.3, 0.5, 0.7, 0.9]


def test_every_sampler_says_what_it_can() -> None:
    assert names("sampler") == ["cmaes", "gp", "grid", "joute", "qmc", "random", "tpe"]
    assert {"cmaes", "qmc", "random", "tpe"} <= set(able(space(DEPTH, WIDTH)))
    assert "grid" in able(space(DEPTH, EVALUATION))
    assert "grid" not in able(space(EVALUATION, READING))  # reading is not always active
    assert not {"cmaes", "qmc"} & set(able(space(EVALUATION)))
    assert all(find_sampler(name).summary for name in names("sampler"))


@pytest.mark.parametrize(
    ("axis", "value", "ends", "plain"),
    [
        (Axis("x", "float", 0.0, 1.0), 0.5461, (0.45, 0.65), 0.55),
        (Axis("x", "float", 0.0, 1.0), 0.9543, (0.9194, 1.0), 0.954),
        (Axis("k", "float", 0.02, 3.0, log=True), 0.5461, (0.3227, 1.2), 0.55),
        (Axis("nodes", "int", 1000, 50_000, log=True), 19_873, (12_000, 30_000), 20_000),
        (Axis("x", "float", 0.0, 1.0), 0.5461, (0.5461, 0.5461), 0.5461),
        (Axis("x", "float", 0.3, 1.0, step=0.05), 0.55, (0.3, 1.0), 0.55),
        (Axis("x", "float", -1.0, 1.0), -0.5251, (-0.6, -0.4), -0.53),
        (EVALUATION, "lines", ("static", "lines"), "lines"),
    ],
)
def test_a_value_has_the_digits_that_its_interval_supports(
    axis: Axis, value: Value, ends: tuple[Value, Value], plain: Value
) -> None:
    assert axis.plain(value, *ends) == plain


def digits(value: float) -> int:
    """Return how many digits a number has between its first and its last one that is not 0."""
    return len(f"{value:.12g}".replace(".", "").strip("0"))


@given(
    st.floats(0.01, 100.0), st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.floats(0, 1), st.booleans()
)
@example(52.34765625, 0.0, 1.0, 0.58, True)  # 99 becomes 100
def test_fewer_digits_move_a_value_by_a_tenth_of_its_interval_at_most(
    low: float, one: float, two: float, at: float, log: bool
) -> None:
    axis = Axis("x", "float", low, 3 * low, log=log)
    first, last = (axis.value(end) for end in sorted((one, two)))
    value = axis.value(at)
    plain = axis.plain(value, first, last)
    width = abs(axis.place(last) - axis.place(first))
    assert abs(axis.place(plain) - axis.place(value)) <= 0.1 * width + 1e-12
    assert digits(plain) <= digits(value) and axis.tidy(plain) == plain

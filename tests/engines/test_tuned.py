"""Ready-made settings: the word `tuned`, and that what stands in the files is what studies found."""

from pathlib import Path

import pytest

from joute.engines.engine import parse_engine, parse_game
from joute.engines.engine_text import split_options
from joute.engines.errors import Refused
from joute.engines.registry import find, names
from joute.engines.tuned import Tuned, settings_of, tuned_of
from joute.studies.load import load_study
from joute.studies.ready_made import STUDIES
from joute.studies.search.plan import ScanPlan, TunePlan

EVERY = [one for name in names("game") for one in tuned_of(find("game", name)).values()]


@pytest.mark.parametrize("one", EVERY, ids=lambda one: f"{one.study}-{one.search}")
def test_what_stands_there_is_in_the_space_of_its_study(one: Tuned) -> None:
    study = load_study(STUDIES / f"{one.study}.toml")
    assert isinstance(study.own, ScanPlan | TunePlan) and one.game == study.game.name
    engine = parse_engine(f"{study.game.label}/{one.search}:tuned")
    space, default = study.own.space, study.own.default.engine
    searched = {axis.name for axis in space.axes}
    point = {name: value for name, value in engine.settings.items() if name in searched}
    assert space.checked(point, "tuned") == point
    fixed = {n: v for n, v in engine.settings.items() if n not in searched}
    told = {n: v for n, v in fixed.items() if n in default.settings}
    assert told == {n: default.settings[n] for n in told}
    said = split_options(one.settings, "")
    assert not {name for name in fixed if name not in told and name in said}  # others are as usual
    assert engine.text == parse_engine(f"{study.game.label}/{one.search}:{one.settings}").text
    assert one.games >= 1500 and one.study in one.described()
    if one.score:
        low, mean, high = one.score
        assert 0.5 < low < mean < high < 1 and one.blocks >= 60
    else:
        assert engine.text == default.text


def test_engines_of_every_game_come_tuned() -> None:
    found = {(one.game, one.search) for one in EVERY}
    trees = {(game, "alphabeta") for game in ("chess", "connect4", "tron", "dodo", "gopher")}
    assert found == {*trees, ("tron", "uct"), ("vampires", "expectiminimax"), ("go", "uct")}
    assert all(one.best in one.described() and "%" in one.best for one in EVERY)


def test_what_is_said_besides_takes_the_place_of_what_is_tuned() -> None:
    kept = split_options(tuned_of(find("game", "connect4"))["alphabeta"].settings, "")
    engine = parse_engine("connect4/alphabeta:tuned,width=0.5,nodes=5000")
    assert engine.limit == ("nodes", 5000) and engine.values["width"] == 0.5
    assert str(engine.values["reading"]) == kept["reading"]
    assert "milliseconds" in kept and "milliseconds" not in engine.text


def test_the_word_stands_anywhere_among_the_arguments() -> None:
    one = parse_engine("connect4/alphabeta:nodes=70, tuned ,width=0.5")
    assert one.text == parse_engine("connect4/alphabeta:tuned,width=0.5,nodes=70").text


@pytest.mark.parametrize(
    "text, said",
    [
        ("connect4/uct:tuned", "no study has tuned uct here; tuned are: alphabeta"),
        ("connect4/random:tuned", "no study has tuned random here; tuned are: alphabeta"),
        ("connect4/alphabeta:tuned,evaluation=static", "leave out tuned or evaluation"),
        ("connect4/alphabeta:tuned,ending=fill", "stands for ending=none; leave out tuned"),
        ("connect4/alphabeta:tuned=1", "unknown parameter 'tuned'"),
        ("connect4/alphabeta:tuned,depht=3", "did you mean 'depth'?"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_line(text: str, said: str) -> None:
    with pytest.raises(Refused) as refused:
        parse_engine(text)
    assert said in str(refused.value) and "\n" not in str(refused.value)


def test_a_game_without_studies_has_nothing_tuned(tmp_path: Path) -> None:
    game = type(parse_game("connect4"))
    bare = type("Bare", (game,), {"__module__": __name__})
    assert tuned_of(bare) == {}
    with pytest.raises(Refused, match="nothing of this game is"):
        settings_of(bare, "alphabeta", "tuned", "connect4/alphabeta:tuned")


@pytest.mark.parametrize(
    "text", ["tuned = 3", "[[tuned]]\nsearch = 'uct'", "[[other]]", "tuned = ["]
)
def test_a_damaged_file_is_named(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspect.getfile", lambda cls: str(tmp_path / "game.py"))
    (tmp_path / "tuned.toml").write_text(text)
    with pytest.raises(Refused, match="is no list of"):
        tuned_of(find("game", "connect4"))

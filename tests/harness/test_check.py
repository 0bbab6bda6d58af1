"""`joute check` names what is wrong with somebody's game, evaluation or plugin, and outlives it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from joute.engines.engine import parse_engine
from joute.engines.errors import Refused, RulesError
from joute.engines.registry import load_plugin
from joute.harness.conformance.speed import speed_of
from joute.harness.conformance.subjects import subjects_of
from tests.support.plugins import plugged
from tests.support.runs import ROOT, here

FAULTY = ROOT / "tests" / "support" / "faulty_games.py"
MIXED = "`low = low & (~low + 1)`) cannot be compiled: ~ does not go with a fraction: signed"
WRONG = {  # fault -> the rule that finds it, and what is said
    "slots": ("legal actions agree", "slots = 2 is too small: the kernel actions lists 4000 act"),
    "words": ("legal actions agree", "the kernel apply reads or writes outside its arrays: a "),
    "endless": ("legal actions agree", "the kernel actions has not returned after 1 s"),
    "doubled": ("legal actions agree", "ply 0: an action is listed twice: [0, 0]"),
    "returns": ("games end with fair returns", "returns [0.7, 0.0], but by the status "),
    "parse": ("nonsense is no action", "parse_action('nonsense') raises KeyError('nonsense'); it"),
    "forever": ("games end with fair returns", "a game lasted more than max_plies = 9"),
    "mixed": ("its rules can be made", MIXED),
}


@pytest.mark.slow
def test_check_outlives_faulty_games_and_names_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("joute.harness.conformance.subprocess_check.KERNEL_SECONDS", 1.0)
    far = "faulty[fault=none]/alphabeta:evaluation=far,depth=2"
    forgetful = far.replace("far", "forgetful")
    things = ["faulty", *(f"faulty[fault={fault}]" for fault in WRONG), far, forgetful]
    with plugged():
        done = here("--plugin", FAULTY, "check", *things, "--json")
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    assert not any(c["fault"] for c in found if c["thing"] == "faulty[fault=none]")
    for fault, (rule, said) in WRONG.items():
        faults = [c for c in found if c["thing"] == f"faulty[fault={fault}]" and c["fault"]]
        assert faults and faults[0]["rule"] == rule, (fault, faults)
        assert said in faults[0]["fault"], (fault, faults)
        assert len({c["fault"] for c in faults}) == len(faults)  # one mistake is told once
    [last] = [c for c in found if "far" in c["thing"] and c["fault"]]
    assert "the kernel value of the evaluation far reads or writes outside" in last["fault"]
    [last] = [c for c in found if "forgetful" in c["thing"] and c["fault"]]
    assert last["rule"] == "its evaluation keeps its words up to date"
    assert last["fault"].startswith("ply 1, after ")
    assert last["fault"].endswith(
        ": update leaves a different value in word 0 of its own than init computes"
    )


def test_a_name_of_an_evaluation_stands_for_the_engines_with_it() -> None:
    texts = subjects_of(["static"], every=True)
    assert len(texts) >= 4 and all("evaluation=static" in text for text in texts)
    one, two = subjects_of(["static"])
    assert "nodes" in parse_engine(one).search.limits
    assert "iterations" in parse_engine(two).search.limits and {one, two} <= {*texts}
    assert all(parse_engine(text).evaluation is not None for text in texts)
    said = "unknown game, search, evaluation or view 'statik'; did you mean"
    with pytest.raises(Refused, match=said):
        subjects_of(["statik"])


def test_the_speed_of_a_sound_game_is_told_in_playouts_a_second() -> None:
    speed = speed_of("connect4[columns=4,rows=4]", 0.05)
    assert 7 <= speed.plies <= 16 and speed.playouts > 100
    assert re.fullmatch(
        r"connect4\[columns=4,rows=4\]: [\d,]+ random playouts per second of \d+ plies, on one core",
        speed.text,
    )


def test_a_name_of_a_view_stands_for_its_games_as_they_usually_are() -> None:
    go = "go[size=9,rules=chinese,ko=superko,komi=7.5]"
    assert subjects_of(["goban"]) == [f"goban[history=2] of {go}"]
    assert subjects_of(["goban[history=5] of go[size=5,rules=japanese,ko=superko]"]) == [
        "goban[history=5] of go[size=5,rules=japanese,ko=superko,komi=6.5]"
    ]
    assert f"goban of {go}" in subjects_of([])
    with pytest.raises(Refused, match="keeps no boards before this one; allowed: history=1"):
        subjects_of(["goban of go[ko=simple]"])
    with pytest.raises(Refused, match="unknown setting of the view goban 'histroy'; did you mean"):
        subjects_of(["goban[histroy=5]"])


@pytest.mark.slow
def test_check_plays_views_in_their_symmetries() -> None:
    done = here("check", "discs", "--json")
    assert done.exit_code == 0
    rules = [c["rule"] for c in json.loads(done.stdout)]
    assert rules[-1] == "symmetries map planes and policy together" and len(rules) == 6


HEAD = "from joute import *\n"
EVALUATION = 'class One(Evaluation):\n    name = "one"\n    games = ("connect4",)\n'
BUILD = "    def build(self, game, base): return ()\n"
PLUGINS = [
    ("", "it has no member; a member is a class at the top of the file with name ="),
    (EVALUATION.replace('    name = "one"\n', "") + BUILD, "the class One has no name; a member"),
    (EVALUATION + '    parameters = (Parameter("k", "integer", 3),)\n' + BUILD,
     "the parameter k is of the kind 'integer'; did you mean 'int'?"),
    (EVALUATION.replace('"one"', '"lines"') + BUILD,
     "the evaluation lines exists already (engines/games/connect4/lines.py); take another name"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), PLUGINS)
def test_a_plugin_that_adds_nothing_or_too_much_is_refused(
    tmp_path: Path, text: str, said: str
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(HEAD + text)
    with plugged(), pytest.raises(Refused) as caught:
        load_plugin(file)
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_a_member_that_says_so_replaces_ours(tmp_path: Path) -> None:
    from joute.engines.registry import find

    file = tmp_path / "other_lines.py"
    own = EVALUATION.replace('"one"', '"lines"') + "    replaces = True\n" + BUILD
    file.write_text(HEAD + own)
    with plugged(file):
        assert find("evaluation", "lines").__name__ == "One"
    assert find("evaluation", "lines").__name__ == "Lines"


def test_a_class_that_lacks_something_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "lacking.py"
    file.write_text(HEAD + EVALUATION.replace('"one"', '"lacking"'))
    with plugged(file), pytest.raises(RulesError) as caught:
        parse_engine("connect4/alphabeta:evaluation=lacking,depth=2")
    assert str(caught.value).startswith("the evaluation lacking cannot be made: its class One (")
    assert str(caught.value).endswith("lacking.py) lacks build")
    with plugged(FAULTY):
        with pytest.raises(RulesError, match=r"its class Undrawn .* lacks draw"):
            parse_engine("undrawn/random")
        with pytest.raises(RulesError, match="players = 5; allowed: a whole number from 2 to 4"):
            parse_engine("crowd/random")


def test_of_a_study_its_engines_are_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = 'name = "s"\nkind = "tournament"\ngame = "connect4"\nseed = 1\n[schedule]\nblocks = 1\n'
    engines = ["random", "alphabeta:evaluation=static,depth=2"]
    text += "".join(f"[[entrants]]\nspec = '{engine}'\n" for engine in engines)
    Path("s.toml").write_text(text)
    done = here("check", "s.toml", "--json")
    assert done.exit_code == 0, done.stderr
    things = dict.fromkeys(check["thing"] for check in json.loads(done.stdout))
    assert len(things) == 2 and all("connect4[columns=7,rows=6]/" in thing for thing in things)
    headings = [
        line for line in here("check", "s.toml").stdout.splitlines() if ": connect4[" in line
    ]
    assert headings[0] == "random: connect4[columns=7,rows=6]/random"
    assert len(headings) == 2
    Path("s.toml").write_text(text.replace("seed = 1", "seed = one"))
    assert here("check", "s.toml").exit_code == 2

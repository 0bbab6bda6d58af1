"""Slips of who writes a member: each is told in a line, and stops nobody who does not use it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from joute import Evaluation, Game, Parameter, Search, State, U, places, rule
from joute.engines.engine import parse_engine, parse_game
from joute.engines.errors import Refused
from joute.engines.evaluation import evaluations_of
from joute.engines.kernels.contract import code_of
from joute.engines.registry import find
from joute.harness.conformance.engine_rules import values_follow_own_parameters
from joute.harness.conformance.subjects import subjects_of
from joute.reports.export.proof import differs
from tests.support.plugins import plugged

EVALUATION = """
import numpy as np
from joute import Evaluation, Parameter, places, rule

class Own(Evaluation):
    name = "own-one"
    summary = "a sum of two weights"
    games = ("connect4",)
    parameters = (Parameter("{first}", "float", 1.0, -5.0, 5.0), Parameter("second", "float", 2.0, -5.0, 5.0))

    def build(self, game, base):
        p = places(self.parameters, {base})

        first, second = p.{first}, p.second

        @rule
        def value(W, at, P):
            return P[first] + 10.0 * P[second]

        return [value]
"""


def plugin(folder: Path, text: str) -> Path:
    """Write a plugin."""
    path = folder / "plugin.py"
    path.write_text(text)
    return path


class Stones(Game):
    """Takes 1 or 2 of five stones; who takes the last one wins, or (`last` = 1) loses."""

    name = "stones"
    slots, max_plies = 2, 9
    state = State("stones", "ply")
    last = 0

    def build(self, stride):  # type: ignore[no-untyped-def]
        stones, ply, last, one = self.state.stones, self.state.ply, U(self.last), U(1)

        @rule
        def start(W, at):
            W[at + stones], W[at + ply] = U(5), U(0)

        @rule
        def nth(W, at, i):
            return np.int64(i) if U(i) < W[at + stones] and i < 2 else np.int64(-1)

        @rule
        def apply(W, src, dst, action, outcome):
            W[dst + stones] = W[src + stones] - U(action + 1)
            W[dst + ply] = W[src + ply] + one

        @rule
        def status(W, at):
            if W[at + stones] != U(0):
                return np.int64(0)
            return np.int64(one + ((W[at + ply] + one + last) & one))

        return start, nth, apply, status

    def action_text(self, action: int) -> str:
        return str(action + 1)

    def parse_action(self, text: str) -> int:
        return int(text) - 1

    def draw(self, W, at):  # type: ignore[no-untyped-def]
        return "o" * int(W[at])


class Losing(Stones):
    last = 1


class Weighed(Evaluation):
    """Values stones by a factor."""

    name = "weighed"
    games = ("stones",)
    factor = 1.0

    def build(self, game, base):  # type: ignore[no-untyped-def]
        factor = self.factor

        @rule
        def value(W, at, P):
            return factor * np.float64(W[at])

        return [value]


class Turned(Weighed):
    factor = -1.0


def test_the_code_of_rules_is_that_of_all_kernels() -> None:
    one, other = Stones(), Losing()
    assert one.kernels().apply.digest == other.kernels().apply.digest  # type: ignore[attr-defined]
    assert one.rules_code != other.rules_code and one.rules_code == Stones().rules_code
    assert len(code_of(one.kernels()).split()) > 8


def test_the_code_of_an_engine_has_its_evaluation() -> None:
    game = Stones()
    assert Weighed().code(game, 0) != Turned().code(game, 0)
    assert Weighed().code(game, 0) == Weighed().code(game, 0)


@pytest.mark.parametrize("name", ["width", "depth", "nodes", "clock", "generator"])
def test_a_parameter_is_called_like_nothing_else(tmp_path: Path, name: str) -> None:
    text = "connect4/alphabeta:evaluation=own-one"
    with plugged(plugin(tmp_path, EVALUATION.format(first=name, base="base"))):
        said = (
            f"evaluation own-one has a parameter {name}, and so is .* called: give it another name"
        )
        with pytest.raises(Refused, match=said):
            parse_engine(text)
        with pytest.raises(Refused, match=said):  # also where other searches would take it
            subjects_of(["own-one"])


def test_weights_are_read_from_their_own_places(tmp_path: Path) -> None:
    text = "connect4/alphabeta:evaluation=own-one,depth=1"
    with plugged(plugin(tmp_path, EVALUATION.format(first="first", base="base"))):
        assert values_follow_own_parameters(parse_engine(text)) == ""
    (tmp_path / "other").mkdir()
    wrong = EVALUATION.format(first="first", base=0).replace("own-one", "own-two")
    text = text.replace("own-one", "own-two")
    with plugged(plugin(tmp_path / "other", wrong)):
        said = values_follow_own_parameters(parse_engine(text))
        assert said.startswith("its values change with depth, width, no parameter of its own")
        assert said.endswith("places(self.parameters, base)")


def test_kernels_with_the_same_code_are_the_same_argument() -> None:
    one, other = Stones().kernels().status, Stones().kernels().status
    assert one is not other and not differs(one, other)
    assert differs(one, Losing().kernels().status)
    assert differs(1, 2) and not differs((1.0,), (1.0,))


def test_an_evaluation_without_games_stops_nobody_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = EVALUATION.format(first="first", base="base").replace('    games = ("connect4",)\n', "")
    with plugged(plugin(tmp_path, text.replace("own-one", "gameless"))):
        assert {"lines", "static"} <= {*evaluations_of(parse_game("connect4"))}
        assert "the evaluation gameless is left out" in capsys.readouterr().err
        said = r"the evaluation gameless cannot be used: its class Own \(.*plugin.py\) lacks games"
        with pytest.raises(Refused, match=said):
            find("evaluation", "gameless")


def test_a_default_lies_in_its_range(tmp_path: Path) -> None:
    text = EVALUATION.format(first="first", base="base").replace('"float", 1.0', '"float", 6.0')
    with plugged(plugin(tmp_path, text.replace("own-one", "own-six"))):
        said = "has a default that is not allowed: first = 6 is not a number from -5 to 5"
        with pytest.raises(Refused, match=said):
            find("evaluation", "own-six")


def test_a_search_says_whether_it_uses_an_evaluation() -> None:
    with pytest.raises(TypeError, match="evaluation = 'alway'; did you mean 'always'"):

        class Odd(Search):
            evaluation = "alway"


def test_places_begin_where_it_is_said() -> None:
    assert int(places([Parameter("a", "float", 0.0), Parameter("b", "float", 0.0)], 3).b) == 4


@pytest.mark.parametrize("seats", ["White", ("White",), ("White", 2)])
def test_names_of_seats_that_are_no_names_are_refused(seats: object) -> None:
    with pytest.raises(
        TypeError, match=r'seats = .*; allowed: a name a player, \("White", "Black"\)'
    ):
        type("Named", (Stones,), {"seats": seats})()

"""The first engine of its kernels in a process loads them before its first move, so that no move is slow by it."""

from __future__ import annotations

import pytest

from joute.engines import engine
from joute.engines.engine import Engine, parse_engine


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The engines that got ready, in a process that has loaded nothing."""
    ready, seen = Engine.ready, list[str]()

    def noted(one: Engine) -> None:
        seen.append(one.text)
        ready(one)

    monkeypatch.setattr(engine, "_in_process", {})
    monkeypatch.setattr(Engine, "ready", noted)
    return seen


@pytest.mark.parametrize(
    "text", ["alphabeta:evaluation=static,depth=2", "uct:iterations=20", "random"]
)
def test_the_first_of_its_kernels_gets_ready(text: str, loaded: list[str]) -> None:
    made = parse_engine(f"connect4/{text}")
    for _ in range(2):
        made.player().close()
    assert loaded == [made.text]


def test_other_values_of_the_same_kernels_do_not_load_again(loaded: list[str]) -> None:
    for depth in (2, 3):
        parse_engine(f"connect4/alphabeta:evaluation=static,depth={depth}").player().close()
    assert len(loaded) == 1
    parse_engine("connect4/alphabeta:evaluation=lines,depth=2").player().close()
    assert len(loaded) == 2


def test_what_gets_ready_makes_a_move(loaded: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    moves = list[object]()
    made = parse_engine("connect4[columns=6,rows=5]/random")
    player = type(made._unready_player())
    choose = player.choose
    monkeypatch.setattr(player, "choose", lambda self, at: moves.append(at) or choose(self, at))
    made.player().close()
    assert len(moves) == 1

"""`maxn` and `paranoid` against plain recursion, and with each other and alphabeta for two players."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from joute.engines.engine import Engine, parse_engine, parse_game
from joute.engines.kernels.random import below, stream
from joute.engines.position import Position
from tests.support.marks import quick_rows, slow

LATER = 1e-6


def leaf(engine: Engine, position: Position, d: int) -> list[float]:
    """The returns at a leaf."""
    if position.over:
        return [r + (0.5 - r) * LATER * d for r in position.returns()]
    assert engine.evaluation is not None
    kernels = engine.evaluation.kernels(engine.game, engine.search.base)
    W = np.zeros(kernels.scratch + engine.game.words, np.uint64)
    W[kernels.scratch :] = position.words()
    R = np.zeros(engine.game.players)
    kernels.expected(W, kernels.scratch, engine.vector, R, 0)  # type: ignore[misc]
    return list(R)


def plain(
    engine: Engine, position: Position, depth: int, me: int | None, d: int = 0
) -> list[float]:
    """Max^n (or, with `me`, one against all) by recursion; the action is put in front at the root."""
    best: list[float] = []
    chosen = -1
    mover = position.to_move
    for action in position.legal_actions():
        after = position.copy()
        after.play(action)
        last = after.over or d + 1 == depth
        found = leaf(engine, after, d + 1) if last else plain(engine, after, depth, me, d + 1)
        if me is not None and mover != me:
            better = not best or found[me] < best[me]
        else:
            better = not best or found[mover] > best[mover]
        if better:
            best, chosen = found, action
    return [chosen, *best] if d == 0 else best


def some(game_text: str, count: int) -> list[Position]:
    game, S, found = parse_game(game_text), stream(9), list[Position]()
    while len(found) < count:
        position = Position(game, game.start_text(len(found)))
        for _ in range(int(below(S, np.uint64(16)))):
            if not position.over:
                position.play(position.sample_action(S))
        if not position.over:
            found.append(position)
    return found


DEAR = (
    ("zones", "maxn", 4),
    ("zones", "paranoid", 3),
    ("zones", "paranoid", 4),
    ("chambers", "maxn", 3),
    ("chambers", "paranoid", 4),
)


@pytest.mark.parametrize(
    ("evaluation", "search", "players"),
    quick_rows(
        product(["zones", "chambers"], ["maxn", "paranoid"], [2, 3, 4]),
        ("chambers", "maxn", 3).__eq__,
        dear=DEAR.__contains__,
    ),
)
def test_values_and_actions_are_those_of_plain_recursion(
    evaluation: str, search: str, players: int
) -> None:
    game = f"tron[width=6,height=5,players={players}]"
    for depth in (1, 2, 4):
        engine = parse_engine(f"{game}/{search}:evaluation={evaluation},depth={depth}")
        player = engine.player()
        pausing = parse_engine(
            f"{game}/{search}:evaluation={evaluation},depth={depth},nodes=1000000"
        ).player()
        for position in some(game, 12):
            mover = position.to_move
            me = mover if search == "paranoid" else None
            action, *returns = plain(engine, position, depth, me)
            choice = player.choose(position)
            assert choice.value == pytest.approx(returns[mover], abs=1e-12)
            assert choice.action == action
            if len(position.legal_actions()) > 1:  # else deepening has nothing to decide
                deepened = pausing.choose(position)
                assert deepened.value == pytest.approx(returns[mover], abs=1e-12)


@pytest.mark.slow
def test_for_two_players_maxn_paranoid_and_alphabeta_agree() -> None:
    game = "tron[width=6,height=5]"
    text = "{}/{}:evaluation=zones,depth=5"
    maxn, paranoid, alphabeta = (
        parse_engine(text.format(game, s)).player() for s in ("maxn", "paranoid", "alphabeta")
    )
    for position in some(game, 20):
        one, two, three = (p.choose(position) for p in (maxn, paranoid, alphabeta))
        assert one.value == pytest.approx(two.value) and one.action == two.action
        assert three.value is not None and two.value is not None
        if abs(three.value) < 1:  # a share of both: own - other over own + other
            assert two.value == pytest.approx((three.value + 1) / 2)
        else:
            assert (two.value > 0.99) == (three.value > 0)


@pytest.mark.usefixtures("toys")
def test_three_players_of_a_game_that_is_not_tron() -> None:
    for search in ("maxn", "paranoid"):
        engine = parse_engine(f"heap[stones=7]/{search}:evaluation=level,depth=9")
        choice = engine.player().choose(Position(engine.game))
        action, *returns = plain(
            engine, Position(engine.game), 9, 0 if search == "paranoid" else None
        )
        assert choice.action == action and choice.value == pytest.approx(returns[0])


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize("stones", [slow(3), 5, 7, 9])
def test_uct_that_solves_a_game_finds_the_same_values(stones: int) -> None:
    for search, opponents in (("maxn", "selfish"), ("paranoid", "paranoid")):
        solver = parse_engine(f"heap[stones={stones}]/{search}:evaluation=level,depth=20")
        uct = parse_engine(f"heap[stones={stones}]/uct:opponents={opponents},iterations=20000")
        player = uct.player()
        player.new_game(1, 0)
        choice, exact = (
            player.choose(Position(uct.game)),
            solver.player().choose(Position(uct.game)),
        )
        assert player.tree.decided[0] == 1  # type: ignore[attr-defined]
        assert choice.value == pytest.approx(exact.value, abs=1e-4)


def test_opponents_are_a_choice_for_three_and_more_only() -> None:
    assert "opponents" not in parse_engine("tron/uct:iterations=9").text
    two = parse_engine("tron/uct:iterations=9,opponents=paranoid")
    assert two.text == parse_engine("tron/uct:iterations=9").text
    assert "opponents=selfish" in parse_engine("tron[players=3]/uct:iterations=9").text
    assert "cleanup=0" in parse_engine("tron/uct:milliseconds=9").text

"""Games of which only the end looks back: repetitions in a search's tree, in its table, and in the game."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

from joute.engines.engine import parse_engine, parse_game
from joute.engines.errors import JouteError
from joute.engines.games.chess.chess import Chess
from joute.engines.line_of_play import in_tree
from joute.engines.position import Position, parse_position
from joute.engines.record import WIN
from joute.engines.search import BY_LINE
from joute.engines.searches._stack import StackPlayer
from tests.support.chess_lines import material, name
from tests.support.marks import quick

STARTS = (
    "8/8/8/4k3/7p/8/r3K2P/8 w - - 0 1", "8/8/4k3/8/2r5/8/3R4/4K3 w - - 0 1", "6k1/5ppp/8/8/8/1Q6/5PPP/q5K1 w - - 94 80",
    "8/5k2/8/8/1N6/8/3K1p2/8 w - - 97 90", "4k2r/8/8/8/8/8/8/R3K3 w Qk - 0 1",
)  # fmt: skip
HELPED = "deepening=on,pvs=on,killers=2,ordering=history"


def negamax(position: Position, line: list[str], depth: int, ply: int = 0) -> float:
    """The value of the tree of that depth: plain, and with the line of play as a list."""
    best = -2 * WIN
    for action in position.legal_actions():
        after = position.copy()
        after.play(action)
        clock = int(str(after.text()).split()[4])
        if after.status in (1, 2):
            value = WIN - (ply + 1)
        elif clock >= 100 or name(after) in line:
            value = -BY_LINE
        elif after.status:
            value = 0.0
        elif depth == 1:
            value = -material(after)
        else:
            value = -negamax(after, [*line, name(after)], depth - 1, ply + 1)
        best = max(best, value)
    return best


def shuffled(start: str, seed: int) -> tuple[Position, list[str]]:
    """Return a position after a few moves to and fro, and the names of all on the line to it."""
    rng, game = random.Random(f"{start} {seed}"), parse_game("chess")
    position = parse_position(game, start)
    line = [name(position)]
    for _ in range(rng.randrange(3, 8)):
        quiet = [a for a in position.legal_actions() if a >> 12 == 0]
        back = [a for a in quiet if len(position.moves) > 1 and reverses(position.moves[-2], a)]
        action = rng.choice(back if back and rng.random() < 0.8 else quiet)
        after = position.copy()
        after.play(action)
        if after.over:
            break
        position = after
        line.append(name(position))
    return position, line


@cache
def valued() -> list[tuple[Position, float]]:
    """Return positions with their values at a depth of 3."""
    cases = [shuffled(start, seed) for seed in range(3) for start in STARTS]
    return [(position, negamax(position, line, 3)) for position, line in cases]


def reverses(one: int, other: int) -> bool:
    return (one & 63, one >> 6 & 63) == (other >> 6 & 63, other & 63)


SETTINGS = (
    "", "ordering=evaluation", HELPED, "mtd=on", f"{HELPED},table=1", "table=1,probing=on",
)  # fmt: skip


@pytest.mark.parametrize("settings", quick(SETTINGS, lambda text: text == "" or HELPED in text))
def test_the_second_occurrence_is_a_draw_in_the_tree(settings: str) -> None:
    extra = f",{settings}" if settings else ""
    engine = parse_engine(f"chess/alphabeta:evaluation=material,depth=3{extra}")
    for position, value in valued():
        player = engine.player()
        player.new_game(1, 0)
        wanted = 0.0 if abs(value) == BY_LINE else value
        assert player.choose(position).value == wanted, position.line()
    assert sum(abs(value) == BY_LINE for _, value in valued()) >= 2


def test_no_value_of_a_draw_by_the_line_is_kept_in_the_table() -> None:
    engine = parse_engine(f"chess/alphabeta:evaluation=material,depth=5,{HELPED},table=1")
    player = engine.player()
    assert isinstance(player, StackPlayer)
    for seed in range(4):
        for start in STARTS[1:]:
            player.choose(shuffled(start, seed)[0])
    values = player._F[-(1 << 16) :]  # of a table of one megabyte
    assert np.count_nonzero(values) > 500 and not np.any(np.abs(values) == BY_LINE)


def test_a_perpetual_check_saves_who_is_behind() -> None:
    position = parse_position(parse_game("chess"), "5b1k/6np/7N/8/8/8/1rr5/7K w - - 0 1")
    assert material(position) < -1000.0
    for settings in ("", f",{HELPED},table=16"):
        engine = parse_engine(f"chess/alphabeta:evaluation=material,depth=5{settings}")
        move = engine.player().choose(position)
        assert (engine.game.action_text(move.action), move.value) == ("h6f7", 0.0)


@pytest.mark.slow
def test_a_tree_that_is_kept_may_meet_a_position_twice() -> None:
    engine = parse_engine("chess/uct:iterations=100,reuse=on")
    position, player = (
        parse_position(engine.game, "8/8/4k3/8/8/8/4K3/R7 w - - 0 80"),
        engine.player(),
    )
    for text in ["a1a2", "e6e5", "a2a1", "e5e6"]:
        assert position.is_legal(player.choose(position).action)
        position.play(engine.game.action_of(text))
    assert position.is_legal(player.choose(position).action)


def test_a_game_that_repeats_must_say_where() -> None:
    class Silent(Chess):
        """Gives no kernel `repeats`."""

        name = "silent"

        def build(self, stride: int) -> list:  # type: ignore[type-arg]
            return [one for one in super().build(stride) if one.__name__ != "repeats"]

    with pytest.raises((TypeError, JouteError), match="silent must give the kernel repeats"):
        in_tree(Silent().rules, 2, "silent")


def test_a_search_sees_the_line_as_far_as_the_rules_look() -> None:
    game = parse_game("chess")
    position = parse_position(game, "startpos moves" + " b1c3 b8c6 c3b1 c6b8" + " b1c3 b8c6 c3b1")
    W = np.zeros(400 * game.words, np.uint64)
    at = position.lay(W, game.words)
    assert at == position.at and np.array_equal(W[: at + game.words], position.W[: at + game.words])
    long = Position(game)
    while long.ply < 150:
        long.play(long.legal_actions()[-1])
        long.W[long.at + int(game.state.clock)] = 0
        long.status = 0
    assert long.lay(W, game.words) == 100 * game.words
    assert np.array_equal(W[100 * game.words : 101 * game.words], long.words())

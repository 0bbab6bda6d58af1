"""`expectiminimax` with a table, killers and history against the plain one: values, turns and fewer nodes."""

from __future__ import annotations

import random
from functools import cache

import pytest

from joute.engines.engine import parse_engine, parse_game
from joute.engines.errors import Refused
from joute.engines.evaluation import Evaluation
from joute.engines.game import Game
from joute.engines.games.vampires.vampires import Vampires
from joute.engines.position import Position, parse_position
from joute.engines.searches._stack import StackPlayer
from joute.engines.searches._tabled import TabledPlayer
from joute.engines.searches.expectiminimax import Expectiminimax
from tests.engines import slow_vampires as slow
from tests.support.plugins import plugged
from tests.support.runs import ROOT
from tests.support.slices import searched
from tests.support.vampire_boards import WEIGHTS, crowded, roomy, set_up, twin_moves

FIELD, FOUR = "vampires[map=testmap]", "connect4[columns=4,rows=4]"
ALL = "table=1,table_key=position,killers=2,history=on"
TINY = 2.0**-13  # megabytes: four pairs of entries, which everything replaces
OFF = {"table": 0.0, "table_key": 0.0, "killers": 0.0, "history": 0.0}
WEIGHED = "evaluation=langorou," + ",".join(f"{k}={v}" for k, v in WEIGHTS.items())


@cache
def made(game: str, text: str) -> StackPlayer:
    player = parse_engine(f"{game}/expectiminimax:{text}").player()
    assert isinstance(player, StackPlayer)
    return player


def helped(game: str, text: str, given: dict[str, float]) -> StackPlayer:
    """A player with these settings, of the one kernel that has them all."""
    player = made(game, f"{text},{ALL}")
    names = [p.name for p in Expectiminimax.parameters]
    for name, number in {**OFF, **given}.items():
        player._P[names.index(name)] = number
    player.new_game(0, 0)
    return player


@pytest.fixture(scope="module")
def game() -> Vampires:
    found = parse_game(FIELD)
    assert isinstance(found, Vampires)
    return found


def settings(chance: random.Random) -> dict[str, float]:
    return {"table": chance.choice([0.0, TINY, 1.0]), "killers": float(chance.randrange(3)),
            "history": chance.choice([0.0, 1.0])}  # fmt: skip


@pytest.mark.parametrize("deepening", ["on", "off"])
@pytest.mark.parametrize("threshold", [1.0, 0.8])
def test_values_and_turns_are_the_plain_searchs(
    game: Vampires, deepening: str, threshold: float
) -> None:
    chance, fewer = random.Random(1), 0
    for seed in range(90):
        board = crowded(seed, groups=2) if seed % 2 else roomy(seed)
        depth = 3 if seed % 2 else 4
        text = (
            f"{WEIGHED},win_threshold={threshold},max_groups=1,deepening={deepening},depth={depth}"
        )
        position, given = set_up(game, board), settings(chance)
        expected = made(FIELD, text).choose(position)
        found = helped(FIELD, text, given).choose(position)
        assert found[:3] == expected[:3], (board.text(), given)
        fewer += expected.nodes - found.nodes
    assert fewer > 0


def test_the_last_of_equal_turns_is_another_but_worth_the_same(game: Vampires) -> None:
    """An action cut at the best value only looks equal; which ones are cut hangs on the order below."""
    chance, others = random.Random(5), 0
    for seed in range(1, 60, 2):
        position, given = set_up(game, crowded(seed, groups=2)), settings(chance)
        text = f"{WEIGHED},win_threshold=0.8,max_groups=1,ties=last,depth=3"
        expected = made(FIELD, text).choose(position)
        found = helped(FIELD, text, given).choose(position)
        assert found.value == expected.value
        others += found.action != expected.action
    assert others > 0


def test_each_help_takes_fewer_nodes(game: Vampires) -> None:
    text = f"{WEIGHED},win_threshold=0.8,max_groups=1,depth=4"
    given: list[dict[str, float]] = [OFF, {"table": 1.0}, {"killers": 2.0}, {"history": 1.0}]
    nodes = [0] * len(given)
    for seed in range(10):
        position = set_up(game, roomy(seed))
        for i, values in enumerate(given):
            nodes[i] += helped(FIELD, text, values).choose(position).nodes
        assert helped(FIELD, text, OFF).choose(position) == made(FIELD, text).choose(position)
    assert all(more < 0.95 * nodes[0] for more in nodes[1:]), nodes


def test_wins_that_count_their_plies_are_worth_the_same() -> None:
    """Without a value of its own for ends of games, nothing is taken from another depth or root."""
    chance = random.Random(2)
    for _ in range(150):
        position = Position(parse_game(FOUR))
        for _ in range(chance.randrange(12)):
            if not position.over:
                position.play(chance.choice(position.legal_actions()))
        if position.over:
            continue
        text = f"evaluation=static,depth={chance.choice([2, 5, 9])}"
        expected = made(FOUR, text).choose(position)
        player = helped(FOUR, text, settings(chance))
        assert player.choose(position)[:3] == expected[:3]
        again = player.choose(position)  # with what the table holds of it
        assert again[:3] == expected[:3]


INTERACTION = "4x2 V7@0,0 V4@3,1 W8@2,1 H1@1,0 H3@0,1 turn V"


def test_a_key_without_the_path_gives_the_value_of_another_path(game: Vampires) -> None:
    """Graph-history interaction, against plain Python without any table."""
    text = "evaluation=langorou,cum_score=0.01,win_score=1000,max_groups=1,depth=5"
    position = parse_position(game, INTERACTION)
    twin = slow.Searcher(
        slow.Weights(cum_score=0.01, win_score=1000.0), 1.0, 1, "full", last_wins=False
    )
    value, turn = twin.search(game.board(position.W, position.at), 5)
    right = helped(FIELD, text, {"table": 1.0}).choose(position)
    assert right.value == pytest.approx(value, rel=1e-9) and turn is not None
    assert twin_moves(right.action) == list(turn)
    for key in (1.0, 2.0):
        wrong = helped(FIELD, text, {"table": 1.0, "table_key": key}).choose(position)
        assert abs((wrong.value or 0.0) - value) > 1e-3


def test_without_a_path_both_keys_are_right(game: Vampires) -> None:
    text = "evaluation=langorou,cum_score=0,max_groups=1,depth=4"
    fewer = 0
    for seed in range(8):
        position = set_up(game, roomy(seed))
        expected = helped(FIELD, text, {"table": 1.0}).choose(position)
        found = helped(FIELD, text, {"table": 1.0, "table_key": 1.0}).choose(position)
        assert found[:3] == expected[:3]
        fewer += expected.nodes - found.nodes
    assert fewer > 0


def test_a_search_in_slices_is_the_same_search(game: Vampires) -> None:
    text = f"{WEIGHED},win_threshold=0.8,max_groups=1,depth=3"
    for seed in range(6):
        position = set_up(game, roomy(seed))
        player = helped(FIELD, text, {"table": TINY, "killers": 2.0, "history": 1.0})
        whole = searched(player, position, 3, 1 << 40)
        for nodes in (1, 7, 300):
            assert searched(player, position, 3, nodes) == whole


def test_a_game_depends_on_none_before_it(game: Vampires) -> None:
    engine = parse_engine(f"{FIELD}/expectiminimax:{WEIGHED},max_groups=1,depth=3,{ALL}")
    used = engine.player()
    lines = []
    for player in (used, engine.player(), used):
        player.new_game(1, 0)
        line, position = [], set_up(game, roomy(4))
        for number in range(6):
            line.append(player.choose(position))
            position.play(line[-1].action, position.draw_outcome(line[-1].action, number))
        lines.append(line)
    assert lines[0] == lines[1] == lines[2]


def test_an_engine_without_help_keeps_its_text_and_its_player() -> None:
    plain = parse_engine(f"{FIELD}/expectiminimax:evaluation=langorou")
    off = "table=0,table_key=position,killers=0,history=off"
    assert parse_engine(f"{FIELD}/expectiminimax:evaluation=langorou,{off}").text == plain.text
    assert not isinstance(plain.player(), TabledPlayer)
    tabled = parse_engine(f"{FIELD}/expectiminimax:evaluation=langorou,table=1")
    assert isinstance(tabled.player(), TabledPlayer)


def test_a_table_is_refused_where_no_key_can_hold_the_path() -> None:
    class Backward(Evaluation):
        name = "backward"
        games = None
        path_dependent = True

        def build(self, game: Game, base: int) -> list[object]:  # type: ignore[override]
            return []

    values: dict[str, float | int | str] = {"table": 1}
    with pytest.raises(Refused, match="backward depends on the line of play, of which it keeps no"):
        Expectiminimax().check_values(parse_game(FIELD), values, Backward())
    with plugged(ROOT / "tests" / "support" / "toys.py"):
        with pytest.raises(Refused, match="what is legal in switches depends on the line of play"):
            parse_engine("switches/expectiminimax:evaluation=level,table=1")
        parse_engine("switches/expectiminimax:evaluation=level,killers=1")

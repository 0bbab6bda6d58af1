"""The tabled alpha-beta against the plain one: whatever is switched on, the value is the same."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from joute.engines.engine import Engine, parse_engine, parse_game
from joute.engines.errors import Refused
from joute.engines.player import Move
from joute.engines.position import Position
from joute.engines.record import WIN
from joute.engines.searches._stack import StackPlayer
from joute.engines.searches._table import DECIDED, pairs_of
from joute.engines.searches._tabled import TabledPlayer
from joute.harness.conformance.engine_rules import values_follow_keys
from tests.support.marks import dear_case, slow
from tests.support.plugins import plugged
from tests.support.runs import ROOT
from tests.support.slices import searched

WEIGHTS = ROOT / "tests" / "support" / "weights.py"
HELP = "table=1,pvs=on,killers=2,deepening=on,aspiration=1,depth=60"
FOUR, SEVEN = "connect4[columns=4,rows=4]", "connect4[columns=7,rows=6]"


@pytest.fixture(scope="module", autouse=True)
def weights(own_plugins: None) -> Any:
    with plugged(WEIGHTS):
        yield


@cache
def engine_of(game: str, text: str) -> Engine:
    return parse_engine(f"{game}/alphabeta:{text}")


@cache
def made(game: str, text: str) -> StackPlayer:
    player = engine_of(game, text).player()
    assert isinstance(player, StackPlayer)
    return player


def plain(game: str, evaluation: str, position: Position, depth: int) -> Move:
    """What the plain search says; its kernels are those of every other test."""
    player = made(game, f"evaluation={evaluation},depth=60")
    player._depth = depth
    return player.choose(position)


def tabled(
    game: str,
    evaluation: str,
    depth: int,
    given: dict[str, float],
    ordering: str = "canonical",
    help: str = HELP,
) -> TabledPlayer:
    """A player with these parameters, of the one kernel that has them all."""
    text = f"evaluation={evaluation},ordering={ordering},{help}"
    player, names = made(game, text), [p.name for p in engine_of(game, text).parameters]
    assert isinstance(player, TabledPlayer)
    for name, number in given.items():
        if name in names:
            player._P[names.index(name)] = number
    player._depth, player._deepening = depth, bool(given["deepening"])
    player.new_game(0, 0)
    return player


def random_position(game: str, plies: int, chance: random.Random) -> Position:
    while True:
        rules = parse_game(game)
        position = Position(rules, rules.start_text(chance.randrange(1000)))
        for _ in range(plies):
            if not position.over:
                position.play(chance.choice(position.legal_actions()))
        if not position.over:
            return position
        plies -= 1


def worth(game: str, evaluation: str, position: Position, action: int, depth: int) -> float:
    """What the plain search says an action is worth."""
    after = position.copy()
    after.play(action)
    if after.over:
        won = after.returns()[position.to_move] - 0.5
        return 0.0 if won == 0.0 else (WIN - 1 if won > 0 else 1 - WIN)
    v = plain(game, evaluation, after, depth - 1).value
    assert v is not None
    return -v if abs(v) < DECIDED else -v + (1 if v > 0 else -1)


def same(game: str, evaluation: str, player: TabledPlayer, position: Position, depth: int) -> None:
    """Both searches agree on the value, and the action found is worth it."""
    found, expected = player.choose(position), plain(game, evaluation, position, depth)
    case = (position.line(), depth, player._P.tolist())
    if found.depth < depth:  # deepening ends where all is decided
        decided = abs(found.value or 0.0) > DECIDED
        assert decided or len(position.legal_actions()) == 1, case
    if found.depth == depth or abs(found.value or 0.0) > DECIDED:
        assert found.value == expected.value, case
        if depth > 1:
            assert worth(game, evaluation, position, found.action, depth) == expected.value, case


TINY = 2.0**-13  # megabytes: four pairs of entries, which everything replaces
GIVEN = st.fixed_dictionaries(
    {
        "table": st.sampled_from([0.0, TINY, 1.0]),
        "pvs": st.sampled_from([0.0, 1.0]),
        "killers": st.sampled_from([0.0, 1.0, 2.0]),
        "ordering": st.sampled_from([0.0, 2.0]),
        "deepening": st.sampled_from([0.0, 1.0]),
        "aspiration": st.sampled_from([0.0, 0.5, 20.0]),
    }
)
CASES = [
    # game, evaluation, plies played at most, depths, positions
    (FOUR, "static", 15, (1, 2, 3, 5, 8, 16), 150),
    (SEVEN, "static", 40, (2, 3, 4, 6), 100),
    (FOUR, "lines", 15, (1, 2, 3, 5, 8, 16), 500),
    dear_case(SEVEN, "lines", 40, (2, 3, 5, 7), 300),
    ("connect4[columns=12,rows=6]", "lines", 60, (2, 3, 5), 200),
    ("connect4[columns=16,rows=10]", "static", 90, (2, 3, 4), 100),
    ("dodo[side=3]", "orbits", 40, (2, 3, 5, 7), 300),
    dear_case("gopher[side=3]", "orbits", 12, (2, 3, 5, 9), 300),
    ("gopher[side=4]", "orbits", 20, (2, 3, 4), 200),
    dear_case("tron[width=6,height=5]", "zones", 20, (2, 3, 5, 8), 80),
    dear_case("tron[width=6,height=5]", "chambers", 20, (2, 3, 5, 8), 80),
]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "evaluation", "most", "depths", "count"), CASES)
def test_the_value_is_that_of_the_plain_search(
    game: str, evaluation: str, most: int, depths: tuple[int, ...], count: int
) -> None:
    @settings(
        max_examples=count,
        suppress_health_check=[HealthCheck.too_slow],
        database=None,
    )
    @given(GIVEN, st.integers(0, most), st.integers(0, 10**6), st.sampled_from(depths))
    def agree(given: dict[str, float], plies: int, seed: int, depth: int) -> None:
        position = random_position(game, plies, random.Random(seed))
        same(game, evaluation, tabled(game, evaluation, depth, given), position, depth)

    agree()


@pytest.mark.parametrize(
    ("game", "evaluation"),
    [slow(FOUR, "static"), slow(SEVEN, "lines"), slow("dodo[side=3]", "orbits"),
     slow("gopher[side=3]", "orbits"), slow("tron[width=6,height=5]", "zones")],
)  # fmt: skip
def test_children_sorted_by_evaluation_are_worth_as_much(game: str, evaluation: str) -> None:
    chance = random.Random(3)
    for _ in range(80):
        given = {"table": chance.choice([0.0, TINY, 1.0]), "pvs": chance.choice([0.0, 1.0]),
                 "killers": chance.choice([0.0, 2.0]), "deepening": chance.choice([0.0, 1.0]),
                 "aspiration": chance.choice([0.0, 3.0])}  # fmt: skip
        depth = chance.choice([2, 3, 4, 6])
        position = random_position(game, chance.randrange(15), chance)
        same(
            game, evaluation, tabled(game, evaluation, depth, given, "evaluation"), position, depth
        )


ASKED = "table=1,mtd=on,probing=on,killers=2,deepening=on,depth=60"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "evaluation", "ordering"),
    [(FOUR, "static", "canonical"), (FOUR, "static", "evaluation"),
     (SEVEN, "lines", "canonical"), ("connect4[columns=12,rows=6]", "lines", "evaluation"),
     ("dodo[side=3]", "orbits", "canonical"), ("gopher[side=3]", "orbits", "evaluation"),
     ("tron[width=6,height=5]", "zones", "canonical")],
)  # fmt: skip
def test_mtd_and_probing_give_the_same_value(game: str, evaluation: str, ordering: str) -> None:
    chance = random.Random(4)
    for _ in range(80):
        given = {"table": chance.choice([TINY, 1.0]), "killers": chance.choice([0.0, 2.0]),
                 "deepening": chance.choice([0.0, 1.0])}  # fmt: skip
        if ordering == "canonical":
            given["ordering"] = chance.choice([0.0, 2.0])
        depth = chance.choice([1, 2, 3, 4, 6])
        position = random_position(game, chance.randrange(15), chance)
        player = tabled(game, evaluation, depth, given, ordering, ASKED)
        same(game, evaluation, player, position, depth)


@pytest.mark.slow
def test_a_search_with_mtd_in_slices_is_the_same_search() -> None:
    chance = random.Random(6)
    for _ in range(10):
        position = random_position(FOUR, chance.randrange(10), chance)
        player = tabled(FOUR, "static", 5, {"table": TINY, "deepening": 1.0}, help=ASKED)
        whole = searched(player, position, 5, 1 << 40)
        for nodes in (1, 7, 300):
            assert searched(player, position, 5, nodes) == whole


EVERYTHING = {"table": TINY, "pvs": 1.0, "killers": 2.0, "deepening": 1.0, "aspiration": 0.5,
              "ordering": 2.0}  # fmt: skip


@pytest.mark.parametrize("size", [slow(TINY), 1.0])
def test_what_is_remembered_through_a_game_changes_no_value(size: float) -> None:
    chance = random.Random(5)
    for _ in range(12):
        player = tabled(FOUR, "static", 6, {**EVERYTHING, "table": size})
        position = random_position(FOUR, 2, chance)
        while not position.over:
            player._depth = depth = chance.randrange(2, 10)
            same(FOUR, "static", player, position, depth)
            position.play(chance.choice(position.legal_actions()))


@pytest.mark.parametrize("ordering", ["canonical", "evaluation"])
def test_a_search_in_slices_is_the_same_search(ordering: str) -> None:
    chance = random.Random(6)
    for _ in range(10):
        position = random_position(FOUR, chance.randrange(10), chance)
        given = {**EVERYTHING, "ordering": 1.0 if ordering == "evaluation" else 2.0}
        player = tabled(FOUR, "static", 5, given, ordering)
        whole = searched(player, position, 5, 1 << 40)
        for nodes in (1, 7, 300):
            assert searched(player, position, 5, nodes) == whole


def test_a_game_depends_on_none_before_it() -> None:
    engine = parse_engine(f"{FOUR}/alphabeta:evaluation=static,{HELP.replace('60', '6')}")
    used = engine.player()
    lines = []
    for player in (used, engine.player(), used):
        player.new_game(1, 0)
        position, chance, line = Position(engine.game), random.Random(8), []
        while not position.over:
            line.append(player.choose(position))
            position.play(chance.choice(position.legal_actions()))
        lines.append(line)
    assert lines[0] == lines[1] == lines[2]


@pytest.mark.slow
def test_limits_are_kept_and_milliseconds_too() -> None:
    engine = parse_engine(
        f"{SEVEN}/alphabeta:evaluation=static,{HELP.replace(',deepening=on', '')},nodes=500"
    )
    player, chance = engine.player(), random.Random(9)
    for _ in range(20):
        position = random_position(SEVEN, chance.randrange(30), chance)
        player.new_game(0, 0)
        found = player.choose(position)
        assert found.nodes <= 500 + 7 and position.is_legal(found.action)
        again = plain(SEVEN, "static", position, found.depth)
        assert found.value == again.value


@pytest.mark.slow
def test_connect_4_is_solved_after_twelve_plies() -> None:
    text = "evaluation=lines,depth=30,table=64,pvs=on,ordering=evaluation"
    player = engine_of(SEVEN, text).player()
    solved = {0: -26, 1: -28, 2: 19, 3: -22, 4: 5, 5: 27}
    nodes = 0
    for seed, plies in solved.items():
        position, chance = Position(parse_game(SEVEN)), random.Random(seed)
        while position.ply < 12:
            position.play(chance.choice(position.legal_actions()))
        player.new_game(0, 0)
        found = player.choose(position)
        nodes += found.nodes
        assert found.value == (WIN - plies if plies > 0 else -WIN - plies)
    assert nodes < 40_000_000


def test_a_table_is_the_greatest_power_of_two_that_fits() -> None:
    assert [int(pairs_of(float(mb))) for mb in (1, 2, 3, 64)] == [
        1 << 15,
        1 << 16,
        1 << 16,
        1 << 21,
    ]
    assert int(pairs_of(TINY)) == 4
    engine = parse_engine(f"{FOUR}/alphabeta:evaluation=static,table=3")
    one, other = (
        engine.player(),
        parse_engine(f"{FOUR}/alphabeta:evaluation=static,pvs=on").player(),
    )
    assert isinstance(one, TabledPlayer) and not isinstance(other, TabledPlayer)
    assert isinstance(other, StackPlayer) and len(one._A) == len(other._A) + (2 << 16)


def test_a_table_is_refused_where_a_key_does_not_tell_a_value() -> None:
    toys = ROOT / "tests" / "support" / "toys.py"
    with plugged(toys):
        with pytest.raises(Refused, match="what is legal in switches depends on the line of play"):
            parse_engine("switches/alphabeta:evaluation=level,table=1")
        with pytest.raises(Refused, match="first may list other actions in a mirrored position"):
            parse_engine(f"{FOUR}/alphabeta:evaluation=static,table=1,generator=first")
        parse_engine("switches/alphabeta:evaluation=level,pvs=on,killers=1")
    with pytest.raises(Refused, match="admitted differs between positions of one key; allowed: 0"):
        parse_engine("dodo[side=3]/alphabeta:evaluation=admitted,table=1")


def test_pruning_by_width_knows_no_help() -> None:
    given = "table=8,pvs=on,killers=2,aspiration=3,nodes=100"
    pruned = f"{FOUR}/alphabeta:evaluation=static,width=0.5,nodes=100"
    assert (
        parse_engine(f"{FOUR}/alphabeta:evaluation=static,width=0.5,{given}").text
        == parse_engine(pruned).text
    )
    fixed = parse_engine(f"{FOUR}/alphabeta:evaluation=static,aspiration=3")
    assert "aspiration" not in fixed.text  # nothing deepens
    least = parse_engine(
        f"{FOUR}/alphabeta:evaluation=static,mtd=on,pvs=on,probing=on,aspiration=3,nodes=100"
    )
    assert "mtd=on" in least.text
    assert not any(name in least.text for name in ("pvs", "probing", "aspiration"))


@pytest.mark.slow
def test_an_evaluation_that_knows_left_from_right_is_found_out() -> None:
    for name, wrong in (("orbits", False), ("lopsided", True), ("admitted", False)):
        engine = parse_engine(f"dodo[side=3]/alphabeta:evaluation={name},depth=2")
        assert bool(values_follow_keys(engine)) == wrong
    assert "have the same key" in values_follow_keys(
        parse_engine("gopher[side=3]/alphabeta:evaluation=lopsided,depth=2")
    )

"""The ending `walk`: its walks are those of the obvious twin, lots included."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from joute.engines.engine import parse_engine, parse_game
from joute.engines.kernels.random import below, stream
from joute.engines.position import parse_position
from joute.engines.registry import make
from tests.engines.slow_tron import Cell, around, longest_walk, slow_of, walk_bound

FIELD = "tron[width=9,height=7]"


def walled(seed: int) -> str:
    """A player alone in a 4 x 7 room with some walls, the other one behind the wall."""
    S = stream(seed)
    rows = [["#" if below(S, np.uint64(5)) == 0 else "." for _ in range(4)] for _ in range(7)]
    rows[int(below(S, np.uint64(7)))][int(below(S, np.uint64(4)))] = "A"
    return "/".join("".join(row) + ("#4" if i else "#3B") for i, row in enumerate(rows))


def numbered(head: Cell, room: set[Cell], S: np.ndarray) -> list[Cell]:
    """One run: fix the head, then always the cell with the highest number; return its walk."""
    number, left, cell, last = {head: 1}, set(room), head, head
    while True:
        if number[cell] > number[last]:
            last = cell
        given_now = [c for c in around(cell) if c in left]
        for c in given_now:
            number[c] = number[cell] + 1
        waiting = [c for c in left if c in number]
        if not waiting:
            break
        top = max(number[c] for c in waiting)
        # All of them were numbered by the same cell; the last one numbered comes first.
        giver = next(c for c in [head, *room] if c not in left and _gave(c, number, waiting, top))
        tied = [c for c in reversed(around(giver)) if c in left and number.get(c) == top]
        ways = [sum(d in left for d in around(c)) for c in tied]
        tied = [c for c, way in zip(tied, ways, strict=True) if way == min(ways)]
        cell = tied[int(below(S, np.uint64(len(tied))))]
        left.remove(cell)
    walk = [last]
    while number[walk[0]] > 2:
        walk.insert(
            0, next(c for c in reversed(around(walk[0])) if number.get(c) == number[walk[0]] - 1)
        )
    return walk if last != head else []


def _gave(cell: Cell, number: dict[Cell, int], waiting: list[Cell], top: int) -> bool:
    """Whether this cell numbered all that wait with the highest number."""
    highest = {c for c in waiting if number[c] == top}
    return number.get(cell) == top - 1 and highest <= set(around(cell))


@settings(max_examples=60)
@given(st.integers(0, 100_000), st.sampled_from([10, 100, 400]))
def test_a_walk_is_that_of_its_twin(seed: int, budget: int) -> None:
    game = parse_game(FIELD)
    position = parse_position(game, walled(seed))
    ending = make("ending", "walk")
    memory = ending.memory(game)
    W, M = np.zeros(game.words + memory, np.uint64), np.zeros(memory, np.int64)
    W[: game.words] = position.W[position.at : position.at + game.words]
    S, T = stream(seed), stream(seed)
    action = int(ending.kernel(game, 0)(W, 0, M, S, np.array([budget], np.float64)))
    f = slow_of(position)
    head = f.ribbons[0][-1]
    room, front = set[Cell](), [head]
    while front:
        new = [c for c in around(front.pop()) if f.free(c) and c not in room]
        room.update(new)
        front += new
    best: list[Cell] = []
    nodes = 0
    while (
        room and (not nodes or nodes + len(room) <= budget) and len(best) < walk_bound(head, room)
    ):
        walk = numbered(head, room, T)
        nodes += len(room)
        if len(walk) > len(best):
            best = walk
    assert (action < 0) == (not room)
    if room:
        assert int(M[0]) == nodes and int(M[1]) == len(best)
        assert [divmod(int(c) - 64, 32)[::-1] for c in M[6 : 6 + len(best)]] == best
        assert f.ahead(action) == best[0] and len({*best}) == len(best) <= longest_walk(f)


def test_it_walks_to_the_end_beside_a_search() -> None:
    text = f"{FIELD}/uct:evaluation=zones,iterations=5,ending=walk"
    player, position = parse_engine(text).player(), parse_position(
        parse_game(FIELD), "A3#3B/4#4/4#4/4#4/4#4/4#4/4#4"
    )  # fmt: skip
    player.new_game(3, 0)
    choice = player.choose(position)
    assert choice.value is None and choice.depth == 27 and choice.nodes >= 27
    assert "walk_nodes=4000" in parse_engine(text).text

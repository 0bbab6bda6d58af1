"""The ending `walk`: its walks are those of the obvious twin, lots included."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from joute.engines.engine import parse_engine, parse_game
from joute.engines.kernels.random import below, stream
from joute.engines.position import parse_position
from joute.engines.registry import make
from tests.engines.slow_tron import Cell, Field, around, longest_walk, slow_of, walk_bound

FIELD = "tron[width=9,height=7]"


def walled(seed: int) -> str:
    """A player alone in a 4 x 7 room with some walls, the other one behind the wall."""
    S = stream(seed)
    rows = [["#" if below(S, np.uint64(5)) == 0 else "." for _ in range(4)] for _ in range(7)]
    rows[int(below(S, np.uint64(7)))][int(below(S, np.uint64(4)))] = "A"
    return "/".join("".join(row) + ("#4" if i else "#3B") for i, row in enumerate(rows))


def ribboned(seed: int) -> str:
    """The same, but the wall is the other one's ribbon, and its own room is small."""
    rows = walled(seed).split("/")
    cut = 1 + seed % 6
    rest = ["b3B" if i == 0 else "b4" if i < cut else "b####" for i in range(7)]
    return "/".join(row[: row.rindex("#")] + more for row, more in zip(rows, rest, strict=True))


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


def rooms_of(f: Field, p: int) -> set[Cell]:
    """The free cells that a player can reach."""
    room, front = set[Cell](), [f.ribbons[p][-1]]
    while front:
        new = {c for c in around(front.pop()) if f.free(c) and c not in room}
        room |= new
        front += new
    return room


def plies_left(f: Field, p: int) -> int:
    """The longest walk that parity allows a player, by those that share its room."""
    room, heads = rooms_of(f, p), [f.ribbons[q][-1] for q in f.ribbons if q != p]
    sharing = sum(any(c in room for c in around(head)) for head in heads)
    return walk_bound(f.ribbons[p][-1], room) // (1 + sharing)


def future(f: Field) -> dict[int, int]:
    """The players who will leave a corpse in reach, and their plies left."""
    room, own = rooms_of(f, f.mover), plies_left(f, f.mover)
    beside = {
        p: plies_left(f, p)
        for p, ribbon in f.ribbons.items()
        if p != f.mover and any(d in room for c in ribbon for d in around(c))
    }
    return {p: plies for p, plies in beside.items() if plies < own}


def worth(f: Field, walk: list[Cell], corpses: dict[int, int], each: float) -> float:
    """The length of a walk, and what it counts more for corpses."""
    total = float(len(walk))
    for p, plies in corpses.items():
        for step, cell in enumerate(walk, 1):
            if step > plies and any(d in f.ribbons[p] for d in around(cell)):
                total += each / (step - plies)
    return total


def _gave(cell: Cell, number: dict[Cell, int], waiting: list[Cell], top: int) -> bool:
    """Whether this cell numbered all that wait with the highest number."""
    highest = {c for c in waiting if number[c] == top}
    return number.get(cell) == top - 1 and highest <= set(around(cell))


@settings(max_examples=60)
@given(
    st.integers(0, 100_000), st.sampled_from([10, 100, 400]), st.sampled_from([0.0, 0.0, 0.5, 4.0])
)
def test_a_walk_is_that_of_its_twin(seed: int, budget: int, each: float) -> None:
    game = parse_game(FIELD)
    position = parse_position(game, ribboned(seed) if seed % 2 else walled(seed))
    ending = make("ending", "walk")
    memory = ending.memory(game)
    W, M = np.zeros(game.words + memory, np.uint64), np.zeros(memory, np.int64)
    W[: game.words] = position.W[position.at : position.at + game.words]
    S, T = stream(seed), stream(seed)
    action = int(ending.kernel(game, 0)(W, 0, M, S, np.array([budget, each], np.float64)))
    f = slow_of(position)
    head = f.ribbons[0][-1]
    room = rooms_of(f, f.mover)
    corpses = future(f) if each else {}
    best: list[Cell] = []
    nodes = 0
    while (
        room
        and (not nodes or nodes + len(room) <= budget)
        and (corpses or len(best) < walk_bound(head, room))
    ):
        walk = numbered(head, room, T)
        nodes += len(room)
        if worth(f, walk, corpses, each) > worth(f, best, corpses, each):
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

"""`zones` and `chambers` against their slow twins, and on positions whose worth is plain to see."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joute.commands._value import value_of
from joute.engines.engine import parse_engine, parse_game
from joute.engines.kernels.random import below, stream
from joute.engines.position import Position, parse_position
from tests.engines.slow_tron import (
    Cell,
    Field,
    around,
    one_eyed,
    rooms_at,
    rooms_worth,
    slow_of,
    walk_bound,
    zones,
)
from tests.support.marks import quick

GAMES = [
    "tron[width=5,height=4]",
    "tron[width=9,height=7]",
    "tron[width=7,height=6,players=3]",
    "tron[width=8,height=5,players=4]",
]
OF_THREE = GAMES[2]
WEIGHTS = [0.3, 0.8, 1.2, 1.3]


def wander(name: str, seed: int, plies: int) -> Position:
    """Return the position after some random plies, or the last one that is not over."""
    game = parse_game(name)
    S = stream(seed)
    position = Position(game, game.start_text(seed))
    for _ in range(plies):
        listed = position.legal_actions()
        after = position.copy()
        after.play(listed[int(below(S, np.uint64(len(listed))))])
        if after.over:
            break
        position = after
    return position


def open_neighbours(f: Field, cell: Cell) -> int:
    return sum(f.free(c) for c in around(cell))


def areas(f: Field, settings: dict[str, object]) -> list[float]:
    """The weighted areas, the obvious way."""
    found = zones(f)

    def plain(cells: set[Cell]) -> float:
        kinds = [max(open_neighbours(f, c), 1) for c in cells]
        n = [kinds.count(k) for k in (1, 2, 3)]
        worth = sum(w * k for w, k in zip(WEIGHTS, n, strict=False))
        return worth + WEIGHTS[3] * (len(cells) - sum(n))

    def capped(start: Cell, cells: set[Cell]) -> float:
        if settings["parity"] == "off" or not cells:
            return plain(cells)
        return plain(cells) * walk_bound(start, cells) / len(cells)

    def own(p: int) -> float:
        if p not in f.ribbons:
            return -1.0
        head = f.ribbons[p][-1]
        if settings["chambers"] == "on":
            return rooms_worth(head, found[p], capped)
        if settings["eyes"] == "one":
            return max(capped(head, part) for part in one_eyed(f, head, found[p]))
        return capped(head, found[p])

    base = [own(p) for p in range(f.players)]
    more = [0.0] * f.players
    for j in f.ribbons:
        near = {c for cell in f.ribbons[j] for c in around(cell)}
        touching = [i for i in f.ribbons if i != j and found[i] & near]
        better = [i for i in touching if base[i] > base[j] + 1e-6]
        for i in better:
            more[i] += 0.1 * len(f.ribbons[j]) / len(touching)
    return [b + m for b, m in zip(base, more, strict=True)]


def expected(f: Field, worth: list[float], outlives) -> list[float]:  # type: ignore[no-untyped-def]
    """The returns that areas promise."""
    found = []
    for i in range(f.players):
        if i in f.dead:
            found.append(f.dead.index(i) / (f.players - 1))
            continue
        others = [1.0 if j in f.dead else outlives(worth[i], worth[j])
                  for j in range(f.players) if j != i]  # fmt: skip
        found.append(sum(others) / (f.players - 1))
    return found


def ours(position: Position, evaluation: str) -> tuple[list[float], list[float]]:
    """Values and expected returns by the kernels."""
    engine = parse_engine(f"{position.game.label}/uct:{evaluation},iterations=1")
    assert engine.evaluation is not None
    base = engine.search.base
    kernels = engine.evaluation.kernels(position.game, base)
    assert kernels.values is not None and kernels.expected is not None
    W = np.zeros(kernels.scratch + position.game.words, np.uint64)
    W[kernels.scratch :] = position.words()
    W[: kernels.scratch] = 0xDEADBEEF  # what scratch holds must not matter
    W[list(borders(position, kernels.scratch))] = 0
    R = np.zeros(2 * position.game.players)
    kernels.values(W, kernels.scratch, engine.vector, R, 0)
    kernels.expected(W, kernels.scratch, engine.vector, R, position.game.players)
    n = position.game.players
    return list(R[:n]), list(R[n:])


def borders(position: Position, end: int) -> range:
    """The words that scratch must keep at 0 are all its own to fill: none is expected."""
    return range(0)


@pytest.mark.parametrize("name", quick(GAMES, OF_THREE.__eq__, dear=OF_THREE.__eq__))
@settings(max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    plies=st.integers(0, 40),
    parity=st.sampled_from(["on", "off"]),
    chambers=st.sampled_from(["on", "off"]),
    eyes=st.sampled_from(["one", "two"]),
)
def test_zones_are_those_of_the_slow_twin(
    name: str, seed: int, plies: int, parity: str, chambers: str, eyes: str
) -> None:
    position = wander(name, seed, plies)
    slow = slow_of(position)
    chosen = {"parity": parity, "chambers": chambers, "eyes": eyes}
    worth = areas(slow, chosen)
    alive = [max(a, 0.0) for a in worth]
    text = f"evaluation=zones,parity={parity},chambers={chambers}"
    text += f",eyes={eyes}" if chambers == "off" else ""
    near = 1e-5 if chambers == "on" else 1e-12  # rooms are added up in fixed point
    values, shares = ours(position, text)
    total = sum(alive)
    assert values == pytest.approx([a / total if total else 0.0 for a in alive], abs=near)
    by_share = expected(slow, worth, lambda a, b: a / (a + b) if a + b else 0.5)
    assert shares == pytest.approx(by_share, abs=near)
    assert sum(shares) == pytest.approx(len(shares) / 2)
    values, returns = ours(position, text + ",score=difference,spread=10")
    assert values == pytest.approx(alive, abs=100 * near)
    logistic = expected(slow, worth, lambda a, b: 1 / (1 + math.exp((b - a) / 10)))
    assert returns == pytest.approx(logistic, abs=near)


def tree_worth(
    f: Field, p: int, found: dict[int, set[Cell]], k1: float, k2: float
) -> tuple[float, int, bool]:
    """a1k0n's value of a player's rooms, by recursion: value, cells it can fill, and whether any cell of
    its zone touches foreign ground. Of equal steps the first is without a front, then the one with the
    longest walk behind its door, most edges, most cells."""
    head, zone = f.ribbons[p][-1], found[p]
    fringe = {c for c in zone if any(f.free(d) and d not in zone for d in around(c))}
    distance, queue = {head: 0}, [head]
    for c in queue:
        for d in around(c):
            if d in zone and d not in distance:
                distance[d] = distance[c] + 1
                queue.append(d)

    def size(door: Cell, cells: set[Cell]) -> tuple[int, ...]:
        edges, dark = sum(open_neighbours(f, c) for c in cells), sum(sum(c) % 2 == 0 for c in cells)
        return walk_bound(door, cells), edges, len(cells), dark

    def value(entry: Cell, cells: set[Cell]) -> list[tuple[set[Cell], bool]]:
        # What counts of each room at the entry with what lies beyond, and whether it has a front.
        found = []
        for room, beyond in rooms_at(entry, cells):
            local = walk_bound(entry, room)
            stay = (room, bool(room & fringe))
            most, chosen = (local, True, (local + 1,)), stay  # staying comes first
            for door, left in beyond.items():
                for inner, front in value(door, left):
                    steps = walk_bound(door, inner)
                    if front:
                        steps += distance[door] - 1
                    else:
                        same = sum(entry) % 2 == sum(door) % 2
                        steps += local - (local % 2 == (1 if same else 0))
                    way = (steps, not front, size(door, inner))
                    if way > most:
                        most = way
                        chosen = (inner, True) if front else (room | inner, bool(room & fringe))
            found.append(chosen)
        return found

    options = [(*size(head, cells), front) for cells, front in value(head, zone)]
    steps, edges, *_, front = max(
        options, key=lambda o: (o[0], not o[-1], *o), default=(0, 0, 0, 0, False)
    )
    return k1 * (front + steps) + k2 * edges, steps, bool(fringe)


@pytest.mark.parametrize("name", quick(GAMES, OF_THREE.__eq__, dear=OF_THREE.__eq__))
@settings(max_examples=40)
@given(seed=st.integers(0, 10_000), plies=st.integers(0, 40))
def test_chambers_are_those_of_the_slow_twin(name: str, seed: int, plies: int) -> None:
    position = wander(name, seed, plies)
    slow = slow_of(position)
    found = zones(slow)
    worth = {p: tree_worth(slow, p, found, 55.0, 194.0) for p in slow.ribbons}
    apart = not any(met for *_, met in worth.values())
    own = [
        (10_000.0 * worth[p][1] if apart else worth[p][0]) if p in worth else -1.0
        for p in range(slow.players)
    ]
    values, returns = ours(position, "evaluation=chambers")
    assert values == [max(a, 0.0) for a in own]
    logistic = expected(slow, own, lambda a, b: 1 / (1 + math.exp((b - a) / 20_000)))
    assert returns == pytest.approx(logistic, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_rooms_of_larger_fields_are_those_of_the_slow_twin(seed: int) -> None:
    """Here halls go over several words of a board, and their rows hold long runs."""
    position = wander("tron", seed, 60 * seed)
    slow = slow_of(position)
    found = zones(slow)
    own = [
        rooms_worth(slow.ribbons[p][-1], found[p], lambda _, cells: float(len(cells)))
        for p in range(2)
    ]
    flat = ",cell1=1,cell2=1,cell3=1,cell4=1,corpse=0,score=difference"
    values, _ = ours(position, f"evaluation=zones,chambers=on{flat}")
    assert values == pytest.approx(own, abs=1e-5)


def walled(text: str, columns: int = 9, rows: int = 7) -> str:
    """Return a smaller field in the corner of a larger one, whose kernels are there already."""
    lines = text.split("/")
    cells = [sum(int(c) if c.isdigit() else 1 for c in line) for line in lines]
    lines = [line + "#" * (columns - n) for line, n in zip(lines, cells, strict=True)]
    return "/".join(lines + ["#" * columns] * (rows - len(lines)))


def worth_of(name: str, text: str, evaluation: str, *settings: str) -> list[float]:
    position = parse_position(parse_game(name), text)
    return [value_of(position, evaluation, settings, p + 1) for p in range(position.game.players)]


@pytest.mark.slow
def test_equal_halves_are_worth_the_same_but_for_the_turn() -> None:
    flat = [f"cell{i}=1" for i in (1, 2, 3, 4)]
    field = "tron[width=9,height=7]"
    # A wall of ribbon between them: 3 x 3 cells each, less the head.
    found = worth_of(
        field, walled("3#3/1A1#1B1/3#3") + " 1", "zones", "score=difference", "corpse=0", *flat
    )
    assert found == [0.0, 0.0]
    first = worth_of(
        field, walled("7/1A3B1/7") + " 1", "zones", "score=difference", "corpse=0", *flat
    )
    assert first[0] > 0.0  # the middle column goes to who moves first


@pytest.mark.slow
def test_the_better_room_counts_not_both() -> None:
    flat = ["score=difference", "corpse=0", "cell1=1", "cell2=1", "cell3=1", "cell4=1"]
    # A stands in a corridor: three cells to the left, a way to a room of nine to the right; B has one cell.
    text = walled("#####3/3A4/#####3/########/######1B") + " 1"
    without = worth_of("tron[width=9,height=7]", text, "zones", *flat)
    rooms = worth_of("tron[width=9,height=7]", text, "zones", "chambers=on", *flat)
    assert without[0] - rooms[0] == 3.0


def test_a_cell_at_the_border_does_not_stand_for_a_whole_area() -> None:
    """Both have half the field; a1k0n's own code says -72,714 for the first, who moves."""
    field = (
        "13###14/15#2######6/15#2#11/15#2#11/15#2#11/15#2#11/15#2#11/15#2A11/15#14/15B14/"
        "30/30/30/30/30/30/30/30/30/30 1 18,7;15,9"
    )
    first, second = worth_of("tron", field, "chambers")
    assert first == -second == pytest.approx(-72_714, abs=3_000)


def test_the_dead_have_settled_returns() -> None:
    position = parse_position(parse_game(OF_THREE), "A6/7/7/7/7/6C 1 0,0;-1;6,5")
    _, returns = ours(position, "evaluation=zones")
    assert returns[1] == 0.0 and returns[0] + returns[2] == 1.5
    _, returns = ours(position, "evaluation=chambers")
    assert returns[1] == 0.0 and min(returns[0], returns[2]) >= 0.5

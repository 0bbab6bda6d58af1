"""What a program of Go plays by rule: each rule as a slow twin reads it, on positions of random games."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from joute.engines.engine import parse_engine, parse_game
from joute.engines.games.go.cells import cells_of, words_of
from joute.engines.games.go.go import Go
from joute.engines.games.go.policy.chains import chains_of
from joute.engines.games.go.policy.moves import pressing_kernel, urgent_kernel
from joute.engines.games.go.policy.policy import Policy
from joute.engines.games.go.policy.shapes import SHAPES, shape_kernel
from joute.engines.kernels.compile import U
from joute.engines.kernels.contract import places
from joute.engines.kernels.random import stream
from joute.engines.position import Position, parse_position
from tests.support.marks import slow

Chain = tuple[frozenset[int], frozenset[int]]  # its stones, its liberties
BOARDS = ["go", slow("go[size=5]"), slow("go[size=12]"), slow("go[columns=3,rows=2]")]
ALL = 0b1111


def go(text: str = "go") -> Go:
    game = parse_game(text)
    assert isinstance(game, Go)
    return game


def positions(game: Go, count: int, most: int | None = None) -> Iterator[Position]:
    """Yield positions of random games that are not over."""
    rng, S, found = random.Random(game.label), stream(11), 0
    while found < count:
        position = Position(game)
        position.wander(S, rng.randrange(most or 2 * game.board.cells))
        if not position.over:
            found += 1
            yield position


def chains(game: Go, cells: list[int]) -> list[Chain]:
    """All chains of a board."""
    found, seen = [], set[int]()
    for cell, holds in enumerate(cells):
        if holds and cell not in seen:
            inside = {c for c in game.chain(cells, cell)}
            stones = frozenset(c for c in inside if cells[c] == holds)
            seen |= stones
            found.append((stones, frozenset(c for c in inside if cells[c] == 0)))
    return found


def of(game: Go, found: tuple[int, ...]) -> set[int]:
    """Return the cells of a set that lie on the board."""
    whole = sum(int(word) << 64 * k for k, word in enumerate(found))
    return {c for c in range(game.board.cells) if whole >> c & 1}


def as_set(cells: set[int] | frozenset[int]) -> tuple[np.uint64, ...]:
    return tuple(U(word) for word in words_of(sorted(cells)))


def sides(position: Position) -> tuple[list[int], int]:
    """Return the board's cells and who is to move, 1 or 2."""
    game = position.game
    assert isinstance(game, Go)
    return game.cells(position.W, position.at), 1 + position.to_move


def sets_of(position: Position) -> list[tuple[np.uint64, ...]]:
    """Return the stones of who is to move, those of the other, and the empty cells, as sets."""
    board, me = sides(position)
    every = [{c for c, holds in enumerate(board) if holds == one} for one in (me, 3 - me, 0)]
    return [as_set(cells) for cells in every]


@pytest.mark.slow
@pytest.mark.parametrize("name", BOARDS)
def test_chains_and_liberties_are_those_of_a_plain_flood(name: str) -> None:
    game = go(name)
    kernels = chains_of(cells_of(game.columns, game.rows))
    for position in positions(game, 60):
        cells, me = sides(position)
        empty = {c for c, holds in enumerate(cells) if not holds}
        for colour in (1, 2):
            stones = {c for c, holds in enumerate(cells) if holds == colour}
            mine = [one for one in chains(game, cells) if one[0] <= stones]
            weak = [one for one in mine if len(one[1]) == 1]
            given = as_set(stones), as_set(stones), as_set(empty)
            assert of(game, kernels.in_atari(*given)) == {c for one in weak for c in one[0]}
            assert of(game, kernels.last_liberties(*given)) == {c for one in weak for c in one[1]}
            two = {c for one in mine if len(one[1]) == 2 for c in one[1]}
            assert of(game, kernels.in_two(*given)) == two
            for chain, _ in mine:
                seed = as_set({min(chain)})
                assert of(game, kernels.chain(seed, given[0])) == chain
        own = {c for c, holds in enumerate(cells) if holds == me}
        for c in empty:
            after = {i: me if i in own | {c} else holds for i, holds in enumerate(cells)}
            (liberties,) = (
                one[1] for one in chains(game, [after[i] for i in range(len(cells))]) if c in one[0]
            )
            breadth = kernels.breadth(as_set({c}), as_set(own), as_set(empty))
            assert int(breadth) == min(2, len(liberties))


def shape_at(game: Go, cells: list[int], cell: int) -> bool:
    """Whether a stone makes a shape: each drawing tried in each image and both colours."""
    y, x = divmod(cell, game.columns)

    def content(dx: int, dy: int) -> str:
        inside = 0 <= x + dx < game.columns and 0 <= y + dy < game.rows
        return ".ab"[cells[cell + dy * game.columns + dx]] if inside else "#"

    fits = {"a": "a", "b": "b", ".": ".", "#": "#", "A": ".b", "B": ".a", "*": ".ab#"}
    swap = str.maketrans("ab", "ba")
    for shape in SHAPES:
        rows = shape.split()
        for turn in range(8):
            for exchanged in (False, True):
                for row in range(3):
                    for column in range(3):
                        dx, dy = column - 1, row - 1
                        if turn & 1:
                            dx = -dx
                        if turn & 2:
                            dy = -dy
                        if turn & 4:
                            dx, dy = dy, dx
                        if (dx, dy) == (0, 0):
                            continue
                        found = content(dx, dy).translate(swap if exchanged else {})
                        if found not in fits[rows[row][column]]:
                            break
                    else:
                        continue
                    break
                else:
                    return True
    return False


@pytest.mark.parametrize("name", BOARDS)
def test_shapes_are_those_of_the_drawings(name: str) -> None:
    game = go(name)
    shape, seen = shape_kernel(game.what, game.state), set[bool]()
    for position in positions(game, 12):
        cells, _ = sides(position)
        for cell in (c for c, holds in enumerate(cells) if not holds):
            is_shape = bool(shape(position.W, position.at, cell))
            assert is_shape == shape_at(game, cells, cell)
            seen.add(is_shape)
    assert seen == {False, True}


def urgent_cells(game: Go, position: Position, last: int | None, before: int | None) -> set[int]:
    """What captures, and what escapes, as a slow twin sees it."""
    cells, me = sides(position)
    every = chains(game, cells)

    def beside(chain: Chain, of_player: int) -> list[Chain]:
        around = {n for c in chain[0] for n in game.beside[c]}
        return [one for one in every if one[0] & around and cells[min(one[0])] == of_player]

    def weak(found: list[Chain]) -> set[int]:
        return {c for one in found if len(one[1]) == 1 for c in one[1]}

    found = set[int]()
    if last is not None:
        found |= weak([one for one in every if last in one[0]])
        for one in every:
            near = one[0] & {*game.beside[last]}
            if near and cells[min(one[0])] == me and len(one[1]) == 1:
                found |= weak(beside(one, 3 - me))
                (way,) = one[1]
                after = [me if c == way else holds for c, holds in enumerate(cells)]
                (liberties,) = (more[1] for more in chains(game, after) if way in more[0])
                if len(liberties) > 1:
                    found.add(way)
    if before is not None:
        found |= weak(
            [
                one
                for one in every
                if one[0] & {*game.beside[before]} and cells[min(one[0])] == 3 - me
            ]
        )
    return found


@pytest.mark.parametrize("name", BOARDS)
def test_what_is_urgent_is_what_the_slow_twin_finds(name: str) -> None:
    game, some = go(name), 0
    cells = cells_of(game.columns, game.rows)
    urgent = urgent_kernel(cells, chains_of(cells))
    for position in positions(game, 150):
        moves = [None if c == game.board.cells else c for c in position.moves[-2:]]
        last, before = [None, *moves][-1], [None, None, *moves][-2]
        given = (U(0 if c is None else c + 1) for c in (last, before))
        found = of(game, urgent(*sets_of(position), *given, U(ALL)))
        assert found == urgent_cells(game, position, last, before)
        some += bool(found)
    assert some > 3


def pressing_cells(game: Go, position: Position, last: int) -> set[int]:
    """What puts the chain that moved last in atari, or gives an own one its third liberty."""
    cells, me = sides(position)

    def liberties_after(c: int) -> int:
        board = [me if i == c else holds for i, holds in enumerate(cells)]
        return next(len(one[1]) for one in chains(game, board) if c in one[0])

    found = set[int]()
    for stones, liberties in chains(game, cells):
        if len(liberties) != 2:
            continue
        if last in stones:
            found |= {c for c in liberties if liberties_after(c) > 1}
        elif stones & {*game.beside[last]} and cells[min(stones)] == me:
            found |= {c for c in liberties if liberties_after(c) > 2}
    return found


@pytest.mark.parametrize("name", BOARDS)
def test_what_presses_is_what_the_slow_twin_finds(name: str) -> None:
    game, some = go(name), 0
    cells = cells_of(game.columns, game.rows)
    pressing = pressing_kernel(cells, chains_of(cells))
    for position in positions(game, 150):
        if not position.moves or (last := position.moves[-1]) == game.board.cells:
            continue
        found = of(game, pressing(*sets_of(position), U(last + 1)))
        assert found == pressing_cells(game, position, last)
        some += bool(found)
    assert some > 3


def playouts(game: Go, knobs: dict[str, float], position: Position, count: int) -> list[int]:
    """Return the actions that playouts with these switches draw."""
    rules = Policy().kernels(game, game.words, 0)
    assert rules.prepare is not None and rules.playout is not None
    usual = {
        p.name: p.choices.index(p.default) if p.choices else p.default for p in Policy.parameters
    }
    P = np.array([float({**usual, **knobs}[p.name]) for p in Policy.parameters])
    W, A, S = position.W.copy(), np.zeros(game.slots, np.int64), stream(5)
    rules.prepare(W, position.at, P)
    return [int(rules.playout(W, position.at, A, 0, S)) for _ in range(count)]


OFF = dict.fromkeys(("capture", "escape", "shapes"), 0.0)


@pytest.mark.slow
def test_without_rules_a_playout_is_the_games_own() -> None:
    game = go()
    for position in positions(game, 20):
        A, S = np.zeros(game.slots, np.int64), stream(5)
        assert game.rules.playout is not None
        plain = [int(game.rules.playout(position.W, position.at, A, 0, S)) for _ in range(9)]
        assert playouts(game, OFF, position, 9) == plain


def after(text: str, *moves: str, size: int = 5) -> Position:
    position = parse_position(go(f"go[size={size}]"), text)
    for move in moves:
        position.play(position.game.action_of(move))
    return position


def drawn(position: Position, **knobs: float) -> set[str]:
    """Return what is drawn in 200 playouts."""
    game = position.game
    assert isinstance(game, Go)
    return {
        game.action_text(action) if action >= 0 else str(action)
        for action in playouts(game, knobs, position, 200)
    }


@pytest.mark.slow
def test_a_chain_in_atari_is_captured_or_saved() -> None:
    # Black's stone on C3 is in atari once White is on C4; D3 saves it, and nothing can be captured.
    position = after("5/5/1OX2/2O2/5 O 5", "C4")
    assert position.legal_actions()
    assert drawn(position, shapes=0) == {"D3"}
    assert len(drawn(position, shapes=0, escape=0)) > 5


@pytest.mark.slow
def test_a_rule_is_followed_as_often_as_its_rate_says() -> None:
    position = after("5/5/1OX2/2O2/5 O 5", "C4")  # D3 alone saves Black's stone
    count = 4000
    for rate in (0.0, 0.25, 0.8, 1.0):
        drawn = playouts(go("go[size=5]"), {"shapes": 0.0, "rule_rate": rate}, position, count)
        saved = drawn.count(position.game.action_of("D3")) / count
        others = (1 - rate) / len(position.legal_actions()[:-1])  # any other draw may be D3, too
        assert saved == pytest.approx(rate + others, abs=0.04)


@pytest.mark.slow
def test_self_ataris_are_left_out_unless_they_capture() -> None:
    corner = after("2O2/O4/5/5/5 X 2")  # A5 would have one liberty
    assert "A5" in drawn(corner, **OFF)
    found = [drawn(corner, **OFF, selfatari_rate=rate) for rate in (0.5, 1.0)]
    assert "A5" in found[0] and "A5" not in found[1] and len(found[1]) > 15
    takes = after("OX3/1O3/X4/5/5 X 4")  # A4, which has no liberty but by taking A5
    assert "A4" in drawn(takes, **OFF, selfatari_rate=1.0)


@pytest.mark.slow
def test_a_chain_with_two_liberties_is_pressed() -> None:
    attacked = after("O4/1X3/5/5/5 O 3", "A4")  # White's two stones have B5 and A3
    assert drawn(attacked, **OFF, lib2_rate=1.0) == {"A3", "B5"}
    assert len(drawn(attacked, **OFF, lib2_rate=0.5)) > 10
    beside = after("5/X4/5/5/5 O 1", "A5")  # Black's stone has A3 and B4
    assert drawn(beside, **OFF, lib2_rate=1.0) == {"A3", "B4"}


@pytest.mark.slow
def test_who_is_far_behind_is_shown_mercy() -> None:
    position = after("XXXX1/5/5/5/4O X 6")
    assert drawn(position, mercy=2) == {"-1"}  # Black is ahead by three
    assert "-1" not in drawn(position, mercy=3)
    position = after("OOOO1/5/5/5/4X X 6")
    assert drawn(position, mercy=2) == {"-2"}


@pytest.mark.slow
def test_mercy_ends_playouts_as_won() -> None:
    won = parse_engine("go[size=5]/uct:generator=policy,mercy=2,iterations=50").player()
    won.new_game(1, 0)
    assert won.choose(after("XXXX1/5/5/5/4O X 6")).value == 1.0


@pytest.mark.slow
def test_own_eyes_are_filled_only_where_that_is_wanted() -> None:
    eyes = after("1X1X1/XXXXX/5/5/OOOOO X 12")
    own = {"A5", "C5", "E5"}
    assert not own & drawn(eyes, **OFF)
    assert own <= drawn(eyes, **OFF, eyes=0.0)
    engine = parse_engine("go[size=5]/uct:generator=policy,iterations=300")
    assert listed(eyes, eyes=1.0) & own == set() and own <= listed(eyes, eyes=0.0)
    assert engine.values["eyes"] == "on"


def listed(position: Position, **knobs: float) -> set[str]:
    """Return the actions that the tree has."""
    game = position.game
    assert isinstance(game, Go)
    rules = Policy().kernels(game, game.words, 0)
    assert rules.prepare is not None
    usual = {
        p.name: p.choices.index(p.default) if p.choices else p.default for p in Policy.parameters
    }
    P = np.array([float({**usual, **knobs}[p.name]) for p in Policy.parameters])
    W, A = position.W.copy(), np.zeros(game.slots, np.int64)
    rules.prepare(W, position.at, P)
    count = int(rules.actions(W, position.at, A, 0))
    return {game.action_text(int(a)) for a in A[:count]}


def test_the_tree_passes_late_unless_told_otherwise() -> None:
    position = after("5/5/2X2/5/5 O 1")
    assert "pass" not in listed(position) and "pass" in listed(position, passing=1.0)
    position.play(position.game.action_of("pass"))
    assert "pass" in listed(position)
    full = after("1XXXX/XX1XX/XXXXX/XXXX1/XXXXX X 30")
    assert listed(full) == {"pass"}


def guesses(position: Position, **bonuses: float) -> dict[str, float]:
    """Return what is thought of each action."""
    game = position.game
    assert isinstance(game, Go)
    rules, at = Policy().kernels(game, game.words, 0), places(Policy.parameters)
    assert rules.guess is not None and rules.prepare is not None and at.takes == U(9)
    usual = {
        p.name: p.choices.index(p.default) if p.choices else p.default for p in Policy.parameters
    }
    P = np.array([float({**usual, **bonuses}[p.name]) for p in Policy.parameters])
    W, A, F = position.W.copy(), np.zeros(game.slots, np.int64), np.zeros(game.slots + 1)
    rules.prepare(W, position.at, P)
    count = int(rules.actions(W, position.at, A, 0))
    rules.guess(W, position.at, A, count, P, F, 1)
    return {game.action_text(int(A[i])): float(F[i + 1]) for i in range(count)}


def shaped(position: Position, vertex: str) -> float:
    """Return what a shape adds to a guess."""
    game = position.game
    assert isinstance(game, Go)
    return 0.15 * shape_at(game, sides(position)[0], game.action_of(vertex))


def test_guesses_are_their_parts() -> None:
    position = after("9/9/2X6/1XO6/2X6/9/9/9/9 X 8", size=9)
    found = guesses(position)
    assert found["D6"] == pytest.approx(0.5 + 0.3 + shaped(position, "D6"))  # captures
    assert found["J1"] == pytest.approx(0.5 - 0.1)  # in an empty corner
    assert found["G3"] == pytest.approx(0.5 + 0.1)  # on the third line
    assert "pass" not in found
    position = after("9/9/2X6/1XOX5/9/9/9/9/9 O 9", size=9)
    assert guesses(position)["C5"] == pytest.approx(0.5 + 0.2 + shaped(position, "C5"))  # saves
    position = after("9/O8/9/9/9/9/9/9/9 X 2", size=9)
    assert guesses(position)["A9"] == pytest.approx(0.5 - 0.3 + shaped(position, "A9"))
    hunted = after("9/O8/X8/9/9/9/9/9/9 X 2", size=9)  # White's stone has A9 and B8
    less, more = guesses(hunted), guesses(hunted, ataris=0.2)
    assert {c for c in more if more[c] != less[c]} == {"B8"}  # on A9 it would be in atari itself
    assert more["B8"] == pytest.approx(less["B8"] + 0.2)
    position = after("9/9/9/9/9/9/9/9/9 X 0", "E5", size=9)
    assert guesses(position)["E4"] == pytest.approx(0.5 + 0.1 + shaped(position, "E4"))
    assert guesses(position)["E1"] == pytest.approx(0.5 - 0.1)
    position.play(position.game.action_of("pass"))
    assert guesses(position)["pass"] == 0.5


@pytest.mark.slow
def test_guesses_are_the_same_in_every_image() -> None:
    game, rng = go(), random.Random(3)
    for position in positions(game, 25):
        image = rng.choice(game.board.maps("mirror", "turn"))
        turned = Position(game)
        for action in position.moves:
            turned.play(image[action] if action < game.board.cells else action)
        mine, theirs = guesses(position), guesses(turned)
        for text, value in mine.items():
            action = game.action_of(text)
            other = game.action_text(image[action] if action < game.board.cells else action)
            assert theirs[other] == pytest.approx(value)
        assert all(0.02 <= value <= 0.98 for value in mine.values())


@pytest.mark.slow
def test_rules_and_rave_win_against_random_playouts() -> None:
    strong = parse_engine("go[size=5]/uct:generator=policy,rave=on,k=0.3,iterations=150")
    plain, wins = parse_engine("go[size=5,komi=7.5]/uct:iterations=150"), 0.0
    game = go("go[size=5,komi=7.5]")
    for seed in range(6):
        position, seat = Position(game), seed % 2
        players = [strong.on(game).player(), plain.player()][:: 1 if seat == 0 else -1]
        for i, player in enumerate(players):
            player.new_game(seed, i)
        while not position.over:
            position.play(players[position.to_move].choose(position).action)
        wins += position.returns()[seat]
    assert wins >= 3

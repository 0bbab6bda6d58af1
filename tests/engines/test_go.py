"""Go: perft counts, legal positions, values of small boards, a slow twin, symmetries, texts, refusals."""

from __future__ import annotations

import random

import numpy as np
import pytest

from joute.commands._perft import perft
from joute.engines.colours import plain
from joute.engines.engine import parse_engine, parse_game
from joute.engines.errors import Refused
from joute.engines.games.go.go import Go
from joute.engines.kernels.random import stream
from joute.engines.position import Position, parse_position
from joute.harness.conformance.check import check_game
from tests.engines.slow_go import Cell, SlowGo, meant, place, twin
from tests.support.marks import quick, slow

# Without passes, from the literature.
PERFT = [
    ("go", [81, 6480, 511920]),
    ("go[size=2]", [4, 12, 24, 16, 32, 32, 16]),
    ("go[size=2,ko=simple]", [4, 12, 24, 16, 32, 32, 32]),
    ("go[size=3,ko=none]", [9, 72, 504, 2976, 14720, 56208]),
    ("go[size=3,ko=simple]", [9, 72, 504, 2976, 14720, 56176, 168144]),
    ("go[size=3]", [9, 72, 504, 2976, 14720, 56176, 168112]),
]
SIZES = [
    "columns=2,rows=1", "columns=1,rows=4", "size=2", "size=3", "columns=5,rows=3", "size=5",
    "columns=3,rows=7", "size=8", "size=9", "columns=13,rows=5", "columns=11,rows=12", "size=13",
    "size=16", "columns=18,rows=19", "size=19",
]  # fmt: skip
RULES = [
    "rules=chinese",
    "rules=japanese,komi=0",
    "ko=simple,komi=0",
    "rules=japanese,ko=none,komi=1",
]
PAIRED = [  # every size with two of the rules, for each game takes seconds to compile
    f"go[{size},{RULES[k % len(RULES)]}]" for i, size in enumerate(SIZES) for k in (i, i + 1)
]
JAPANESE = "go[size=3,rules=japanese,komi=0]"
AT_ONCE = "go[size=2,rules=chinese]"  # every game takes seconds to compile
GAMES = [*dict.fromkeys([AT_ONCE, JAPANESE, "go[size=9,rules=chinese]", *PAIRED])]


def go(name: str) -> Go:
    game = parse_game(name)
    assert isinstance(game, Go)
    return game


@pytest.mark.slow
@pytest.mark.parametrize(("name", "known"), PERFT)
def test_perft_is_as_known(name: str, known: list[int]) -> None:
    position = Position(go(name))
    passing = position.game.action_of("pass")
    assert [perft(position, depth + 1, passing) for depth in range(len(known))] == known


@pytest.mark.slow
@pytest.mark.parametrize(("size", "known"), [(2, 57), (3, 12675)])
def test_there_are_as_many_legal_boards_as_known(size: int, known: int) -> None:
    """All boards that can be reached, whoever moves, a move being legal on its own."""
    game = go(f"go[size={size}]")
    found = {"/".join([str(size)] * size)}
    left = list(found)
    while left:
        rows = left.pop()
        for mover in "X 0", "O 1":
            position = Position(game, f"{rows} {mover}")
            for action in position.legal_actions():
                after = position.copy()
                after.play(action)
                text = str(after.text()).split()[0]
                if text not in found:
                    found.add(text)
                    left.append(text)
    assert len(found) == known


class Solver:
    """Every line of play, in place: states lie one behind the other, for superko looks back."""

    def __init__(self, game: Go) -> None:
        self.game, self.k = game, game.kernels()
        self.W = game.room((game.max_plies + 2) * game.words)
        self.leads: dict[bytes, int] = {}  # of boards, for most of the time would go there
        self.k.start(self.W, 0)

    def lead(self, at: int) -> int:
        stones = self.W[at : at + int(self.game.state.ply)].tobytes()
        if stones not in self.leads:
            found = self.game.lead(self.W, at) + float(self.game.values["komi"])
            self.leads[stones] = int(found)
        return self.leads[stones]

    def best(self, at: int, low: int, high: int, ply: int = 0) -> int:
        """Return what Black wins by with the best play, as far as it lies between the bounds."""
        if self.k.status(self.W, at):
            return self.lead(at)
        to = at + self.game.words
        for action in self.game.list_actions(self.W, at):
            self.k.apply(self.W, at, to, action, 0)
            value = self.best(to, low, high, ply + 1)
            low, high = (low, min(high, value)) if ply % 2 else (max(low, value), high)
            if low >= high:
                break
        return high if ply % 2 else low


def twin_of(position: Position) -> SlowGo:
    """Return the twin with the stones of a position and its player to move."""
    game = position.game
    assert isinstance(game, Go)
    found = twin(game)
    cells = game.cells(position.W, position.at)
    found.stones = {cell: holds - 1 for cell, holds in place(game, cells).items()}
    found.mover = position.to_move
    return found


@pytest.mark.parametrize(
    ("shape", "known"),
    [slow("columns=3,rows=1", 3), slow("columns=1,rows=4", 4)],
)
def test_small_boards_are_worth_what_is_known(shape: str, known: int) -> None:
    """Every line of play to its end, for superko makes the value of a board depend on the line."""
    assert Solver(go(f"go[{shape},komi=2]")).best(0, known - 1, known + 1) == known


@pytest.mark.parametrize("name", quick(GAMES, AT_ONCE.__eq__))
def test_random_games_go_as_in_the_slow_twin_and_in_every_mirror(name: str) -> None:
    game, rng = go(name), random.Random(name)
    cells = game.board.cells
    every, games = max(1, cells // 10), 1 + 60 // cells
    for number in range(games):
        position, slow_one = Position(game), twin(game)
        eager = number % 3 < 2  # passes only where nothing else is legal, and so mostly never
        while not position.over:
            listed = position.legal_actions()
            if position.ply % every == 0:
                assert {meant(game, action) for action in listed} == slow_one.moves()
                assert len(set(listed)) == len(listed)
                assert all(position.is_legal(a) == (a in listed) for a in range(-1, game.slots + 1))
                same_in_mirrors(position, rng)
            action = rng.choice(listed[: max(1, len(listed) - 1)] if eager else listed)
            position.play(action)
            slow_one.play(meant(game, action))
            stones = place(game, game.cells(position.W, position.at))
            assert stones == {c: p + 1 for c, p in slow_one.stones.items()}
        assert slow_one.over or position.ply == game.max_plies
        lead = slow_one.lead()
        assert game.lead(position.W, position.at) == lead
        won = (lead > 0) + 0.5 * (lead == 0)
        assert position.returns() == [won, 1 - won]


def ruling(position: Position) -> list[int]:
    """Return the words but that of the last moves, which no text tells and no rule reads."""
    recent = int(position.game.state.recent)
    return [int(word) for i, word in enumerate(position.words()) if i != recent]


def same_in_mirrors(position: Position, rng: random.Random) -> None:
    """The text reads back; turned and mirrored it has the same key, and as many legal moves."""
    game = position.game
    assert isinstance(game, Go)
    text = str(position.text())
    again = parse_position(game, text)
    assert (again.text(), again.key(), again.status) == (text, position.key(), position.status)
    assert game.path_dependent or ruling(again) == ruling(position)
    square = game.columns == game.rows
    maps = game.board.maps("mirror", "turn" if square else "flip")
    image, cells = rng.choice(maps), game.cells(position.W, position.at)
    assert len(maps) == (8 if square else 2 if min(game.columns, game.rows) == 1 else 4)
    turned = [0] * len(cells)
    for cell, holds in enumerate(cells):
        turned[image[cell]] = holds
    words = [game.board.text(turned), *text.split()[1:]]
    for i, word in enumerate(words):
        if word.startswith("ko="):
            words[i] = f"ko={game.action_text(image[game.action_of(word[3:])])}"
    mirrored = parse_position(game, " ".join(words))
    assert mirrored.key() == position.key()
    if not position.over:
        assert len(mirrored.legal_actions()) == len(again.legal_actions())


@pytest.mark.slow
def test_what_matters_later_makes_another_key() -> None:
    game = go(JAPANESE)
    texts = ["1X1/XOX/3 O 1", "1X1/XOX/3 O 1 passes=1", "1X1/XOX/3 O 1 ko=A1", "1X1/XOX/3 X 2",
             "1X1/XOX/3 O 1 ko=B1", "1X1/XOX/3 O 1 taken=1,0"]  # fmt: skip
    assert len({parse_position(game, text).key() for text in texts}) == len(texts)
    captured_alike = "1X1/XOX/3 O 1 taken=2,1"
    assert parse_position(game, captured_alike).key() == parse_position(game, texts[-1]).key()


@pytest.mark.slow
def test_a_move_that_captures_nothing_may_repeat_a_board_too() -> None:
    """Two stones are captured, one is put back and captures; the other would repeat what was there."""
    line = "4/XXO1/3O O 1 moves A1 pass B1 C1 B1 pass"
    for ko, legal in (("superko", False), ("simple", True)):
        position = parse_position(go(f"go[columns=4,rows=3,ko={ko}]"), line)
        assert str(position.text()).startswith("4/XXO1/1O1O O 7")
        action = position.game.action_of("A1")
        assert position.is_legal(action) == legal
        assert (action in position.legal_actions()) == legal
    with pytest.raises(Refused, match=r"move 7 .*'A1', is illegal; the board would be as it was"):
        parse_position(go("go[columns=4,rows=3]"), f"{line} A1")


@pytest.mark.parametrize("name", ["go[size=2]", slow("go"), slow("go[size=13,rules=japanese]")])
def test_a_playout_fills_no_eye_of_its_own_and_passes_only_then(name: str) -> None:
    game = go(name)
    A, S = np.zeros(game.slots, np.int64), stream(5)
    assert game.rules.playout is not None
    for _ in range(10):
        position = Position(game)
        while not position.over:
            action = int(game.rules.playout(position.W, position.at, A, 0, S))
            known = twin_of(position)
            *moves, passing = position.legal_actions()
            good = {move for move in moves if not is_eye(known, meant(game, move))}
            assert action in good if good else action == passing
            position.play(action)
        assert position.ply < game.max_plies


def is_eye(slow_one: SlowGo, cell: Cell | None) -> bool:
    assert cell is not None
    x, y = cell
    aslant = [(x + dx, y + dy) for dx in (-1, 1) for dy in (-1, 1)]
    inside = [c for c in aslant if 0 <= c[0] < slow_one.columns and 0 <= c[1] < slow_one.rows]
    theirs = sum(slow_one.stones.get(c) == 1 - slow_one.mover for c in inside)
    own = all(slow_one.stones.get(c) == slow_one.mover for c in slow_one.beside(cell))
    return own and theirs <= (len(inside) == 4)


def test_a_komi_of_whole_points_allows_draws() -> None:
    assert parse_position(go(JAPANESE), "startpos moves pass pass").returns() == [0.5, 0.5]
    assert parse_position(go(JAPANESE), "startpos moves A1 pass pass").returns() == [1.0, 0.0]


@pytest.mark.slow
def test_a_game_without_end_is_scored_as_it_stands() -> None:
    game = go("go[columns=3,rows=1,ko=none,komi=0]")
    position = Position(game)
    while not position.over:
        position.play(position.legal_actions()[0])
    assert position.ply == game.max_plies == 112
    lead = twin_of(position).lead()
    assert position.returns() == [(lead > 0) + 0.5 * (lead == 0), (lead < 0) + 0.5 * (lead == 0)]


@pytest.mark.parametrize(
    ("asked", "label"),
    [
        ("go", "go[size=9,rules=chinese,ko=superko,komi=7.5]"),
        ("go[columns=7,rows=7]", "go[size=7,rules=chinese,ko=superko,komi=7.5]"),
        ("go[columns=4,rows=1]", "go[columns=4,rows=1,rules=chinese,ko=superko,komi=7.5]"),
        ("go[columns=4]", "go[columns=4,rows=9,rules=chinese,ko=superko,komi=7.5]"),
        ("go[size=19,rules=japanese]", "go[size=19,rules=japanese,ko=simple,komi=6.5]"),
        ("go[rules=japanese,komi=0,ko=superko]", "go[size=9,rules=japanese,ko=superko,komi=0]"),
    ],
)
def test_labels_say_all_that_matters_and_read_back(asked: str, label: str) -> None:
    game = go(asked)
    assert game.label == label
    assert go(label).label == label and go(label).values == game.values


@pytest.mark.parametrize(
    ("game", "said"),
    [
        ("go[size=1]", "on a board of one cell nobody can move; allowed: 1 x 2 to 19 x 19"),
        ("go[columns=1,rows=1]", "on a board of one cell nobody can move"),
        ("go[size=20]", "size = 20 is not a whole number from 1 to 19"),
        ("go[columns=0]", "columns = 0 is not a whole number from 1 to 19"),
        ("go[size=x]", "size = 'x' is not a whole number from 1 to 19"),
        ("go[komi=0.3]", "komi = 0.3 is neither whole nor half a point"),
        ("go[komi=1000]", "komi = 1000 is not a number from -361 to 361"),
        ("go[rules=ing]", "rules = 'ing' is not one of chinese, japanese"),
        ("go[ko=no]", "ko = 'no' is not one of superko, simple, none; did you mean 'none'"),
    ],
)
def test_options_that_are_none_are_refused(game: str, said: str) -> None:
    with pytest.raises(Refused, match=said.replace("(", r"\(")):
        parse_game(game)


def test_vertices_are_read_as_gtp_writes_them() -> None:
    game = go("go[columns=19,rows=5]")
    texts = {game.action_text(action) for action in range(game.slots)}
    assert {"A1", "H3", "J3", "T5", "pass"} <= texts and not any("I" in text for text in texts)
    assert game.action_of("d4") == game.action_of("D4") == 1 * 19 + 3
    assert game.action_of("PASS") == game.action_of("pass") == 95
    for text in ("I3", "A6", "A0", "U1", "D04", "D", "4D", "", "D4 ", "d٤", "resign"):
        with pytest.raises(Refused, match="allowed: A1 to T5"):
            game.action_of(text)


@pytest.mark.parametrize(
    ("rules", "text", "said"),
    [
        ("chinese", "3/3 X 0", "2 rows; the board has 3"),
        ("chinese", "3/3/3 Z 0", "who is to move?"),
        ("chinese", "3/3/3 X 1", "X moves at even ones"),
        ("chinese", "3/3/3 X 99999", "'99999' plies"),
        ("chinese", "3/3/3 X 9998", "a game has at most 136 plies"),
        ("chinese", "OX1/X2/3 X 0", "the stone on A3 has no liberty"),
        ("chinese", "3/3/3 X 0 ko=A1", "ko=A1; allowed with these rules: passes=0 to 2"),
        (
            "japanese",
            "3/3/3 X 0 passes=3",
            "passes=3; allowed with these rules: passes=0 to 2, ko=",
        ),
        ("japanese", "X2/3/3 X 0 ko=A3", "ko=A3 is no empty cell"),
        ("japanese", "3/3/3 X 0 taken=1", "taken=1; allowed: two numbers up to 9999"),
        ("japanese", "3/3/3 X 0 taken=1,-2", "taken=1,-2; allowed: two numbers up to 9999"),
    ],
)
def test_positions_that_are_none_are_refused(rules: str, text: str, said: str) -> None:
    game = go(f"go[size=3,rules={rules}]")
    with pytest.raises(Refused, match=said):
        game.write_position(text, game.room(game.words), 0)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("startpos moves A1 A1", "there is a stone on A1"),
        ("1X1/XOX/3 O 1 moves A3", "a stone on A3 has no liberty and captures nothing"),
        ("3/XO1/O1O X 4 moves B1 A1", r"has just captured one on A1 \(ko\)"),
    ],
)
def test_illegal_moves_are_told_why(line: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        parse_position(go(JAPANESE), line)


def test_a_drawing_has_letters_and_numbers_and_says_who_passed() -> None:
    position = parse_position(go("go[size=2]"), "startpos moves A1 pass")
    assert plain(position.draw()) == "  A B\n2 . . 2\n1 X . 1\n  A B\nO passed"


@pytest.mark.slow
def test_uct_without_an_evaluation_plays_and_takes_what_is_there_to_be_taken() -> None:
    engine = parse_engine("go[columns=3,rows=1,komi=2]/uct:iterations=400")
    player = engine.player()
    player.new_game(1, 0)
    choice = player.choose(Position(engine.game))
    assert engine.game.action_text(choice.action) == "B1"  # all three cells, as is known


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES[:10])
def test_every_size_keeps_the_contract(size: str) -> None:
    assert [c for c in check_game(go(f"go[{size}]")) if c.fault] == []

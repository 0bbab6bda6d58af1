"""How games are seen: against slow twins, by either side, refused, and found out where they are wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from joute.engines.engine import parse_engine, parse_game
from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.games.connect4.discs import Discs
from joute.engines.games.dodo.checkers import Checkers
from joute.engines.games.go.goban import Goban
from joute.engines.games.tron.ribbons import Ribbons
from joute.engines.games.vampires.board import VampiresBoard, parse_board
from joute.engines.games.vampires.units import Units
from joute.engines.kernels.compile import U
from joute.engines.kernels.contract import rule
from joute.engines.kernels.random import next_word, stream
from joute.engines.position import Position
from joute.engines.registry import names
from joute.engines.view import Shape, Symmetry, View, view_of
from joute.engines.view_text import parse_view
from joute.harness.conformance.check import check_view
from joute.harness.conformance.view_rules import Seen, rules_of
from tests.engines.slow_vampires import legal
from tests.engines.slow_views import TWINS, Told, entry
from tests.support.marks import slow
from tests.support.runs import here

GAMES = 3


def seen(text: str) -> tuple[View, Game]:
    view, [game] = parse_view(text)
    return view, game


def planes_of(view: View, position: Position) -> Any:
    shape = view.shape(position.game)
    F = np.zeros(shape.numbers, np.float32)
    view.kernels(position.game).see(position.W, position.at, F, 0)
    return F.reshape(shape.planes, shape.rows, shape.columns)


def actions_of(view: View, position: Position) -> dict[str, int]:
    """Return the entry of each action that the view's generator lists, by its text."""
    game, A = position.game, np.zeros(position.game.slots, np.int64)
    codes = A[: rules_of(Seen(view, game)).actions(position.W, position.at, A, 0)].tolist()
    kernel = view.kernels(game).entry
    return {
        game.action_text(game.decode(position.W, position.at, code)): int(
            kernel(position.W, position.at, code)
        )
        for code in ([] if position.over else codes)
    }


SEEN = [
    "discs of connect4[columns=7,rows=6]",
    slow("discs of connect4[columns=16,rows=10]"),
    "stones of gopher[side=6]",
    slow("stones[marks=playable] of gopher[side=2]"),
    slow("stones[marks=board] of gopher[side=7]"),
    "checkers of dodo[side=4]",
    slow("checkers[marks=playable] of dodo[side=2]"),
    slow("checkers[marks=board] of dodo[side=7]"),
    "goban of go[size=5]",
    slow("goban[history=8] of go[columns=9,rows=8]"),
    slow("goban[history=1] of go[size=4,rules=japanese]"),
    "ribbons of tron[width=7,height=6]",
    slow("ribbons of tron[width=31,height=3]"),
    "units of vampires[map=testmap,plies=60]",
    slow("units[unit=20,edge=seen] of vampires[map=random:vamperouge,plies=60]"),
]


@pytest.mark.parametrize("text", SEEN)
def test_planes_and_entries_are_those_of_the_slow_twin(text: str) -> None:
    view, game = seen(text)
    options = {name: v for name, v in game.values.items() if isinstance(v, int)}
    settings = {name: str(value) for name, value in view.values.items()}
    S = stream(17)
    for seed in range(GAMES):
        position, texts = Position(game, game.start_text(seed)), list[str]()
        while True:
            texts.append(game.fen(position.W, position.at) or "")
            entries = actions_of(view, position)
            told = Told(texts, list(entries), options, settings)
            twin = np.array(TWINS[view.name](told), np.float32)
            assert np.array_equal(planes_of(view, position), twin), position.line()
            assert entries == {action: entry(view.name, told, action) for action in entries}
            if position.over or position.ply > 80:
                break
            action = position.sample_action(S)
            position.play(action, position.draw_outcome(action, int(next_word(S))))


def exchanged(text: str) -> str:
    """Return a position with the colours exchanged; in Dodo the board is turned, too."""
    if "turn" in text:
        board = parse_board(text)
        humans, others = dict(board.humans), (board.werewolves, board.vampires)
        return VampiresBoard(board.columns, board.rows, humans, *others, turn=1 - board.turn).text()
    rows, *rest = text.translate(str.maketrans("XOABab", "OXBAba")).split()
    mover, number, *_ = *rest, "", ""
    if mover in ("1", "2"):
        return f"{rows} {'21'[int(mover) - 1]}"
    return f"{rows} {mover} {int(number) ^ 1}" if mover else rows


@pytest.mark.parametrize("text", [t for t in SEEN if isinstance(t, str) and "connect4" not in t])
def test_either_side_sees_the_same_of_itself(text: str) -> None:
    # a text forgets the boards before it, which superko asks for
    view, game = seen(text.replace("goban of go[", "goban[history=1] of go[ko=none,"))
    S, tried = stream(18), 0
    for seed in range(GAMES):
        position = Position(game, game.start_text(seed))
        while not position.over and position.ply < 40:
            now = exchanged(game.fen(position.W, position.at) or "")
            if view.name == "checkers":  # half a turn
                rows, *rest = now.split()
                now = " ".join(["/".join(row[::-1] for row in rows.split("/")[::-1]), *rest])
            other = Position(game, now)
            one, two = planes_of(view, position), planes_of(view, other)
            if view.name == "goban":  # its last plane tells who is Black
                assert (one[-1] != two[-1]).all()
                one, two = one[:-1], two[:-1]
            assert np.array_equal(one, two), now
            assert sorted(actions_of(view, position).values()) == sorted(
                actions_of(view, other).values()
            )
            tried += 1
            action = position.sample_action(S)
            position.play(action, position.draw_outcome(action, int(next_word(S))))
    assert tried > 20


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("units of vampires[map=testmap2]", "shows maps up to 16x16; those of .* up to 29x15"),
        ("ribbons of tron[players=3]", "view ribbons is for two players; .* has 3"),
        ("goban of go[rules=japanese]", r"keeps no boards before this one; allowed: history=1, or"),
        ("goban[history=9] of go", "history = 9 is not a whole number from 1 to 8"),
        ("stones of dodo", "view stones is for gopher, not for dodo"),
        ("stones[mark=both] of gopher", "unknown setting of the view stones 'mark'; did you mean"),
        ("units[unit=0]", "unit = 0 is not a number from 1 to 255"),
        ("stone", "unknown view 'stone'; did you mean 'stones'"),
    ],
)
def test_what_cannot_be_seen_is_refused(text: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        parse_view(text)


def test_boards_before_a_position_from_a_text_are_not_looked_for() -> None:
    view, game = seen("goban[history=4] of go[size=5]")
    position = Position(game, "5/1X3/2O2/5/5 O 7")
    own, other = planes_of(view, position)[:2]
    assert np.array_equal(planes_of(view, position)[:8], [own, other] * 4)
    position.play(position.game.parse_action("A1"))
    after = planes_of(view, position)
    assert np.array_equal(after[0], other) and after[1].sum() == own.sum() + 1
    assert np.array_equal(after[2:8], [other, own] * 3)


def test_every_view_is_of_a_game_and_has_its_symmetries() -> None:
    found = {name: view_of(parse_game(game), name) for name in names("view")
             for game in parse_view(name)[0].games}  # fmt: skip
    sizes = {name: [len(view.symmetries(parse_game(g))) for g in view.games]
             for name, view in found.items() if name in TWINS}  # fmt: skip
    assert sizes == {
        "discs": [2], "stones": [12], "checkers": [2], "goban": [8], "ribbons": [4], "units": [4],
    }  # fmt: skip
    more = {
        "goban of go[columns=5,rows=4]": 4,
        "ribbons of tron[width=9,height=9]": 8,
        "units of vampires[map=random:twilight:7x7:4:4]": 8,
        "units of vampires[map=random:vamperouge]": 2,  # of all sizes, each at the top left
        "units of vampires[map=map8+testmap]": 2,
        "units[corner=any] of vampires[map=random:vamperouge]": 8,
        "units[corner=any] of vampires[map=random:twilight:5x9:4:4]": 8,
    }
    assert {t: len(v.symmetries(g)) for t in more for v, g in [seen(t)]} == more


@pytest.mark.parametrize("edge", ["seen", "unseen"])
def test_a_map_is_seen_in_every_corner_and_both_ways_round(edge: str) -> None:
    """The image of the planes shows the image of the board, laid in another corner; so do its entries."""
    view, game = seen(f"units[edge={edge},corner=any] of vampires[map=random:vamperouge]")
    symmetries = view.symmetries(game)
    for seed in range(4):
        start, images = game.start_text(seed), set()
        one = Position(game, start)
        columns, rows = (int(n) for n in start.split()[0].split("x"))
        for symmetry in symmetries:
            board = view.image(game, start, symmetry)
            other = Position(game, board)
            twin = TWINS["units"](Told([board], [], {}, {"unit": "1", "edge": edge}))
            shown = np.zeros_like(planes_of(view, one)).reshape(len(twin), -1)
            shown[:, symmetry.cells] = planes_of(view, one).reshape(len(twin), -1)
            corner = [symmetry.cells[0] // 16 > 0, symmetry.cells[0] % 16 > 0]
            size = (
                (columns, rows)
                if symmetry.cells[1] // 16 != symmetry.cells[0] // 16
                else (rows, columns)
            )
            down, across = ((16 - n) * there for n, there in zip(size, corner, strict=True))
            laid = np.roll(np.array(twin, np.float32), (down, across), (1, 2))
            assert np.array_equal(shown.reshape(laid.shape), laid)
            assert np.array_equal(planes_of(view.image_view(game, symmetry), other), laid)
            led = sorted(symmetry.entries[e] for e in actions_of(view, one).values())
            moved = 8 * (16 * down + across)
            assert led == sorted(e + moved for e in actions_of(view, other).values())
            images.add(shown.tobytes())
        assert len(images) == 8


def test_show_tells_the_sizes_of_a_view() -> None:
    done = here("show", "goban[history=8] of go[size=19]")
    assert done.exit_code == 0
    said = "17 planes of 19 x 19, a policy of 362 entries, symmetries: 8"
    assert said in done.stdout and "1 .. 8" in done.stdout
    assert "views: goban" in here("show", "go").stdout


# Vamperouge's turns


@pytest.mark.slow
def test_vamperouge_lists_whole_groups_one_a_turn() -> None:
    view, game = seen("units of vampires")
    for turn in "VW":  # a test of Vamperouge's own
        position = Position(game, f"4x3 V5@0,0 W9@1,1 V7@1,2 turn {turn}")
        assert len(actions_of(view, position)) == 8
    S, crowded = stream(19), 0
    for text in ("random:vamperouge", "random:twilight:4x4:30:251"):
        game = parse_game(f"vampires[map={text}]")
        for seed in range(8):
            position = Position(game, game.start_text(seed))
            while not position.over and position.ply < 60:
                board = game.board(position.W, position.at)  # type: ignore[attr-defined]
                turns = {
                    f"({x},{y})>({u},{v}):{n}": 0
                    for (x, y), n in (board.vampires, board.werewolves)[board.turn].items()
                    for u in range(x - 1, x + 2)
                    for v in range(y - 1, y + 2)
                    if (u, v) != (x, y) and legal(board, [((x, y), n, (u, v))])
                }
                listed = actions_of(view, position)
                crowded += not turns
                assert listed.keys() == turns.keys() or (
                    not turns and {action.rpartition(":")[2] for action in listed} == {"1"}
                )
                assert all(position.is_legal(game.parse_action(action)) for action in listed)
                action = position.sample_action(S)
                position.play(action, position.draw_outcome(action, int(next_word(S))))
    assert crowded


@pytest.mark.slow
def test_vamperouge_s_turns_come_to_what_the_rules_make_of_them() -> None:
    view, game = seen("units of vampires[map=random:vamperouge]")
    k, S = rules_of(Seen(view, game)), stream(20)
    A, W = np.zeros(game.slots, np.int64), np.zeros(game.words, np.uint64)
    for seed in range(8):
        position = Position(game, game.start_text(seed))
        while not position.over and position.ply < 60:
            codes = A[: k.actions(position.W, position.at, A, 0)].tolist()
            code, chance = codes[int(next_word(S)) % len(codes)], int(next_word(S))
            outcome = int(k.outcome(position.W, position.at, code, stream(chance)))
            k.apply(position.W, position.at, 0 if position.at else game.words, code, outcome)
            W[:] = position.W[0 if position.at else game.words :][: game.words]
            action = game.decode(position.W, position.at, code)
            assert position.draw_outcome(action, chance) == outcome
            position.play(action, outcome)
            assert np.array_equal(position.words(), W)
    player = parse_engine("vampires/uct:iterations=30,generator=vamperouge").player()
    assert position.game.action_text(player.choose(Position(parse_game("vampires"))).action)


# Views that are wrong


def faults(view: View, game: str) -> list[tuple[str, str]]:
    return [(c.rule, c.fault) for c in check_view(view, parse_game(game)) if c.fault]


TOGETHER = "symmetries map planes and policy together"
WHOLE = "planes are written whole"


class NotUndone(Units):
    """Vamperouge's fault: what is seen is turned, and the answer is taken as if it were not."""

    def symmetries(self, game: Game) -> list[Symmetry]:
        return [Symmetry(one.cells, range(len(one.entries))) for one in super().symmetries(game)]


class Inverse(Goban):
    """Undoes a turn by turning the policy once more the same way."""

    def symmetries(self, game: Game) -> list[Symmetry]:
        return [
            Symmetry(one.cells, np.argsort(one.entries).tolist())
            for one in super().symmetries(game)
        ]


class UpsideDown(Discs):
    """Takes top and bottom for the same: discs fall."""

    def symmetries(self, game: Game) -> list[Symmetry]:
        shape = self.shape(game)
        rows, columns = shape.rows, shape.columns
        flipped = [(rows - 1 - r) * columns + c for r in range(rows) for c in range(columns)]
        return [*super().symmetries(game), Symmetry(flipped, range(columns))]


class Unturned(Checkers):
    """Shows both players the same board, and turns the entries of the second."""

    turns = False


class AllTwelve(Unturned):
    """Takes Dodo's board for the rules: walking has a direction."""

    def symmetries(self, game: Game) -> list[Symmetry]:
        every = game.board.maps("mirror", "turn")  # type: ignore[attr-defined]
        first, rest = super().symmetries(game)[0], list[Symmetry]()
        for image in every[1:]:
            entries = [3 * other + way for other in image for way in range(3)]
            rest.append(Symmetry(first.cells, entries))
        return [first, *rest]


class NoImage(Ribbons):
    """Has a start that is not symmetric, and does not say what becomes of it."""

    def image(self, game: Game, start: str, symmetry: Symmetry) -> str:
        return start


class WrongTurns(Ribbons):
    """Turns the field by a quarter, and its directions by none."""

    def symmetries(self, game: Game) -> list[Symmetry]:
        first, *rest = super().symmetries(game)
        return [first, *(Symmetry(one.cells, first.entries) for one in rest)]


@pytest.mark.parametrize(
    ("view", "game", "said"),
    [
        (NotUndone(), "vampires[map=random:twilight:7x7:8:8]", "the images of the entries are"),
        (NotUndone(), "vampires", "the images of the entries are"),
        (NotUndone(corner="any"), "vampires", "the images of the entries are"),
        (Inverse(), "go[size=5]", "ply "),
        (UpsideDown(), "connect4", "ply 1 of startpos: the planes of the image are not the image"),
        (AllTwelve(), "dodo", "ply "),
        (NoImage(), "tron[width=8,height=8]", "does the view need `image`?"),
        (WrongTurns(), "tron[width=8,height=8]", "ply "),
    ],
)
def test_a_wrong_symmetry_is_found_out(view: View, game: str, said: str) -> None:
    [(where, fault)] = faults(view, game)
    assert where == TOGETHER and said in fault


def test_a_second_player_who_is_shown_another_board_than_he_answers_for_is_told_by_the_twin() -> (
    None
):
    """Such a view is consistent in itself: no symmetry of the rules tells it."""
    view, position = Unturned(), Position(parse_game("dodo"))
    assert faults(view, "dodo") == []
    position.play(position.legal_actions()[0])
    assert not np.array_equal(planes_of(view, position), planes_of(Checkers(), position))


def spoilt(fault: str) -> View:
    """Return the view of Connect 4 with something wrong in its kernels or sizes."""

    class Spoilt(Discs):
        def shape(self, game: Game) -> Shape:
            shape = super().shape(game)
            return shape._replace(policy=shape.policy - (fault == "narrow"))

        def build(self, game: Game, stride: int) -> Any:
            from_discs, entry_of = super().build(game, stride)
            numbers, words = U(self.shape(game).numbers), U(game.words)
            more, late, nan = fault == "beyond", fault == "unwritten", fault == "infinite"
            looks, writes = fault == "looks", fault == "writes"
            collides = fault == "collides"

            @rule
            def see(W, at, F, to):
                last = F[to + numbers - U(1)]
                from_discs(W, at, F, to)
                if more:
                    F[to + numbers] = np.float32(0)
                if late:
                    F[to + numbers - U(1)] = last
                if nan:
                    F[to] = np.float32(np.inf)
                if looks:
                    F[to] = np.float32(W[at + words] & U(1))
                if writes:
                    W[at] ^= U(1)

            @rule
            def entry(W, at, action):
                return action // 2 if collides else entry_of(W, at, action)

            return [see, entry]

        def symmetries(self, game: Game) -> list[Symmetry]:
            first, second = super().symmetries(game)
            wrong = {
                "order": [second, first],
                "twice": [first, Symmetry([0] * len(first.cells), first.entries)],
                "narrow": View.symmetries(self, game),
            }
            return wrong.get(fault, [first, second])

    return Spoilt()


@pytest.mark.parametrize(
    ("fault", "where", "said"),
    [
        ("beyond", WHOLE, "ply 0: see writes beyond its 84 numbers"),
        ("unwritten", WHOLE, "ply 0: plane 1, row 5, column 6 is not written, or not finite"),
        ("infinite", WHOLE, "ply 0: plane 0, row 0, column 0 is not written, or not finite"),
        ("looks", WHOLE, "ply 0: see looks at words beyond the state"),
        ("writes", WHOLE, "ply 0: see changes the state"),
        ("collides", "entries are distinct", "ply 0: two actions have the same entry"),
        ("narrow", "entries are distinct", "allowed: 0 to 5"),
        ("order", "sizes and symmetries are whole", "the first symmetry must be the identity"),
        ("twice", "sizes and symmetries are whole", "symmetry 1 is no permutation of the 42 cells"),
    ],
)
def test_wrong_kernels_and_sizes_are_found_out(fault: str, where: str, said: str) -> None:
    found = faults(spoilt(fault), "connect4")
    assert any(rule == where and said in told for rule, told in found), found


class Deaf(Goban):
    """Looks back with the stride of positions, or beyond the start of the line."""

    def __init__(self, **settings: Any) -> None:
        self.beyond = settings.pop("beyond")
        super().__init__(**settings)

    def build(self, game: Game, stride: int) -> Any:
        see, entry = super().build(game, game.words)
        if not self.beyond:
            return [see, entry]
        first, step, size = game.state.first, U(stride), U(self.shape(game).rows ** 2)
        inner, entry = super().build(game, stride)

        @rule
        def see(W, at, F, to):
            inner(W, at, F, to)
            F[to + U(2) * size] = np.float32(W[at - step + first] & U(1))

        return [see, entry]


@pytest.mark.parametrize(("beyond", "said"), [(False, "stride"), (True, "before the line of play")])
def test_a_view_that_looks_at_the_wrong_boards_is_found_out(beyond: bool, said: str) -> None:
    found = faults(Deaf(beyond=beyond), "go[size=5]")
    assert any(rule == WHOLE and said in fault for rule, fault in found)

"""Dodo and Gopher: perft counts, slow twins, symmetries, values of small boards, texts and refusals."""

from __future__ import annotations

import random

import numpy as np
import pytest

from joute.commands._perft import perft
from joute.engines.colours import plain
from joute.engines.engine import parse_engine, parse_game
from joute.engines.errors import Refused
from joute.engines.games.dodo.dodo import usual_threshold
from joute.engines.position import Position, parse_position
from joute.engines.registry import make
from joute.harness.conformance.check import check_game
from tests.engines.slow_hexagons import SlowDodo, first_wins, meant, slow_perft, twin
from tests.support.marks import quick

PERFT = {
    "dodo": [13, 166, 2330, 31408],
    "dodo[side=3]": [7, 36, 182, 762, 3058],
    "gopher[side=3]": [19, 84, 174, 672, 1452],
    "gopher": [91, 480, 1254],
}
WINNERS = {"dodo[side=2]": 1, "gopher[side=2]": 0, "gopher[side=3]": 0}
SIZES = [f"{game}[side={side}]" for game in ("dodo", "gopher") for side in range(2, 8)]
LARGE = ("dodo[side=5]", "dodo[side=6]", "dodo[side=7]", "gopher[side=4]", "gopher[side=5]")


@pytest.mark.parametrize("name", quick(PERFT, lambda name: name != "dodo"))
def test_perft_is_as_known_and_as_the_twin_has_it_two_plies_deeper(name: str) -> None:
    position, known = Position(parse_game(name)), PERFT[name]
    assert [perft(position, depth + 1) for depth in range(len(known))] == known
    deeper = len(known) + (2 if known[-1] < 5000 else 1)
    assert perft(position, deeper) == slow_perft(twin(position.game), deeper)


@pytest.mark.parametrize("name", quick(SIZES, lambda name: name[-2] == "3"))
def test_random_games_go_as_in_the_slow_twin_and_in_every_mirror(name: str) -> None:
    game, rng = parse_game(name), random.Random(name)
    maps = game.board.maps(*game.symmetries)  # type: ignore[attr-defined]
    assert len(maps) == (12 if game.name == "gopher" else 2)
    for _ in range(8):
        position, slow = Position(game), twin(game)
        while not position.over:
            listed = position.legal_actions()
            assert {meant(game, action) for action in listed} == slow.moves()
            assert len(set(listed)) == len(listed)
            assert all(
                position.is_legal(a) == (a in listed) for a in rng.sample(range(8 * game.slots), 6)
            )
            action = rng.choice(listed)
            position.play(action)
            slow.play(meant(game, action))
            cells = game.cells(position.W, position.at)  # type: ignore[attr-defined]
            image, turned = rng.choice(maps), [0] * len(cells)
            for cell, holds in enumerate(cells):
                turned[image[cell]] = holds
            text = game.board.text(turned)  # type: ignore[attr-defined]
            mirrored = parse_position(game, f"{text} {'XO'[position.ply % 2]} {position.ply}")
            assert mirrored.key() == position.key() and mirrored.status == position.status
        assert slow.winner is not None
        assert position.returns() == [float(slow.winner == 0), float(slow.winner == 1)]


@pytest.mark.parametrize("name", WINNERS)
def test_small_boards_are_won_by_whom_the_twin_says(name: str) -> None:
    assert first_wins(twin(parse_game(name))) == (WINNERS[name] == 0)


@pytest.mark.parametrize("name", quick(SIZES, dear=LARGE.__contains__))
def test_every_size_keeps_the_contract_at_length(name: str) -> None:
    assert [c for c in check_game(parse_game(name)) if c.fault] == []


@pytest.mark.parametrize(
    "name", quick(["dodo", "gopher", "dodo[side=5]", "gopher[side=3]"], lambda name: name == "dodo")
)
def test_evaluations_are_what_the_twins_count(name: str) -> None:
    game, rng = parse_game(name), random.Random(name)
    own = evaluated(name, "mobility")
    weights = {"ways": 0.5, "distance": -0.25, "edge": 2.0, "blocked": 3.0}
    weighted = evaluated(name, "steps", weights) if "dodo" in name else None
    for _ in range(10):
        position, slow = Position(game), twin(game)
        while not position.over:
            mover, sign = slow.mover, -1 if isinstance(slow, SlowDodo) else 1
            counts = []
            for player in (mover, 1 - mover):
                slow.mover = player
                counts.append(len(slow.moves()))
            slow.mover = mover
            assert own(position) == sign * (counts[0] - counts[1])
            if weighted is not None:
                features = [slow.features(p) for p in (1 - mover, mover)]  # type: ignore[union-attr]
                found = [sum(weights[k] * f[k] for k in weights) for f in features]
                assert weighted(position) == found[0] - found[1]
            action = rng.choice(position.legal_actions())
            slow.play(meant(game, action))
            position.play(action)


def evaluated(name: str, evaluation: str, given: dict[str, float] | None = None):  # type: ignore[no-untyped-def]
    """Return the value of a position for the side to move, as a function."""
    member = make("evaluation", evaluation)
    game = parse_game(name)
    kernels = member.kernels(game, 0)
    P = np.array([(given or {}).get(p.name, p.default) for p in member.parameters], np.float64)
    return lambda position: float(kernels.value(position.W, position.at, P))


@pytest.mark.parametrize("opening", ["centre", "corner"])
def test_the_mirror_player_wins_gopher_on_odd_sides(opening: str) -> None:
    """Beside a, the only red neighbour of blue's c, lies 2c - a (Steere)."""
    engine = parse_engine(f"gopher[side=5]/mirror:opening={opening}")
    rng, player = random.Random(1), engine.player()
    for _ in range(30):
        position = Position(engine.game)
        while not position.over:
            if position.to_move:
                position.play(rng.choice(position.legal_actions()))
                continue
            position.play(player.choose(position).action)
            assert position.ply == 1 or mirrored_by_hand(position)
        assert position.returns() == [1.0, 0.0]


def mirrored_by_hand(position: Position) -> bool:
    """Whether the middle between the last stone and some red one is the blue stone before it."""
    places = position.game.board.places  # type: ignore[attr-defined]
    blue, answer = (places[c] for c in position.moves[-2:])
    red = (2 * blue[0] - answer[0], 2 * blue[1] - answer[1])
    return red in [places[c] for c in position.moves[0:-1:2]]


def test_the_mirror_player_plays_on_where_nothing_is_mirrored() -> None:
    engine = parse_engine("gopher[side=3]/mirror")
    position, player = Position(engine.game), engine.player()
    while not position.over:
        action = player.choose(position).action
        assert position.is_legal(action)
        position.play(action)
    with pytest.raises(Refused, match=r"mirror needs an odd side; gopher.side=6. is even"):
        parse_engine("gopher/mirror")
    with pytest.raises(Refused, match="mirror is for gopher, not for dodo"):
        parse_engine("dodo/mirror")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "depth", "first"),
    [("gopher[side=2]", 7, True), ("gopher[side=3]", 19, True), ("gopher[side=4]", 37, True),
     ("dodo[side=2]", 9, False)],
)  # fmt: skip
def test_alphabeta_knows_who_wins_small_boards(name: str, depth: int, first: bool) -> None:
    """The values of the facts: Gopher's first player wins on sides 2 to 4, Dodo's second on 2."""
    engine = parse_engine(f"{name}/alphabeta:evaluation=mobility,depth={depth}")
    value = engine.player().choose(Position(engine.game)).value
    assert value is not None and abs(value) > 1e6 and (value > 0) == first


def test_armies_drawings_and_names_of_cells() -> None:
    position = Position(parse_game("dodo"))
    drawn = plain(position.game.draw(position.W, position.at)).splitlines()
    assert drawn[0] == "   O" and drawn[-1] == "   X" and drawn[5] == ". . . ."
    cells = position.game.cells(position.W, position.at)  # type: ignore[attr-defined]
    assert (cells.count(1), cells.count(2)) == (13, 13)
    assert [usual_threshold(side) for side in range(2, 8)] == [1, 1, 2, 3, 4, 5]
    for text in ("b4c5", "(-2,0)(-1,1)", "(-2, 0) (-1, 1)"):
        assert position.game.action_text(position.game.action_of(text)) == "b4c5"
    gopher = parse_game("gopher")
    assert gopher.action_text(gopher.action_of("(0, 0)")) == "f6"
    assert gopher.action_of("f6") == gopher.action_of("(0,0)")


@pytest.mark.parametrize(
    ("game", "text", "said"),
    [
        ("dodo", "b4", "'b4' is no move; allowed: two neighbouring cells"),
        ("dodo", "a1g7", "the cells are no neighbours"),
        ("dodo", "z1a1", "is no move"),
        ("gopher", "(9, 9)", "is no move; allowed: a cell, d4 or"),
        ("gopher", "f6f7", "is no move"),
        ("gopher", "", "is no move"),
    ],
)
def test_what_is_no_move_is_refused(game: str, text: str, said: str) -> None:
    with pytest.raises(Refused, match=said.replace("(", r"\(")):
        parse_game(game).action_of(text)


@pytest.mark.parametrize(
    ("game", "said"),
    [
        ("dodo[threshold=0]", "threshold = 0 is not a whole number from 1 to 12"),
        ("dodo[side=3,threshold=5]", "threshold = 5 leaves no checkers on side 3; allowed: 1 to 4"),
        ("dodo[side=8]", "side = 8 is not a whole number from 2 to 7"),
        ("gopher[side=1]", "side = 1 is not a whole number from 2 to 7"),
        ("dodo[side=x]", "side = 'x' is not a whole number from 2 to 7"),
    ],
)
def test_sizes_that_are_none_are_refused(game: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        parse_game(game)


def test_a_position_holds_no_more_checkers_than_an_army() -> None:
    text = "O/OO/XXX/2/XXX/2/XXX/2/1"
    with pytest.raises(Refused, match=r"checkers X; dodo\[side=3,threshold=1\] has 8"):
        parse_position(parse_game("dodo[side=3]"), f"{text} X")

"""The slow twins of Vampires vs Werewolves and of Langorou against published and measured facts."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from joute.engines.games.vampires.board import VampiresBoard, parse_board
from joute.engines.games.vampires.maps import draw, load
from tests.engines.slow_vampires import (
    Searcher,
    Weights,
    branches,
    cumulated,
    evaluation,
    legal,
    outcome_distribution,
    outcomes,
    play,
    probability,
    returns,
    search,
    turns,
)

# Attackers, defenders, P, mean survivors of a win and of a loss: 200,000 draws of the official game.
MEASURED = [
    (12, 14, 0.4286, 5.138, 8.000),
    (20, 15, 0.8333, 16.667, 2.495),
    (10, 10, 0.5, 5.000, 4.999),
    (4, 10, 0.2, 0.791, 8.002),
    (14, 10, 0.9, 12.602, 0.995),
    (1, 3, 0.1667, 0.166, 2.500),
]


@pytest.mark.parametrize(("n", "k", "p", "won", "lost"), MEASURED)
def test_battles_go_as_measured(n: int, k: int, p: float, won: float, lost: float) -> None:
    assert probability(n, k, False) == pytest.approx(p, abs=5e-5)
    found = list(outcomes(n, k, False))
    assert sum(chance for chance, *_ in found) == pytest.approx(1)
    for winner, mean, chance in ((True, won, p), (False, lost, 1 - p)):
        total = sum(q * left for q, who, left in found if who is winner)
        assert total == pytest.approx(chance * mean, abs=0.01)


def test_certain_battles() -> None:
    assert probability(15, 10, False) == probability(8, 8, True) == 1
    assert probability(7, 8, True) == 7 / 16 and probability(3, 2, False) == 1


def refuse(*_: object) -> tuple[bool, int]:
    raise AssertionError("nothing random was to happen")


def test_certain_turns() -> None:
    board = parse_board("3x3 V15@0,0 V3@2,0 W10@1,1 H18@2,2 turn V")
    after = play(board, [((0, 0), 15, (1, 1))], refuse)
    assert after.text() == "3x3 V3@2,0 V15@1,1 H18@2,2 turn W"
    board = parse_board("3x3 V15@1,1 V3@2,1 W1@0,0 H18@2,2 turn V")
    both = [((1, 1), 15, (2, 2)), ((2, 1), 3, (2, 2))]
    assert play(board, both, refuse).text() == "3x3 V36@2,2 W1@0,0 turn W"
    parts = [((1, 1), 5, (1, 2)), ((1, 1), 5, (0, 1)), ((1, 1), 4, (1, 2))]
    assert (
        play(board, parts, refuse).text() == "3x3 V5@0,1 V1@1,1 V3@2,1 V9@1,2 W1@0,0 H18@2,2 turn W"
    )


def test_random_battles_are_asked_in_order_and_may_empty_a_cell() -> None:
    board = parse_board("4x2 V4@0,0 V2@3,0 W10@1,1 H5@2,1 turn V")
    asked = []

    def decide(i: int, n: int, k: int, human: bool) -> tuple[bool, int]:
        asked.append((i, n, k, human))
        return human, 0 if human else 8

    after = play(board, [((3, 0), 2, (2, 1)), ((0, 0), 4, (1, 1))], decide)
    assert asked == [(0, 2, 5, True), (1, 4, 10, False)]
    assert after.text() == "4x2 W8@1,1 turn W"
    assert returns(after, 1) == [-1, 1]
    found = outcome_distribution(parse_board("2x1 V1@0,0 W1@1,0"), [((0, 0), 1, (1, 0))])
    assert found == {
        "2x1 turn W": pytest.approx(0.5),
        "2x1 V1@1,0 turn W": pytest.approx(0.25),
        "2x1 W1@1,0 turn W": pytest.approx(0.25),
    }


def test_legal_turns() -> None:
    board = parse_board("3x3 V8@0,0 V200@1,0 W3@2,2 H60@0,1 turn V")
    assert legal(board, [((0, 0), 3, (1, 1)), ((0, 0), 3, (1, 1)), ((0, 0), 2, (0, 1))])
    assert legal(board, [((0, 0), 8, (1, 0))])
    for moves in (
        [],
        [((0, 0), 9, (1, 1))],
        [((0, 0), 5, (1, 1)), ((0, 0), 4, (0, 1))],
        [((0, 0), 8, (0, 0))],
        [((0, 0), 8, (2, 0))],
        [((0, 0), 8, (-1, 0))],
        [((0, 0), 0, (1, 1))],
        [((2, 2), 3, (1, 1))],
        [((0, 1), 3, (1, 1))],
        [((0, 0), 8, (1, 0)), ((1, 0), 100, (0, 0))],
        [((0, 0), 8, (1, 0)), ((1, 0), 100, (2, 0))],
        [((1, 0), 200, (0, 1))],  # 260 in a cell
    ):
        assert not legal(board, moves)


@pytest.mark.parametrize(
    ("text", "ply", "expected"),
    [
        ("3x3 V3@0,0 W3@1,1", 199, None),
        ("3x3 V3@0,0 W3@1,1", 200, [0, 0]),
        ("3x3 V3@0,0 W2@1,1", 200, [1, -1]),
        ("3x3 V1@0,0 V1@0,1 W3@1,1", 200, [-1, 1]),
        ("3x3 W3@1,1", 7, [-1, 1]),
        ("3x3 V3@1,1", 7, [1, -1]),
        ("3x3", 7, [-1, 1]),
    ],
)
def test_ends(text: str, ply: int, expected: list[float] | None) -> None:
    assert returns(parse_board(text), ply) == expected


def test_turns_of_two_neighbours() -> None:
    found = turns(parse_board("2x2 V1@0,0 V1@1,0"), 2)
    assert len(found) == 10 == len(set(found))
    assert found[0] == (((1, 0), 1, (1, 1)),)


def test_order_of_turns_and_when_groups_split() -> None:
    board = parse_board("3x3 V5@1,1 W1@0,0 H2@2,2")
    steps = [(1, 0), (1, 2), (2, 1), (0, 1), (2, 0), (2, 2), (0, 0), (0, 2)]
    assert turns(board, 1) == [(((1, 1), 5, to),) for to in steps]
    assert turns(board, 2) == [(((1, 1), n, to),) for n in (5, 2) for to in steps]
    assert len(turns(replace(board, humans={(2, 2): 3}), 2)) == 8
    assert len(turns(replace(board, humans={}), 2)) == 8
    full = parse_board("2x1 V200@0,0 H56@1,0")
    assert turns(full, 1) == [] and turns(full, 2) == [(((0, 0), 100, (1, 0)),)]
    assert turns(parse_board("1x1 V200@0,0"), 2) == []


def test_every_turn_is_legal() -> None:
    for seed in range(30):
        board = draw("random:vamperouge", seed)
        for turn in turns(board, 2):
            assert legal(board, turn)


def test_simulations() -> None:
    board = parse_board("2x2 V20@1,1 H10@0,0")
    found = branches(board, [((1, 1), 11, (0, 0))], 1.0)
    assert [(p, b.text()) for p, b in found] == [(1.0, "2x2 V21@0,0 V9@1,1 turn W")]
    found = branches(board, [((1, 1), 8, (0, 0))], 1.0)
    assert [(p, b.text()) for p, b in found] == [
        (0.4, "2x2 V7@0,0 V12@1,1 turn W"),
        (0.6, "2x2 V12@1,1 H6@0,0 turn W"),
    ]


def test_thresholds_and_rounding() -> None:
    def after(n: int, k: int, threshold: float) -> list[tuple[float, str]]:
        board = parse_board(f"2x1 V{n}@0,0 W{k}@1,0")
        found = branches(board, [((0, 0), n, (1, 0))], threshold)
        return [(p, b.text().removeprefix("2x1 ").removesuffix(" turn W")) for p, b in found]

    assert after(20, 15, 0.8) == [(1.0, "V16@1,0")]
    assert after(4, 10, 0.79) == [(1.0, "W8@1,0")]
    assert after(4, 10, 0.8) == [(0.2, "turn W"), (0.8, "W8@1,0")]  # 0.2 is not below 1 - 0.8
    assert 14 / 10 - 0.5 < 0.9  # so that (1 - P) * 10 is a little over 1
    assert [text for _, text in after(14, 10, 1.0)] == ["V12@1,0", "W1@1,0"]
    assert [text for _, text in after(11, 10, 1.0)] == ["V6@1,0", "W3@1,0"]  # 6.6 and 3.99...


def test_branches_of_two_battles() -> None:
    board = parse_board("4x2 V4@0,0 V2@3,0 W10@0,1 H5@3,1")
    found = branches(board, [((0, 0), 4, (0, 1)), ((3, 0), 2, (3, 1))], 1.0)
    assert [p for p, _ in found] == pytest.approx([0.2 * 0.2, 0.2 * 0.8, 0.8 * 0.2, 0.8 * 0.8])
    assert [b.text() for _, b in found] == [
        "4x2 V1@3,1 turn W",
        "4x2 H4@3,1 turn W",
        "4x2 V1@3,1 W8@0,1 turn W",
        "4x2 W8@0,1 H4@3,1 turn W",
    ]


def mirrored(board: VampiresBoard) -> VampiresBoard:
    def moved(cells: object) -> dict[tuple[int, int], int]:
        return {(board.columns - 1 - x, y): n for (x, y), n in cells.items()}  # type: ignore[attr-defined]

    species = (moved(board.humans), moved(board.vampires), moved(board.werewolves))
    return VampiresBoard(board.columns, board.rows, *species, turn=board.turn)


def test_evaluation_by_hand() -> None:
    board = parse_board("10x10 V8@0,0 W8@8,8 H6@1,0 H10@1,1")
    houses = (6 + max(0, 0.4 * 18 - 8)) - (6 / 8 + 0)
    assert evaluation(board, 0, 0.0, Weights()) == pytest.approx(0.03 * houses)
    board = parse_board("3x1 V6@0,0 W4@2,0")
    there, back = (1 * 10 - 4) / 2, (4 / 12 * 10 - 6) / 2
    exact = 2 + 0.02 * 2 * (there - back) + 1e-4 * 7
    assert evaluation(board, 0, 7.0, Weights()) == pytest.approx(exact)
    assert evaluation(parse_board("3x1 V6@0,0"), 0, 7.0, Weights()) == 1e10 - 7e-4
    lost = Weights(lose_over_win_ratio=0.8)
    assert evaluation(parse_board("3x1 V6@0,0"), 1, -7.0, lost) == -8e9 - 7e-4
    assert evaluation(parse_board("3x1"), 0, 0.0, Weights()) == -1e10
    assert cumulated(board, 1, 0.5, 100) == 0.5 - 0.9 * 2


def test_evaluation_is_symmetric() -> None:
    weights = Weights(groups=-0.5)
    for seed in range(50):
        board = draw("random:vamperouge", seed)
        value = evaluation(board, 0, 3.0, weights)
        assert value == pytest.approx(-evaluation(board, 1, -3.0, weights), abs=1e-12)
        assert value == pytest.approx(evaluation(mirrored(board), 0, 3.0, weights), abs=1e-9)
        # The sides of a drawn map are each other's images.
        assert evaluation(board, 0, 0.0, weights) == pytest.approx(0, abs=1e-9)


# Langorou's own cases: vampires to move, the one best turn at depths 1 to 5.
CASES = {
    "1.1": ("3x3 V12@0,2 W14@2,0 H10@0,0", (12, (0, 1)), 4),
    "2": ("10x10 V8@0,0 W8@8,8 H6@1,0 H10@1,1", (8, (1, 0)), 3),
    "4": ("10x10 V10@1,1 W10@0,0 H6@0,1", (10, (0, 1)), 3),
    "4.1": ("10x10 V10@0,0 W10@1,1 H6@0,1", (10, (0, 1)), 3),
    "5": ("2x2 V20@1,1 W15@1,0 H10@0,0", (20, (1, 0)), 4),
    "6": ("3x3 V30@0,2 W12@2,0", (30, (1, 1)), 4),
}


@pytest.mark.parametrize("name", CASES)
def test_langorou_s_cases(name: str) -> None:
    text, (count, to), deepest = CASES[name]
    for depth in range(1, deepest + 1):
        for last_wins in (True, False):
            _, turn = search(
                parse_board(text), depth, window="full", last_wins=last_wins, cut_equal=False
            )
            assert turn is not None and turn[0][1:] == (count, to) and len(turn) == 1


def minimax(
    board: VampiresBoard, me: int, depth: int, ply: int, cum: float, threshold: float
) -> float:
    """The value without any window."""
    listed = turns(board, 2) if depth and board.vampires and board.werewolves else []
    if not listed:
        return evaluation(board, me, cum, Weights())
    after = cumulated(board, me, cum, ply)
    values = [
        sum(
            p * minimax(b, me, depth - 1, ply + 1, after, threshold)
            for p, b in branches(board, turn, threshold)
        )
        for turn in listed
    ]
    return max(values) if board.turn == me else min(values)


def small(seed: int) -> VampiresBoard:
    """Return a small crowded board, either side to move."""
    stream = Random(seed)
    columns, rows = stream.randint(2, 4), stream.randint(1, 3)
    cells = [(x, y) for x in range(columns) for y in range(rows)]
    stream.shuffle(cells)
    species: list[dict[tuple[int, int], int]] = [{}, {}, {}]
    for i, cell in enumerate(cells[: stream.randint(2, 5)]):
        kind = (1, 2)[i] if i < 2 else stream.randint(0, 2)
        species[kind][cell] = stream.choice((1, 2, 5, 8, 9, 12, 14, stream.randint(1, 120)))
    return VampiresBoard(columns, rows, *species, turn=stream.randint(0, 1))


@pytest.mark.parametrize("window", ["full", "star1"])
@pytest.mark.parametrize("cut_equal", [True, False])
def test_windows_keep_the_value(window: str, cut_equal: bool) -> None:
    for seed in range(25):
        board, threshold = small(seed), (1.0, 0.8)[seed % 2]
        exact = minimax(board, board.turn, 2, 0, 0.0, threshold)
        value, turn = search(board, 2, None, threshold, 2, window, True, cut_equal)
        assert value == pytest.approx(exact, rel=1e-12, abs=1e-5 if window == "star1" else 1e-9)
        assert (turn is None) == (not turns(board, 2))


def test_shared_windows_are_full_ones_where_nothing_branches() -> None:
    for seed in range(15):
        board = small(seed)
        assert search(board, 2, None, 0.5, 2, "shared") == search(board, 2, None, 0.5, 2, "full")


def test_equal_turns() -> None:
    board = parse_board("3x3 V5@1,1 W5@0,0")
    board = replace(board, werewolves={(1, 0): 1})
    nothing = Weights(counts=0, battles=0, neutral_battles=0, cum_score=0, win_score=0)
    first = search(board, 1, nothing, last_wins=False)[1]
    last = search(board, 1, nothing, last_wins=True)[1]
    assert (first, last) == ((((1, 1), 5, (1, 0)),), (((1, 1), 5, (0, 2)),))


def test_cuts_at_equality_may_take_a_worse_turn() -> None:
    """What the original's rule costs: somewhere its turn is worse than the best by the exact value."""
    worse = 0
    for seed in range(60):
        board = small(seed)
        _, chosen = search(board, 2, None, 0.5, 2, "shared", last_wins=True, cut_equal=True)
        if chosen is None:
            continue
        cum = cumulated(board, board.turn, 0.0, 0)
        exact = minimax(board, board.turn, 2, 0, 0.0, 0.5)
        ((_, after),) = branches(board, chosen, 0.5)
        worse += minimax(after, board.turn, 1, 1, cum, 0.5) < exact - 1e-9
    assert worse > 0


def test_nodes_and_a_real_map() -> None:
    searcher = Searcher(Weights(), 0.8, 2, "shared")
    board = load("thetrap")
    _, turn = searcher.search(board, 1)
    assert searcher.nodes == sum(len(branches(board, t, 0.8)) for t in turns(board, 2))
    assert turn in turns(board, 2)

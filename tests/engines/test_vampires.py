"""The kernels of Vampires vs Werewolves against the slow twin and the numbers of the course's rules."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from joute.engines.engine import Engine, parse_engine, parse_game
from joute.engines.errors import Refused
from joute.engines.games.vampires.board import VampiresBoard
from joute.engines.games.vampires.field import LOST, WON, probability
from joute.engines.games.vampires.langorou.evaluation import Langorou
from joute.engines.games.vampires.langorou.generator import BRANCHES
from joute.engines.games.vampires.vampires import GroupMove, Vampires, action_of
from joute.engines.kernels.compile import U
from joute.engines.kernels.random import stream
from joute.engines.position import Position, parse_position
from tests.engines import slow_vampires as slow
from tests.support.vampire_boards import WEIGHTS, crowded, set_up, twin_moves

FIELD = "vampires[map=testmap]"


@pytest.fixture(scope="module")
def game() -> Vampires:
    found = parse_game(FIELD)
    assert isinstance(found, Vampires)
    return found


def behind(engine: Engine) -> int:
    """Return where the generator's parameters begin: behind those of search and evaluation."""
    return engine.search.base + len(Langorou.parameters)


@pytest.mark.parametrize("seed", range(40))
def test_turns_and_battles_are_the_twins(game: Vampires, seed: int) -> None:
    board, S = crowded(seed), stream(seed)
    position = set_up(game, board)
    assert position.text() == board.text() and game.board(position.W, position.at) == board
    for number in range(12):
        if position.over:
            break
        action = position.sample_action(S)
        moves = twin_moves(action)
        assert slow.legal(board, moves) and position.is_legal(action)
        assert game.parse_action(game.action_text(action)) == action
        outcome = position.draw_outcome(action, 100 * seed + number)
        results = [outcome >> 10 * i & 1023 for i in range(len(moves))]
        battles = iter([r for r in results if r])
        board = slow.play(board, moves, lambda *_, left=battles: told(next(left)))
        position.play(action, outcome)
        assert next(battles, None) is None
        assert game.board(position.W, position.at) == board
        after = slow.returns(board, position.ply)
        assert (after is not None) == position.over
        assert after is None or [(r + 1) / 2 for r in after] == position.returns()


def told(result: int) -> tuple[bool, int]:
    """Return who won and the survivors."""
    return bool(result & WON), result & 255


@pytest.mark.parametrize("seed", range(300))
def test_legality_is_the_twins(game: Vampires, seed: int) -> None:
    chance, board = Random(seed), crowded(seed, most=250)
    position = set_up(game, board)
    for _ in range(20):
        moves = []
        for _ in range(chance.randint(0, 4)):
            x, y = chance.choice([*board.vampires, *board.werewolves, (0, 0)])
            end = (x + chance.randint(-1, 1), y + chance.randint(-1, 1))
            if end != (x, y):
                moves.append(GroupMove((x, y), chance.choice((1, 2, 5, 12, 250)), end))
        assert position.is_legal(action_of(moves)) == slow.legal(board, [tuple(m) for m in moves])


@pytest.mark.parametrize("groups", [1, 2, 3])
@pytest.mark.parametrize("threshold", [1.0, 0.8, 0.5])
def test_listed_turns_and_assumed_battles_are_the_twins(
    game: Vampires, groups: int, threshold: float
) -> None:
    engine = parse_engine(
        f"{FIELD}/expectiminimax:evaluation=langorou,max_groups={groups},win_threshold={threshold}"
    )
    k = engine.generator.kernels(game, game.words, behind(engine))
    P = engine.vector
    A, O, F = np.zeros(game.slots, np.int64), np.zeros(BRANCHES, np.int64), np.zeros(BRANCHES)
    assert k.prepare is not None and k.outcomes is not None and k.assume is not None
    for seed in range(150):
        board = crowded(seed, groups=3)
        position = set_up(game, board)
        k.prepare(position.W, position.at, P)
        W = np.zeros(2 * game.words, np.uint64)
        W[: game.words] = position.words()
        codes = [int(c) for c in A[: k.actions(W, 0, A, 0)]]
        turns = slow.turns(board, groups)
        assert [twin_moves(game.decode(position.W, position.at, c)) for c in codes] == [
            list(t) for t in turns
        ]
        for code, turn in list(zip(codes, turns, strict=True))[:: max(1, len(codes) // 12)]:
            n = k.outcomes(W, 0, code, O, 0, F, 0)
            branches = slow.branches(board, turn, threshold)
            assert len(branches) == n
            for (p, after), outcome, weight in zip(branches, O[:n], F[:n], strict=True):
                k.assume(W, 0, U(game.words), code, outcome)
                assert weight == pytest.approx(p, rel=1e-12)
                assert game.board(W, game.words) == after


def test_sampled_turns_are_the_games_own(game: Vampires) -> None:
    """A turn coded by groups does what the whole turn does, by the real rules."""
    k = parse_engine(f"{FIELD}/uct:generator=langorou,iterations=9").generator.kernels(game, 0, 8)
    A, S = np.zeros(game.slots, np.int64), stream(3)
    for seed in range(300):
        position = set_up(game, crowded(seed, groups=3))
        W = np.zeros(2 * game.words, np.uint64)
        W[: game.words] = position.words()
        W[int(game.state.knobs)] = 3
        code = k.sample(W, 0, A, 0, S)
        action = game.decode(position.W, position.at, code)
        assert position.is_legal(action)
        assert k.outcome is not None
        outcome = k.outcome(W, 0, code, stream(seed))
        assert outcome == position.draw_outcome(action, seed)
        k.apply(W, 0, U(game.words), code, outcome)
        W[game.words + int(game.state.knobs)] = 0
        position.play(action, outcome)
        assert W[game.words :].tolist() == position.words().tolist()


@pytest.mark.parametrize("window", ["full", "shared"])
@pytest.mark.parametrize("ties", ["first", "last"])
def test_searches_are_the_twins(game: Vampires, window: str, ties: str) -> None:
    weights = ",".join(f"{k}={v}" for k, v in WEIGHTS.items())
    for seed in range(60):
        depth, groups, threshold = 1 + seed % 3, 1 + seed % 2, (1.0, 0.8)[seed // 2 % 2]
        board = crowded(seed, groups=2)
        if len(slow.turns(board, groups)) ** depth > 4000:
            depth = 1
        engine = parse_engine(
            f"{FIELD}/expectiminimax:evaluation=langorou,depth={depth},window={window},ties={ties},"
            f"deepening=off,max_groups={groups},win_threshold={threshold},{weights}"
        )
        position = set_up(game, board)
        found = engine.player().choose(position)
        rules = slow.Searcher(
            slow.Weights(**WEIGHTS), threshold, groups, window, last_wins=ties == "last"
        )
        value, turn = rules.search(board, depth)
        assert turn is not None and found.nodes == rules.nodes
        assert found.value == pytest.approx(value, rel=1e-9, abs=1e-9)
        assert twin_moves(found.action) == list(turn)


def test_deepening_finds_the_same_values(game: Vampires) -> None:
    for seed in range(20):
        position = set_up(game, crowded(seed, groups=2))
        found = [
            parse_engine(
                f"{FIELD}/expectiminimax:evaluation=langorou,depth=3,deepening={deepening}"
            )
            .player()
            .choose(position)
            for deepening in ("on", "off")
        ]
        assert found[0].value == pytest.approx(found[1].value, rel=1e-9, abs=1e-9)


def test_battles_follow_the_formula() -> None:
    for n in range(1, 256):
        for k in range(1, 256):
            for human in (0, 1):
                certain = n >= k if human else 2 * n >= 3 * k
                p = probability(n, k, human)
                if not (human and n == k):
                    assert p == pytest.approx(slow.probability(n, k, bool(human)), abs=1e-15)
                assert certain == (slow.probability(n, k, bool(human)) == 1)


@pytest.mark.parametrize(
    ("n", "k", "human", "p", "won", "lost"),
    [
        (12, 14, "W", 0.4286, 5.138, 8.0),
        (20, 15, "W", 0.8333, 16.667, 2.495),
        (10, 10, "W", 0.5, 5.0, 4.999),
        (4, 10, "W", 0.2, 0.791, 8.002),
        (14, 10, "W", 0.9, 12.602, 0.995),
        (1, 3, "W", 0.1667, 0.166, 2.5),
        (8, 10, "H", 0.4, 7.2, 6.0),
    ],
)
def test_draws_have_the_facts_means(
    game: Vampires, n: int, k: int, human: str, p: float, won: float, lost: float
) -> None:
    other = "" if human == "W" else " W1@3,3"
    position = parse_position(game, f"4x4 V{n}@0,0 {human}{k}@1,0{other} turn V")
    code = 1 + 2 << 10  # cell 0, all of it, to the right
    rules = parse_engine(f"{FIELD}/uct:generator=langorou,iterations=9").generator
    outcome, S, draws = rules.kernels(game, 0, 8).outcome, stream(n * k), 200_000
    assert outcome is not None
    results = np.array([outcome(position.W, position.at, code, S) for _ in range(draws)])
    wins = results[(results & WON) != 0] & 255
    losses = results[(results & LOST) != 0] & 255
    assert len(wins) + len(losses) == draws
    chance = slow.probability(n, k, human == "H")
    assert abs(len(wins) / draws - chance) < 4 * np.sqrt(chance * (1 - chance) / draws)
    assert abs(chance - p) < 1e-4
    for found, expected in ((wins, won), (losses, lost)):
        assert abs(found.mean() - expected) < 4 * found.std() / np.sqrt(len(found)) + 0.006
    empty = (1 - chance) ** n if human == "W" else (1 - chance) ** (n + k)
    rate = (wins == 0).mean()
    assert abs(rate - empty) < 4 * np.sqrt(empty * (1 - empty) / len(wins)) + 1e-9


def test_one_against_one_empties_the_cell_half_the_time(game: Vampires) -> None:
    position = parse_position(game, "2x2 V1@0,0 W1@1,0 turn V")
    action, draws = game.parse_action("(0,0)>(1,0):1"), 20_000
    results = [position.draw_outcome(action, seed) & 255 for seed in range(draws)]
    assert abs(results.count(0) / draws - 0.5) < 4 * np.sqrt(0.25 / draws)
    # Both sides gone is the werewolves' win.
    position.play(action, WON)
    assert position.status == 2


@pytest.mark.parametrize(
    ("plies", "board", "status"),
    [(2, "3x3 V5@0,0 W4@2,2", 1), (2, "3x3 V4@0,0 W5@2,2", 2), (2, "3x3 V4@0,0 W4@2,2", 3)],
)
def test_the_larger_side_wins_at_the_end(plies: int, board: str, status: int) -> None:
    position = parse_position(parse_game(f"vampires[plies={plies}]"), board)
    for text in ("(0,0)>(1,0):4", "(2,2)>(2,1):4"):
        assert not position.over
        position.play(position.game.parse_action(text))
    assert position.status == status
    assert position.returns() == [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]][status - 1]


def test_actions_cannot_be_listed(game: Vampires) -> None:
    with pytest.raises(Refused, match="cannot be listed"):
        Position(game).legal_actions()
    with pytest.raises(Refused, match="cannot be listed"):
        parse_engine(f"{FIELD}/uct:generator=all,iterations=9")
    assert "generator=langorou" in parse_engine(f"{FIELD}/uct:iterations=9").text


@pytest.mark.parametrize(
    "text",
    ["(0,0)>(2,0):1", "(0,0)>(0,0):1", "(0,0)>(1,0):0", "(0,0)>(1,0):256", "up", "(0,0)>(1,0)", ""],
)
def test_what_is_no_turn_is_refused(game: Vampires, text: str) -> None:
    with pytest.raises(Refused):
        game.parse_action(text)


def test_turns_of_any_length_have_a_text(game: Vampires) -> None:
    cells = [(x, y) for x in range(0, 6, 2) for y in range(0, 5, 2)]
    board = VampiresBoard(6, 5, {}, dict.fromkeys(cells, 9), {(5, 4): 3}, 0)
    text = "+".join(f"({x},{y})>({x + 1},{y}):{1 + x}" for x, y in cells)
    position = set_up(game, board)
    action = game.parse_action(text)
    assert action > 1 << 64 and game.action_text(action) == text and position.is_legal(action)
    position.play(action, position.draw_outcome(action, 1))
    assert len(position.outcomes) == 1 and game.board(position.W, position.at).turn == 1


def test_keys_are_equal_under_the_boards_symmetries(game: Vampires) -> None:
    for seed in range(60):
        board = crowded(seed)
        key = set_up(game, board).key()
        far_x, far_y = board.columns - 1, board.rows - 1
        for turned in (
            mapped(board, lambda x, y, f=far_x: (f - x, y)),
            mapped(board, lambda x, y, f=far_y: (x, f - y)),
        ):
            assert set_up(game, turned).key() == key
        if board.columns == board.rows:
            assert set_up(game, mapped(board, lambda x, y: (y, x))).key() == key
        assert set_up(game, replace(board, turn=1 - board.turn)).key() != key


def mapped(board: VampiresBoard, where: object) -> VampiresBoard:
    """Return the board with every cell moved."""
    kinds = (board.humans, board.vampires, board.werewolves)
    moved = [{where(*cell): n for cell, n in kind.items()} for kind in kinds]  # type: ignore[operator]
    return VampiresBoard(board.columns, board.rows, *moved, turn=board.turn)


def test_values_and_numbers_of_turns_on_ten_thousand_positions(game: Vampires) -> None:
    weights = ",".join(f"{k}={v}" for k, v in WEIGHTS.items())
    engine = parse_engine(f"{FIELD}/expectiminimax:evaluation=langorou,{weights}")
    assert engine.evaluation is not None
    kernels = engine.evaluation.kernels(game, engine.search.base)
    rules = engine.generator.kernels(game, game.words, behind(engine))
    assert rules.prepare is not None
    P, A, at = engine.vector, np.zeros(game.slots, np.int64), U(kernels.scratch)
    W = np.zeros(kernels.scratch + game.words + kernels.words, np.uint64)
    for seed in range(10_000):
        board = crowded(seed, groups=2, most=250)
        game.write_board(board, W, int(at))
        rules.prepare(W, at, P)
        kernels.init(W, at, P)
        assert kernels.final is not None
        expected = slow.evaluation(board, board.turn, 0.0, slow.Weights(**WEIGHTS))
        for kernel in (kernels.value, kernels.final):
            assert kernel(W, at, P) == pytest.approx(expected, rel=1e-12, abs=1e-12)
        assert rules.actions(W, at, A, 0) == len(slow.turns(board, 2))


def test_the_facts_numbers_of_turns_and_outcomes(game: Vampires) -> None:
    engine = parse_engine(f"{FIELD}/expectiminimax:evaluation=langorou")
    rules = engine.generator.kernels(game, game.words, behind(engine))
    A, O, F = np.zeros(game.slots, np.int64), np.zeros(BRANCHES, np.int64), np.zeros(BRANCHES)
    W = np.zeros(2 * game.words, np.uint64)

    def prepared(text: str) -> None:
        game.write_position(text, W, 0)
        assert rules.prepare is not None
        rules.prepare(W, 0, engine.vector)

    prepared("2x2 V1@0,0 V1@1,0 W1@0,1 turn V")
    game.write_position("2x2 V1@0,0 V1@1,0 turn V", W, 0)
    assert rules.actions(W, 0, A, 0) == 10
    prepared("2x2 V20@1,1 H10@0,0 W1@1,0 turn V")
    half = next(
        int(c)
        for c in A[: rules.actions(W, 0, A, 0)]
        if game.decode(W, 0, int(c)) == game.parse_action("(1,1)>(0,0):10")
    )
    assert rules.outcomes is not None and rules.assume is not None
    assert rules.outcomes(W, 0, half, O, 0, F, 0) == 1 and F[0] == 1.0
    rules.assume(W, 0, U(game.words), half, O[0])
    assert game.board(W, game.words).vampires == {(0, 0): 20, (1, 1): 10}

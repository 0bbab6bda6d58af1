"""Vampires vs Werewolves in plain Python, and Langorou by the obvious route: the slow twins.

A turn is a tuple of moves; a move is (from, count, to). Boards are engines.games.vampires.board.Board.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import comb, inf, nextafter

from joute.engines.games.vampires.board import MOST_UNITS, Cell, VampiresBoard

Move = tuple[Cell, int, Cell]
Turn = tuple[Move, ...]
# Number of the random battle, attackers, defenders, are they humans -> attackers won, survivors.
Decide = Callable[[int, int, int, bool], tuple[bool, int]]

MAX_PLIES = 200
STEPS = ((0, -1), (0, 1), (1, 0), (-1, 0), (1, -1), (1, 1), (-1, -1), (-1, 1))


# The official rules.


def sides(board: VampiresBoard, me: int) -> tuple[Mapping[Cell, int], Mapping[Cell, int]]:
    """Return the groups of a side and those of the other."""
    both = (board.vampires, board.werewolves)
    return both[me], both[1 - me]


def near(a: Cell, b: Cell) -> int:
    """Return the Chebyshev distance of two cells."""
    return max(abs(a[0] - b[0]), abs(a[1] - b[1]))


def arrivals(moves: Sequence[Move]) -> dict[Cell, int]:
    """Return how many units come into each target, in the order of their first appearance."""
    coming: dict[Cell, int] = {}
    for _, count, target in moves:
        coming[target] = coming.get(target, 0) + count
    return coming


def legal(board: VampiresBoard, moves: Sequence[Move]) -> bool:
    """Whether a turn is legal; one that could leave more than 255 units in a cell is not (ours)."""
    mine, _ = sides(board, board.turn)
    left = dict(mine)
    for source, count, (x, y) in moves:
        inside = 0 <= x < board.columns and 0 <= y < board.rows
        if source not in mine or count < 1 or near(source, (x, y)) > 1 or not inside:
            return False
        left[source] -= count
    sources = {source for source, _, _ in moves}
    coming = arrivals(moves)
    return (
        len(moves) > 0
        and all(count >= 0 for count in left.values())
        and sources.isdisjoint(coming)
        and fits(board, coming)
    )


def fits(board: VampiresBoard, coming: Mapping[Cell, int]) -> bool:
    """Whether no target could hold more units than a byte; enemies make no room and take none."""
    mine, _ = sides(board, board.turn)
    there = {**board.humans, **mine}
    return all(n + there.get(target, 0) <= MOST_UNITS for target, n in coming.items())


def probability(attackers: int, defenders: int, human: bool) -> float:
    """Return P of the attackers; 1 exactly where there is no battle to draw."""
    if attackers >= (1.0 if human else 1.5) * defenders:
        return 1.0
    if attackers == defenders:
        return 0.5
    if attackers < defenders:
        return attackers / (2.0 * defenders)
    return attackers / defenders - 0.5


def play(board: VampiresBoard, moves: Sequence[Move], decide: Decide) -> VampiresBoard:
    """Return the board after a legal turn; `decide` is asked once a random battle, in their order."""
    assert legal(board, moves)
    me, battles = board.turn, 0
    cells = departed(board, moves)
    for target, n in arrivals(moves).items():
        mine, theirs, humans = cells
        human = target in humans
        k = humans.get(target, 0) or theirs.get(target, 0)
        won, survivors = True, n + (k if human else mine.get(target, 0))
        if k and probability(n, k, human) < 1:
            won, survivors = decide(battles, n, k, human)
            assert 0 <= survivors <= (n + k * human if won else k)
            battles += 1
        settle(cells, target, won, survivors)
    return made(board, me, cells)


def departed(board: VampiresBoard, moves: Sequence[Move]) -> list[dict[Cell, int]]:
    """Return own groups without the units that leave, the other side's groups, humans."""
    mine, theirs = map(dict, sides(board, board.turn))
    for source, count, _ in moves:
        mine[source] -= count
        if mine[source] == 0:
            del mine[source]
    return [mine, theirs, dict(board.humans)]


def settle(cells: list[dict[Cell, int]], target: Cell, won: bool, survivors: int) -> None:
    """Put what is left after an arrival into the target: the attackers, or who was there."""
    mine, theirs, humans = cells
    owner = mine if won else theirs if target in theirs else humans
    for species in cells:
        species.pop(target, None)
    if survivors:
        owner[target] = survivors


def made(board: VampiresBoard, me: int, cells: Sequence[Mapping[Cell, int]]) -> VampiresBoard:
    """Return the board of own groups, the other's, humans; the other side is to move."""
    mine, theirs, humans = cells
    both = (mine, theirs) if me == 0 else (theirs, mine)
    return VampiresBoard(board.columns, board.rows, humans, *both, turn=1 - me)


def binomial(n: int, p: float) -> list[float]:
    """Return the probabilities of 0 to n successes."""
    return [comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(n + 1)]


def outcomes(n: int, k: int, human: bool) -> Iterator[tuple[float, bool, int]]:
    """Yield probability, who won and the survivors for every outcome of a random battle."""
    p = probability(n, k, human)
    # Attackers and the humans they convert survive by the same chance: one binomial.
    yield from ((p * q, True, i) for i, q in enumerate(binomial(n + k * human, p)))
    yield from (((1 - p) * q, False, i) for i, q in enumerate(binomial(k, 1 - p)))


def outcome_distribution(board: VampiresBoard, moves: Sequence[Move]) -> dict[str, float]:
    """Return the probability of every board, by its text, that a legal turn may lead to."""
    fought: list[tuple[int, int, bool]] = []

    def note(_: int, n: int, k: int, human: bool) -> tuple[bool, int]:
        fought.append((n, k, human))
        return True, n

    play(board, moves, note)
    found: dict[str, float] = {}
    for drawn in product(*(list(outcomes(*battle)) for battle in fought)):
        chance = 1.0
        for p, _, _ in drawn:
            chance *= p
        text = play(board, moves, lambda i, *_, drawn=drawn: drawn[i][1:]).text()  # type: ignore[misc]
        found[text] = found.get(text, 0.0) + chance
    return found


def returns(board: VampiresBoard, ply: int) -> list[float] | None:
    """Return 1, 0, -1 for vampires and werewolves at the end of a game, None while it goes on.

    Nobody left on either side is a win of the werewolves; after 200 plies more units win.
    """
    vampires, werewolves = sum(board.vampires.values()), sum(board.werewolves.values())
    if vampires and werewolves and ply < MAX_PLIES:
        return None
    if vampires == 0:
        return [-1.0, 1.0]
    if vampires == werewolves:
        return [0.0, 0.0]
    return [1.0, -1.0] if vampires > werewolves else [-1.0, 1.0]


# Langorou: evaluation, turns, expected boards.


@dataclass(frozen=True)
class Weights:
    """Langorou's coefficients; the defaults are its code's."""

    counts: float = 1.0
    battles: float = 0.02
    neutral_battles: float = 0.03
    groups: float = 0.0
    cum_score: float = 1e-4
    win_score: float = 1e10
    lose_over_win_ratio: float = 1.0


def evaluation(board: VampiresBoard, me: int, cum: float, weights: Weights) -> float:
    """Return the value of a board for a side; `cum` is the sum of earlier differences of units."""
    mine, theirs = sides(board, me)
    if not mine:
        return -(weights.win_score * weights.lose_over_win_ratio) + weights.cum_score * cum
    if not theirs:
        return weights.win_score - weights.cum_score * cum
    battles_mine = battles_theirs = 0.0
    for a, n in mine.items():
        for b, k in theirs.items():
            battles_mine += (probability(n, k, False) * (n + k) - k) / near(a, b)
            battles_theirs += (probability(k, n, False) * (n + k) - n) / near(a, b)
    neutral = attraction(mine, board.humans) - attraction(theirs, board.humans)
    units = sum(mine.values()) - sum(theirs.values())
    return (
        weights.counts * units
        + weights.battles * (2.0 * (battles_mine - battles_theirs))  # both orders of every pair
        + weights.neutral_battles * neutral
        + weights.groups * (len(mine) - len(theirs))
        + weights.cum_score * cum
    )


def attraction(groups: Mapping[Cell, int], humans: Mapping[Cell, int]) -> float:
    """Return what a side's groups expect to gain from humans, the near ones counting more."""
    total = 0.0
    for a, n in groups.items():
        for b, k in humans.items():
            total += max(0.0, probability(n, k, True) * (n + k) - n) / near(a, b)
    return total


def cumulated(board: VampiresBoard, me: int, cum: float, ply: int) -> float:
    """Return the sum of differences after one more ply from a board, `ply` plies below the root."""
    mine, theirs = sides(board, me)
    return cum + (1.0 - ply / 1000.0) * (sum(mine.values()) - sum(theirs.values()))


def turns(board: VampiresBoard, max_groups: int) -> list[Turn]:
    """Return the turns Langorou looks at: at most one move a group, all of it or half.

    Groups row by row, the first group's move varying slowest; a group's moves: none, all units in
    the order of STEPS, then half of them. Halves need fewer groups than `max_groups` and twice the
    units of the smallest house.
    """
    mine, _ = sides(board, board.turn)
    smallest = min(board.humans.values(), default=0)
    choices: list[list[Move | None]] = []
    for (x, y), n in mine.items():
        halves = len(mine) < max_groups and smallest > 0 and n >= 2 * smallest
        steps = [
            (x + dx, y + dy)
            for dx, dy in STEPS
            if 0 <= x + dx < board.columns and 0 <= y + dy < board.rows
        ]
        counts = [n, n // 2] if halves else [n]
        choices.append([None, *(((x, y), count, to) for count in counts for to in steps)])
    found = []
    for chosen in product(*choices):
        turn = tuple(move for move in chosen if move is not None)
        starts = {source for source, _, _ in turn}
        coming = arrivals(turn)
        if turn and starts.isdisjoint(coming) and fits(board, coming):
            found.append(turn)
    return found


def branches(
    board: VampiresBoard, moves: Sequence[Move], threshold: float
) -> list[tuple[float, VampiresBoard]]:
    """Return Langorou's outcomes of a turn with their probabilities: expected counts, rounded down.

    Each battle is won, lost, or, between the thresholds, both: won first, the first battle varying
    slowest.
    """
    found = [(1.0, departed(board, moves))]
    for target, n in arrivals(moves).items():
        grown = []
        for chance, cells in found:
            for p, won, survivors in expected(cells, target, n, threshold):
                after = [dict(species) for species in cells]
                settle(after, target, won, survivors)
                grown.append((chance * p, after))
        found = grown
    return [(chance, made(board, board.turn, cells)) for chance, cells in found]


def expected(
    cells: Sequence[Mapping[Cell, int]], target: Cell, n: int, threshold: float
) -> list[tuple[float, bool, int]]:
    """Return probability, who wins, survivors of n units coming into a target."""
    mine, theirs, humans = cells
    human = target in humans
    k = humans.get(target, 0) or theirs.get(target, 0)
    if not k:
        return [(1.0, True, n + mine.get(target, 0))]
    p = probability(n, k, human)
    won = int(p * n + p * k) if human else int(p * n)
    lost = int((1.0 - p) * k)
    if p >= threshold:
        return [(1.0, True, won)]
    if p < 1.0 - threshold:
        return [(1.0, False, lost)]
    return [(p, True, won), (1.0 - p, False, lost)]


# Langorou's search to a fixed depth.


@dataclass
class Searcher:
    """Alpha-beta over turns with chance branches; values are those of the side that moves first.

    `window` says what a branch of a turn with several gets: "shared" the turn's own window, as the
    original (then a value may be a mean of bounds); "full" an infinite one, "star1" Ballard's, for
    values within +-`bound` (both give the exact value, star1 up to rounding of `bound`). A turn of one branch gets the turn's own.
    `last_wins`: of equal turns the last is returned. `cut_equal`: a reply that only reaches the
    other side's bound cuts, as in the original; then a turn that was cut at the best value looks
    equal to the best, and with `last_wins` replaces it, although it may be worse.
    """

    weights: Weights
    threshold: float
    max_groups: int
    window: str = "full"
    last_wins: bool = True
    cut_equal: bool = True
    bound: float = 2e10
    me: int = 0
    nodes: int = 0  # boards made

    def search(self, board: VampiresBoard, depth: int) -> tuple[float, Turn | None]:
        """Return value and turn; no turn where the game is over or nothing can move."""
        self.me, self.nodes = board.turn, 0
        return self.best(board, depth, 0, 0.0, -inf, inf)

    def best(
        self, board: VampiresBoard, depth: int, ply: int, cum: float, alpha: float, beta: float
    ) -> tuple[float, Turn | None]:
        over = not board.vampires or not board.werewolves
        listed = [] if depth == 0 or over else turns(board, self.max_groups)
        if not listed:
            return evaluation(board, self.me, cum, self.weights), None
        sign = 1.0 if board.turn == self.me else -1.0
        cum = cumulated(board, self.me, cum, ply)
        value: float = -sign * inf
        chosen: Turn | None = None
        for turn in listed:
            score = self.score(board, turn, depth, ply, cum, alpha, beta)
            if chosen is None or sign * score > sign * value or (score == value and self.last_wins):
                value, chosen = score, turn
            if self.cuts(value, beta) if sign > 0 else self.cuts(alpha, value):
                break
            if sign > 0:
                alpha = max(alpha, value)
            else:
                beta = min(beta, value)
        return value, chosen

    def cuts(self, low: float, high: float) -> bool:
        return low > high or (self.cut_equal and low == high)

    def score(
        self,
        board: VampiresBoard,
        turn: Turn,
        depth: int,
        ply: int,
        cum: float,
        alpha: float,
        beta: float,
    ) -> float:
        """Return the mean value of a turn's branches, or a bound of it outside of the window."""
        found = branches(board, turn, self.threshold)
        self.nodes += len(found)

        def below(after: VampiresBoard, low: float, high: float) -> float:
            return self.best(after, depth - 1, ply + 1, cum, low, high)[0]

        if len(found) == 1:
            return found[0][0] * below(found[0][1], alpha, beta)
        if self.window == "star1":
            return self.star1(found, below, alpha, beta)
        if self.window == "full":
            alpha, beta = -inf, inf
        total = 0.0
        for chance, after in found:
            total += chance * below(after, alpha, beta)
        return total

    def star1(
        self,
        found: Sequence[tuple[float, VampiresBoard]],
        below: Callable[[VampiresBoard, float, float], float],
        alpha: float,
        beta: float,
    ) -> float:
        """Ballard 1983: a branch needs a value that the others, at their best or worst, leave open."""
        total = 0.0
        for i, (chance, after) in enumerate(found):
            rest = sum(p for p, _ in found[i + 1 :])
            low = (alpha - total - self.bound * rest) / chance
            high = (beta - total + self.bound * rest) / chance
            value = below(after, max(low, -self.bound), min(high, self.bound))
            total += chance * value
            if self.cuts(low, value):  # kept outside of the window, whatever is rounded
                outside = alpha if self.cut_equal else nextafter(alpha, -inf)
                return min(total + self.bound * rest, outside)
            if self.cuts(value, high):
                outside = beta if self.cut_equal else nextafter(beta, inf)
                return max(total - self.bound * rest, outside)
        return total


def search(
    board: VampiresBoard,
    depth: int,
    weights: Weights | None = None,
    threshold: float = 1.0,
    max_groups: int = 2,
    window: str = "full",
    last_wins: bool = True,
    cut_equal: bool = True,
) -> tuple[float, Turn | None]:
    """Return value and turn of Langorou's search to a depth, for the side to move."""
    rules = (weights or Weights(), threshold, max_groups, window, last_wins, cut_equal)
    return Searcher(*rules).search(board, depth)

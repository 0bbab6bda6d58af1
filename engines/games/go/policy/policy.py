"""`policy`: playouts by rule, guesses of moves, and which moves of Go are not considered at all."""

from __future__ import annotations

from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.games.go.cells import cells_of
from joute.engines.games.go.go import Go
from joute.engines.games.go.policy.chains import chains_of
from joute.engines.games.go.policy.guess import guess_kernel
from joute.engines.games.go.policy.moves import (
    CAPTURE,
    ESCAPE,
    EYES,
    FULL,
    LATE,
    LIB2,
    MERCY,
    RULES,
    SELFATARI,
    SHAPES,
    actions_kernel,
    playout_kernel,
    pressing_kernel,
    urgent_kernel,
)
from joute.engines.games.go.policy.shapes import shape_kernel
from joute.engines.games.go.rules import legal_kernel
from joute.engines.generator import Generator
from joute.engines.kernels.compile import Kernel, U
from joute.engines.kernels.contract import Offsets, State, places, rule
from joute.engines.parameter import Parameter

MOGO = "Gelly, Wang, Munos and Teytaud 2006"
PACHI = "Baudis and Gailly 2011: Pachi's playouts"
GUESSES = "Gelly and Silver 2007: priors by simple rules"


def switch(name: str, meaning: str, source: str = MOGO) -> Parameter:
    """Return a rule of playouts that is on or off."""
    return Parameter(name, "choice", "on", choices=("off", "on"), meaning=meaning, source=source)


def rate(name: str, default: float, meaning: str) -> Parameter:
    """Return how often a rule of playouts is followed, in 255ths."""
    return Parameter(name, "float", default, 0.0, 1.0, meaning=meaning, source=PACHI, later=True)


def bonus(name: str, default: float, meaning: str) -> Parameter:
    """Return the bonus of a move's property in the guessed return."""
    return Parameter(name, "float", default, -0.5, 0.5, meaning=meaning, source=GUESSES)


class Policy(Generator):
    """Playouts try answers to the last moves first, and fill no own eyes.

    The guessed return of a move is .5 plus the bonuses of its properties, from .02 to .98; of a
    pass .1, and .5 where the opponent has passed.
    """

    name = "policy"
    summary = "Go: playouts that capture, escape and make shapes; prior guesses; late passes"
    games = ("go",)
    guesses = True
    parameters = (
        switch("eyes", "own eyes are filled neither in the tree nor in playouts", "Bruegmann 1993"),
        switch("capture", "playouts capture a chain in atari beside the last two moves"),
        switch("escape", "playouts save a chain that the last move put in atari"),
        switch("shapes", "playouts make 3 x 3 shapes beside the last move"),
        Parameter(
            "mercy", "int", 0, 0, 361,
            meaning="a playout ends when one side has this many stones more than the other; 0: "
                "never",
            source="usual in Go programs: a quarter of the board",
        ),
        Parameter(
            "passing", "choice", "late", choices=("late", "always"),
            meaning="when the tree may pass: always, or only after the opponent's pass or when "
                "there is no other move",
        ),
        rate("rule_rate", 1.0, "how often playouts look for a capture or an escape, and for a shape"),
        rate("lib2_rate", 0.0, "how often playouts put the chain that moved last, of two liberties, in "
            "atari, or give an own one beside it a third liberty"),
        rate("selfatari_rate", 0.0, "how often playouts leave out a self-atari that no rule calls for"),
        bonus("takes", 0.3, "added to the guess of a move that captures"),
        bonus("saves", 0.2, "added where a chain in atari is saved"),
        bonus("shaped", 0.15, "added where a 3 x 3 shape is made"),
        bonus("beside", 0.1, "added within two steps of the last move"),
        bonus("open", 0.1, "far from all stones: added on the third line, taken off on the first "
            "two"),
        Parameter(
            "ataris", "float", 0.0, -0.5, 0.5, later=True, source=PACHI,
            meaning="added to the guess of a move that puts a chain of two liberties in atari",
        ),
        bonus("self_atari", 0.3, "taken off where the own chain has one liberty after the move"),
    )  # fmt: skip

    def build(self, game: Game, stride: int, base: int) -> list[Kernel]:
        """Return the kernels."""
        if not isinstance(game, Go):
            raise Refused(f"policy is for go, not for {game.name}")
        rules, at = game.what, places(self.parameters, base)
        cells, state = cells_of(rules.columns, rules.rows), rules.state
        chains, shape = chains_of(cells), shape_kernel(rules, state)
        legal, urgent = legal_kernel(rules, cells, stride), urgent_kernel(cells, chains)
        pressing = pressing_kernel(cells, chains)
        return [
            prepare_kernel(state, at),
            actions_kernel(game.kernels(stride).actions, rules, state, cells),
            playout_kernel(rules, state, cells, legal, chains, urgent, pressing, shape),
            guess_kernel(rules, state, cells, chains, shape, at),
        ]


def prepare_kernel(state: State, at: Offsets) -> Kernel:
    """Return `prepare`: note the switches in the root's state."""
    knobs = state.knobs
    eyes, capture, escape, shapes = at.eyes, at.capture, at.escape, at.shapes
    mercy, passing = at.mercy, at.passing
    rules, lib2, selfatari, full = at.rule_rate, at.lib2_rate, at.selfatari_rate, float(FULL)

    @rule
    def prepare(W, root, P):
        W[root + knobs] = (
            U(P[eyes]) * EYES | U(P[capture]) * CAPTURE | U(P[escape]) * ESCAPE
            | U(P[shapes]) * SHAPES | (U(1) - U(P[passing])) * LATE | U(P[mercy]) << MERCY
            | U(P[rules] * full + 0.5) << RULES | U(P[lib2] * full + 0.5) << LIB2
            | U(P[selfatari] * full + 0.5) << SELFATARI
        )  # fmt: skip

    return prepare

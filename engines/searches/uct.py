"""`uct`: Monte Carlo tree search with UCB1 for any number of players, with or without chance.

One iteration: descend from the root by UCB1 to a node seen for the first time, value it by a random
playout or by an evaluation, and add the returns to every node of the path. A node is expanded at its
second visit, all its children at once, tried in canonical order. The value of a node is the mean
return of the player who moved into it. Decided nodes are marked and never searched again. In games
of chance the outcomes drawn after an action hang below the action's node, one node each.

With threads, trees grow side by side: the same moves for the same iterations, whatever the machine.

RAVE, priors, UCB1-tuned and first-play urgency change which child a descent goes on with, and nothing
else. What a playout plays and what a prior says is a generator's affair.

Sources: Kocsis and Szepesvari (2006); Winands, Bjornsson and Saito (2008) for decided nodes; those of
the parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from joute.engines.errors import Refused
from joute.engines.evaluation import Evaluation
from joute.engines.game import Game
from joute.engines.generator import Generator
from joute.engines.kernels.compile import Kernel
from joute.engines.kernels.contract import places
from joute.engines.parameter import Parameter, Values
from joute.engines.registry import find, names
from joute.engines.search import Recipe, Search, Setup
from joute.engines.searches.mcts.iterate import iterate_kernel
from joute.engines.searches.mcts.leaf import evaluated_kernel, playout_kernel
from joute.engines.searches.mcts.select import Bandit, bandit_kernel
from joute.engines.searches.mcts.tree import copy_below
from joute.engines.searches.mcts.tree_player import TreePlayer
from joute.engines.searches.mcts.trees_player import TreesPlayer


def uses_evaluation(values: Values) -> bool:
    """Whether the engine has an evaluation at all."""
    return "evaluation" in values


def many_players(values: Values) -> bool:
    """Whether opponents have anything to choose but to oppose."""
    return int(values.get("players", 2)) > 2


def guesses(values: Values) -> bool:
    """Whether the engine's generator says what it thinks of an action before any search."""
    name = str(values.get("generator", "all"))
    return name in names("generator") and bool(find("generator", name).guesses)


def has(name: str, value: str) -> Callable[[Values], bool]:
    """Return whether another parameter has this value."""
    return lambda values: values.get(name) == value


def rave_guesses(values: Values) -> bool:
    """Whether RAVE's values can begin with a guess."""
    return values.get("rave") == "on" and guesses(values) and float(values.get("prior", 0.0)) > 0.0


def timed(values: Values) -> bool:
    """Whether a clock ends the search."""
    return values.get("limit") == "milliseconds"


class Uct(Search):
    """UCT with playouts or an evaluation at the leaf, sub-tree reuse and decided nodes."""

    name = "uct"
    summary = "Monte Carlo tree search with UCB1, playouts or an evaluation at the leaf"
    evaluation = "optional"
    limits = ("iterations", "milliseconds")
    compiled = True
    lists = True
    needs_limit = True
    tells = "return"
    parameters = (
        Parameter(
            "k",
            "float",
            1.0,
            0.0,
            10.0,
            meaning="exploration: an action's urgency is its mean return + k * "
            "sqrt(ln(parent's visits) / visits)",
            source="Kocsis and Szepesvari 2006: 1.41 for returns in [0, 1]; a CodinGame bot of "
            "2014 sampled 0 to 1",
        ),
        Parameter(
            "bandit",
            "choice",
            "ucb1",
            choices=("ucb1", "tuned"),
            meaning="tuned: exploration also uses the variance of an action's returns",
            source="Auer, Cesa-Bianchi and Fischer 2002: UCB1-tuned, with k = 1",
            later=True,
        ),
        Parameter(
            "unvisited",
            "choice",
            "first",
            choices=("first", "urgency"),
            meaning="an unvisited action comes before all others, or has the urgency first_play",
            later=True,
        ),
        Parameter(
            "first_play",
            "float",
            1.0,
            0.0,
            3.0,
            active=has("unvisited", "urgency"),
            meaning="urgency of an unvisited action: the lower, the longer good actions are tried "
            "before new ones",
            source="Gelly and Wang 2006: first-play urgency",
        ),
        Parameter(
            "rave",
            "choice",
            "off",
            choices=("off", "on"),
            meaning="the results of an action later in descents and playouts count here, with "
            "less weight the more often it was tried here",
            source="Gelly and Silver 2007",
            later=True,
        ),
        Parameter(
            "equivalence",
            "float",
            1000.0,
            1.0,
            100_000.0,
            log=True,
            active=has("rave", "on"),
            meaning="visits n at which RAVE weighs half: its weight is sqrt(e / (3 n + e))",
            source="Gelly and Silver 2007: 1000 on 9 x 9",
        ),
        Parameter(
            "prior",
            "float",
            50.0,
            0.0,
            1000.0,
            active=guesses,
            meaning="visits that the generator's guess of an action counts for; 0: no guess",
            source="Gelly and Silver 2007: prior knowledge worth 50 visits on 9 x 9",
        ),
        Parameter(
            "rave_prior",
            "float",
            0.0,
            0.0,
            1000.0,
            active=rave_guesses,
            meaning="visits that the generator's guess counts for among RAVE's, which are few at first",
            source="Gelly and Silver 2007: prior knowledge in RAVE's values, too",
            later=True,
        ),
        Parameter(
            "leaf",
            "choice",
            "evaluation",
            choices=("playout", "evaluation"),
            active=uses_evaluation,
            meaning="what values a new node: a random playout or the evaluation",
        ),
        Parameter(
            "reuse",
            "choice",
            "on",
            choices=("off", "on"),
            meaning="keep the part of the tree below the moves just played (in games that list "
            "their actions)",
        ),
        Parameter(
            "max_nodes",
            "int",
            1_000_000,
            1000,
            50_000_000,
            log=True,
            meaning="largest number of nodes; a full tree continues without growing",
        ),
        Parameter(
            "opponents",
            "choice",
            "selfish",
            choices=("selfish", "paranoid"),
            active=many_players,
            meaning="what opponents maximise in the tree: their own return, or the loss of the "
            "searching player",
            source="a CodinGame bot of 2014: paranoid",
        ),
        Parameter(
            "cleanup",
            "float",
            0.0,
            0.0,
            100.0,
            active=timed,
            meaning="milliseconds by which a move ends earlier per million nodes in the tree, for "
            "the work after the search",
            source="a CodinGame bot of 2014 stops earlier the larger its tree",
        ),
        Parameter(
            "resign",
            "float",
            0.0,
            0.0,
            0.5,
            meaning="resign when the expected return is below this (if the referee allows it); 0: "
            "never",
            source="usual in Go programs: .05 to .25",
            later=True,
        ),
        Parameter(
            "threads",
            "int",
            1,
            1,
            64,
            meaning="trees that grow side by side from other random numbers, a thread and the whole "
            "limit each; the visits of their roots are added",
            source="Chaslot, Winands and van den Herik 2008: root parallelization",
            later=True,
            behind=True,
        ),
    )

    def check_values(
        self,
        game: Game,
        values: Values,
        evaluation: Evaluation | None = None,
        generator: Generator | None = None,
    ) -> None:
        """Refuse RAVE where an action's code means another thing in every position."""
        if values.get("rave") == "on" and not game.listed:
            raise Refused(
                f"rave = on needs a game that lists its actions, {game.name} has too many"
            )
        threads = int(values.get("threads", 1))
        if threads > 1 and evaluation is not None and values.get("leaf") == "evaluation":
            raise Refused(
                f"threads = {threads} needs playouts (leaf = playout, or no evaluation): over an evaluation "
                "all trees would be the same"
            )

    def template(self, setup: Setup) -> Kernel:
        """Return the kernel that runs iterations, for this engine's game, leaf and bandit."""
        used = setup.evaluation if setup.values.get("leaf") == "evaluation" else None
        paranoid, bandit = setup.values.get("opponents") == "paranoid", bandit_of(setup)
        key = (setup.game.label, type(used), type(setup.generator), paranoid, bandit)
        if key not in _compiled:
            game, at = setup.game, places(p for p in self.parameters if not p.behind)
            evaluation = used.kernels(game, self.base) if used else None
            stride = game.words + (evaluation.words if evaluation else 0)
            own = len(setup.evaluation.parameters) if setup.evaluation else 0
            rules = setup.generator.kernels(game, stride, self.base + own)
            if used is not None and evaluation is not None:
                leaf = evaluated_kernel(game, evaluation, used.scale)
            else:
                leaf = playout_kernel(game, rules, stride, noted=bandit.rave)
            _compiled[key] = iterate_kernel(
                *(game, rules, evaluation, bandit_kernel(bandit, game.players, paranoid, at)),
                *(leaf, stride, paranoid),
                guess=rules.guess if bandit.priors else None,
                rave=bandit.rave,
            )
        return _compiled[key]

    def memory(self, setup: Setup) -> dict[str, Any]:
        """Return what a tree is made with besides its kernel and its limit."""
        own = scratch = 0
        if setup.evaluation is not None and setup.values.get("leaf") == "evaluation":
            kernels = setup.evaluation.kernels(setup.game, self.base)
            own, scratch = kernels.words, kernels.scratch
        return {
            "game": setup.game,
            "stride": setup.game.words + own,
            "scratch": scratch,
            "values": tuple(setup.vector.tolist()),
            # Codes of a generator belong to one position: then no tree is used again.
            "reuse": setup.values["reuse"] == "on" and setup.game.listed,
            "max_nodes": int(setup.values["max_nodes"]),
            "keeps": bandit_of(setup).keeps,
        }

    def cores(self, setup: Setup) -> int:
        """Return the threads of a move."""
        return int(setup.values["threads"])

    def recipe(self, setup: Setup) -> Recipe:
        """Return what makes a player with a tree of its own, or with one for each thread."""
        own = {
            "iterate": self.template(setup),
            "limit": setup.limit,
            "cleanup": float(setup.values.get("cleanup", 0.0)),
            "resign": float(setup.values["resign"]),
        }
        arguments, threads = {**self.memory(setup), **own}, self.cores(setup)
        if threads > 1:
            return Recipe(TreesPlayer, {"threads": threads, "each": arguments}, (copy_below,))
        return Recipe(TreePlayer, arguments, (copy_below,))

    def digest(self, setup: Setup) -> str:
        """Return the digest of the compiled search."""
        return str(self.template(setup).digest)  # type: ignore[attr-defined]


def bandit_of(setup: Setup) -> Bandit:
    """Return what the urgencies of an engine are made of."""
    values = setup.values
    return Bandit(
        tuned=values["bandit"] == "tuned",
        priors=float(values.get("prior", 0.0)) > 0.0,
        rave=values["rave"] == "on",
        eager=values["unvisited"] == "first",
    )


_compiled: dict[tuple[str, type[object], type[object], bool, Bandit], Kernel] = {}

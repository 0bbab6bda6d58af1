"""`puct`: Monte Carlo tree search guided by a network, which values leaves and says where to look first.

A leaf is expanded when the network has valued it; its children are the actions with the priors that the
network gives them. Decided nodes are marked and never searched again; chance is as in `uct`. With
`root = gumbel` the root is searched by sequential halving among a few actions, which is sound with few
descents, and below it visits follow the improved policy.

Sources: Silver et al. (2017, 2018); Danihelka et al. (2022); those of the parameters.
"""

from __future__ import annotations

import math
import time
from typing import Any

from joute.engines.clock import FOREVER
from joute.engines.errors import Refused
from joute.engines.evaluation import Evaluation
from joute.engines.game import Game
from joute.engines.generator import Generator
from joute.engines.kernels.compile import Kernel
from joute.engines.kernels.contract import Offsets, places
from joute.engines.nets.batches import Ask, KeptAnswers, in_batches
from joute.engines.nets.net import Net, load_net
from joute.engines.nets.network_parameter import NETWORK
from joute.engines.parameter import Parameter, Values
from joute.engines.player import Move, Player
from joute.engines.position import Position
from joute.engines.search import Recipe, Search, Setup
from joute.engines.searches.mcts.batched import BatchedTree, Root
from joute.engines.searches.mcts.priors import gumbel_kernel, puct_kernel
from joute.engines.searches.mcts.rounds import entries_kernel, round_kernel
from joute.engines.searches.mcts.tree import copy_below

GUARD = 0.9  # share of the guard's time that is used


def by_puct(values: Values) -> bool:
    """Whether the root is searched like every other node."""
    return values.get("root", "puct") == "puct"


def by_gumbel(values: Values) -> bool:
    """Whether the root is searched by sequential halving."""
    return not by_puct(values)


def of_parent(values: Values) -> bool:
    """Whether an action without visits has the value of its parent."""
    return by_puct(values) and values.get("unvisited") == "parent"


def fixed(values: Values) -> bool:
    """Whether an action without visits has a value of its own."""
    return by_puct(values) and values.get("unvisited", "value") == "value"


def positive(name: str) -> Any:
    """Return whether another parameter is above 0."""
    return lambda values: float(values.get(name, 0.0)) > 0.0


class Puct(Search):
    """PUCT or Gumbel over a network's priors and values."""

    name = "puct"
    summary = (
        "Monte Carlo tree search guided by a network (PUCT, or Gumbel with sequential halving)"
    )
    limits = ("iterations", "milliseconds")
    compiled = True
    guided = True
    lists = True
    needs_limit = True
    tells = "return"
    parameters = (
        NETWORK,
        Parameter("root", "choice", "puct", choices=("puct", "gumbel"),
                  meaning="how the tree is searched: PUCT everywhere, or sequential halving at "
                      "the root "
                  "and the improved policy below", source="Danihelka et al. 2022: gumbel"),
        Parameter("c", "float", 1.5, 0.0, 20.0, active=by_puct,
                  meaning="exploration: urgency is Q (-1 to 1) + c * prior * sqrt(parent's "
                      "visits) / (1 + visits)",
                  source="AlphaZero 1.25; Vamperouge 1, the IA02 course project about 2"),
        Parameter("growth", "float", 0.0, 0.0, 10.0, active=by_puct,
                  meaning="c grows by growth * ln((parent's visits + base + 1) / base)",
                  source="AlphaZero's published pseudocode: 1"),
        Parameter("base", "float", 19652.0, 1.0, 1e6, log=True, active=positive("growth"),
                  meaning="visits at which c begins to grow", source="AlphaZero's published "
                      "pseudocode"),
        Parameter("unvisited", "choice", "value", choices=("value", "parent"), active=by_puct,
                  meaning="Q of an action without visits: a fixed value, or its parent's, reduced"),
        Parameter("first_play", "float", 0.0, -1.0, 1.0, active=fixed,
                  meaning="Q of an action without visits, -1 is a loss, 0 a draw",
                  source="AlphaZero -1, open_spiel 0"),
        Parameter("reduction", "float", 0.25, 0.0, 2.0, active=of_parent,
                  meaning="Q of an action without visits is its parent's minus reduction * "
                      "sqrt(sum of the "
                  "priors of the visited)", source="KataGo: 0.2 in Q from -1 to 1"),
        Parameter("considered", "int", 16, 1, 1000, active=by_gumbel,
                  meaning="actions of the root that sequential halving begins with",
                  source="Danihelka et al. 2022: 16"),
        Parameter("visit_scale", "float", 50.0, 0.0, 1000.0, active=by_gumbel,
                  meaning="how much Q counts against the prior: (visit_scale + most visits) * "
                      "value_scale * Q",
                  source="Danihelka et al. 2022: 50"),
        Parameter("value_scale", "float", 1.0, 0.0, 10.0, active=by_gumbel,
                  meaning="see visit_scale; Q is from 0 to 1", source="Danihelka et al. 2022: 1 "
                      "in board games"),
        Parameter("gumbel_noise", "float", 0.0, 0.0, 1.0, active=by_gumbel,
                  meaning="scale of the noise by which the root's actions are sampled: 1 in "
                      "self-play, 0 in matches"),
        Parameter("noise", "float", 0.0, 0.0, 1.0, active=by_puct,
                  meaning="share of Dirichlet noise in the root's priors: about 0.25 in "
                      "self-play, 0 in matches",
                  source="Silver et al. 2017: 0.25"),
        Parameter("alpha", "float", 0.5, 0.001, 10.0, log=True, active=positive("noise"),
                  meaning="Dirichlet's parameter; about 10 / the number of "
                      "actions", source="Silver et al. 2018"),
        Parameter("temperature", "float", 0.0, 0.0, 10.0, active=by_puct,
                  meaning="actions are sampled by visits ** (1 / temperature); 0: the most "
                      "visited one"),
        Parameter("temperature_plies", "int", 30, 0, 10_000, active=positive("temperature"),
                  meaning="plies of the game in which actions are sampled", source="Silver et al. "
                      "2017; Vamperouge: 30"),
        Parameter("symmetry", "choice", "off", choices=("off", "random", "every"),
                  meaning="the board symmetry in which the network sees a leaf: none, a random "
                      "one, or all (their mean)", source="Silver et al. 2017; Vamperouge: random"),
        Parameter("batch", "int", 1, 1, 256,
                  meaning="leaves that the network evaluates at once, collected with virtual loss"),
        Parameter("cache", "int", 0, 0, 10_000_000,
                  meaning="answers of the network that are kept for positions that come again; 0: none"),
        Parameter("reuse", "choice", "on", choices=("off", "on"), active=by_puct,
                  meaning="keep the part of the tree below the moves just played"),
        Parameter("max_nodes", "int", 1_000_000, 1000, 50_000_000, log=True,
                  meaning="largest number of nodes; a full tree continues without growing"),
        Parameter("resign", "float", 0.0, 0.0, 0.5,
                  meaning="resign when the expected return is below this (if the referee allows "
                      "it); 0: never"),
    )  # fmt: skip

    def check_values(
        self,
        game: Game,
        values: Values,
        evaluation: Evaluation | None = None,
        generator: Generator | None = None,
    ) -> None:
        """Refuse a network that does not fit, and a generator that its view does not know."""
        net_of(game, values).check_generator(game, generator)
        if by_gumbel(values) and values.get("limit") == "milliseconds":
            raise Refused("root = gumbel plans its descents: it needs iterations, not a time")

    def template(self, setup: Setup) -> Kernel:
        """Return the kernel that makes rounds, for this game, view and rule of selection."""
        values, net = setup.values, net_of(setup.game, setup.values)
        gumbel, parent = by_gumbel(values), values.get("unvisited") == "parent"
        mirrors, every = self._mirrors(setup, net), values["symmetry"] == "every"
        key = (
            *(setup.game.label, net.view.label, type(setup.generator)),
            *(gumbel, parent, mirrors, every),
        )
        if key not in _compiled:
            game = setup.game
            rules = setup.generator.kernels(game, game.words, len(self.parameters))
            behind = len(setup.vector) - len(self.parameters)
            at = Offsets({**places(self.parameters).sizes, "generator": behind, "wanted": 1})
            select = gumbel_kernel(at) if gumbel else puct_kernel(at, parent)
            wanted = len(setup.vector)
            _compiled[key] = round_kernel(
                *(game, rules, net.view.kernels(game), net.shape, select),
                *(game.words, mirrors, every, wanted if gumbel else -1),
            )
        return _compiled[key]

    def _mirrors(self, setup: Setup, net: Net) -> int:
        off = setup.values["symmetry"] == "off"
        return 1 if off else len(net.view.symmetries(setup.game))

    def memory(self, setup: Setup) -> dict[str, Any]:
        """Return what a tree is made with."""
        game, values, net = setup.game, setup.values, net_of(setup.game, setup.values)
        mirrors = self._mirrors(setup, net)
        symmetries = net.view.symmetries(game)[:mirrors]
        kind, amount = setup.limit or ("iterations", FOREVER)
        gumbel = by_gumbel(values)
        return {
            "game": game,
            "make_round": self.template(setup),
            "entries": entries_kernel(net.view.kernels(game).entry),
            "shape": net.shape,
            "maps": tuple(n for s in symmetries for n in (*s.cells, *s.entries)),
            "shown": mirrors if values["symmetry"] == "every" else 1,
            "stride": game.words,
            "values": tuple(setup.vector.tolist()),
            "count": int(amount) if kind == "iterations" else FOREVER,
            "batch": int(values["batch"]),
            "root": root_of(values),
            "reuse": not gumbel and values["reuse"] == "on" and game.listed,
            "max_nodes": max(int(values["max_nodes"]), 2 * game.slots + 2),
        }

    def suspended(self, setup: Setup) -> BatchedTree:
        """Return the search as a tree that is told by who has the network. A time is left to who tells."""
        return BatchedTree(**self.memory(setup))

    def recipe(self, setup: Setup) -> Recipe:
        """Return what makes a player with a network of its own."""
        own = {
            "net": net_of(setup.game, setup.values),
            "limit": setup.limit,
            "cache": int(setup.values["cache"]),
            "resign": float(setup.values["resign"]),
        }
        return Recipe(PuctPlayer, {**self.memory(setup), **own}, (copy_below,))

    def digest(self, setup: Setup) -> str:
        """Return the digest of the compiled search and of the network's file."""
        net = net_of(setup.game, setup.values)
        return f"{self.template(setup).digest} {net.digest}"  # type: ignore[attr-defined]


def net_of(game: Game, values: Values) -> Net:
    """Return the network of an engine."""
    return load_net(str(values["network"]), game)


def root_of(values: Values) -> Root:
    """Return what the parameters say of the root."""
    number = {k: float(v) for k, v in values.items() if not isinstance(v, str)}
    return Root(
        noise=number.get("noise", 0.0),
        alpha=number.get("alpha", 1.0),
        temperature=number.get("temperature", 0.0),
        until=int(number.get("temperature_plies", 0)),
        gumbel=number["gumbel_noise"] if by_gumbel(values) else None,
        considered=int(number.get("considered", 16)),
        visit_scale=number.get("visit_scale", 50.0),
        value_scale=number.get("value_scale", 1.0),
    )


class PuctPlayer(Player):
    """Grows a tree with a network as long as its limit and the guard allow."""

    def __init__(
        self, net: Net, limit: tuple[str, float], cache: int, resign: float, **memory: Any
    ) -> None:
        self._ask: Ask = net.run
        if cache:
            self._ask = KeptAnswers(in_batches(net.run, memory["batch"] * memory["shown"]), cache)
        self._time_ms = limit[1] if limit[0] == "milliseconds" else None
        self._resign = resign
        self.tree = BatchedTree(**memory)

    def new_game(self, seed: int, seat: int) -> None:
        """Start a new tree and its stream."""
        self.tree.new_game(seed)

    def choose(self, position: Position) -> Move:
        """Search from the position under the engine's limit (and the guard's time)."""
        begun, tree, ask = time.perf_counter(), self.tree, self._ask
        limits = [self._time_ms, None if self.guard_ms is None else GUARD * self.guard_ms]
        ms = min((limit for limit in limits if limit is not None), default=math.inf)

        def late() -> bool:
            return (time.perf_counter() - begun) * 1e3 >= ms

        tree.begin(position)
        while len(planes := tree.leaves(late)):
            tree.tell(*ask(planes))
            if late():
                tree.stop()
        choice = tree.choice(position)
        if choice.value is not None and choice.value < self._resign:
            return choice._replace(resigns=True)
        return choice


_compiled: dict[tuple[Any, ...], Kernel] = {}

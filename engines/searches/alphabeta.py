"""`alphabeta`: negamax with alpha-beta to a fixed depth or by iterative deepening, with width pruning.

The value is that of the depth-limited tree in which every node keeps only its `width` share of
children; neither the ordering nor the window changes it, except that with width < 1 the ordering
decides which children are kept. A node is one applied action; applying a child again to descend
into it is not counted. Ties go to the action searched first.

With a table, killers, history, principal variations, aspiration or MTD(f) the search is that of `_tabled.py`:
the same value by fewer nodes. With quiescence it is that of `_selective.py`, whose leaves are worth what
their forcing actions come to. Without any of them it is the one of this file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from joute.engines.errors import Refused
from joute.engines.evaluation import Evaluation, EvaluationKernels
from joute.engines.game import Game, GameKernels
from joute.engines.generator import Generator
from joute.engines.kernels.compile import Kernel, U, kernel
from joute.engines.kernels.contract import Offsets, places
from joute.engines.parameter import Parameter, Value, Values
from joute.engines.record import WIN
from joute.engines.search import Recipe, Setup
from joute.engines.searches._children import children_kernels
from joute.engines.searches._quiet import QUIET
from joute.engines.searches._selective import selective_room, selective_template
from joute.engines.searches._stack import (
    BEST,
    FRAME,
    NODES,
    ROOTS,
    RUNNING,
    STACK,
    STOP,
    StackSearch,
    begin_kernel,
    deepening_parameter,
    depth_parameter,
)
from joute.engines.searches._tabled import TabledPlayer, room_of, tabled_template

ONE = U(1)


def full_width(values: Values) -> bool:
    """Whether no child is pruned by width, so that ordering is free."""
    return values.get("width", 1.0) == 1.0


def open_root(values: Values) -> bool:
    """Whether, besides, windows are not all of the least width."""
    return full_width(values) and values.get("mtd") != "on"


def open_root_by_deepening(values: Values) -> bool:
    """Whether, besides, depths are searched in turn."""
    return open_root(values) and ("limit" in values or values.get("deepening") == "on")


def may_be_quiet(values: Values) -> bool:
    """Whether, besides, the game says which actions are forcing, or nobody minds that."""
    asked = values.get("quiescence") == "on"  # is refused where no game says it
    return full_width(values) and (asked or bool(values.get("forces", True)))


def with_table(values: Values) -> bool:
    """Whether there is a table."""
    return full_width(values) and bool(values.get("table"))


def quietly(values: Values) -> bool:
    """Whether leaves are valued by quiescence."""
    return full_width(values) and values.get("quiescence") == "on"


def scouting_quietly(values: Values) -> bool:
    """Whether, besides, children are tested for being better first."""
    return quietly(values) and values.get("pvs") == "on"


class AlphaBeta(StackSearch):
    """Alpha-beta for two players who alternate, without chance."""

    name = "alphabeta"
    summary = "alpha-beta to a depth, with width pruning, ordering and iterative deepening"
    parameters = (
        depth_parameter(6, "the report of docs/measured/seeds.md tried 4 to 8"),
        Parameter(
            "width",
            "float",
            1.0,
            0.01,
            1.0,
            meaning="share of the children searched at every node, best by evaluation first, "
            "rounded up (ceil); a winning child is never pruned; 1 prunes nothing",
            source="the report in docs/measured/seeds.md tried 0.40 to 0.70",
        ),
        Parameter(
            "ordering",
            "choice",
            "canonical",
            choices=("canonical", "evaluation", "history"),
            active=full_width,
            meaning="order in which children are searched: the game's own, best by evaluation "
            "first "
            "(always so when width < 1), or those first that caused most cuts elsewhere in this "
            "search",
            source="history: Schaeffer 1989",
        ),
        deepening_parameter(more=" (among equals, where children are ordered by evaluation)"),
        Parameter(
            "table",
            "int",
            0,
            0,
            4096,
            active=full_width,
            later=True,
            meaning="megabytes of each player's transposition table, 16 bytes per position, "
            "rounded down to a power of two; kept for a game; 0: none",
            source="Greenblatt, Eastlake and Crocker 1967; two tiers: Breuker and others 1994",
        ),
        Parameter(
            "pvs",
            "choice",
            "off",
            choices=("off", "on"),
            active=open_root,
            later=True,
            meaning="principal variation search: children after the first are tested for being "
            "better before their exact value is searched",
            source="Marsland and Campbell 1982; Reinefeld 1989",
        ),
        Parameter(
            "killers",
            "int",
            0,
            0,
            2,
            active=full_width,
            later=True,
            meaning="number of actions that last caused cuts at the same ply and are tried early",
            source="Akl and Newborn 1977",
        ),
        Parameter(
            "aspiration",
            "float",
            0.0,
            0.0,
            1e6,
            active=open_root_by_deepening,
            later=True,
            meaning="half width of the window around the last depth's value in which deepening "
            "searches a depth first; searched again if the value lies outside; 0: full window",
            source="Brudno 1963; Marsland 1983",
        ),
        Parameter(
            "mtd",
            "choice",
            "off",
            choices=("off", "on"),
            active=full_width,
            later=True,
            meaning="zero-window searches of the root that start from the last depth's value, or "
            "a draw, and follow the bound until it is exact",
            source="MTD(f): Plaat, Schaeffer, Pijls and de Bruin 1996",
        ),
        Parameter(
            "probing",
            "choice",
            "off",
            choices=("off", "on"),
            active=with_table,
            later=True,
            meaning="look up all children in the table for a cutoff before any is searched; "
            "looking up counts as no node",
            source="enhanced transposition cutoffs: Plaat and others 1996",
        ),
        Parameter(
            "quiescence",
            "choice",
            "off",
            choices=("off", "on"),
            active=may_be_quiet,
            later=True,
            behind=True,
            meaning="go on below the leaves with forcing actions alone, where the game lists them "
            "(captures, promotions, answers to check)",
            source="Shannon 1950; standing pat: Beal 1990",
        ),
        Parameter(
            "null_move",
            "int",
            0,
            0,
            4,
            active=quietly,
            later=True,
            behind=True,
            meaning="let a player who stands well pass, and search so many plies less deep whether that is "
            "enough; 0: never",
            source="Beal 1989; Donninger 1993",
        ),
        Parameter(
            "late_moves",
            "int",
            0,
            0,
            64,
            active=scouting_quietly,
            later=True,
            behind=True,
            meaning="actions of a node that are searched to its depth before the others, if not forcing, "
            "are searched a ply less deep first; 0: all",
            source="Fruit, Letouzey 2005; Romstad 2006",
        ),
    )

    def check(self, game: Game, evaluation: Evaluation | None) -> None:
        """Refuse games that are not two-player, alternating and free of chance."""
        super().check(game, evaluation)
        if game.players != 2 or game.chance or not game.alternating:
            why = "has chance" if game.chance else f"has {game.players} players"
            why = why if game.chance or game.players != 2 else "does not alternate"
            raise Refused(f"alphabeta is for two players in turn without chance; {game.name} {why}")

    def check_values(
        self,
        game: Game,
        values: Mapping[str, Value],
        evaluation: Evaluation | None = None,
        generator: Generator | None = None,
    ) -> None:
        """Refuse a table where a position's value depends on more than its key, and quiescence where
        nothing says what is forcing.
        """
        if values.get("quiescence") == "on":
            if game.kernels().forcing is None:
                raise Refused(
                    f"quiescence: {game.name} does not say which actions are forcing; allowed: off"
                )
            if generator is not None and generator.name != "all":
                raise Refused("quiescence: it takes the game's own actions; allowed: generator=all")
        if not values.get("table"):
            return
        why = ""
        if game.path_dependent and not game.repeats:
            why = f"what is legal in {game.name} depends on the line of play"
        elif evaluation is not None and evaluation.path_dependent:
            why = f"{evaluation.name} depends on the line of play"
        elif evaluation is not None and not evaluation.symmetric:
            why = f"{evaluation.name} differs between positions of one key"
        elif generator is not None and not generator.symmetric:
            why = f"{generator.name} may list other actions in a mirrored position"
        if why:
            raise Refused(f"table: no value can be taken from a table, for {why}; allowed: 0")

    def variant(self, setup: Setup) -> tuple[bool, bool, bool, bool, bool]:
        """Whether children are ordered by their evaluation, and whether the search is the tabled one,
        that of MTD(f), that which probes, and the selective one.
        """
        values = setup.values
        sort = values["width"] != 1.0 or values.get("ordering") == "evaluation"
        asks, probes, scouts = (values.get(name) == "on" for name in ("mtd", "probing", "pvs"))
        helped = any(values.get(name) for name in ("table", "killers", "aspiration"))
        helped = helped or asks or scouts or values.get("ordering") == "history"
        return sort, helped, asks, probes, values.get("quiescence") == "on"

    def room(self, setup: Setup) -> tuple[int, int, int]:
        """Return what the tabled search needs."""
        if setup.values.get("quiescence") == "on":
            return selective_room(int(setup.values["table"]), setup.game.slots)
        if not self.variant(setup)[1]:
            return 0, 0, 0
        return room_of(int(setup.values["table"]))

    def recipe(self, setup: Setup) -> Recipe:
        """Return what makes a player, one with a memory where there is a table."""
        plain = super().recipe(setup)
        if setup.values.get("quiescence") == "on":
            plain = replace(plain, arguments={**plain.arguments, "deeper": QUIET})
        return replace(plain, player=TabledPlayer) if setup.values.get("table") else plain

    def specialised(
        self, setup: Setup, rules: GameKernels, evaluation: EvaluationKernels, stride: int
    ) -> tuple[Kernel, Kernel]:
        """Build the kernels."""
        sort, tabled, asks, probes, selective = self.variant(setup)
        own = places(p for p in self.parameters if not p.behind)
        if selective:
            behind = [p for p in self.parameters if p.behind]
            more = places(behind, len(setup.vector) - len(behind))
            slots = setup.game.slots
            return selective_template(rules, evaluation, stride, slots, sort, own, more, asks)
        make = partial(tabled_template, asks=asks, probes=probes) if tabled else template
        return make(rules, evaluation, stride, setup.game.slots, sort, own)


def template(
    game: GameKernels,
    evaluation: EvaluationKernels,
    stride: int,
    slots: int,
    sort: bool,
    at: Offsets,
) -> tuple[Kernel, Kernel]:
    """Return `begin` and `search`, specialised for a game, an evaluation and the kind of ordering.

    begin(W, root, A, I, P): W holds the root state; fills its own words and lists its actions.
    search(W, root, A, I, F, P, depth) -> 1 when finished (value in F[0], action in I[BEST]), 0 when
    I[NODES] has reached I[STOP]: call again to go on.
    """
    to_move, actions, listed = game.to_move, game.actions, game.nth is None
    update, words, many = evaluation.update, U(stride), U(slots)
    steps = children_kernels(game, evaluation, stride, slots, sort, at)
    child, end_value, enter = steps.child, steps.end_value, steps.enter
    last_ply, expand = steps.last_ply, steps.expand

    @kernel("i8(u8[::1], u8, i8[::1], i8[::1], f8[::1], f8[::1], i8)", inline=False)
    def search(W, root, A, I, F, P, depth):
        last = U(depth - 1)
        stop, nodes = I[STOP], I[NODES]
        new = I[RUNNING] == 0
        # --- depth 1: the root's moves are leaves, one pass values them
        if last == U(0):
            F[0], I[BEST], spent = last_ply(W, root, A, U(0), U(I[ROOTS]), 2 * WIN, P)
            I[NODES] = nodes + spent
            return 1
        # --- begin at the root with an open window, or go on in the frame that ran out of nodes
        if new:
            d, i, n = U(0), U(0), U(I[ROOTS])
            best, alpha, beta = -2 * WIN, -2 * WIN, 2 * WIN
        else:
            d = U(I[FRAME])
            frame = STACK + d * U(2)
            i, n = U(I[frame]), U(I[frame + ONE])
            best, alpha, beta = F[d * U(3)], F[d * U(3) + ONE], F[d * U(3) + U(2)]
        I[RUNNING] = 1
        while True:
            down = False
            src = root + d * words
            dst = src + words
            mover = to_move(W, src)
            # --- a node entered just now: make all its children and sort them by their value
            if sort and new:
                kept = expand(W, src, A, F, P, d, n)
                if kept < 0:
                    nodes -= kept
                    best = WIN - np.float64(d + ONE)
                    if d == U(0):
                        I[BEST] = A[0]
                    n = U(0)
                else:
                    nodes += np.int64(n)
                    n = U(kept)
            new = False
            while i < n:
                # --- out of nodes: put the frame away; the next call goes on here
                if nodes >= stop:
                    I[FRAME], I[NODES] = np.int64(d), nodes
                    frame = STACK + d * U(2)
                    I[frame], I[frame + ONE] = i, n
                    F[d * U(3)], F[d * U(3) + ONE], F[d * U(3) + U(2)] = best, alpha, beta
                    return 0
                if sort:
                    action = A[d * many + i]
                else:
                    action = child(W, A, src, d, i)
                    if action < 0:
                        i += ONE
                        continue
                    nodes += 1
                i += ONE
                # --- make the move: the game is over there, or its children are leaves, or go down a ply
                code = enter(W, src, dst, action)
                if code != 0:
                    action = max(action, ~action)
                    v = end_value(code, mover, d)
                elif d + ONE == last:
                    update(W, src, dst, action, P)
                    n_last = many
                    if listed:
                        n_last = U(actions(W, dst, A, last * many))
                    v, _, spent = last_ply(W, dst, A, last, n_last, -alpha, P)
                    v = -v
                    nodes += spent
                else:
                    update(W, src, dst, action, P)
                    frame = STACK + d * U(2)
                    I[frame], I[frame + ONE] = i, n
                    F[d * U(3)], F[d * U(3) + ONE], F[d * U(3) + U(2)] = best, alpha, beta
                    d += ONE
                    i, best = U(0), -2 * WIN
                    alpha, beta = -beta, -alpha
                    n = many
                    if listed or sort:
                        n = U(actions(W, dst, A, d * many))
                    down = True
                    new = True
                    break
                # --- the value of a child, for the player to move here
                if v > best:
                    best = v
                    if d == U(0):
                        I[BEST] = action
                    if v > alpha:
                        alpha = v
                    if alpha >= beta:
                        break
            if down:
                continue
            # --- all children are done: go up, the value changes its sign
            if d == U(0):
                break
            d -= ONE
            v = -best
            frame = STACK + d * U(2)
            i, n = U(I[frame]), U(I[frame + ONE])
            best, alpha, beta = F[d * U(3)], F[d * U(3) + ONE], F[d * U(3) + U(2)]
            if v > best:
                best = v
                if d == U(0):
                    I[BEST] = A[i - ONE]
                if v > alpha:
                    alpha = v
                if alpha >= beta:
                    i = n
        F[0] = best
        I[NODES] = nodes
        I[RUNNING] = 0
        return 1

    return begin_kernel(game, evaluation), search

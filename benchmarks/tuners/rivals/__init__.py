"""The rivals, one family a file: `RIVALS` names them, in the order of tables and plots."""

from __future__ import annotations

from benchmarks.tuners.rivals.bask import Bask
from benchmarks.tuners.rivals.clop import Clop
from benchmarks.tuners.rivals.duel_joute import BothJoute, DuelJoute
from benchmarks.tuners.rivals.duels import DuelSpsa, DuelSpsaFaster, DuelSpsaFastest
from benchmarks.tuners.rivals.optuna_ import CmaEs, Gp, Tpe
from benchmarks.tuners.rivals.qrs import Qrs
from benchmarks.tuners.rivals.random import Random
from benchmarks.tuners.rivals.rival import Rival
from benchmarks.tuners.rivals.spsa import Spsa, SpsaLog
from benchmarks.tuners.rivals.tree import Tree

RIVALS: dict[str, type[Rival]] = {
    rival.name: rival
    for rival in (
        Clop,
        Spsa,
        SpsaLog,
        BothJoute,
        DuelJoute,
        DuelSpsa,
        DuelSpsaFaster,
        DuelSpsaFastest,
        Qrs,
        Bask,
        Tree,
        Tpe,
        CmaEs,
        Gp,
        Random,
    )
}

__all__ = ["RIVALS", "Rival"]

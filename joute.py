"""What authors of games, searches and all else import: `from joute import Game, Parameter, rule`.

This surface stays; where a name lives may change. Nothing is imported before it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engines.board import Board as Board
    from engines.board import painted as painted
    from engines.board import read_rows as read_rows
    from engines.board import rows_text as rows_text
    from engines.board import symmetric_key as symmetric_key
    from engines.board_game import BoardGame as BoardGame
    from engines.ending import Ending as Ending
    from engines.errors import Refused as Refused
    from engines.evaluation import Evaluation as Evaluation
    from engines.game import Game as Game
    from engines.generator import Generator as Generator
    from engines.kernels.arithmetic import logistic as logistic
    from engines.kernels.bits import mix as mix
    from engines.kernels.bits import popcount as popcount
    from engines.kernels.compile import U as U
    from engines.kernels.compile import kernel as kernel
    from engines.kernels.contract import SIGNATURES as SIGNATURES
    from engines.kernels.contract import Offsets as Offsets
    from engines.kernels.contract import State as State
    from engines.kernels.contract import places as places
    from engines.kernels.contract import rule as rule
    from engines.kernels.random import below as below
    from engines.kernels.random import next_word as next_word
    from engines.kernels.random import seed_of as seed_of
    from engines.kernels.random import stream as stream
    from engines.parameter import Parameter as Parameter
    from engines.pictures import Scene as Scene
    from engines.pictures import box_of as box_of
    from engines.pictures import grid as grid
    from engines.pictures import stone as stone
    from engines.pictures import tile as tile
    from engines.player import Choice as Choice
    from engines.player import Player as Player
    from engines.player import PlayerFailure as PlayerFailure
    from engines.position import Position as Position
    from engines.protocol import Dialogue as Dialogue
    from engines.protocol import Protocol as Protocol
    from engines.protocol import Talk as Talk
    from engines.python_game import PythonEvaluation as PythonEvaluation
    from engines.python_game import PythonGame as PythonGame
    from engines.script import Replies as Replies
    from engines.script import Reply as Reply
    from engines.script import Script as Script
    from engines.script import Step as Step
    from engines.script import Wanted as Wanted
    from engines.search import Recipe as Recipe
    from engines.search import Search as Search
    from engines.search import Setup as Setup
    from engines.transcript import Played as Played
    from engines.transcript import Transcript as Transcript
    from engines.view import Shape as Shape
    from engines.view import Symmetry as Symmetry
    from engines.view import View as View
    from reports.export.target import Order as Order
    from reports.export.target import Target as Target
    from reports.export.target import Written as Written
    from reports.plots.plot import Plot as Plot
    from studies.kind import Kind as Kind
    from studies.tuner.sampler import OptunaSampler as OptunaSampler
    from studies.tuner.sampler import Sampler as Sampler

HOMES = {
    "engines.board": "Board painted read_rows rows_text symmetric_key",
    "engines.board_game": "BoardGame",
    "engines.ending": "Ending",
    "engines.errors": "Refused",
    "engines.evaluation": "Evaluation",
    "engines.game": "Game",
    "engines.generator": "Generator",
    "engines.kernels.arithmetic": "logistic",
    "engines.kernels.bits": "mix popcount",
    "engines.kernels.compile": "U kernel",
    "engines.kernels.contract": "SIGNATURES Offsets State places rule",
    "engines.kernels.random": "below next_word seed_of stream",
    "engines.parameter": "Parameter",
    "engines.pictures": "Scene box_of grid stone tile",
    "engines.player": "Choice Player PlayerFailure",
    "engines.position": "Position",
    "engines.protocol": "Dialogue Protocol Talk",
    "engines.python_game": "PythonEvaluation PythonGame",
    "engines.script": "Replies Reply Script Step Wanted",
    "engines.search": "Recipe Search Setup",
    "engines.transcript": "Played Transcript",
    "engines.view": "Shape Symmetry View",
    "reports.export.target": "Order Target Written",
    "reports.plots.plot": "Plot",
    "studies.kind": "Kind",
    "studies.tuner.sampler": "OptunaSampler Sampler",
}
WHERE = {name: module for module, names in HOMES.items() for name in names.split()}
__all__ = sorted(WHERE)


def __getattr__(name: str) -> Any:
    """Return a name of the surface, importing where it lives."""
    import importlib

    if name not in WHERE:
        raise AttributeError(f"joute has no {name!r}; it has: {', '.join(__all__)}")
    return getattr(importlib.import_module(WHERE[name]), name)


def __dir__() -> list[str]:
    return __all__

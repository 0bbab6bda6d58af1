# ruff: noqa: I001
"""The public surface of Joute, with types; `joute/__init__.py` imports each name when it is asked for."""

# For who plays, and reads runs, from Python (docs/python.md).
from joute.bots import BestMove as BestMove
from joute.bots import Bot as Bot
from joute.bots import engine as engine
from joute.calculators import Calculated as Calculated
from joute.calculators import elo as elo
from joute.calculators import sprt as sprt
from joute.playing import match as match
from joute.playing import run as run
from joute.positions import GamePosition as GamePosition
from joute.positions import GameRules as GameRules
from joute.positions import game as game
from joute.runs import Run as Run
from joute.runs import load as load
from joute.tuning import Tuned as Tuned
from joute.tuning import tune as tune

# For who tunes an objective of his own (docs/tuning.md).
from joute.studies.search.optuna_sampler import JouteSampler as JouteSampler
from joute.studies.tuner.parameters import Choice as Choice
from joute.studies.tuner.parameters import Float as Float
from joute.studies.tuner.parameters import Int as Int
from joute.studies.tuner.tuner import Tuner as Tuner

# For authors of games, searches, protocols, plots and all else.
from joute.engines.board import Board as Board
from joute.engines.board import painted as painted
from joute.engines.board import read_rows as read_rows
from joute.engines.board import rows_text as rows_text
from joute.engines.board import symmetric_key as symmetric_key
from joute.engines.board_game import BoardGame as BoardGame
from joute.engines.ending import Ending as Ending
from joute.engines.errors import Refused as Refused
from joute.engines.evaluation import Evaluation as Evaluation
from joute.engines.game import Game as Game
from joute.engines.generator import Generator as Generator
from joute.engines.kernels.arithmetic import logistic as logistic
from joute.engines.kernels.bits import mix as mix
from joute.engines.kernels.bits import popcount as popcount
from joute.engines.kernels.compile import U as U
from joute.engines.kernels.compile import kernel as kernel
from joute.engines.kernels.contract import SIGNATURES as SIGNATURES
from joute.engines.kernels.contract import Offsets as Offsets
from joute.engines.kernels.contract import State as State
from joute.engines.kernels.contract import places as places
from joute.engines.kernels.contract import rule as rule
from joute.engines.kernels.random import below as below
from joute.engines.kernels.random import next_word as next_word
from joute.engines.kernels.random import seed_of as seed_of
from joute.engines.kernels.random import stream as stream
from joute.engines.parameter import Parameter as Parameter
from joute.engines.pictures import Scene as Scene
from joute.engines.pictures import box_of as box_of
from joute.engines.pictures import grid as grid
from joute.engines.pictures import stone as stone
from joute.engines.pictures import tile as tile
from joute.engines.player import Move as Move
from joute.engines.player import Player as Player
from joute.engines.player import PlayerFailure as PlayerFailure
from joute.engines.position import Position as Position
from joute.engines.protocol import Dialogue as Dialogue
from joute.engines.protocol import Protocol as Protocol
from joute.engines.protocol import LineSession as LineSession
from joute.engines.python_game import PythonEvaluation as PythonEvaluation
from joute.engines.python_game import PythonGame as PythonGame
from joute.engines.referees.form import Form as Form
from joute.engines.referees.form import NoResult as NoResult
from joute.engines.referees.form import Result as Result
from joute.engines.script import Replies as Replies
from joute.engines.script import Reply as Reply
from joute.engines.script import Script as Script
from joute.engines.script import Step as Step
from joute.engines.script import Wanted as Wanted
from joute.engines.search import Recipe as Recipe
from joute.engines.search import Search as Search
from joute.engines.search import Setup as Setup
from joute.engines.transcript import Played as Played
from joute.engines.transcript import Transcript as Transcript
from joute.engines.view import Shape as Shape
from joute.engines.view import Symmetry as Symmetry
from joute.engines.view import View as View
from joute.reports.export.target import Order as Order
from joute.reports.export.target import Target as Target
from joute.reports.export.target import Written as Written
from joute.reports.plots.plot import Plot as Plot
from joute.reports.page.html_table import Column as Column
from joute.reports.reading.answer import Answer as Answer
from joute.reports.reading.winner import Winner as Winner
from joute.reports.telling import Section as Section
from joute.reports.telling import Telling as Telling
from joute.studies.file.study_checker import StudyChecker as StudyChecker
from joute.studies.file.models import Common as Common
from joute.studies.kind import Kind as Kind
from joute.studies.search.sampler import OptunaSampler as OptunaSampler
from joute.studies.search.sampler import Sampler as Sampler
from joute.studies.study import Planned as Planned
from joute.studies.study import StagePlan as StagePlan
from joute.studies.study import Study as Study

__version__: str

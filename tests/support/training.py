"""Shared by tests of training: a small board, a small network, samples that are easy to learn."""

from __future__ import annotations

import numpy as np

from joute.engines.engine import parse_game
from joute.engines.nets.net import Note
from joute.engines.view import Shape, Symmetry, View, view_of
from joute.studies.learning.architecture import Architecture, architecture_of
from joute.studies.learning.plan import NetPlan
from joute.studies.learning.samples import Samples

GAME = parse_game("connect4[columns=5,rows=4]")
VIEW: View = view_of(GAME)
SHAPE: Shape = VIEW.shape(GAME)
SYMMETRIES: list[Symmetry] = VIEW.symmetries(GAME)
NOTE = Note(GAME.label, VIEW.name, VIEW.values)
SMALL = NetPlan(blocks=1, filters=8, policy_filters=8, value_filters=4, value_hidden=16)


def architecture(**changes: object) -> Architecture:
    """Return a small network's architecture."""
    return architecture_of(SMALL.model_copy(update=changes), VIEW, GAME)


def easy(count: int = 400, seed: int = 0) -> Samples:
    """Return samples whose best column is the one with most own discs, and whose value says who has more."""
    rng = np.random.default_rng(seed)
    planes = rng.integers(0, 2, (count, SHAPE.planes, SHAPE.rows, SHAPE.columns)).astype(np.float32)
    columns = planes[:, 0].sum(axis=1) + 0.1 * rng.random((count, SHAPE.columns))
    policy = np.eye(SHAPE.policy, dtype=np.float32)[columns.argmax(axis=1)]
    value = np.sign(planes[:, 0].sum((1, 2)) - planes[:, 1].sum((1, 2))).astype(np.float32)
    number = np.arange(count)
    return Samples(
        planes, policy, value, np.ones(count, np.float32), number // 10, number % 10,
        np.full(count, 10),
    )  # fmt: skip


TINY = """
name = "tiny-zero"
kind = "train"
game = "connect4[columns=5,rows=4]"
seed = 7
anchors = ["random"]

[engine]
search = "puct"
iterations = 8
max_nodes = 5000

[net]
blocks = 1
filters = 4
policy_filters = 4
value_filters = 2
value_hidden = 8

[selfplay]
iterations = 2
games = 12
together = 4
engine = { noise = 0.25, temperature = 1.0, temperature_plies = 8 }

[learn]
epochs = 2
batch = 64
rate = 0.01

[gate]
blocks = 3
score = 0.5

[ladder]
blocks = 2
generations = 2

[openings]
plies = 3
"""

TRAINING_SEARCH = (
    TINY.replace('kind = "train"', 'kind = "train-search"')
    .replace("tiny-zero", "tiny-knobs")
    .replace("\n[ladder]\nblocks = 2\ngenerations = 2\n", "")
    + """
[space]
learn.rate = { from = 0.001, to = 0.1, log = true }
net.filters = [4, 8]

[trials]
trials = 3
games = 24
blocks = 3
seeds = 2
final_blocks = 3
"""
)

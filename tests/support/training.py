"""Shared by tests of training: a small board, a small network, easy samples, games played, what a run leaves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from joute.engines.engine import Engine, parse_game
from joute.engines.nets.net import Note
from joute.engines.view import Shape, Symmetry, View, view_of
from joute.harness.inflight import InFlight
from joute.harness.match import Rules
from joute.harness.worker import Setting
from joute.results.store import Store
from joute.studies.kinds.train.history import read_history
from joute.studies.kinds.train.selfplay_task import SelfPlayWork
from joute.studies.learning.architecture import Architecture, architecture_of
from joute.studies.learning.onnx_file import write_net
from joute.studies.learning.plan import NetPlan, SelfPlayPlan
from joute.studies.learning.samples import Samples
from joute.studies.learning.selfplay import Selfplayed
from tests.support.runs import lines_of

GAME = parse_game("connect4[columns=5,rows=4]")
VIEW: View = view_of(GAME)
SHAPE: Shape = VIEW.shape(GAME)
SYMMETRIES: list[Symmetry] = VIEW.symmetries(GAME)
NOTE = Note(GAME.label, VIEW.name, VIEW.values)
SETTING = Setting(GAME.label, {}, Rules())
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


def net_at(folder: Path, text: str = GAME.label, plan: NetPlan | None = None) -> Path:
    """Write a network that was never taught; return its file."""
    game = parse_game(text)
    view = view_of(game)
    made = architecture_of(plan, view, game) if plan else architecture()
    note = Note(game.label, view.name, view.values) if plan else NOTE
    write_net(folder / "net.onnx", made, made.weights(1), note)
    return folder / "net.onnx"


def played(engine: Engine, plan: SelfPlayPlan, numbers: range) -> list[Selfplayed]:
    return SelfPlayWork(0, tuple(numbers), engine.text, plan, 5).play(SETTING, InFlight())


def history(folder: Path) -> dict[int, dict[str, Any]]:
    with Store.open(folder) as store:
        return read_history(store.meta())


def left(folder: Path) -> dict[str, Any]:
    """What a run leaves that the same study always leaves."""
    files = sorted([*folder.glob("nets/*"), *folder.glob("samples/*")])
    told = {k: v for k, v in history(folder).items()}
    for entry in told.values():
        entry.pop("seconds", None)
    return {
        "games": lines_of(folder),
        "history": told,
        **{f"{f.parent.name}/{f.name}": f.read_bytes() for f in files},
    }


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

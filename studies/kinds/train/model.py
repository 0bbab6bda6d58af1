"""The tables of a training study's file."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from joute.studies.file.models import Common, Count, Line, Strict
from joute.studies.file.sprt import Sprt
from joute.studies.learning.plan import (
    GatePlan,
    LadderPlan,
    LearnPlan,
    NetPlan,
    RecordsPlan,
    SelfPlayPlan,
)

NET, LEARN, PLAY, GATE, LADDER = NetPlan(), LearnPlan(), SelfPlayPlan(), GatePlan(), LadderPlan()
Width = Annotated[int, Field(ge=1, le=2048)]
Share = Annotated[float, Field(gt=0, le=1)]
Whole = Annotated[int, Field(ge=0, le=10**9)]
Rate = Annotated[float, Field(gt=0, le=10)]


class NetTable(Strict):
    """[net]: the residual network."""

    blocks: Annotated[int, Field(ge=0, le=100)] = Field(default=NET.blocks, title="residual blocks")
    filters: Width = Field(default=NET.filters, title="filters of every 3 x 3 convolution")
    policy_head: Literal["dense", "convolutional"] = Field(
        default="dense",
        title="the policy's entries see all cells, or each its own cell",
    )
    policy_filters: Width = Field(default=NET.policy_filters, title="filters of the policy's head")
    value_filters: Width = Field(default=NET.value_filters, title="filters of the value's head")
    value_hidden: Width = Field(
        default=NET.value_hidden, title="neurons between those and the value"
    )


class LearnTable(Strict):
    """[learn]: how a network learns from samples."""

    epochs: Count = Field(
        default=LEARN.epochs,
        title="how often an iteration goes through the samples of its window",
    )
    batch: Annotated[int, Field(ge=2, le=65536)] = Field(
        default=LEARN.batch, title="samples of a step"
    )
    optimizer: Literal["adam", "sgd"] = Field(
        default="adam", title="who turns the loss into a step"
    )
    rate: Rate = Field(default=LEARN.rate, title="the size of a step")
    momentum: float = Field(default=LEARN.momentum, ge=0, lt=1, title="of sgd")
    decay: float = Field(
        default=LEARN.decay,
        ge=0,
        le=1,
        title="decay of the weights",
    )
    value_weight: float = Field(
        default=LEARN.value_weight,
        ge=0,
        le=100,
        title="what the value's loss counts beside the policy's",
    )
    window: Count = Field(default=LEARN.window, title="iterations whose samples are learnt from")
    symmetries: bool = Field(
        default=LEARN.symmetries,
        title="every sample is turned by a symmetry drawn anew in each epoch",
    )
    threads: Annotated[int, Field(ge=1, le=256)] = Field(
        default=LEARN.threads,
        title="threads that learn; another number gives other networks",
    )
    device: Literal["cpu", "cuda"] = Field(default="cpu", title="where a network learns")


class SelfPlayTable(Strict):
    """[selfplay]: the champion against itself."""

    iterations: Count = Field(
        default=PLAY.iterations,
        title="how often it is played, learnt and gated",
    )
    games: Count = Field(default=PLAY.games, title="games of an iteration")
    together: Annotated[int, Field(ge=1, le=4096)] = Field(
        default=PLAY.together,
        title="games that a worker plays at once",
    )
    batch: Annotated[int, Field(ge=1, le=1024)] = Field(
        default=PLAY.batch,
        title="positions that the network values at once; always as many, padded",
    )
    policy_target: Literal["visits", "values"] = Field(
        default="visits",
        title="what the policy learns: what the search found, or the softmax of the values of all "
        "successors, without a search",
    )
    full_share: Share = Field(
        default=PLAY.full_share,
        title="share of the moves that are searched in full; they alone teach the policy",
    )
    cheap: Whole = Field(default=PLAY.cheap, title="iterations of the other moves")
    random_plies: Whole = Field(
        default=PLAY.random_plies,
        title="a game begins with up to so many random plies",
    )
    most_plies: Count = Field(default=PLAY.most_plies, title="a game that lasts as long is a draw")
    value_mix: float = Field(
        default=PLAY.value_mix,
        ge=0,
        le=1,
        title="what the value learns: the game's result (0), what the search found (1), or between",
    )
    spread: Annotated[float, Field(gt=0, le=100)] = Field(
        default=PLAY.spread,
        title="of the softmax of values: the smaller, the more the best move gets",
    )
    drawn_plies: Whole = Field(
        default=PLAY.drawn_plies,
        title="plies in which moves are drawn by that softmax",
    )
    engine: dict[str, Any] = Field(
        default={},
        description="a table of settings",
        title="settings of self-play alone, over the study's engine: noise, temperature",
    )


class GateTable(Strict):
    """[gate]: a new network against the champion."""

    blocks: Count | None = Field(
        default=None,
        title=f"openings of the match, two games each (default: {GATE.blocks}); or sprt",
    )
    score: Share | None = Field(
        default=None,
        title=f"the score from which the new one is champion (default: {GATE.score:g}); or sprt",
    )
    sprt: Sprt | None = Field(
        default=None,
        description="a table with elo1",
        title="the new one is champion when H1 is accepted; undecided, the old one stays",
    )
    rejected: Literal["go on", "go back"] = Field(
        default="go on",
        title="after a rejection the next one learns from the rejected network, or from the champion",
    )


class LadderTable(Strict):
    """[ladder]: the last stage, in which generations and anchors meet."""

    generations: Annotated[int, Field(ge=0, le=50)] = Field(
        default=LADDER.generations,
        title="how many generations take part, the last ones among them; 0: no ladder",
    )
    blocks: Count = Field(
        default=LADDER.blocks,
        title="openings that each pair plays, two games each",
    )


class RecordsTable(Strict):
    """[records]: stored games that teach the first network."""

    run: Line | None = Field(
        default=None,
        description="the folder of a run",
        title="a run whose games teach, seen from where the command is given",
    )
    folder: Line | None = Field(
        default=None,
        description="the path of a record of a game, or of a folder of them",
        title="records of games that teach (.sgf), seen from the study",
    )
    held_out: float = Field(
        default=RecordsPlan.held_out,
        gt=0,
        lt=1,
        title="share of the games that are kept to test what was learnt",
    )
    tests: list[Line] = Field(
        default=[],
        description="a list of folders of runs",
        title="runs of other engines whose games test what was learnt as well",
    )
    epochs: Count = Field(default=RecordsPlan.epochs, title="how often it goes through the games")
    players: list[str] = Field(
        default=[],
        description="a list of names of engines of the run",
        title="only their moves teach the policy, only their games are taken; none: all",
    )


class StartTable(Strict):
    """[start]: the network to go on from."""

    net: Line = Field(
        description="the path of an ONNX file that Joute wrote, or the name of one that comes with it",
        examples=[" "],
        title="its weights are the first ones, seen from the study",
    )


class TrainModel(Common):
    """A training study's file."""

    net: NetTable = Field(default=NetTable(), title="the network")
    view: dict[str, Any] = Field(
        default={},
        description="a table with name and settings of a view",
        title="how it sees the game; the game's usual view, if nothing is said",
    )
    selfplay: SelfPlayTable | None = Field(
        default=None, title="it learns from games against itself"
    )
    learn: LearnTable = Field(default=LearnTable(), title="how it learns")
    gate: GateTable = Field(default=GateTable(), title="who may be champion")
    ladder: LadderTable = Field(default=LadderTable(), title="the last stage")
    anchors: list[str] = Field(
        default=[],
        description="a list of texts of engines",
        title="engines of fixed strength that the ladder is measured by, search:name=value,...",
    )
    records: RecordsTable | None = Field(
        default=None,
        description="a table with run or folder",
        title="it first learns from stored games",
    )
    start: StartTable | None = Field(
        default=None, description="a table with net", title="it first is a network that there is"
    )

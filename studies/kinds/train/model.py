"""The tables of a training study's file."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

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

GATE = GatePlan()
Share = Annotated[float, Field(gt=0, le=1)]


class GateTable(Strict):
    """[gate]: a new network against the champion."""

    blocks: Count | None = Field(
        default=None,
        title=f"openings of the match, two games each (default: {GATE.blocks}); or sprt",
    )
    score: Share | None = Field(
        default=None,
        title=f"the score from which the new network becomes champion (default: {GATE.score:g}); "
        f"or sprt",
    )
    sprt: Sprt | None = Field(
        default=None,
        description="a table with elo1",
        title="the new network becomes champion if H1 is accepted; undecided, the old one stays",
    )
    rejected: Literal["go on", "go back"] = Field(
        default="go on",
        title="after a rejection the next network starts from the rejected one, or from the "
        "champion",
    )


class RecordsTable(Strict):
    """[records]: stored games that teach the first network."""

    run: Line | None = Field(
        default=None,
        description="the folder of a run",
        title="a run whose games teach, relative to the current folder",
    )
    folder: Line | None = Field(
        default=None,
        description="the path of a game record, or of a folder of them",
        title="game records that teach (.sgf), relative to the study",
    )
    held_out: float = Field(
        default=RecordsPlan.held_out,
        gt=0,
        lt=1,
        title="share of the games held out to test what was learnt",
    )
    tests: list[Line] = Field(
        default=[],
        description="a list of folders of runs, or paths of game records or folders of them",
        title="other sources whose games also test what was learnt: runs, relative to the current "
        "folder, or game records (.sgf), relative to the study",
    )
    epochs: Count = Field(default=RecordsPlan.epochs, title="passes through the games")
    players: list[str] = Field(
        default=[],
        description="a list of names of engines of the run",
        title="only their moves teach the policy, and only their games are used; none: all",
    )


class AnchorTable(Strict):
    """An anchor; a text alone is its engine, and its name."""

    name: Line | None = Field(
        default=None, description="a name", title="what tables call it; by default its text"
    )
    spec: str = Field(
        description="the text of an engine", title="the engine, search:name=value,..."
    )

    @model_validator(mode="before")
    @classmethod
    def table_of(cls, given: Any) -> Any:
        """Return the table of a text."""
        return {"spec": given} if isinstance(given, str) else given


class StartTable(Strict):
    """[start]: the network to go on from."""

    net: Line = Field(
        description="the path of an ONNX file that Joute wrote, or the name of one that comes "
        "with it",
        examples=[" "],
        title="its weights are the first ones; relative to the study",
    )


class TrainModel(Common):
    """A training study's file."""

    net: NetPlan = Field(default=NetPlan(), title="the network")
    view: dict[str, Any] = Field(
        default={},
        description="a table with name and settings of a view",
        title="how it sees the game; by default the game's usual view",
    )
    selfplay: SelfPlayPlan | None = Field(default=None, title="learning from games against itself")
    learn: LearnPlan = Field(default=LearnPlan(), title="how it learns")
    gate: GateTable = Field(default=GateTable(), title="when a new network becomes champion")
    ladder: LadderPlan = Field(default=LadderPlan(), title="the last stage")
    anchors: list[AnchorTable] = Field(
        default=[],
        description="a list of texts of engines, or of tables with name and spec",
        title="engines of fixed strength that the ladder is measured against, "
        "search:name=value,...",
    )
    records: RecordsTable | None = Field(
        default=None,
        description="a table with run or folder",
        title="learning from stored games first",
    )
    start: StartTable | None = Field(
        default=None, description="a table with net", title="start from an existing network"
    )

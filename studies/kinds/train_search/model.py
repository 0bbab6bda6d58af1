"""The tables of a study file that searches among trainings."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from joute.studies.file.models import Count, Strict
from joute.studies.kinds.train.model import TrainModel


class TrialsTable(Strict):
    """[trials]: the number of trainings, and how their networks are measured."""

    trials: Count = Field(
        default=12,
        title="trainings of the search; a grid has one per point",
    )
    games: Count | None = Field(
        default=None,
        title="games of self-play of each training (default: selfplay.iterations * "
        "selfplay.games); "
        "a trial has that many games worth of iterations",
    )
    sampler: str = Field(
        default="gp",
        description="the name of a sampler",
        title="the sampler that proposes settings",
    )
    blocks: Count = Field(
        default=20,
        title="openings that the champion of each training plays against each anchor, two games "
        "each",
    )
    seeds: Annotated[int, Field(ge=1, le=50)] = Field(
        default=3,
        title="trainings of the best settings and of the study's own at the end, each with a new "
        "seed",
    )
    final_blocks: Count = Field(
        default=40,
        title="openings that each pair of these plays against each other, two games each",
    )


class TrainSearchModel(TrainModel):
    """The file of a study that searches among trainings."""

    space: dict[str, Any] = Field(
        description="a table of training settings, such as learn.rate",
        examples=[{}],
        title="what is searched: settings of engine, net, view, selfplay, learn, gate, records",
    )
    trials: TrialsTable = Field(default=TrialsTable(), title="how the space is searched")

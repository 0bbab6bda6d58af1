"""The plan of a training study: network, self-play, learning, gate, ladder, stored games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from joute.engines.parameter import LIMITS, Value
from joute.studies.file.models import Count, Positive, Strict
from joute.studies.file.sprt import SprtPlan
from joute.studies.study import Study
from joute.studies.tuner.domain import Domain

GATE, TIMED, LADDER, DUEL = "gate-{:03}", "equal-time", "ladder", "final"
"""Stages of matches: of each iteration, and the last two; of a search among trainings that of the end."""
TRIED, ANEW = "search", "final"
"""Why a training of such a search is made."""
GENERATION, AT_TIME = "generation ", " at "
Width = Annotated[int, Field(ge=1, le=2048)]
Share = Annotated[float, Field(gt=0, le=1)]
Whole = Annotated[int, Field(ge=0, le=10**9)]
Rate = Annotated[float, Field(gt=0, le=10)]


def called(generation: int) -> str:
    """Return the name of a generation as an engine."""
    return f"{GENERATION}{generation}"


def generation_in(name: str) -> int | None:
    """Return the generation of an engine's name; None for other names."""
    number = name.removeprefix(GENERATION)
    return int(number) if number.isdecimal() and number != name else None


def timed_name(name: str, milliseconds: float) -> str:
    """Return the name of an engine that has so much time per move."""
    return f"{name}{AT_TIME}{milliseconds:g} ms"


class NetPlan(Strict):
    """[net]: a residual network: a 3 x 3 convolution, `blocks` of two with skip connections, 2
    heads.

    The policy head is dense (every entry from every cell) or convolutional (the entries of a cell
    from that cell alone).
    """

    blocks: Annotated[int, Field(ge=0, le=100)] = Field(default=4, title="residual blocks")
    filters: Width = Field(default=32, title="filters of every 3 x 3 convolution")
    policy_head: Literal["dense", "convolutional"] = Field(
        default="dense",
        title="each entry of the policy sees all cells, or only its own cell",
    )
    policy_filters: Width = Field(default=32, title="filters of the policy head")
    value_filters: Width = Field(default=8, title="filters of the value head")
    value_hidden: Width = Field(default=64, title="neurons between the value filters and the value")
    value_head: Literal["scalar", "wdl"] = Field(
        default="scalar",
        title="the value is one number, or the difference of the probabilities of win and loss, "
        "beside that of a draw",
    )


class LearnPlan(Strict):
    """[learn]: how a network learns from samples. `window` counts iterations, `rate` is the step's size,
    `decay` that of the weights, `value_weight` what (z - v)^2 counts beside - pi log p.
    """

    epochs: Count = Field(
        default=2,
        title="passes of an iteration through the samples of its window",
    )
    batch: Annotated[int, Field(ge=2, le=65536)] = Field(default=128, title="samples of a step")
    optimizer: Literal["adam", "sgd"] = Field(default="adam", title="the optimizer")
    rate: Rate = Field(default=1e-3, title="the learning rate")
    momentum: float = Field(default=0.9, ge=0, lt=1, title="of sgd")
    schedule: Literal["constant", "linear", "cosine"] = Field(
        default="constant",
        title="how the rate falls in the steps of an iteration, to rate * last_rate",
    )
    last_rate: float = Field(
        default=0.1,
        ge=0,
        le=1,
        title="the rate at the end of an iteration, as a share of that at its beginning",
    )
    warmup: Whole = Field(
        default=0, title="steps of an iteration in which the rate rises from 0, before its schedule"
    )
    half_life: float = Field(
        default=0.0, ge=0, le=10**6, title="iterations in which the rate halves; 0: it never does"
    )
    optimizer_state: Literal["new", "kept"] = Field(
        default="new",
        title="whether the optimizer begins anew in every iteration, or goes on from the last one",
    )
    averaging: float = Field(
        default=0.0,
        ge=0,
        lt=1,
        title="the network written is a running mean of the weights that keeps this share of itself at "
        "each step; 0: the last weights",
    )
    decay: float = Field(
        default=1e-4,
        ge=0,
        le=1,
        title="decay of the weights",
    )
    value_weight: float = Field(
        default=1.0,
        ge=0,
        le=100,
        title="weight of the value's loss relative to the policy's",
    )
    window: Count = Field(default=5, title="iterations whose samples are used")
    symmetries: bool = Field(
        default=True,
        title="turn every sample by a new random symmetry in each epoch",
    )
    threads: Annotated[int, Field(ge=1, le=256)] = Field(
        default=1,
        title="threads for learning; another number gives other networks",
    )
    device: Literal["cpu", "cuda"] = Field(default="cpu", title="the device for learning")


class SelfPlayPlan(Strict):
    """[selfplay]: games of the champion against itself: `games` an iteration, `together` of them at once in a
    worker, leaves evaluated `batch` at a time.

    A share of the moves, `full_share`, is searched in full, and only these teach the policy; the others
    have `cheap` iterations. A game begins with up to `random_plies` random ones; one that lasts `most_plies` is
    a draw. `engine` are settings over the study's engine (noise, temperature). The value learns
    (1 - `value_mix`) * result + `value_mix` * what the search found the position worth. Without a tree
    (`policy_target = "values"`) moves are drawn by the softmax of value / `spread` in the first
    `drawn_plies`.
    """

    iterations: Count = Field(
        default=10,
        title="rounds of self-play, learning and gate",
    )
    games: Count = Field(default=200, title="games per iteration")
    together: Annotated[int, Field(ge=1, le=4096)] = Field(
        default=32,
        title="games that a worker plays in parallel",
    )
    batch: Annotated[int, Field(ge=1, le=1024)] = Field(
        default=8,
        title="positions that the network evaluates at once, padded to this number",
    )
    inference: Literal["worker", "server", "cuda"] = Field(
        default="worker",
        title="where the network runs: in each worker, in one process for all workers of this machine, "
        "or there on a CUDA device",
    )
    overlap: bool = Field(
        default=False,
        title="play the next iteration's games while the network learns, by the champion before its "
        "gate",
    )
    policy_target: Literal["visits", "values"] = Field(
        default="visits",
        title="what the policy learns: the visits of the search, or, without a search, the "
        "softmax of the values of all successors",
    )
    full_share: Share = Field(
        default=1.0,
        title="share of the moves that are searched in full; only these teach the policy",
    )
    cheap: Whole = Field(default=0, title="iterations for the other moves")
    random_plies: Whole = Field(
        default=0,
        title="a game begins with up to this many random plies",
    )
    most_plies: Count = Field(default=1000, title="a game of this length is a draw")
    value_mix: float = Field(
        default=0.0,
        ge=0,
        le=1,
        title="what the value learns: the game's result (0), the value of the search (1), or a "
        "mixture",
    )
    spread: Annotated[float, Field(gt=0, le=100)] = Field(
        default=0.25,
        title="temperature of the softmax of values; smaller means more weight on the best move",
    )
    drawn_plies: Whole = Field(
        default=30,
        title="plies in which moves are sampled by that softmax",
    )
    engine: dict[str, Any] = Field(
        default={},
        description="a table of settings",
        title="settings for self-play only, over the study's engine: noise, temperature",
    )


def selfplay_settings(usual: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the engine's settings in self-play: those of matches, overridden by `own`; a limit in
    `own` replaces the usual one.
    """
    limited = any(kind in own for kind in LIMITS)
    return {n: v for n, v in usual.items() if not (limited and n in LIMITS)} | {**own}


@dataclass(frozen=True)
class GatePlan:
    """The match of a new network against the champion: `blocks` and the score needed to replace it,
    or a sequential test with a cap of blocks.
    """

    blocks: int = 20
    score: float = 0.55
    sprt: SprtPlan | None = None
    rejected: str = "go on"

    @property
    def most(self) -> int:
        """Largest number of blocks."""
        return self.sprt.max_blocks if self.sprt else self.blocks


class LadderPlan(Strict):
    """[ladder]: the last stage: so many generations, spread over the run, the last ones among them, meet each
    other and the anchors.
    """

    generations: Annotated[int, Field(ge=0, le=50)] = Field(
        default=5,
        title="number of generations that take part, including the last; 0: no ladder",
    )
    blocks: Count = Field(
        default=30,
        title="openings per pair, two games each",
    )
    milliseconds: Positive | None = Field(
        default=None,
        title="the last generation also meets the anchors with so much time per move each",
    )


@dataclass(frozen=True)
class RecordsPlan:
    """Stored games that teach the first network: of a run, or of a folder of records. `held_out`:
    share of the games kept for testing; `players`: whose moves teach (empty: all); `tests`: runs, or
    folders of records, whose games test the network, too.
    """

    source: str
    is_run: bool
    held_out: float = 0.1
    epochs: int = 10
    players: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()


@dataclass(frozen=True)
class TrialsPlan:
    """A search among trainings of `games` games of self-play each, whose champions play `blocks`
    openings against each anchor. The best settings and the study's own are trained `seeds` times
    anew, and meet in pairs over `final_blocks` openings.

    `base`: the study's table, with paths relative to `folder`; a point's settings override it.
    """

    space: Domain
    base: Mapping[str, Any]
    folder: Path
    games: int
    trials: int
    sampler: str
    blocks: int
    seeds: int
    final_blocks: int

    def identity(self) -> dict[str, Any]:
        """Return what must stay the same for a run to be resumed; the numbers of trials and of
        final trainings may grow.
        """
        return {
            "space": {axis.name: axis.as_written() for axis in self.space.axes},
            **{
                name: getattr(self, name) for name in ("games", "sampler", "blocks", "final_blocks")
            },
        }


@dataclass(frozen=True)
class TrainPlan:
    """A training study, or with `trials` a search among many. `engine`: the settings that all its
    networks play with.
    """

    engine: Mapping[str, Value]
    net: NetPlan
    learn: LearnPlan
    view: str = ""
    settings: Mapping[str, Value] = field(default_factory=dict)
    selfplay: SelfPlayPlan | None = None
    gate: GatePlan = GatePlan()
    ladder: LadderPlan = field(default_factory=LadderPlan)
    records: RecordsPlan | None = None
    start: str = ""
    start_digest: str = ""
    trials: TrialsPlan | None = None

    def identity(self) -> dict[str, Any]:
        """Return what must stay the same for a run to be resumed: all but its length and what does
        not affect its networks.
        """
        table = {part.name: getattr(self, part.name) for part in fields(self)}
        for name, part in table.items():
            if isinstance(part, Strict):
                table[name] = part.model_dump()
            elif isinstance(part, GatePlan | RecordsPlan):
                table[name] = asdict(part)
        del table["ladder"], table["start"], table["trials"]
        if self.trials is not None:
            table["trials"] = self.trials.identity()
        if self.selfplay is not None:
            del table["selfplay"]["iterations"], table["selfplay"]["together"]
            if self.selfplay.inference != "cuda":  # the same batches, the same answers
                del table["selfplay"]["inference"]
        return {"training": table}


def training_of(study: Study) -> TrainPlan:
    """Return the plan of a training study."""
    assert isinstance(study.own, TrainPlan)
    return study.own

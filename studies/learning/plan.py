"""What a training study plans: the network, self-play, learning, gate, ladder, and the games to start from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from joute.engines.parameter import Value
from joute.engines.search import LIMITS
from joute.studies.file.sprt import SprtPlan
from joute.studies.study import Study
from joute.studies.tuner.domain import Domain

HEADS = ("dense", "convolutional")
OPTIMIZERS = ("adam", "sgd")
DEVICES = ("cpu", "cuda")
TARGETS = ("visits", "values")
REJECTED = ("go on", "go back")
GATE, LADDER, DUEL = "gate-{:03}", "ladder", "final"
"""Stages of matches: of each iteration, and the last one; of a search among trainings those of the end."""
TRIED, ANEW = "search", "final"
"""Why a training of such a search is made."""
GENERATION = "generation "


def called(generation: int) -> str:
    """Return the name of a generation that plays."""
    return f"{GENERATION}{generation}"


def generation_in(name: str) -> int | None:
    """Return the generation that plays under a name; None for anybody else."""
    number = name.removeprefix(GENERATION)
    return int(number) if number != name else None


@dataclass(frozen=True)
class NetPlan:
    """A residual network: a 3 x 3 convolution, `blocks` of two more with a way round them, two heads.

    The policy head is dense (every entry from every cell) or convolutional (the entries of a cell
    from that cell alone).
    """

    blocks: int = 4
    filters: int = 32
    policy_head: str = "dense"
    policy_filters: int = 32
    value_filters: int = 8
    value_hidden: int = 64


@dataclass(frozen=True)
class LearnPlan:
    """How a network learns from samples. `window` counts iterations, `rate` is the step's size,
    `decay` that of the weights, `value_weight` what (z - v)^2 counts beside - pi log p.
    """

    epochs: int = 2
    batch: int = 128
    optimizer: str = "adam"
    rate: float = 1e-3
    momentum: float = 0.9
    decay: float = 1e-4
    value_weight: float = 1.0
    window: int = 5
    symmetries: bool = True
    threads: int = 1
    device: str = "cpu"


@dataclass(frozen=True)
class SelfPlayPlan:
    """Games of the champion against itself: `games` an iteration, `together` of them at once in a
    worker, leaves evaluated `batch` at a time.

    A share of the moves, `full_share`, is searched in full, and only these teach the policy; the others
    have `cheap` iterations. A game begins with up to `random_plies` random ones; one that lasts `most_plies` is
    a draw. `engine` are settings over the study's engine (noise, temperature). The value learns
    (1 - `value_mix`) * result + `value_mix` * what the search found the position worth. Without a tree
    (`policy_target = "values"`) moves are drawn by the softmax of value / `spread` in the first
    `drawn_plies`.
    """

    iterations: int = 10
    games: int = 200
    together: int = 32
    batch: int = 8
    policy_target: str = "visits"
    full_share: float = 1.0
    cheap: int = 0
    random_plies: int = 0
    most_plies: int = 1000
    value_mix: float = 0.0
    spread: float = 0.25
    drawn_plies: int = 30
    engine: Mapping[str, Value] = field(default_factory=dict)


def selfplay_settings(usual: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the engine's settings in self-play: those of matches, and `own` over them; a limit of its own
    takes the place of the usual one.
    """
    limited = any(kind in own for kind in LIMITS)
    return {n: v for n, v in usual.items() if not (limited and n in LIMITS)} | {**own}


@dataclass(frozen=True)
class GatePlan:
    """The match of a new network against the champion: `blocks` and the score from which it replaces
    it, or a sequential test with a cap of blocks.
    """

    blocks: int = 20
    score: float = 0.55
    sprt: SprtPlan | None = None
    rejected: str = "go on"

    @property
    def most(self) -> int:
        """Blocks at most."""
        return self.sprt.max_blocks if self.sprt else self.blocks


@dataclass(frozen=True)
class LadderPlan:
    """The last stage: so many generations, spread over the run, the last ones among them, meet each
    other and the anchors.
    """

    generations: int = 5
    blocks: int = 30


@dataclass(frozen=True)
class RecordsPlan:
    """Stored games that teach the first network: a run's, or a folder's of records. `held_out` is the
    share of the games that are kept to test it; of `players`, if any are named, the moves teach. The
    games of the runs `tests` test it as well.
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

    `base` is the table of the study's file, seen from `folder`, over which a point's settings come.
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
        """Return what must stay the same for a run to be resumed: there may be more trials, and more
        trainings at the end.
        """
        return {
            "space": {axis.name: axis.as_written() for axis in self.space.axes},
            **{
                name: getattr(self, name) for name in ("games", "sampler", "blocks", "final_blocks")
            },
        }


@dataclass(frozen=True)
class TrainPlan:
    """A training study, or with `trials` a search among many. `engine` are the settings that all its
    networks play with.
    """

    engine: Mapping[str, Value]
    net: NetPlan
    learn: LearnPlan
    view: str = ""
    settings: Mapping[str, Value] = field(default_factory=dict)
    selfplay: SelfPlayPlan | None = None
    gate: GatePlan = GatePlan()
    ladder: LadderPlan = LadderPlan()
    records: RecordsPlan | None = None
    start: str = ""
    start_digest: str = ""
    trials: TrialsPlan | None = None

    def identity(self) -> dict[str, Any]:
        """Return what must stay the same for a run to be resumed: all but how long it goes on, and what
        makes no difference to its networks.
        """
        found = asdict(replace(self, trials=None))
        del found["ladder"], found["start"], found["trials"]
        if self.trials is not None:
            found["trials"] = self.trials.identity()
        if self.selfplay is not None:
            del found["selfplay"]["iterations"], found["selfplay"]["together"]
        return {"training": found}


def training_of(study: Study) -> TrainPlan:
    """Return the plan of a training study."""
    assert isinstance(study.own, TrainPlan)
    return study.own

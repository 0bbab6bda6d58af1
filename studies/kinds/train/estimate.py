"""The dry run of a training study: games, network calls and time, from a few seconds of play."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from joute.engines.kernels.random import seed_of
from joute.engines.nets.numpy_reader import Singles
from joute.engines.output import Output
from joute.results.quantity import duration
from joute.studies.kinds.train.inference import serving
from joute.studies.kinds.train.prepare import Workshop, timed_anchors
from joute.studies.kinds.train.selfplay_task import answers_of, asking, net_of, tree_maker
from joute.studies.learning.learn import learn
from joute.studies.learning.onnx_file import write_net
from joute.studies.learning.plan import SelfPlayPlan, TrainPlan, training_of
from joute.studies.learning.planes import Planes
from joute.studies.learning.recorded_games import samples_of
from joute.studies.learning.samples import Samples, joined
from joute.studies.learning.selfplay import Selfplayed, play_games
from joute.studies.learning.torch_net import Network
from joute.studies.study import Study

SECONDS = 4.0  # of self-play
LEARNT = 2000  # positions


def estimate_training(study: Study, workers: int, start: bool) -> Output:
    """Estimate the cost of a training study; its time is not measured unless `start`."""
    plan = training_of(study)
    counts = games_of(study, plan)
    data: dict[str, object] = {**counts, "games": sum(counts.values()), "workers": workers}
    lines = [
        f"{name.replace('_', ' ')}: {count:,} games" for name, count in counts.items() if count
    ]
    if not start:
        lines.append("its time is not known: nothing was played here")
        return Output({**data, "seconds": None}, "\n".join(lines))
    seconds = list[float]()
    if plan.selfplay is not None:
        game, calls, learning, positions = tried(study)
        total = sum(counts.values())
        seconds = [
            counts["self_play"] * game / workers,
            learning * learnt(plan, positions),
            (total - counts["self_play"]) * game / workers,
        ]
        data |= {"calls": round(counts["self_play"] * calls), "positions_a_game": positions}
        lines += [
            f"network calls of self-play: about {counts['self_play'] * calls:,.0f} positions "
            f"({calls:,.0f} a game of {positions:.0f} plies, {game * 1e3:.0f} ms of one worker)",
            f"time: self-play {duration(seconds[0])}, learning {duration(seconds[1])}, matches about "
            f"{duration(seconds[2])} (as if all played like the network)",
        ]
    if plan.records is not None:
        games, spent = taught(study)
        seconds.append(spent)
        lines.append(f"records: {games} games, learning about {duration(spent)}")
    data["seconds"] = sum(seconds)
    lines.append(f"{data['games']} games in all: {duration(sum(seconds))} on {workers} workers")
    return Output(data, "\n".join(lines))


def estimate_trials(study: Study, workers: int, start: bool) -> Output:
    """Estimate the cost of a search among trainings, as if all were like the study's own."""
    from joute.studies.kinds.train_search.play import DEFAULT, plan_of, training_study, trials_of

    plan, anchors = plan_of(study), len(study.entrants)
    trials = trials_of(plan)
    trainings = trials + 2 * plan.seeds
    output = estimate_training(training_study(study, DEFAULT, {}), workers, start)
    measuring = trainings * anchors * plan.blocks * 2
    finals = plan.seeds * plan.final_blocks * 2
    games, seconds = output.data["games"], output.data["seconds"]
    assert isinstance(games, int)
    data = {
        "trainings": trainings, "games": trainings * games + measuring + finals, "measuring": measuring,
        "final": finals, "workers": workers, "seconds": None, "training": output.data,
    }  # fmt: skip
    lines = [
        f"{trials} trainings of the search, {2 * plan.seeds} at the end; each as the study's own:",
        *(f"  {line}" for line in output.text.splitlines()),
        f"their champions against the anchors: {measuring:,} games; the final: {finals:,} games",
    ]
    if isinstance(seconds, float) and games:
        data["seconds"] = trainings * seconds + (measuring + finals) * seconds / games
        lines.append(
            f"{data['games']:,} games in all: about {duration(data['seconds'])} on {workers} workers, if "
            "all settings cost what the study's own do"
        )
    return Output(data, "\n".join(lines))


def games_of(study: Study, plan: TrainPlan) -> dict[str, int]:
    """Return the largest numbers of games of self-play, of the gates and of the ladder, that of equal time included."""
    own = plan.selfplay
    iterations = own.iterations if own is not None else 0
    rungs = min(plan.ladder.generations, iterations + 1)
    members = rungs + len(study.entrants) if rungs else 0
    milliseconds = plan.ladder.milliseconds
    timed = len(timed_anchors(study.entrants, milliseconds)) if rungs and milliseconds else 0
    return {
        "self_play": own.games * iterations if own is not None else 0,
        "gates": iterations * plan.gate.most * 2,
        "ladder": (members * (members - 1) // 2 + timed) * plan.ladder.blocks * 2,
    }


def learnt(plan: TrainPlan, positions: float) -> float:
    """Return the number of samples that all iterations learn from, at so many positions a game."""
    own, window = plan.selfplay, plan.learn.window
    assert own is not None
    windows = sum(min(k, window) for k in range(1, own.iterations + 1))
    return windows * own.games * positions * plan.learn.epochs


def tried(study: Study) -> tuple[float, float, float, float]:
    """Play a few games of self-play with an untrained network and let it learn from them; return
    seconds and network calls a game, seconds a sample, positions a game.
    """
    shop = Workshop(study)
    plan = shop.plan.selfplay
    assert plan is not None
    with TemporaryDirectory(prefix="joute-") as folder:
        file = Path(folder) / "first.onnx"
        weights = shop.first_weights()
        write_net(file, shop.made, weights, shop.note())
        engine = shop.engine(file, selfplay=True)
        view_planes = Planes(shop.game, shop.view)
        tree = tree_maker(engine, view_planes, plan)
        seed, played, begun = seed_of("dry", study.seed), list[Selfplayed](), 0.0
        with served(shop, file, plan) as server, asking(net_of(engine), server) as ask:
            answers = answers_of(engine, ask, plan)
            while not begun or time.perf_counter() - begun < SECONDS:
                numbers = range(len(played), len(played) + min(plan.together, plan.games))
                more = play_games(numbers, tree, answers, view_planes, plan, seed)
                if not begun:  # the first games compile
                    begun, first = time.perf_counter(), len(more)
                played += more
        spent, games = time.perf_counter() - begun, len(played) - first
        calls = sum(game.calls for game in played) / len(played)
        samples = joined([game.samples for game in played])
        return (
            spent / games,
            calls,
            learning_time(shop, weights, samples),
            len(samples) / len(played),
        )


@contextmanager
def served(shop: Workshop, net: Path, plan: SelfPlayPlan) -> Iterator[str]:
    """Yield the address of a server of a network for the time of the context; "" where workers have it."""
    if plan.inference == "worker":
        yield ""
        return
    with serving(shop.order(net, plan)) as address:
        yield address


def learning_time(shop: Workshop, weights: dict[str, Singles], samples: Samples) -> float:
    """Return the seconds that learning from one sample takes."""
    network = Network(shop.made, weights, shop.plan.learn.device)
    few = samples.take(np.arange(min(LEARNT, len(samples))))
    once = shop.plan.learn.model_copy(update={"epochs": 1})
    learn(network, few, shop.symmetries, once, 0)
    begun = time.perf_counter()
    learn(network, few, shop.symmetries, once, 0)
    return (time.perf_counter() - begun) / len(few)


def taught(study: Study) -> tuple[int, float]:
    """Return the number of stored games, and the seconds that learning from them takes."""
    shop = Workshop(study)
    records, plan = shop.records, shop.plan.records
    assert records is not None and plan is not None
    few = records.games[:50]
    samples, _ = samples_of(few, shop.game, shop.view, plan.players)
    each = learning_time(shop, shop.first_weights(), samples)
    return len(records.games), each * len(samples) / len(few) * len(records.games) * plan.epochs

"""A network in each worker, in one process for all, or on a CUDA device: rates, and whether the answers agree.

    python -m benchmarks.inference [--workers 2] [--games 64] [--batches 8,256] [--together 32] [--study gopher-zero] [--net 4x32]

Positions a second of the bare network and of self-play, learning's samples a second on each device. What needs a
device is left out where there is none.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks import JOUTE
from joute.engines.nets.net import Net
from joute.results.store import Store
from joute.studies.kinds.train.history import read_history
from joute.studies.kinds.train.prepare import Workshop
from joute.studies.learning.learn import learn
from joute.studies.learning.onnx_file import write_net
from joute.studies.learning.plan import LearnPlan
from joute.studies.learning.samples import Samples
from joute.studies.learning.torch_net import Network, needed
from joute.studies.load import load_study

REPEATS = 5


def main() -> None:
    """Print the rates."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--study", default="gopher-zero")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--games", type=int, default=64)
    parser.add_argument("--batches", default="8,256")
    parser.add_argument("--together", default="32", help="games of a worker at once, some numbers")
    parser.add_argument("--net", default="4x32", help="blocks x filters")
    parser.add_argument("--places", default="worker,server,cuda")
    parser.add_argument(
        "--only", choices=("self-play",), help="nothing about the bare network and learning"
    )
    asked = parser.parse_args()
    blocks, filters = asked.net.split("x")
    wide = [f"net.blocks={blocks}", f"net.filters={filters}"]
    shop = Workshop(load_study(asked.study, wide))
    work = shop.plan.engine["iterations"]  # of self-play; the gate, which is not timed, gets little
    wide += [f"selfplay.engine.iterations={work}", "engine.iterations=2"]
    cuda = needed().cuda.is_available()
    batches = [int(batch) for batch in asked.batches.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "net.onnx"
        write_net(file, shop.made, shop.first_weights(), shop.note())
        if asked.only is None:
            bare(shop, file, batches, cuda)
            learning(shop, cuda)
        devices = ["server", "cuda"] if cuda else ["server"]
        places = [
            ("worker", batches[0]),
            *((place, batch) for place in devices for batch in batches),
        ]
        small = [*wide, "net.blocks=1", "net.filters=8", "selfplay.together=16"]
        played(asked.study, 16, 1, small, Path(folder) / "warm")  # compiles
        for i, (place, batch) in enumerate(places):
            if place not in asked.places.split(","):
                continue
            for together in asked.together.split(","):
                settings = [*wide, f"selfplay.inference={place}", f"selfplay.batch={batch}"]
                settings += [f"selfplay.together={together}"]
                settings += ["learn.device=cuda"] if cuda else []
                games, calls, seconds = played(
                    asked.study, asked.games, asked.workers, settings,
                    Path(folder) / f"{i}-{together}",
                )  # fmt: skip
                print(
                    f"self-play, {asked.workers} workers with {together} games at once, network in {place}, "
                    f"batch {batch}: {games / seconds:.2f} games/s, {calls / seconds:,.0f} positions/s",
                    flush=True,
                )


def bare(shop: Workshop, file: Path, batches: list[int], cuda: bool) -> None:
    """Print the rate of the network by itself, and how the device's answers differ."""
    net = Net(file, shop.game, ours=True)
    rng = np.random.default_rng(1)
    for batch in batches:
        planes = rng.integers(0, 2, (batch, *shop.made.shape[:3])).astype(np.float32)
        rate = batch / timed(lambda planes=planes: net.run(planes))
        print(f"bare network, CPU, one thread, batch {batch}: {rate:,.0f} positions/s")
        if not cuda:
            continue
        from joute.studies.learning.cuda import cuda_network

        ask = cuda_network(shop.made, file, batch)
        rate = batch / timed(lambda planes=planes, ask=ask: ask(planes))
        off = max(
            float(np.abs(a - b).max()) for a, b in zip(ask(planes), net.run(planes), strict=True)
        )
        print(f"bare network, CUDA, batch {batch}: {rate:,.0f} positions/s; off by {off:.1e}")
        first, other = [a.copy() for a in ask(planes)], planes.copy()
        other[1:] = rng.random(other[1:].shape)
        turned = np.roll(other, batch // 2, axis=0)
        alike = [
            np.array_equal(first[part][0], ask(rows)[part][at])
            for rows, at in ((other, 0), (turned, batch // 2))
            for part in (0, 1)
        ]
        print(f"an answer is the same bit for bit in other company and at another place: {alike}")


def learning(shop: Workshop, cuda: bool) -> None:
    """Print how many samples a second are learnt on each device."""
    rng, count = np.random.default_rng(2), 4096
    shape = shop.made.shape
    number = np.arange(count)
    samples = Samples(
        rng.integers(0, 2, (count, *shape[:3])).astype(np.float32),
        np.eye(shape.policy, dtype=np.float32)[rng.integers(0, shape.policy, count)],
        rng.choice([-1.0, 1.0], count).astype(np.float32),
        np.ones(count, np.float32), number, number, number + 1,
    )  # fmt: skip
    for device in ("cpu", *(("cuda",) if cuda else ())):
        for batch in (128, 1024):
            plan = LearnPlan(epochs=1, batch=batch, device=device)
            network = Network(shop.made, shop.first_weights(), device)
            seconds = timed(
                lambda network=network, plan=plan: learn(
                    network, samples, shop.symmetries, plan, 1
                ),
                3,
            )
            print(f"learning, {device}, batch {batch}: {count / seconds:,.0f} samples/s")


def timed(do: Callable[[], Any], repeats: int = REPEATS) -> float:
    """Return the median seconds of a call, after one that warms up."""
    do()
    seconds = []
    for _ in range(repeats):
        begun = time.perf_counter()
        do()
        seconds.append(time.perf_counter() - begun)
    return median(seconds)


def played(
    study: str, games: int, workers: int, settings: list[str], folder: Path
) -> tuple[int, int, float]:
    """Play one iteration of a training; return its games, network calls and seconds of self-play."""
    command = [*JOUTE, "run", study, "--out", str(folder), "--no-report", "-j", str(workers)]
    for setting in (
        "selfplay.iterations=1", f"selfplay.games={games}", "gate.blocks=1", "learn.epochs=1",
        "ladder.generations=0", *settings,
    ):  # fmt: skip
        command += ["--set", setting]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    with Store.open(folder) as store:
        entry = read_history(store.meta())[1]
    return games, entry["calls"], entry["seconds"]["self-play"]


if __name__ == "__main__":
    main()

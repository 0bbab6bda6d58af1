"""What a window of a million positions of Go 19 x 19 costs: memory, disk, and time a batch.

python -m benchmarks.window [--positions N]; needs torch
"""

from __future__ import annotations

import argparse
import resource
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from joute.engines.engine import parse_game
from joute.engines.view import Shape, view_of
from joute.studies.learning.architecture import architecture_of
from joute.studies.learning.learn import batches, learn
from joute.studies.learning.plan import LearnPlan, NetPlan
from joute.studies.learning.sample_file import SampleFile, SampleWriter, Window
from joute.studies.learning.samples import Samples, in_parts
from joute.studies.learning.torch_net import Network

FILES, GAME, BATCH = 5, 200, 128
VISITED = 48  # entries of a policy that a search visited


def drawn(rng: np.random.Generator, numbers: np.ndarray, shape: Shape) -> Samples:
    """Return samples drawn at random: planes of zeros and ones, policies over some entries."""
    count = len(numbers)
    planes = rng.integers(0, 2, (count, *shape[:3]), np.int8).astype(np.float32)
    policy = np.zeros((count, shape.policy), np.float32)
    entries = rng.integers(0, shape.policy, (count, VISITED))
    policy[np.arange(count)[:, None], entries] = rng.random((count, VISITED), np.float32)
    return Samples(
        planes, policy / policy.sum(axis=1, keepdims=True),
        rng.choice([-1, 1], count).astype(np.float32), np.ones(count, np.float32),
        numbers // GAME, numbers % GAME, np.full(count, GAME),
    )  # fmt: skip


def peak() -> float:
    """Return the most memory that this process has held, in GB, its mapped files included."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def main() -> None:
    """Write the files, learn from them for an epoch, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=1_000_000)
    count = parser.parse_args().positions // FILES
    game = parse_game("go[size=19]")
    view = view_of(game, "goban", {"history": 8})
    shape, rng = view.shape(game), np.random.default_rng(1)
    with TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{k:04}.npz" for k in range(FILES)]
        for path in paths:
            writer = SampleWriter(path, shape)
            for numbers in in_parts(count, 4096):
                writer.add(drawn(rng, numbers, shape))
            writer.write()
        size = sum(path.stat().st_size for path in paths) / 1e9
        print(f"{FILES * count:,} positions on the disk: {size:.2f} GB; peak {peak():.2f} GB")
        begun = time.perf_counter()
        window = Window([SampleFile(path) for path in paths])
        print(f"opened and checked in {time.perf_counter() - begun:.1f} s; peak {peak():.2f} GB")
        begun, taken = time.perf_counter(), 0
        for which in batches(rng, len(window), BATCH):
            taken += len(window.take(which))
        rate = (time.perf_counter() - begun) / taken
        print(f"every position taken once: {1e6 * rate:.1f} µs each; peak {peak():.2f} GB")
        plan = NetPlan(blocks=0, filters=2, policy_filters=1, value_filters=1, value_hidden=4)
        made = architecture_of(plan, view, game)
        begun = time.perf_counter()
        symmetries = view.symmetries(game)
        learn(Network(made, made.weights(1)), window, symmetries, LearnPlan(epochs=1), 1)
        rate = (time.perf_counter() - begun) / len(window)
        print(f"learnt for an epoch, tiny network: {1e6 * rate:.0f} µs each; peak {peak():.2f} GB")


if __name__ == "__main__":
    main()

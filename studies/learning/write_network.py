"""Exports a network as ONNX; the file is compared with torch before it replaces the old one."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from joute.engines.errors import JouteError
from joute.engines.game import Game
from joute.engines.kernels.random import seed_of
from joute.engines.nets.net import Net, Note
from joute.results.manifest import note as noted
from joute.studies.learning.onnx_file import onnx_bytes
from joute.studies.learning.torch_net import Network

TOLERANCE = 1e-4  # |file - torch| <= TOLERANCE * (1 + |torch|), logits and values
POSITIONS = 32


class NotEqual(JouteError):
    """A file whose answers differ from the network it was made from."""


def export(path: Path, network: Network, note: Note, game: Game) -> float:
    """Write a network's file; return its largest deviation from torch on the CPU, on random planes.

    The old file stays if the new one cannot be written or run, or deviates too much.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    trial = path.with_name(f".{path.stem}.new.onnx")
    noted(trial)
    noted(path)
    try:
        with trial.open("wb") as file:
            file.write(onnx_bytes(network.made, network.weights(), note))
            file.flush()
            os.fsync(file.fileno())
        error_of_file = difference(Net(trial, game, ours=True), network.on_cpu())
        if not error_of_file <= TOLERANCE:
            raise NotEqual(
                f"{path} was not written: as ONNX the network differs from torch by "
                f"{error_of_file:.2g} (allowed: {TOLERANCE:g})"
            )
        os.replace(trial, path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        trial.unlink(missing_ok=True)
    return error_of_file


def difference(net: Net, network: Network) -> float:
    """Return the largest |file - torch| / (1 + |torch|) over random planes."""
    shape = net.shape
    rng = np.random.default_rng(seed_of("export"))
    planes = rng.integers(0, 2, (POSITIONS, shape.planes, shape.rows, shape.columns))
    pairs = zip(net.run(planes.astype(np.float32)), network.answer(planes.astype(np.float32)),
                strict=True)  # fmt: skip
    return max(float(np.max(np.abs(a - b) / (1 + np.abs(b)))) for a, b in pairs)

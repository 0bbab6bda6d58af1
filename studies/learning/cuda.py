"""A network on a CUDA device, for batches of one size: its kernels are recorded once and replayed.

A small network takes less time than the launches of its kernels; a recorded graph is one launch.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from joute.engines.nets.batches import Ask
from joute.engines.nets.numpy_reader import Singles
from joute.studies.learning.architecture import Architecture
from joute.studies.learning.onnx_file import read_weights
from joute.studies.learning.torch_net import Network, needed

WARM = 3  # runs before the recording: libraries choose and load their kernels


def cuda_network(made: Architecture, net: Path, batch: int) -> Ask:
    """Return a network on the device, which answers exactly `batch` positions at once; raise Refused
    where there is no device.
    """
    torch = needed("cuda", "selfplay.inference", "'worker', 'server'")
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark = True, False
    network, shape = Network(made, read_weights(net, made), "cuda"), made.shape
    with torch.no_grad():
        given = torch.zeros(batch, shape.planes, shape.rows, shape.columns, device="cuda")
        aside: Any = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(WARM):
                network.run(given)
        torch.cuda.current_stream().wait_stream(aside)
        recorded: Any = torch.cuda.CUDAGraph()
        with torch.cuda.graph(recorded):
            logits, value, _ = network.run(given)
            answer = torch.cat([logits, value[:, None]], 1)

    def ask(planes: Singles) -> tuple[Singles, Singles]:
        given.copy_(torch.from_numpy(np.ascontiguousarray(planes)))
        recorded.replay()
        both: Singles = answer.cpu().numpy()
        return both[:, :-1], both[:, -1]

    return ask

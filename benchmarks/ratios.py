"""Time ratios of two functions that do the same work, measured in alternation in one process.

`CC` names another compiler of the twins, `CFLAGS` adds to its flags: with CFLAGS=-march=haswell and numba's
NUMBA_CPU_NAME=haswell both are compiled for that processor.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent / "c"
FLAGS = ("-O3", "-march=native", "-ffp-contract=off", "-shared", "-fPIC")


@cache
def compiled(name: str) -> ctypes.CDLL:
    """Compile `c/<name>.c` into a temporary folder and load it."""
    folder = tempfile.mkdtemp(prefix="joute-benchmark-")
    library = Path(folder) / f"{name}.so"
    source = HERE / f"{name}.c"
    compiler, more = os.environ.get("CC", "cc"), os.environ.get("CFLAGS", "").split()
    subprocess.run([compiler, *FLAGS, *more, "-o", str(library), str(source), "-lm"], check=True)
    return ctypes.CDLL(str(library))


def pointer(array: np.ndarray[Any, Any]) -> ctypes.c_void_p:
    """Return the address of an array, which the caller keeps alive."""
    return ctypes.c_void_p(array.ctypes.data)


@dataclass(frozen=True)
class Ratio:
    """Median and quartiles of the ratios, and the median seconds of both sides."""

    median: float
    low: float
    high: float
    ours: float
    theirs: float

    def __str__(self) -> str:
        return f"{self.median:5.2f} [{self.low:.2f}, {self.high:.2f}]"


def compare(
    ours: Callable[[], object],
    theirs: Callable[[], object],
    rounds: int = 15,
    clock: Callable[[], float] = time.thread_time,
) -> Ratio:
    """Run both in turn, alternating which is first, and return the ratio of their times: of the processor's,
    which other work on the machine changes least, unless another clock is given.
    """

    def seconds(work: Callable[[], object]) -> float:
        begun = clock()
        work()
        return clock() - begun

    ours()
    theirs()
    pairs = []
    for i in range(rounds):
        if i % 2:
            other = seconds(theirs)
            pairs.append((seconds(ours), other))
        else:
            own = seconds(ours)
            pairs.append((own, seconds(theirs)))
    times = np.array(pairs)
    low, median, high = np.quantile(times[:, 0] / times[:, 1], [0.25, 0.5, 0.75])
    own, other = np.median(times, axis=0)
    return Ratio(float(median), float(low), float(high), float(own), float(other))

"""A network's answers in batches of one size, and answers that are kept.

In a batch of a fixed size the answer to a position does not depend on the others: so an answer that is kept
is the answer that the network would give.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from joute.engines.nets.numpy_reader import Singles

Ask = Callable[[Singles], tuple[Singles, Singles]]
"""Positions [N, planes, rows, columns] to logits [N, entries] and values [N]."""


def in_batches(ask: Ask, batch: int) -> Ask:
    """Return a network that is asked in batches of one size, the last one padded."""
    return lambda planes: padded(ask, planes, batch)


def padded(ask: Ask, planes: Singles, batch: int) -> tuple[Singles, Singles]:
    """Return a network's answers to positions, in batches of one size, the last one padded."""
    answers = [ask(rows) for rows in batches_of(planes, batch)]
    count = len(planes)
    return (
        np.concatenate([policy for policy, _ in answers])[:count],
        np.concatenate([value for _, value in answers])[:count],
    )


def batches_of(planes: Singles, batch: int) -> Iterator[Singles]:
    """Yield batches of one size; the last is padded with zeros."""
    for begin in range(0, len(planes), batch):
        rows = planes[begin : begin + batch]
        if len(rows) < batch:
            rows = np.concatenate(
                [rows, np.zeros((batch - len(rows), *rows.shape[1:]), np.float32)]
            )
        yield rows


class KeptAnswers:
    """Keeps a network's answers to the last `size` different positions, by a digest of 128 bits of what
    the network sees. `ask` must answer each position the same in any company: see `in_batches`.
    """

    def __init__(self, ask: Ask, size: int) -> None:
        self._ask, self._size = ask, size
        self._kept: dict[bytes, tuple[Singles, np.float32]] = {}  # the one used last is the last
        self.asked = self.found = 0

    def __call__(self, planes: Singles) -> tuple[Singles, Singles]:
        """Return logits and values of positions, asking only for those that are not kept."""
        keys = [
            hashlib.blake2b(row, digest_size=16).digest() for row in np.ascontiguousarray(planes)
        ]
        kept = self._kept
        rows = {key: row for row, key in reversed([*enumerate(keys)]) if key not in kept}
        self.asked += len(keys)
        self.found += len(keys) - len(rows)
        if rows:
            policy, value = self._ask(planes[[*rows.values()]])
            kept.update(zip(rows, zip(policy.copy(), value, strict=True), strict=True))
        answers = [kept[key] for key in keys]
        for key in keys:
            kept[key] = kept.pop(key)
        for key in [*islice(kept, max(0, len(kept) - self._size))]:
            del kept[key]
        return np.stack([policy for policy, _ in answers]), np.array([v for _, v in answers])

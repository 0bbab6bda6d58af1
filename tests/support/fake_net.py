"""A network that is no network: what it says of a position is drawn from a digest of what it sees."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

import joute.engines.searches.puct as puct
from joute.engines.game import Game
from joute.engines.nets.numpy_reader import Singles
from joute.engines.view import view_of


class FakeNet:
    """Fits any game that has a view. `batches` are the sizes of the batches it was asked; the larger
    `scale`, the surer its policy.
    """

    def __init__(self, game: Game) -> None:
        self.view = view_of(game)
        self.shape = self.view.shape(game)
        self.digest = "fake"
        self.batches: list[int] = []
        self.scale = 1.5

    def check_generator(self, game: Game, generator: object) -> None:
        """Every generator will do."""

    def opinion(self, planes: Singles) -> tuple[Singles, float]:
        """Return the logits and the value of one position."""
        shown = np.ascontiguousarray(planes, np.float32).tobytes()
        seed = int.from_bytes(hashlib.blake2b(shown, digest_size=8).digest(), "big")
        drawn = np.random.default_rng(seed)
        logits = drawn.normal(scale=self.scale, size=self.shape.policy).astype(np.float32)
        return logits, float(np.float32(np.tanh(drawn.normal())))

    def run(self, planes: Singles) -> tuple[Singles, Singles]:
        """Answer like a network, each row by itself."""
        self.batches.append(len(planes))
        told = [self.opinion(one) for one in planes]
        return np.stack([t[0] for t in told]), np.array([t[1] for t in told], np.float32)


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> dict[str, FakeNet]:
    """Let every network that `puct` is asked for be a fake; return them by game."""
    made: dict[str, FakeNet] = {}

    def load(name: str, game: Game) -> FakeNet:
        return made.setdefault(game.label, FakeNet(game))

    monkeypatch.setattr(puct, "load_net", load)
    return made

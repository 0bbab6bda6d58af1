"""The random stream against plain integers."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joute.engines.kernels.random import below, next_word, seed_of, stream

ALL = (1 << 64) - 1
GOLDEN_GAME_1 = 12544399549436743824
GOLDEN_NOTHING = 16476032584258269876
SEEDS = [0, 1, 42, 0x9E3779B97F4A7C15, 1 << 63, ALL]


class PlainStream:
    """splitmix64 on Python integers."""

    def __init__(self, seed: int) -> None:
        self.state = seed & ALL

    def next_word(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & ALL
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & ALL
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & ALL
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        return ((self.next_word() >> 32) * n) >> 32


def plain_words(seed: int, count: int) -> list[int]:
    plain = PlainStream(seed)
    return [plain.next_word() for _ in range(count)]


def test_published_values() -> None:
    # The reference C code of splitmix64 (Vigna) from seed 1234567.
    assert plain_words(1234567, 3) == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_compiled_stream_is_the_plain_one(seed: int) -> None:
    S = stream(seed)
    assert [int(next_word(S)) for _ in range(1000)] == plain_words(seed, 1000)


@settings(max_examples=200)
@given(seed=st.integers(-(1 << 70), 1 << 70), n=st.integers(1, (1 << 32) - 1))
def test_below_is_the_plain_one(seed: int, n: int) -> None:
    S, plain = stream(seed), PlainStream(seed)
    for _ in range(5):
        number = int(below(S, n))
        assert number == plain.below(n)
        assert 0 <= number < n


def test_uncompiled_stream_is_the_plain_one() -> None:
    script = (
        "from joute.engines.kernels.random import below, next_word, stream\n"
        "from joute.engines.kernels.compile import U\n"
        f"for seed in {SEEDS}:\n"
        "    S = stream(seed)\n"
        "    print(*[int(next_word(S)) for _ in range(100)], int(below(S, U(1000))))\n"
    )
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    for seed, line in zip(SEEDS, run.stdout.splitlines(), strict=True):
        plain = PlainStream(seed)
        expected = [plain.next_word() for _ in range(100)] + [plain.below(1000)]
        assert [int(word) for word in line.split()] == expected


@pytest.mark.parametrize("n", [1, 2, 7, 12, 100])
def test_below_is_roughly_uniform(n: int) -> None:
    S = stream(seed_of("uniform", n))
    draws = 20_000
    counts = np.bincount([int(below(S, n)) for _ in range(draws)], minlength=n)
    assert len(counts) == n
    expected = draws / n
    chi2 = float(((counts - expected) ** 2 / expected).sum())
    assert chi2 < (n - 1) + 5 * np.sqrt(2 * max(n - 1, 1))


def test_seeds_are_stable() -> None:
    assert seed_of("game", 1) == GOLDEN_GAME_1
    assert seed_of() == GOLDEN_NOTHING
    assert seed_of(1, "1") == seed_of("1", 1)  # parts count by their text
    assert seed_of(1, 2) != seed_of(12)
    assert seed_of(1, 2) != seed_of(2, 1)
    assert 0 <= seed_of("x") <= ALL

"""Versions, code and arithmetic that a host must share with the parent, and how the two differ."""

from __future__ import annotations

import hashlib
import math
import platform
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

from joute.engines.engine import parse_engine
from joute.engines.errors import JouteError
from joute.engines.syntax import ROOT
from joute.harness.inflight import Doing, InFlight
from joute.harness.worker import Setting

ROOMS = ("engines", "harness", "studies")
"""Where the code is that plays."""
LIBRARIES = ("numba", "llvmlite", "numpy", "onnxruntime")
"""Libraries that decide what kernels and networks compute; any that the parent lacks is ignored."""
VALUES = 4096  # of each function that are computed to compare processors


@cache
def local_versions() -> dict[str, str]:
    """Return the versions that games depend on, by name."""
    versions = {"Joute": _version("joute"), "Python": ".".join(platform.python_version_tuple()[:2])}
    versions["the code of Joute"] = _code()
    return versions | {name: _version(name) for name in LIBRARIES}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _code() -> str:
    digest = hashlib.sha256()
    for room in ROOMS:
        for file in sorted((ROOT / room).rglob("*.py")):
            digest.update(f"{file.relative_to(ROOT).as_posix()}\0".encode() + file.read_bytes())
    return digest.hexdigest()[:12]


def differences(there: Mapping[str, str], here: Mapping[str, str]) -> list[str]:
    """Return in words how a host's versions differ from the parent's."""
    lines = []
    for name, wanted in here.items():
        if not wanted or (other := there.get(name, "")) == wanted:
            continue
        lines.append(f"{name} {other or 'is missing'}, here {wanted}")
    return lines


def arithmetic() -> str:
    """Return the digest of many values of the functions that a processor's library may round its own
    way. Sums, products, quotients and roots are exact everywhere: nothing is contracted.
    """
    digest = hashlib.sha256()
    for i in range(1, VALUES):
        x = i / 97.0
        for value in (math.log(x), math.exp(-x), math.tanh(x), math.pow(x, 0.37), math.sin(x)):
            digest.update(value.hex().encode())
    return digest.hexdigest()[:12]


def answers_of(files: Iterable[str], game: Any) -> str:
    """Return the digest of the outputs, for one input, of the networks among the files."""
    import numpy as np

    from joute.engines.nets.net import load_net

    digest = ""
    for file in files:
        if file.endswith(".onnx"):
            net = load_net(file, game)
            planes = np.random.default_rng(1).random((1, *net.shape[:3]), np.float32)
            policy, value = net.run(planes)
            digest += hashlib.sha256(policy.tobytes() + value.tobytes()).hexdigest()[:12]
    return digest


class Engines(NamedTuple):
    """A machine's view of the engines of a run: digests of the code by id, the files needed by
    each, outputs of networks, the arithmetic, and errors of engines that could not be made.
    """

    digests: dict[str, str]
    needs: dict[str, str]
    networks: dict[str, str]
    arithmetic: str
    errors: dict[str, str]


def engines_here(setting: Setting) -> Engines:
    """Compile a setting's engines and return this machine's view of them."""
    engines = Engines({}, {}, {}, arithmetic(), {})
    for name, text in setting.engines.items():
        try:
            engine = parse_engine(text)
            engines.needs.update(engine.search.needs(engine.setup))
            engines.digests[name] = engine.digest
            if digest := answers_of(engine.files, engine.game):
                engines.networks[name] = digest
        except (JouteError, OSError) as error:
            engines.errors[text] = str(error)
    return engines


def disagreements(there: Engines, here: Engines, exact: bool) -> list[str]:
    """Return in words how engines on a host differ from the parent's; `exact`: games must be the same
    to the bit there.
    """
    lines = [f"{text}: {error}" for text, error in there.errors.items() if text not in here.errors]
    for name, digest in here.needs.items():
        other = there.needs.get(name, "")
        if digest and not other:
            lines.append(f"{name} is not found (the same command must start it there)")
        elif other != digest:
            lines.append(f"{name} is a different file there")
    if not lines and there.digests != here.digests:
        lines.append("engines are compiled from different code there")
    if exact and there.arithmetic != here.arithmetic:
        lines.append(
            "its processor or C library rounds exp and log differently, so games would differ"
        )
    if exact and there.networks != here.networks:
        lines.append("networks give different numbers there, so games would differ")
    return lines


class Inspection(NamedTuple):
    """A task for a worker: compile a run's engines and return the host's view of them."""

    number: int = 0

    def __str__(self) -> str:
        return "the inspection of a host"

    def pieces(self) -> list[Inspection]:
        """Return itself."""
        return [self]

    def texts(self, setting: Setting) -> dict[str, str]:
        """Return all engines."""
        return setting.engines

    def play(self, setting: Setting, inflight: InFlight) -> list[Engines]:
        """Inspect."""
        inflight.game(self.number, 0)
        inflight.turn(0, 0)
        return [engines_here(setting)]

    def crashed(self, setting: Setting, doing: Doing, text: str) -> Engines:
        """Return that the process died over it."""
        return Engines({}, {}, {}, "", {"engines": f"a process {text} while it compiled them"})

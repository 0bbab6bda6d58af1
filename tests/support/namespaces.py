"""Hosts that are network namespaces of this machine, each with an address of its own behind a bridge."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

NET = "10.213.7"
HERE = f"{NET}.1"


def ip(*words: str) -> None:
    """Run the command `ip`; raise CalledProcessError or OSError."""
    subprocess.run(["ip", *words], check=True, capture_output=True, timeout=20)


def inside(name: str) -> list[str]:
    """Return the words that start a command on a host."""
    return ["ip", "netns", "exec", _space(name)]


def cut_off(name: str) -> None:
    """Cut a host's cable: nobody hears of it any more, and it of nobody."""
    ip("link", "set", _cable(name), "down")


def _space(name: str) -> str:
    return f"joute-{os.getpid()}-{name}"


def _cable(name: str) -> str:
    return f"j{os.getpid() % 100000}{name}"[:15]


@contextmanager
def hosts_apart(names: Sequence[str]) -> Iterator[None]:
    """Make hosts, each with a cable to this one at HERE; skip the test where the kernel refuses."""
    bridge = f"jb{os.getpid() % 100000}"
    try:
        try:
            ip("link", "add", bridge, "type", "bridge")
            ip("addr", "add", f"{HERE}/24", "dev", bridge)
            ip("link", "set", bridge, "up")
            for number, name in enumerate(names, 2):
                space, cable, other = _space(name), _cable(name), f"{_cable(name)}x"[-15:]
                ip("netns", "add", space)
                ip("link", "add", cable, "type", "veth", "peer", "name", other)
                ip("link", "set", cable, "master", bridge, "up")
                ip("link", "set", other, "netns", space)
                ip("-n", space, "addr", "add", f"{NET}.{number}/24", "dev", other)
                ip("-n", space, "link", "set", other, "up")
                ip("-n", space, "link", "set", "lo", "up")
        except (OSError, subprocess.SubprocessError) as error:
            pytest.skip(f"no network namespaces here: {error}")
        yield
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", _space(name)], check=False, capture_output=True)
        subprocess.run(["ip", "link", "del", bridge], check=False, capture_output=True)

"""Conformance in a process of its own, whose kernels check the bounds of their arrays.

What is wrong with somebody's kernels may end the process that runs them, or never end: here that is
a finding like others.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from joute.engines.errors import RulesError
from joute.engines.kernels import compile
from joute.engines.programs.linux import die_with_parent
from joute.engines.registry import load_plugin, plugin_files
from joute.harness.child_process import ChildProcess, Died, Pipes, ending
from joute.harness.conformance.check import check_thing
from joute.harness.conformance.findings import Checked
from joute.harness.conformance.guard import Guard

KERNEL_SECONDS = 10.0
RULE_SECONDS = 600.0  # compiling a search takes its time
END = ("end",)


@dataclass(frozen=True)
class Order:
    """What a process is to check."""

    things: tuple[str, ...]
    plugins: tuple[str, ...]
    kernel_seconds: float
    rule_seconds: float


def check_in_subprocess(things: Sequence[str]) -> Iterator[Checked]:
    """Check games and engines by their texts; yield what comes of each rule as soon as it is known.

    A thing that ends the process, or takes too long, is at fault, and the next one is checked in a
    new process.
    """
    left = list(things)
    while left:
        order = Order(tuple(left), tuple(plugin_files()), KERNEL_SECONDS, RULE_SECONDS)
        at, now = -1, ("", "")
        for told in heard(order):
            if told[0] == "thing":
                at = told[1]
            elif told[0] == "begin":
                now = told[1:]
            elif told[0] == "done":
                now = ("", "")
                yield told[1]
            elif now[0] or at >= 0:  # it died
                yield Checked(now[0] or left[at], now[1] or "it can be made", told[1])
            else:
                raise RulesError(f"the check cannot be carried out: {told[1]}")
        left = left[at + 1 :]


def heard(order: Order) -> Iterator[tuple[Any, ...]]:
    """Yield what a process tells; at last ("died", why) if it did not come to its end."""
    checked = {"NUMBA_BOUNDSCHECK": "1"}
    child = ChildProcess("joute.harness.conformance.subprocess_check", variables=checked)
    try:
        child.send(order)
        while child.ready(2 * order.rule_seconds):
            if (message := child.received()) == END:
                return
            yield message
            if message[0] == "died":
                return
        yield "died", f"no message came for {2 * order.rule_seconds:g} s"
    except Died as died:
        yield "died", f"the process ended by {ending(died.status)}"
    finally:
        child.end(kill=True)


def main() -> None:
    """Check what the parent asks for."""
    pipes = Pipes()
    order: Order = pickle.loads(pipes.packed() or b"")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of the one who asks
    die_with_parent()
    compile.announce = lambda text: print(f"joute: {text}", file=sys.stderr, flush=True)

    def tell(message: tuple[Any, ...]) -> None:
        pipes.send(pickle.dumps(message))

    def late(text: str) -> None:
        tell(("died", text))
        os._exit(1)

    for plugin in order.plugins:
        load_plugin(plugin)
    watch = Guard(tell, late, order.kernel_seconds, order.rule_seconds)
    for number, thing in enumerate(order.things):
        tell(("thing", number))
        check_thing(thing, watch)
    tell(END)


if __name__ == "__main__":
    main()

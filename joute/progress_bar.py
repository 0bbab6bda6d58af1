"""Progress of a run on stderr, or in a notebook: games, games/s and time left."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from joute.studies.play.progress import Progress


KNOWN = 4  # results after the first from which a speed is shown
LONG = 1.0  # seconds after the first results from which they tell a speed


@contextmanager
def shown(wanted: bool = True, passing: bool = False) -> Iterator[Progress]:
    """Show progress, and a message when kernels are compiled; nothing unless `wanted`.

    `passing` bars are for stages of more than a second, and vanish at their end.
    """
    from joute.engines.kernels import compile
    from joute.studies.play.progress import Progress

    if not wanted:
        yield Progress()
        return
    tqdm = paced(bar_of())
    bars: list[Any] = []

    def begin(stage: str, total: int, done: int, unit: str = "game", test: bool = False) -> None:
        shape = {
            "total": None if test else total,
            "initial": done,
            "desc": stage,
            "unit": f" {unit}s",
        }
        look = {"mininterval": 0.5, "leave": not passing, "delay": float(passing)}
        bars.append(tqdm(**shape, **look, file=sys.stderr))

    def beside(text: str) -> None:
        if text:
            bars[-1].set_postfix_str(text, refresh=False)

    def end() -> None:
        bars.pop().close()

    def say(text: str) -> None:
        tqdm.write(f"joute: {text}", file=sys.stderr)

    compile.announce = say
    try:
        yield Progress(begin, lambda games: bars[-1].update(games), beside, end, say)
    finally:
        for bar in bars:
            bar.close()


def paced(tqdm: Any) -> Any:
    """Return the class of such bars whose speed and time left come from the games of this session: without
    the wait for the first of them as soon as those after it tell a speed; at its end all games in all its
    time. Unknown until a few are played.
    """

    class Paced(tqdm):  # type: ignore[misc]
        first: tuple[float, int] | None = None  # when the first results came, and games by then
        over = False

        def update(self, n: float = 1) -> Any:
            """Count games."""
            shown = super().update(n)
            if self.first is None and n:
                self.first = self._time(), self.n
            return shown

        def close(self) -> None:
            """Show the bar for the last time."""
            self.over = True
            super().close()

        @property
        def format_dict(self) -> dict[str, Any]:
            """What the bar shows."""
            facts: dict[str, Any] = super().format_dict
            now = self._time()
            whole = getattr(self, "start_t", now), self.initial  # tqdm sets it after the first look
            ended = self.over or (self.total and self.n >= self.total)
            time, games = whole if ended or self.first is None else self.first
            if now - time < LONG or self.n - games < KNOWN:
                time, games = whole
            known = self.n - games >= KNOWN and now > time
            return facts | {"rate": (self.n - games) / (now - time) if known else 0.0}

    return Paced


def bar_of() -> Any:
    """Return the progress bar for where we are: a terminal, or a notebook with or without widgets."""
    import sys
    import warnings

    if "IPython" not in sys.modules:
        from tqdm.std import tqdm as plain

        return plain
    from tqdm import TqdmWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TqdmWarning)  # a notebook without widgets: plain text then
        from tqdm.auto import tqdm
    return tqdm


def cores() -> int:
    """Return how many cores this process may use."""
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

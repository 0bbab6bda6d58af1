"""A player: has a seat, is asked for actions, and may fail."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from numbers import Integral
from typing import NamedTuple

from joute.engines.errors import JouteError
from joute.engines.position import Position
from joute.engines.record import RESIGNED as RESIGNED
from joute.engines.record import Claim
from joute.engines.time_control import MOVES_LEFT, Clocks


class Move(NamedTuple):
    """A player's answer: the action, its value for the player who acts, and the work done.

    `value` is in the evaluation's units (alpha-beta), an expected return (UCT), or None. `resigns`:
    the player wants to resign; a caller that cannot accept that plays the action.
    """

    action: int
    value: float | None = None
    depth: int = 0
    nodes: int = 0
    resigns: bool = False


LONG = 200  # characters of a line
WHOLE = (int, Integral)  # the usual type first: asking an abstract one takes long
MOST_NODES = 10**15  # of one move: a game's sum has room in a database


def counted(nodes: object) -> int:
    """Return a player's number of nodes searched; 0 for an impossible one."""
    return int(nodes) if isinstance(nodes, WHOLE) and 0 <= int(nodes) <= MOST_NODES else 0


DEEPEST = 2**15 - 1  # plies that the store has room for


def deep(depth: object) -> int:
    """Return a player's search depth in plies; 0 for an impossible one."""
    return int(depth) if isinstance(depth, WHOLE) and 0 <= int(depth) <= DEEPEST else 0


MOST_VALUE = 1e30  # of a position: wins of ours are a trillion


def valued(value: object) -> float | None:
    """Return a player's value of its action; None for an impossible one."""
    known = isinstance(value, float | int) and abs(value) <= MOST_VALUE
    return float(value) if known else None  # type: ignore[arg-type]


class PlayerFailure(JouteError):
    """A player that does not answer: `kind` is illegal, timeout, crash, or RESIGNED, which loses
    the game like a failure and is none; the text is the reason. `waited_ms`: how long the player's
    program waited for a processor, if its turn ended late for that alone.
    """

    waited_ms = 0.0

    def __init__(self, kind: str, text: str) -> None:
        self.kind, self.text = kind, text.encode(errors="replace").decode()
        super().__init__(self.text)

    def __reduce__(self) -> tuple[type[PlayerFailure], tuple[str, str]]:
        """Let it travel from a worker."""
        return type(self), (self.kind, self.text)


class Player(ABC):
    """Plays in a seat. One player plays many games, one after the other.

    With `guard_ms` a player that searches answers within about that time, whatever its limit: with
    its last finished iteration, if its own work could not be done. `limit_ms` is the limit of its
    engine, where that is a time: the referee holds it to that. A search that deepens tells `report` what
    each depth has found; with `only` it chooses among these actions.

    In a game with `clocks`, which it may read, a player that searches shares what is left among
    `clock_moves` moves. `used_ms` is the time of its last choice as the player itself measured it
    (a program's, from our last byte to its first); None: the whole of `choose` counts.
    """

    guard_ms: float | None = None
    limit_ms: float | None = None
    report: Callable[[Move], None] | None = None
    only: Collection[int] | None = None
    clocks: Clocks | None = None
    clock_moves: float = MOVES_LEFT
    used_ms: float | None = None

    def new_game(self, seed: int, seat: int) -> None:
        """Forget the last game; all chance in the coming one follows from the seed."""

    @abstractmethod
    def choose(self, position: Position) -> Move:
        """Return the action for the player to move; `position` is not to be changed."""

    def concede(self, position: Position) -> tuple[str, ...]:
        """Return the cells (or the like) that it gives up as lost to their owners after the regular
        end of a game. Those that all players concede are taken off before the score.

        Raises PlayerFailure, which is noted and costs nothing else.
        """
        return ()

    def claim(self, position: Position, conceded: Sequence[str] = ()) -> Claim | None:
        """Return its claim of the result, with all common concessions taken off; None: no claim.

        It is asked before `game_over`, within a time of its own, and never fails: ours counts.
        """
        return None

    def game_over(self, position: Position) -> None:
        """Take note that the game has ended, maybe by a failure of any player."""

    def stop(self) -> None:
        """End the search that another thread runs, soon; it answers with what it has. Only a search
        with a time or a guard looks.
        """

    def close(self) -> None:
        """Let go of processes and files."""


def brief(text: str) -> str:
    """Return a failure's text in one line: the failure, and the last line of a program's stderr; or of a
    traceback the exception, with its whole message.
    """
    raw = [line for line in text.splitlines() if line.strip()]
    lines = [line.strip() for line in raw]
    if not lines:
        return ""
    first, last = lines[0], lines[-1]
    if first.startswith("Traceback"):
        frames = [i for i, line in enumerate(raw) if line.startswith('  File "')]
        said = (i for i in range(frames[-1] if frames else 0, len(raw)) if raw[i][0] != " ")
        return " ".join(lines[next(said, len(raw) - 1) :])[:LONG]
    return last[:LONG] if len(lines) == 1 else f"{first[:LONG]} {last[:LONG]}"

"""A view: a position as a network sees it, and the network's answer as the game's actions.

A view belongs to a game and lies in its folder. It turns a state into planes (images of the board as
the side to move sees it) and an action into an entry of the policy, the numbers that a network gives.

| kernel | meaning |
|---|---|
| see(W, at, F, to) | write planes * rows * columns numbers at F[to..], plane after plane, row after row |
| entry(W, at, action) | the entry of the policy, 0..policy-1, of an action at this state; no two legal actions share one |

In games that look back a view may do so too: the state k plies earlier lies at `at - k * stride`. An
action is what the view's `generator` calls one. What belongs to the side to move is the view's
affair: one that turns the board for the second player turns its entries, too.

A symmetry maps what is seen and what is answered together: a position seen in a mirror has the same
value, and its policy is the old one, mirrored. `joute check` plays every game in its mirrors to see that.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from joute.engines.errors import Refused, building
from joute.engines.game import Game
from joute.engines.kernels.compile import Kernel
from joute.engines.kernels.contract import collect
from joute.engines.parameter import Parameter, Value, chosen, labelled
from joute.engines.registry import Member, entries, make


class Symmetry(NamedTuple):
    """Where each cell of the planes goes (row * columns + column), and where each entry of the policy."""

    cells: Sequence[int]
    entries: Sequence[int]


class Shape(NamedTuple):
    """Numbers of planes, rows and columns that a network sees, and of the entries that it answers."""

    planes: int
    rows: int
    columns: int
    policy: int

    @property
    def numbers(self) -> int:
        """How many numbers a position is."""
        return self.planes * self.rows * self.columns


@dataclass(frozen=True)
class ViewKernels:
    """The compiled view; see this module's table."""

    see: Kernel
    entry: Kernel


class View(Member, ABC, kind="view"):
    """A way to show the positions of some games of two players. Its parameters are set once, when a
    network is made, and are kept in the network's file.
    """

    games: ClassVar[tuple[str, ...]]
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    generator: ClassVar[str] = "all"  # generator of the policy's codes

    def __init__(self, **settings: Any) -> None:
        self.values: dict[str, Value] = chosen(
            self.parameters, settings, f"setting of the view {self.name}", f"view {self.name}"
        )
        self._kernels: dict[tuple[str, int], ViewKernels] = {}

    @property
    def label(self) -> str:
        """The view and its settings in a text, `goban[history=2]`."""
        return labelled(self.name, self.values)

    def check(self, game: Game) -> None:
        """Raise Refused where this game, or one of its options, cannot be shown so."""
        if game.name not in self.games:
            raise Refused(f"view {self.name} is for {', '.join(self.games)}, not for {game.name}")
        if game.players != 2:
            raise Refused(f"view {self.name} is for two players; {game.label} has {game.players}")

    def goes_with(self, learnt: str, game: Game) -> bool:
        """Whether a network that learnt the game with the options of that label plays it with these: by
        default with the same alone.
        """
        return learnt == game.label

    @abstractmethod
    def shape(self, game: Game) -> Shape:
        """Return the sizes of the planes and of the policy."""

    @abstractmethod
    def build(self, game: Game, stride: int) -> Iterable[Kernel]:
        """Return the kernels `see` and `entry`, for states `stride` words apart."""

    def symmetries(self, game: Game) -> list[Symmetry]:
        """Return all maps under which the game stays the same, the one that changes nothing first."""
        shape = self.shape(game)
        return [Symmetry(range(shape.rows * shape.columns), range(shape.policy))]

    def cells(self, game: Game) -> list[int]:
        """Return the cell of the planes (row * columns + column) that each entry is about, -1 for one
        about none: by default they all are. A network may then answer for each cell by itself.
        """
        return [-1] * self.shape(game).policy

    def image(self, game: Game, start: str, symmetry: Symmetry) -> str:
        """Return the text of a start position under a symmetry: by default the same, as where the
        start is symmetric itself. `joute check` plays on from there.
        """
        return start

    def image_view(self, game: Game, symmetry: Symmetry) -> View:
        """Return the view that shows the game's image: by default this one. One that shows a board at a
        place of its own returns another where the symmetry takes the board elsewhere.
        """
        return self

    def kernels(self, game: Game, stride: int = 0) -> ViewKernels:
        """Return the compiled view."""
        stride = (stride or game.words) if game.path_dependent else game.words
        if (game.label, stride) not in self._kernels:
            self.check(game)
            with building(f"the kernels of the view {self.name}"):
                kernels = collect("view", self.build(game, stride))
                if len(kernels) < 2:
                    raise TypeError(f"view {self.name} must give the kernels see and entry")
                self._kernels[game.label, stride] = ViewKernels(**kernels)
        return self._kernels[game.label, stride]


def views_of(game: Game) -> list[str]:
    """Return the names of the views of a game, by the alphabet; the first is the usual one."""
    return [name for name, e in entries("view").items() if game.name in e.fact("games")]


def needed_views(game: Game) -> list[str]:
    """Return the same; raise Refused where a game has none."""
    if not (fitting := views_of(game)):
        able = sorted({g for e in entries("view").values() for g in e.fact("games")})
        raise Refused(f"{game.name} has no view for networks; games that have: {', '.join(able)}")
    return fitting


def view_of(game: Game, name: str = "", settings: dict[str, Any] | None = None) -> View:
    """Return a view of a game, by default its usual one; raise Refused where it has none."""
    view: View = make("view", name or needed_views(game)[0], options=settings)
    view.check(game)
    return view

"""A search: how an engine picks its action; it makes the player that sits at the board."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from joute.engines.errors import Refused, suggest
from joute.engines.evaluation import Evaluation, evaluations_of
from joute.engines.game import Game
from joute.engines.generator import Generator
from joute.engines.kernels.compile import Floats, Kernel
from joute.engines.parameter import Parameter, Value
from joute.engines.player import Player
from joute.engines.programs.option import Introduction, Reach
from joute.engines.record import FURTHEST, WIN
from joute.engines.referees.game_folder import GameFolder
from joute.engines.registry import Member, entries
from joute.engines.source_digest import source_digest

CLOCK, TIME = "clock", "milliseconds"
USES = ("never", "optional", "always")  # whether a search uses an evaluation
ENDLESS_MS = 1e9  # of a search that the clock of its game ends
BY_LINE = (
    2.0**-900
)  # what a draw by the line of play costs, in a tree, the player who brings it about


def value_text(value: float) -> str:
    """Return an engine's value of its action for a reader: a won or lost game in words, else four
    digits.
    """
    plies = WIN - abs(value)
    if not 0 <= plies <= FURTHEST:
        return f"{value:.4g}"
    count = f"{plies:.0f} {'ply' if round(plies) == 1 else 'plies'}"
    return f"{'win' if value > 0 else 'loss'} in {count}"


@dataclass(frozen=True)
class Recipe:
    """How a player is made: its class and the arguments, which can be written to a file; `calls`: kernels
    that it calls besides those of the arguments.
    """

    player: type[Player]
    arguments: dict[str, Any]
    calls: tuple[Kernel, ...] = ()

    def kernels(self) -> list[Kernel]:
        """Return the kernels that the player calls."""
        given = self.arguments.values()
        return [*(one for one in given if callable(one) and hasattr(one, "digest")), *self.calls]

    def make(self) -> Player:
        """Return a new player."""
        return self.player(**self.arguments)


@dataclass(frozen=True, eq=False)
class Setup:
    """The parts of an engine from which a search makes a player, checked.

    `vector` holds the values of all parameters, as kernels read them (`in_vector`): those of the
    search first, then the evaluation's, then the generator's.
    """

    game: Game
    evaluation: Evaluation | None
    generator: Generator
    values: Mapping[str, Value]
    vector: Floats
    limit: tuple[str, float] | None


class Search(Member, kind="search"):
    """A family of players, made from a game, an evaluation and parameter values.

    `work` names the parameter that says how much a player works where it has no limit.
    """

    parameters: ClassVar[tuple[Parameter, ...]] = ()
    limits: ClassVar[tuple[str, ...]] = ()
    needs_limit: ClassVar[bool] = False
    reproducible: ClassVar[bool] = True  # the same seed gives the same game; programs: unknown
    evaluation: ClassVar[str] = "never"  # or "always", or "optional"
    lists: ClassVar[bool] = False  # whether it needs a list of actions
    work: ClassVar[str] = ""
    unknown_hint: ClassVar[str] = ""  # advice about an unknown parameter {name}
    compiled: ClassVar[bool] = False  # made of the game's kernels
    plain: ClassVar[bool] = False  # searches games in plain Python
    guided: ClassVar[bool] = False  # has its own network
    starts: ClassVar[bool] = False  # runs an outside program
    refereed: ClassVar[bool] = False  # of games that a referee plays, and of no others
    tells: ClassVar[str] = ""  # kind of its values: of its "evaluation", a "return", or unknown

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if cls.evaluation not in USES:
            hint = suggest(str(cls.evaluation), USES)
            raise TypeError(f"the search {cls.__name__} says evaluation = {cls.evaluation!r}{hint}")

    @property
    def base(self) -> int:
        """Where the evaluation's parameters begin in an engine's vector: after the search's own, but for
        those that stand behind all others.
        """
        return sum(not p.behind for p in self.parameters)

    def check(self, game: Game, evaluation: Evaluation | None) -> None:
        """Raise Refused when this search cannot play this game with this evaluation."""
        if self.compiled and not game.compiled:
            able = ", ".join(name for name, e in entries("search").items() if e.fact("plain"))
            raise Refused(f"{self.name} needs kernels; {game.name} is plain Python: take {able}")
        if self.evaluation == "always" and evaluation is None:
            known = evaluations_of(game)
            example = f", as in {self.name}:evaluation={known[0]}" if known else ""
            raise Refused(
                f"{self.name} needs an evaluation; {game.name} has "
                f"{', '.join(known) or 'none'}{example}"
            )
        if self.evaluation == "never" and evaluation is not None:
            raise Refused(f"{self.name} uses no evaluation")
        if evaluation is not None:
            evaluation.check(game)

    def check_generator(self, game: Game, generator: Generator) -> None:
        """Raise Refused if the generator lacks a kernel that this search needs."""
        if self.lists or generator.name != "all":
            generator.check(game)

    def check_values(
        self,
        game: Game,
        values: Mapping[str, Value],
        evaluation: Evaluation | None = None,
        generator: Generator | None = None,
    ) -> None:
        """Raise Refused when values that are allowed one by one do not fit together."""

    def cores(self, setup: Setup) -> int:
        """Return how many cores a player uses while it thinks."""
        return 1

    def by_clock(self, setup: Setup) -> bool:
        """Whether an engine without a limit of ours plays by the clock of its game alone."""
        return False

    def check_here(self, setup: Setup, reach: Sequence[Reach] = ()) -> Introduction:
        """Raise Refused if a program that is to play is not on this machine, or does not take its
        settings and the values in reach; return what it says of itself.
        """
        return Introduction()

    def parameters_for(
        self, settings: Mapping[str, Any], game: Game | None = None
    ) -> tuple[Parameter, ...]:
        """Return the parameters of an engine with these settings; most searches always have the same."""
        return self.parameters

    def as_declared(
        self, settings: Mapping[str, Any], kinds: Mapping[str, str]
    ) -> Mapping[str, Any]:
        """Return settings completed with the names and kinds of the parameters that a study declares."""
        return settings

    def recipe(self, setup: Setup) -> Recipe | None:
        """Return how a player is made.

        The arguments are kernels, a game, numbers, texts, and tuples of these: then the player can
        be written to a file of its own. None for players that are made otherwise.
        """
        return None

    def player(self, setup: Setup) -> Player:
        """Return a new player, for a search that gives no recipe."""
        raise NotImplementedError(f"{self.name} gives neither a recipe nor a player")

    def digest(self, setup: Setup) -> str:
        """Return the digest of the code that decides this engine's moves: by default of its file."""
        return source_digest(sys.modules[type(self).__module__])

    def command_line(self, values: Mapping[str, Value], folder: GameFolder, seat: int) -> str:
        """Return the command by which a referee starts this engine in a seat, in the folder of a game."""
        raise NotImplementedError(f"{self.name} is not started by a referee")

    def needs(self, setup: Setup) -> dict[str, str]:
        """Return the files that this engine needs on every machine, by name, with their digests
        ("": missing here).
        """
        return {}

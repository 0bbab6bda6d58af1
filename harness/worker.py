"""The worker process: plays the games of a batch of tasks with its own players."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from joute.engines.engine import parse_engine, parse_game
from joute.engines.errors import ANYTHING, JouteError, cut
from joute.engines.garbage import settle
from joute.engines.player import Move, Player, PlayerFailure
from joute.engines.position import Position
from joute.engines.programs import orphans, pinning
from joute.engines.programs.linux import die_with_parent
from joute.engines.programs.python_children import forget_safe_start
from joute.engines.record import GameRecord
from joute.engines.referees.refereed_game import RefereedGame
from joute.engines.registry import load_plugin
from joute.harness.inflight import CarefulInFlight, Doing, InFlight, MappedInFlight
from joute.harness.match import Failed, Rules, Starved, Tally, claims_of, play_game, record, set_up
from joute.harness.openings import Opening
from joute.harness.overlong import allowed
from joute.harness.refereed import NoGame, play_refereed
from joute.harness.schedule import Block


class ShortOfMemory(JouteError):
    """An engine of ours cannot be seated for want of memory: a result would be one of this machine."""


class Work(Protocol):
    """Work for a worker: numbered pieces that belong together."""

    @property
    def number(self) -> int:
        """Its number in the run, by which a dead worker's work is found again."""

    def pieces(self) -> Sequence[Work]:
        """Return the same work, a piece at a time."""

    def texts(self, setting: Setting) -> Mapping[str, str]:
        """Return the texts of the engines that it needs, by their ids (or any other names)."""

    def play(self, setting: Setting, inflight: InFlight) -> list[Any]:
        """Do it; return a result for each piece."""

    def crashed(self, setting: Setting, doing: Doing, text: str) -> Any:
        """Return the result of a piece during which the worker died."""


@dataclass(frozen=True)
class Setting:
    """Common data of a run's tasks: the game, engine texts by id, plugins, rules; `stages` has the
    rules of those stages that have others.
    """

    game: str
    engines: dict[str, str]
    rules: Rules
    plugins: tuple[str, ...] = field(default=())
    stages: Mapping[str, Rules] = field(default_factory=dict)

    def rules_of(self, stage: str) -> Rules:
        """Return the rules of a stage."""
        return self.stages.get(stage, self.rules)


class Task(NamedTuple):
    """The games of one block that are to be played: number, block, opening and which seatings.

    `engines` has the texts, by id, of those that the setting does not know.
    """

    number: int
    block: Block
    opening: Opening
    seatings: tuple[int, ...]
    engines: Mapping[str, str] | None = None

    def __str__(self) -> str:
        return f"block {self.block.order + 1} of {self.block.stage}"

    def pieces(self) -> list[Task]:
        """Return a task for each of the games."""
        return [self._replace(seatings=(seating,)) for seating in self.seatings]

    def texts(self, setting: Setting) -> dict[str, str]:
        """Return the texts of its table, by id."""
        texts = self.engines or {}
        return {engine: texts.get(engine) or setting.engines[engine] for engine in self.block.table}

    def play(self, setting: Setting, inflight: InFlight) -> list[GameRecord]:
        """Play the games, in order."""
        return [play_seating(setting, self, seating, inflight) for seating in self.seatings]

    def crashed(self, setting: Setting, doing: Doing, text: str) -> GameRecord:
        """Return the record of a game in which the worker died under the seat on turn."""
        game = parse_game(setting.game)
        if game.refereed:
            raise NoGame(f"a worker died while a referee played {self}: {text}")
        position = set_up(game, self.opening)
        for action, outcome in doing.moves:
            position.play(action, outcome)
        tallies = [Tally() for _ in range(position.game.players)]
        failed = Failed(doing.seat, position.ply, "crash", text)
        return record(position, self.opening, self.block, doing.seating, tallies, [failed])


WATCH_SECONDS = 0.5
REPLAYS = 3  # of a task in which a turn was starved
PLAYERS = 64  # players that a process keeps for games to come

_players: dict[tuple[str, int], Player] = {}
_inflight = InFlight()  # of this process


def ignore_interrupt() -> None:
    """Leave Ctrl-C and SIGTERM to the parent, which lets the games in hand finish."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda number, frame: None)  # not passed on to programs


def start_worker(folder: str, parent: int, careful: bool = False) -> None:
    """Prepare this process: it ignores Ctrl-C, prints of engines go to stderr, not into answers,
    and its state is in a file of the folder. It ends with its parent, which may be dead already.
    """
    global _inflight
    die_with(parent)
    forget_safe_start()
    _inflight = CarefulInFlight(folder) if careful else MappedInFlight(folder)
    ignore_interrupt()
    pinning.wanted = orphans.worker = True
    os.dup2(2, 1)


def die_with(parent: int) -> None:
    """End this process and its children when its parent has died.

    At once where the system supports that; elsewhere the parent's id is polled.
    """
    die_with_parent()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(WATCH_SECONDS)
        os._exit(1)

    if os.getppid() != parent:  # it died before we asked to die with it
        os._exit(1)
    threading.Thread(target=watch, daemon=True).start()


class Broken(Player):
    """Replaces a player that could not start: fails at its first turn."""

    def __init__(self, failure: PlayerFailure) -> None:
        self._failure = failure

    def choose(self, position: Position) -> Move:
        """Fail."""
        raise self._failure


class Starvation(NamedTuple):
    """The tasks of a batch that wanted for a processor: how many were begun again for it, the text of
    the last such turn, and of the tasks that were given up.
    """

    tasks: int = 0
    text: str = ""
    given_up: tuple[str, ...] = ()

    def and_then(self, other: Starvation) -> Starvation:
        """Return the starvation of this batch and of one after it."""
        text = other.text or self.text
        return Starvation(self.tasks + other.tasks, text, self.given_up + other.given_up)


class Batch(NamedTuple):
    """The end of a batch: its results, the seconds that they took, the worker's name, and what was
    played again because this machine is too busy.
    """

    results: list[Any]
    seconds: float
    worker: str = ""
    starvation: Starvation = Starvation()


def play_batch(setting: Setting, tasks: Sequence[Work]) -> Batch:
    """Do the work of the tasks, in order."""
    begun = time.perf_counter()
    for plugin in setting.plugins:
        load_plugin(plugin)
    results, starvation = list[Any](), Starvation()
    try:
        for task in tasks:
            done, starved = played(setting, task)
            results += done
            starvation = starvation.and_then(starved)
    finally:
        _inflight.idle()
    return Batch(results, time.perf_counter() - begun, f"process {os.getpid()}", starvation)


def played(setting: Setting, task: Work) -> tuple[list[Any], Starvation]:
    """Play a task, all of it anew where a turn was starved; return its results, none if that comes
    again and again.
    """
    text = ""
    for _ in range(1 + REPLAYS):
        try:
            return task.play(setting, _inflight), Starvation(1 if text else 0, text)
        except Starved as starved:
            text = str(starved)
    return [], Starvation(1, text, (str(task),))


def play_packed(batch: bytes) -> bytes:
    """Play a pickled batch; return its pickled result."""
    played = pickle.dumps(play_batch(*pickle.loads(batch)), pickle.HIGHEST_PROTOCOL)
    settle()
    return played


def play_seating(setting: Setting, task: Task, seating: int, inflight: InFlight) -> GameRecord:
    """Play one game; a player that cannot even start fails at its first move."""
    game = parse_game(setting.game)
    block, texts = task.block, task.texts(setting)
    rules = setting.rules_of(block.stage)
    inflight.game(task.number, seating)
    if isinstance(game, RefereedGame):
        inflight.turn(0, 0)
        seats = [texts[engine] for engine in block.seats(seating)]
        return play_refereed(game, task.opening.start, block, seating, seats)
    position = set_up(game, task.opening)
    tallies = [Tally() for _ in range(game.players)]
    players: list[Player] = []
    for seat, engine in enumerate(block.seats(seating)):
        inflight.turn(position.ply, seat, allowed())
        try:
            player = player_of(texts[engine], seat, rules.clock is not None)
            player.new_game(block.engine_seed(seating, seat), seat)
        except PlayerFailure as failure:
            player = Broken(failure)
        except ANYTHING as error:
            if isinstance(error, MemoryError) and comes_with_joute(texts[engine]):
                raise ShortOfMemory(
                    f"no memory is left to seat {cut(texts[engine])} ({cut(str(error) or 'all is taken')}); "
                    "take fewer workers (-j), a smaller tree or table, or a machine that allows more "
                    "(ulimit -v). Games played are stored"
                ) from None
            player = Broken(PlayerFailure("crash", f"cannot start: {error!r}"))
        players.append(player)
    try:
        failures = play_game(position, players, block.chance_seed, rules, tallies, inflight)
        claims = claims_of(position, players, failures)
    finally:
        for player in players:
            player.game_over(position)
    return record(position, task.opening, block, seating, tallies, failures, claims)


def comes_with_joute(engine: str) -> bool:
    """Whether no part of an engine is a user's own, which may ask for any memory."""
    made = parse_engine(engine)
    parts = (made.game, made.search, made.evaluation)
    return all(type(one).__module__.split(".")[0] == "joute" for one in parts if one is not None)


def player_of(engine: str, seat: int, clocks: bool = False) -> Player:
    """Return this process's player of an engine in a seat; those not used for long are closed."""
    player = _players.pop((engine, seat), None) or parse_engine(engine).player(clocks)
    _players[engine, seat] = player
    if len(_players) > PLAYERS:
        _players.pop(next(iter(_players))).close()
    return player

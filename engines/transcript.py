"""A transcript: a whole game as a text that other programs read; `joute replay RUN GAME --to NAME`.

Read again, such files are records of games, from which a study takes its openings.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, NamedTuple

from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.record import NORMAL
from joute.engines.registry import Member, entries, make


class Told(NamedTuple):
    """What a player told of its move: its value of it (None: nothing), of the kind that `Search.tells` names,
    and its depth (0: unknown); and the milliseconds that it took, if they are known.
    """

    value: float | None = None
    kind: str = ""
    depth: int = 0
    milliseconds: float | None = None


@dataclass(frozen=True)
class Played:
    """A game that has ended: its actions from the position that `start` names, those of the opening
    included; names and returns by seat; what was `conceded` at the end, and does not count.

    `told` says of each action what its player told of it; formats without room for that leave it out,
    as they do where it is empty. `event` is the name of the run, `clock` that of each player as
    `time_control` reads it, "" if there was none or nobody knows. `date`: the day on which the run was begun,
    2026-11-28, "" if unknown. `failure` is the kind of an early end (one of `joute.engines.record.KINDS`), or empty.
    """

    game: Game
    id: str
    start: str
    actions: tuple[int, ...]
    names: tuple[str, ...]
    returns: tuple[float, ...]
    termination: str = NORMAL
    failure: str = ""
    conceded: tuple[str, ...] = ()
    told: tuple[Told, ...] = ()
    event: str = ""
    clock: str = ""
    date: str = ""


class Transcript(Member, ABC, kind="transcript"):
    """A format for the games of `games`; `ending` ends the name of such a file. `reads`: whether it
    can also be read. `entry` matches the beginning of each game of a file of many (bytes); "" where a
    file holds one.
    """

    games: ClassVar[tuple[str, ...]]
    ending: ClassVar[str]
    reads: ClassVar[bool] = False
    entry: ClassVar[bytes] = b""

    @abstractmethod
    def write(self, played: Played) -> str:
        """Return the game as a text; raise Refused for a game that the format cannot express."""

    def read(self, path: Path, game: Game, plies: int) -> str:
        """Return the start and the first so many moves of the game in a file, as `parse_position` reads
        them: the game's own rules count, not the file's. Raises Refused with the path where the file
        is broken, of another board, or has fewer moves; legal the moves need not be.
        """
        raise Refused(f"{path}: {self.name} is only written")

    def read_all(self, path: Path, game: Game, plies: int) -> list[str]:
        """Return the same for each game of a file, where the format allows many."""
        return [self.read(path, game, plies)]

    def entry_line(self, text: str, game: Game, plies: int, number: int) -> str:
        """Return what `read` does, of the text of an entry of a large file; its number is from 1."""
        raise Refused(f"{self.name}: a file has one game")

    def whole(self, path: Path, game: Game) -> tuple[str, tuple[float, ...] | None]:
        """Return the start and all moves of the game in a file, and the returns by the file, None
        without them. Raises as `read` does.
        """
        raise Refused(f"{path}: {self.name} is not read to the end of a game")


def transcripts_of(game: str) -> list[Transcript]:
    """Return the formats in which records of a game can be read."""
    return [
        make("transcript", name)
        for name, entry in entries("transcript").items()
        if game in entry.fact("games") and entry.fact("reads")
    ]


def transcript_of(name: str, game: str) -> Transcript:
    """Return a format by its name; raise Refused if there is none, or not for this game."""
    transcript: Transcript = make("transcript", name)
    if game not in transcript.games:
        fit = [n for n, entry in entries("transcript").items() if game in entry.fact("games")]
        able = f"for {game}: {', '.join(fit)}" if fit else f"there is none for {game}"
        raise Refused(f"{name} is for {', '.join(transcript.games)}; {able}")
    return transcript

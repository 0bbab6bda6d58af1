"""PGN, the files of games of chess: written from a stored game, read along the moves that were played.

Source: the PGN specification (Edwards 1994). A file may hold many games; comments, variations and glyphs
are passed over. A move is SAN (`san.py`), read as people write it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from textwrap import fill
from typing import ClassVar

from joute.engines.errors import Refused, cut
from joute.engines.game import Game
from joute.engines.games.chess.chess import Chess
from joute.engines.games.chess.san import action_of_san, san
from joute.engines.games.chess.score import centipawns, plies_to_mate
from joute.engines.position import Position
from joute.engines.record import ADJUDICATED
from joute.engines.transcript import Played, Told, Transcript

LARGEST = 64_000_000  # bytes of a file that is read
WIDE = 79  # characters of a line of moves
RESULTS = {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "1/2-1/2": (0.5, 0.5)}
FAILED = {
    "timeout": "time forfeit",
    "resigned": "normal",
    "crash": "abandoned",
}  # else rules infraction
USUAL = ("", "chess", "standard", "normal", "fromposition")  # the tag Variant of programs and sites
FREELY = ("chess960", "fischerandom", "fischerrandom", "fischerrandom960")
TOKEN = re.compile(
    r"\s*(?:(?P<tag>\[\s*\w+\s+\"(?:[^\"\\\n]|\\.)*\"\s*\])|(?P<comment>\{[^}]*\}|;[^\n]*|(?<![^\n])%[^\n]*)"
    r"|(?P<open>\()|(?P<close>\))|(?P<glyph>\$\d+|[!?]+|e\.p\.)|(?P<result>1-0|0-1|1/2-1/2|\*)"
    r"|(?P<number>\d+\s*\.*(?![\w/-])|\d+\.+|\.+)|(?P<move>[A-Za-z0][\w=+#/-]*))"
)
TAG = re.compile(r"\[\s*(\w+)\s+\"(.*)\"\s*\]", re.DOTALL)


@dataclass
class Record:
    """A game of a file: its place in it (1 is the first), its tags, its moves in SAN, and its result
    ("" where none is given).
    """

    number: int
    tags: dict[str, str] = field(default_factory=dict)
    moves: list[str] = field(default_factory=list)
    result: str = ""

    def position(self, game: Chess, plies: int | None = None) -> Position:
        """Return the position after the last move, or after so many; raise Refused for what is no game."""
        place = f"game {self.number}"
        variant = "".join(self.tags.get("Variant", "").lower().split())
        if variant not in (*USUAL, *FREELY):
            raise Refused(f"{place} is of {self.tags['Variant']!r}; allowed: chess and Chess960")
        if variant in FREELY and not game.freely:
            raise Refused(f"{place} is of Chess960; chess[chess960=on] plays it")
        if plies is not None and len(self.moves) < plies:
            raise Refused(
                f"{place} has {len(self.moves)} plies, but openings of {plies} are wanted (openings.plies, or --plies)"
            )
        try:
            position = Position(game, self.tags.get("FEN") or "startpos")
        except Refused as error:
            raise Refused(f"{place}: {error}") from None
        for count, text in enumerate(self.moves[:plies]):
            if position.over:
                raise Refused(f"{place}, move {count + 1}, {text}: the game is already over")
            try:
                position.play(action_of_san(position, text))
            except Refused as error:
                raise Refused(f"{place}, move {count + 1}: {cut(str(error), 200)}") from None
        return position


class Pgn(Transcript):
    """Portable Game Notation."""

    name = "pgn"
    summary = "Portable Game Notation, which programs and sites for chess read"
    games: ClassVar[tuple[str, ...]] = ("chess",)
    ending = ".pgn"
    reads = True
    entry = rb"(?m)^(?:\xef\xbb\xbf)?\[Event "

    def write(self, played: Played) -> str:
        """Return the file's text: tags, and the moves in SAN; after each, as cutechess-cli and fastchess
        write it, what its player told of it: {+0.35/12 0.033s}, pawns, depth and seconds.
        """
        game = played.game
        assert isinstance(game, Chess)
        position = Position(game, played.start)
        white, black = played.names
        result = next((text for text, r in RESULTS.items() if r == tuple(played.returns)), "*")
        tags = {
            "Event": played.event or played.id, "Site": "?", "Date": played.date.replace("-", ".") or "????.??.??", "Round": "-",
            "White": white, "Black": black, "Result": result, "GameId": played.id,
            "TimeControl": played.clock or "?",
        }  # fmt: skip
        if game.freely:
            tags["Variant"] = "Chess960"
        if played.start != "startpos":
            tags |= {"SetUp": "1", "FEN": str(position.text())}
        ends = "adjudication" if played.termination == ADJUDICATED else "normal"
        ends = FAILED.get(played.failure, "rules infraction") if played.failure else ends
        tags["Termination"] = ends
        words: list[str] = []
        told = iter(played.told)
        for action in played.actions:
            ply = int(position.W[position.at + int(game.state.ply)])
            if ply % 2 == 0 or not words or words[-1].startswith("{"):
                words.append(f"{ply // 2 + 1}{'.' if ply % 2 == 0 else '...'}")
            words.append(san(position, action))
            if note := note_of(next(told, Told())):
                words.append(f"{{{note}}}")
            position.play(action)
        if why := game.ending(position.W, position.at) or played.failure:
            words.append(f"{{{why}}}")
        head = "".join(f'[{name} "{escaped(value)}"]\n' for name, value in tags.items())
        moves = fill(
            " ".join([*words, result]), WIDE, break_long_words=False, break_on_hyphens=False
        )
        return f"{head}\n{moves}\n"

    def read(self, path: Path, game: Game, plies: int) -> str:
        """Return the start and the first moves of the first game of a file."""
        return self.read_all(path, game, plies)[0]

    def read_all(self, path: Path, game: Game, plies: int) -> list[str]:
        """Return the start and the first moves of each game of a file."""
        assert isinstance(game, Chess)
        try:
            return [record.position(game, plies).line() for record in records(text_of(path))]
        except Refused as error:
            raise Refused(f"{path}: {error}") from None

    def entry_line(self, text: str, game: Game, plies: int, number: int) -> str:
        """Return the start and the first moves of the game of a text."""
        assert isinstance(game, Chess)
        return replace(next(records(text)), number=number).position(game, plies).line()

    def whole(self, path: Path, game: Game) -> tuple[str, tuple[float, ...] | None]:
        """Return all moves of the game of a file, and its result; raise Refused for more than one game."""
        assert isinstance(game, Chess)
        try:
            every = list(records(text_of(path)))
            if len(every) > 1:
                raise Refused(f"it has {len(every)} games; a file of one is wanted")
            return every[0].position(game).line(), RESULTS.get(every[0].result)
        except Refused as error:
            raise Refused(f"{path}: {error}") from None


def text_of(path: Path) -> str:
    """Return a file's text, in UTF-8 or else in Latin-1, as older files have it."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise Refused(error.strerror or str(error)) from None
    if len(content) > LARGEST:
        raise Refused(f"it has {len(content):,} bytes; files of up to {LARGEST:,} are read")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def records(text: str) -> Iterator[Record]:
    """Yield the games of a text; raise Refused with the number of the game for what is no PGN.

    A game ends with its result, or where tags follow moves or name an event again: so games glued
    together are told apart.
    """
    record, at, deep, begun = Record(1), 0, 0, False
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            if deep:  # whatever a variation says
                at += 1
                continue
            rest = text[at:].lstrip()
            if not rest:
                break
            line = text.count("\n", 0, len(text) - len(rest)) + 1
            raise Refused(
                f"game {record.number}, line {line}: {cut(repr(rest[:20]), 40)} is no PGN"
            )
        at, kind, token = match.end(), match.lastgroup, match[0].strip()
        if kind == "tag" and deep == 0:
            name, value = TAG.fullmatch(token).groups()  # type: ignore[union-attr]
            if record.moves or (name == "Event" and name in record.tags):
                yield record
                record = Record(record.number + 1)
            record.tags[name] = re.sub(r"\\(.)", r"\1", value)
            begun = True
        elif kind == "open":
            deep += 1
        elif kind == "close":
            deep -= 1
            if deep < 0:
                raise Refused(f"game {record.number}: ) without (")
        elif kind == "move" and deep == 0:
            record.moves.append(token)
            begun = True
        elif kind == "result" and deep == 0:
            record.result = token
            yield record
            record, begun = Record(record.number + 1), False
    if deep:
        raise Refused(f"game {record.number}: a ) is missing")
    if begun:
        yield record
    elif record.number == 1:
        raise Refused("no game is in this PGN")


def note_of(told: Told) -> str:
    """Return what a player told of a move as a comment, "" for nothing."""
    words = []
    if (value := told.value) is not None:
        if (plies := plies_to_mate(value)) is None:
            score = f"{centipawns(value, told.kind) / 100:+.2f}"
        else:
            score = f"{'-' if value < 0 else '+'}M{abs(plies)}"
        words.append(f"{score}/{told.depth}")
    if told.milliseconds is not None:
        words.append(f"{told.milliseconds / 1e3:.3f}s")
    return " ".join(words)


def escaped(value: str) -> str:
    """Return a text of one line as the value of a tag."""
    plain = " ".join("".join(c if c.isprintable() else " " for c in value).split())
    return plain.replace("\\", "\\\\").replace('"', '\\"')

"""SGF, the files of games of Go: written from a stored game, read along their main line.

Source: the specification of FF[4]. A point is two letters, column from the left and row from the top,
`aa` the upper left; a pass is `B[]`, or `B[tt]` on boards up to 19 x 19.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from joute.engines.errors import Refused, cut
from joute.engines.game import Game
from joute.engines.games.go.go import Go
from joute.engines.parameter import text_of
from joute.engines.position import Position
from joute.engines.transcript import Played, Transcript

POINTS = "abcdefghijklmnopqrs"
LARGEST = 4_000_000  # characters of a file that is read
SIDE = len(POINTS)
RULES = {"chinese": "Chinese", "japanese": "Japanese"}
COLOURS = "BW"
NAMES = ("Black", "White")
MOVERS = {"B": 0, "W": 1, "1": 0, "2": 1}  # values of PL; GNU Go writes numbers
FAILED = {"resigned": "R", "timeout": "T"}  # else F, forfeit
TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]{1,64})|\[((?:[^\]\\]|\\.)*)\])", re.DOTALL)
SIZE = re.compile(r"(\d{1,3})(?::(\d{1,3}))?")
NUMBER = re.compile(r"[+-]?\d{1,6}(?:\.\d{0,6})?")
PER_LINE = 10  # moves

Node = dict[str, list[str]]
Point = tuple[int, int]


class Sgf(Transcript):
    """Smart Game Format."""

    name = "sgf"
    summary = "Smart Game Format (FF[4]), which programs and sites for Go read"
    games: ClassVar[tuple[str, ...]] = ("go",)
    ending = ".sgf"
    reads = True

    def write(self, played: Played) -> str:
        """Return the file's text: the start position's stones, all moves, names, rules and result."""
        game = played.game
        assert isinstance(game, Go)
        position = Position(game, played.start)
        black, white = played.names
        square = game.columns == game.rows
        root = [
            ("FF", "4"), ("GM", "1"), ("CA", "UTF-8"), ("AP", "Joute"),
            ("SZ", str(game.columns) if square else f"{game.columns}:{game.rows}"),
            ("KM", text_of(game.values["komi"])), ("RU", RULES[str(game.values["rules"])]),
            ("PB", escaped(black)), ("PW", escaped(white)), ("GN", escaped(played.id)),
            *([("DT", escaped(played.date))] if played.date else []),
        ]  # fmt: skip
        lines = ["(;" + "".join(f"{key}[{value}]" for key, value in root)]
        if played.start != "startpos":
            lines.append(self._setup(game, position, played.start))
        moves = []
        for action in played.actions:
            moves.append(f";{COLOURS[position.to_move]}[{point_of(game, action)}]")
            position.play(action)
        lines[0] += f"RE[{result_of(played, position)}]"
        lines += ["".join(moves[i : i + PER_LINE]) for i in range(0, len(moves), PER_LINE)]
        return "\n".join(lines) + ")\n"

    def read(self, path: Path, game: Game, plies: int) -> str:
        """Return the stones that are set up and the first moves of the main line; komi and rules of the
        file are passed over.
        """
        assert isinstance(game, Go)
        record = read_file(path)
        if len(record.moves) < plies:
            raise Refused(
                f"{path}: it has {len(record.moves)} plies, but openings of {plies} are wanted (openings.plies, or --plies)"
            )
        try:
            return record.position(game, plies).line()
        except Refused as error:
            raise Refused(f"{path}: {error}") from None

    def whole(self, path: Path, game: Game) -> tuple[str, tuple[float, ...] | None]:
        """Return the main line, and the result that RE names: a winner by whatever, or a draw; raise
        Refused for a record that is not one game, move by move.
        """
        assert isinstance(game, Go)
        record = read_file(path)
        try:
            return record.position(game, whole=True).line(), returns_of(record.result)
        except Refused as error:
            raise Refused(f"{path}: {error}") from None

    @staticmethod
    def _setup(game: Go, position: Position, start: str) -> str:
        cells = game.cells(position.W, position.at)
        stones = ""
        for holds, key in ((1, "AB"), (2, "AW")):
            points = [f"[{point_of(game, c)}]" for c, one in enumerate(cells) if one == holds]
            stones += key + "".join(points) if points else ""
        return f"{stones}PL[{COLOURS[position.to_move]}]C[{escaped(start)}]"


def point_of(game: Go, action: int) -> str:
    """Return an action as SGF has it, "" for a pass."""
    if action == game.board.cells:
        return ""
    y, x = divmod(action, game.columns)
    return POINTS[x] + POINTS[y]


def escaped(text: str) -> str:
    """Return a text of one line as the value of a property."""
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return plain.replace("\\", "\\\\").replace("]", "\\]").replace(":", "\\:")


def result_of(played: Played, position: Position) -> str:
    """Return the property RE: B+3.5, 0 for a draw, W+R, W+T, W+F for a game not played to its end."""
    black, white = played.returns
    if black == white:
        return "0"
    winner = COLOURS[0 if black > white else 1]
    if played.failure:
        return f"{winner}+{FAILED.get(played.failure, 'F')}"
    game = position.game
    assert isinstance(game, Go)
    dead = [game.action_of(vertex) for vertex in played.conceded]
    return f"{winner}+{text_of(abs(game.lead(position.W, position.at, dead)))}"


def returns_of(result: str) -> tuple[float, float] | None:
    """Return the returns of Black and White by the property RE; None where it names no result."""
    text = result.strip().lower()
    if text in ("0", "draw", "jigo"):
        return 0.5, 0.5
    return {"b+": (1.0, 0.0), "w+": (0.0, 1.0)}.get(text[:2])


@dataclass
class Setup:
    """What a file sets up between two moves: by point the player whose stone stands there, None for an
    empty one, and who is to move, None where the file does not say.
    """

    stones: dict[Point, int | None] = field(default_factory=dict)
    mover: int | None = None


@dataclass
class Record:
    """What a file tells along its main line. Points are (column from the left, row from the top).

    `komi` and `rules` are None where the file does not give them, `rules` also where unknown. A move
    is a player, 0 is Black, and a point, None for a pass. `setups` are by the number of moves before.
    """

    columns: int = SIDE
    rows: int = SIDE
    komi: float | None = None
    rules: str | None = None
    black: str = ""
    white: str = ""
    result: str = ""
    setups: dict[int, Setup] = field(default_factory=dict)
    moves: list[tuple[int, Point | None]] = field(default_factory=list)

    def game(self) -> Go:
        """Return the file's game, with defaults for what the file does not give."""
        options = {
            "columns": self.columns,
            "rows": self.rows,
            "rules": self.rules,
            "komi": self.komi,
        }
        return Go(**{name: value for name, value in options.items() if value is not None})

    def position(
        self, game: Go | None = None, plies: int | None = None, whole: bool = False
    ) -> Position:
        """Return the position after the last move, or after so many; raise Refused for a board of
        another size, stones without liberty and illegal moves.

        A colour twice in a row means that the other has passed, which ends nothing. Where stones are
        set up between moves, or moves follow two passes, the board as it stands is a new start: its
        moves are those since. With `whole` all that is refused.
        """
        game = game or self.game()
        if (game.columns, game.rows) != (self.columns, self.rows):
            raise Refused(
                f"the file is of a board {self.columns} x {self.rows}, {game.label} is another"
            )
        position, passing = Position(game), game.board.cells
        moves = self.moves[:plies]
        for number in range(len(moves) + 1):
            position = self._set_up(position, number, whole)
            if number == len(moves):
                break
            player, point = moves[number]
            action = passing if point is None else point[1] * self.columns + point[0]
            if why := out_of_line(position, player):
                if whole:
                    raise Refused(f"move {number + 1} {why}")
                if position.over or passing in (action, *position.moves[-1:]):
                    position = begun(position, player)
                else:
                    position.play(passing)
            if not position.is_legal(action):
                why, vertex = position.why_illegal(action), game.action_text(action)
                raise Refused(f"move {number + 1} on {vertex} is illegal; {why}")
            position.play(action)
        return position

    def _set_up(self, position: Position, number: int, whole: bool) -> Position:
        """Return the position after what the file sets up behind so many moves."""
        setup = self.setups.get(number, Setup())
        if number and not setup.stones:
            return position
        mover = position.to_move if setup.mover is None else setup.mover
        if number < len(self.moves):
            mover = self.moves[number][0]
        if not setup.stones and mover == position.to_move:
            return position
        if number and whole:
            raise Refused(f"after move {number} the file sets up another position")
        try:
            return begun(position, mover, setup.stones)
        except Refused as error:
            raise Refused(
                f"set up after move {number}: {error}" if number else str(error)
            ) from None


def out_of_line(position: Position, player: int) -> str:
    """Return why no move of a player continues a game, "" if one does."""
    if position.over:
        return "comes after the end of the game"
    return "" if position.to_move == player else f"is {NAMES[player]}'s, out of turn"


def begun(
    position: Position, mover: int, stones: Mapping[Point, int | None] | None = None
) -> Position:
    """Return a game that begins on a board as it stands, with some points changed and its prisoners."""
    game = position.game
    assert isinstance(game, Go)
    cells = game.cells(position.W, position.at)
    for (x, y), holds in (stones or {}).items():
        cells[y * game.columns + x] = 0 if holds is None else holds + 1
    words = (position.text() or "").split()
    taken = [word for word in words if word.startswith("taken=")]
    return Position(game, " ".join([game.board.text(cells), "XO"[mover], str(mover), *taken]))


def read_file(path: Path, plies: int | None = None) -> Record:
    """Read a file, in UTF-8 or else in Latin-1 (SGF's default), to its end or beyond so many moves."""
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise Refused(f"{path}: {error.strerror or error}") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    try:
        return read(text, plies)
    except Refused as error:
        raise Refused(f"{path}: {error}") from None


def read(text: str, plies: int | None = None) -> Record:
    """Return the main line of the first game of a text; raise Refused with the place of an error.

    Variations other than the first are passed over, however deep they are nested. With `plies`
    nothing behind the move after so many is read.
    """
    if len(text) > LARGEST:
        raise Refused(f"SGF of more than {LARGEST} characters is not read")
    record = Record()
    root: Node | None = None
    for node in main_line(text):
        if root is None:
            root = node
            _read_root(record, node)
        _read_setup(record, node)
        _read_move(record, node)
        if plies is not None and len(record.moves) > plies:
            break
    if root is None:
        raise Refused("no game is in this SGF: it has no '(;'")
    return record


def main_line(text: str) -> Iterator[Node]:
    """Yield the nodes of the first game's main line: of each branching the first variation."""
    at = text.find("(")
    if at < 0:
        raise Refused("no game is in this SGF: it has no '(;'")
    on_line = [
        True
    ]  # of each open tree: whether it lies on the main line; below it, the text itself
    branched = [False]  # of each open tree: whether a variation was begun in it
    node: Node | None = None
    key = ""
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            if not text[at:].strip():
                break
            raise Refused(f"SGF, character {at + 1}: {cut(repr(text[at : at + 20]), 40)} is no SGF")
        sign, name, value = match.groups()
        at = match.end()
        if name is not None:
            key = "".join(filter(str.isupper, name))  # older files write Black for B
            if node is not None:
                node.setdefault(key, [])
        elif value is not None:
            if node is not None and key:
                node[key].append(value)
        else:
            if node is not None and on_line[-1]:
                yield node
            node, key = None, ""
            if sign == ";":
                if len(on_line) == 1:
                    raise Refused(f"SGF, character {at}: a node outside of a game")
                if branched[-1]:
                    raise Refused(f"SGF, character {at}: a node after variations")
                node = {} if on_line[-1] else None
            elif sign == "(":
                on_line.append(on_line[-1] and not branched[-1])
                branched[-1] = True
                branched.append(False)
            else:
                if len(on_line) == 1:
                    raise Refused(f"SGF, character {at}: ) without (")
                on_line.pop()
                branched.pop()
                if len(on_line) == 1:
                    return
    raise Refused("SGF ends before its game does: a ) is missing")


def plain(value: str) -> str:
    """Return a value as the text that it means, in one line."""
    value = re.sub(r"\\(\r\n|\n\r|\n|\r)", "", value)
    return " ".join(re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL).split())


def _read_root(record: Record, node: Node) -> None:
    props = {key: plain(values[0]) for key, values in node.items() if values}
    if props.get("GM", "1") != "1":
        raise Refused(f"SGF: GM[{cut(props['GM'], 20)}] is another game; 1 is Go")
    size = SIZE.fullmatch(props.get("SZ", str(SIDE)))
    if not size:
        raise Refused(f"SGF: SZ[{cut(props['SZ'], 20)}] is no size; as in SZ[9] or SZ[7:5]")
    record.columns, record.rows = int(size[1]), int(size[2] or size[1])
    if not (1 <= record.columns <= SIDE and 1 <= record.rows <= SIDE):
        raise Refused(f"SGF: a board {record.columns} x {record.rows}; at most {SIDE} x {SIDE}")
    if komi := props.get("KM", "").replace(",", "."):
        if not NUMBER.fullmatch(komi):
            raise Refused(f"SGF: KM[{cut(komi, 20)}] is no komi; as in KM[6.5]")
        record.komi = float(komi)
    record.rules = next((r for r in RULES if props.get("RU", "").lower().startswith(r[:2])), None)
    record.black, record.white = props.get("PB", ""), props.get("PW", "")
    record.result = props.get("RE", "")


def _read_setup(record: Record, node: Node) -> None:
    setup = record.setups.get(len(record.moves), Setup())
    for key, holds in (("AB", 0), ("AW", 1), ("AE", None)):
        for value in node.get(key, ()):
            setup.stones.update(dict.fromkeys(_points(record, value), holds))
    if node.get("PL"):
        setup.mover = MOVERS.get(plain(node["PL"][0])[:1].upper())
        if setup.mover is None:
            raise Refused(f"SGF: PL[{cut(node['PL'][0], 20)}]; B or W moves")
    if setup.stones or setup.mover is not None:
        record.setups[len(record.moves)] = setup


def _read_move(record: Record, node: Node) -> None:
    moves = [(player, node[key]) for player, key in enumerate(COLOURS) if key in node]
    number = len(record.moves) + 1
    if len(moves) > 1 or any(len(values) != 1 for _, values in moves):
        raise Refused(f"SGF: move {number}: a node has one move, B[..] or W[..]")
    for player, (value,) in moves:
        text = plain(value)
        passed = text == "" or text == "tt"
        record.moves.append((player, None if passed else _point(record, text, f"move {number}")))


def _points(record: Record, value: str) -> list[Point]:
    """Return the points of a value of AB, AW or AE: one, or a rectangle `aa:cc`."""
    first, _, last = plain(value).partition(":")
    left, top = _point(record, first, "a stone")
    right, bottom = _point(record, last or first, "a stone")
    return [(x, y) for x in range(left, right + 1) for y in range(top, bottom + 1)]


def _point(record: Record, text: str, where: str) -> Point:
    if len(text) == 2 and set(text) <= set(POINTS):
        x, y = POINTS.index(text[0]), POINTS.index(text[1])
        if x < record.columns and y < record.rows:
            return x, y
    raise Refused(
        f"SGF: {where} at {cut(repr(text), 20)}, which is no point of a board "
        f"{record.columns} x {record.rows}"
    )

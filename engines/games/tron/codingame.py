"""The lines of CodinGame's Tron: at every turn `N P`, then `X0 Y0 X1 Y1` of players 0 to N-1.

X0 Y0 is where a player's ribbon began, X1 Y1 its head; -1 four times once it is dead. The answer is
a direction. Bots rebuild the ribbons themselves: on a bot's first turn the players before it have
made one move, so that both cells are ribbon; from then on every head adds one.
"""

from __future__ import annotations

from struct import Struct
from typing import Any, Protocol, cast

from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.kernels.compile import Words
from joute.engines.position import Position
from joute.engines.protocol import Dialogue, Read

Cell = tuple[int, int]
STEPS = {(0, -1): "UP", (0, 1): "DOWN", (-1, 0): "LEFT", (1, 0): "RIGHT"}
# Of the game's state: four heads, then four starts, y * 32 + x.
cells_of: Any = Struct("<8H").unpack_from
DEAD, NOWHERE = "-1 -1 -1 -1\n", 0xFFFF
STARTS = [f"{c % 32} {c // 32} " for c in range(32 * 40)]
HEADS = [f"{c % 32} {c // 32}\n" for c in range(32 * 40)]


class Field(Protocol):
    """The fields of the game that are used."""

    width: int
    height: int
    players: int

    def head(self, W: Words, at: int, player: int) -> Cell | None:
        """Return the cell of a head; None once it is dead."""


class TronDialogue(Dialogue):
    """The lines of a game of Tron, from either side.

    A bot for one number of players sets `fixed`: missing players are dead from the start.
    """

    name = "tron-codingame"
    summary = "reads two cells per player; answers a direction"
    protocol = "codingame"
    games = ("tron",)

    fixed = False

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._position: Position | None = None  # as we know it; the bot's side only
        self._known = {game.players: game}  # the game for numbers of players
        self._players, self._cells = range(game.players), game.words - 3
        self._first = [f"{game.players} {p}\n" for p in self._players]
        self._actions = {text: game.parse_action(text) for text in STEPS.values()}

    def variants(self) -> list[Game]:
        """Return the game for each number of players."""
        if self.fixed:
            return [self.game]
        return [self._for(players) for players in (2, 3, 4)]

    def _for(self, players: int) -> Game:
        if players not in self._known:
            values = {**self.game.values, "players": players}
            self._known[players] = type(self.game)(**values)
        return self._known[players]

    @property
    def _field(self) -> Field:
        return cast(Field, self.game)

    def lines(self, position: Position, player: int) -> str:
        """Return the lines of a turn."""
        cells = cells_of(position.W, 8 * (position.at + self._cells))
        text = self._first[player]
        for p in self._players:
            head = cells[p]
            text += STARTS[cells[p + 4]] + HEADS[head] if head != NOWHERE else DEAD
        return text

    def action(self, position: Position, text: str) -> int:
        """Return the action of a direction; all are legal, into a wall too."""
        action = self._actions.get(text)
        if action is None:
            raise Refused(f"not an action; allowed: {', '.join(self._actions)}")
        return action

    def read(self, read: Read) -> Position:
        """Read a turn; the game takes its number of players from the first one."""
        players, me = numbers(read(), 2)
        cells = [numbers(read(), 4) for _ in range(players)]
        if self.fixed and players <= self.game.players:
            cells += [[-1] * 4] * (self.game.players - players)
            players = self.game.players
        starts = [None if x < 0 else (x, y) for x, y, _, _ in cells]
        heads = [None if x < 0 else (x, y) for _, _, x, y in cells]
        if self._position is None:
            self.game = self._for(players)
            self._position = Position(self.game, self._text(me, starts, heads))
        else:
            self._follow(self._position, me, heads)
        return self._position

    def _text(self, me: int, starts: list[Cell | None], heads: list[Cell | None]) -> str:
        """Return the text of the position at our first turn."""
        field, deaths, texts = self._field, 0, []
        board = [["."] * field.width for _ in range(field.height)]
        for p, (start, head) in enumerate(zip(starts, heads, strict=True)):
            if start is None or head is None:
                deaths += 1
                texts.append(f"-{deaths}")
                continue
            for (x, y), mark in ((start, "abcd"[p]), (head, "ABCD"[p])):
                if not (0 <= x < field.width and 0 <= y < field.height):
                    raise Refused(f"the cell {x} {y} is outside {field.width} x {field.height}")
                board[y][x] = mark
            texts.append(f"{start[0]},{start[1]}")
        return f"{'/'.join(map(''.join, board))} {me + 1} {';'.join(texts)}"

    def _follow(self, position: Position, me: int, heads: list[Cell | None]) -> None:
        """Play the moves of the others since our last turn."""
        while position.to_move != me and not position.over:
            p = position.to_move
            before, now = self._field.head(position.W, position.at, p), heads[p]
            if now is None or before is None:
                position.play(self.game.on_failure["crash"])
                continue
            step = STEPS.get((now[0] - before[0], now[1] - before[1]))
            if step is None:
                raise Refused(f"player {p} went from {before} to {now}, which is no step")
            position.play(self.game.parse_action(step))

    def answer(self, action: int) -> str:
        """Return the direction; our own move is made."""
        if self._position is not None:
            self._position.play(action)
        return self.game.action_text(action)


def numbers(line: str, count: int) -> list[int]:
    """Return the whole numbers of a line; raise Refused if there are not so many."""
    try:
        numbers = [int(word) for word in line.split()]
    except ValueError:
        numbers = []
    if len(numbers) != count:
        raise Refused(f"the line {line!r} is not {count} whole numbers")
    return numbers

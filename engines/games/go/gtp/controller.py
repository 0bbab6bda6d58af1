"""Our side: an engine of ours answers the commands of a graphical client or a referee.

Numbered answers, comments and control characters are as the specification of GTP 2 has them. A
colour that plays out of turn is taken as if the other had passed.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

from joute.engines.colours import plain
from joute.engines.engine import NO_CLOCK, parse_game
from joute.engines.errors import JouteError, Refused
from joute.engines.games.go.go import Go, score_text
from joute.engines.games.go.sgf import read_file
from joute.engines.parameter import text_of
from joute.engines.player import Move, Player, PlayerFailure
from joute.engines.position import Position
from joute.engines.protocol import Playing
from joute.engines.time_control import share_of

NUMBER = re.compile(r"\d{1,9}")
COLOURS = {"b": 0, "black": 0, "w": 1, "white": 1}
SHARE = 0.9  # of the time that a move has
LEAST_LEFT = 12  # moves that are still to come, at least, where a clock is for all of them
LARGEST = 19


class Failure(Exception):
    """An error that is answered behind `?`."""


class Controller:
    """The state between commands: the game, the moves so far, and both clocks."""

    def __init__(self, engine: Playing) -> None:
        game = engine.game
        assert isinstance(game, Go)
        self.ended = False
        self._engine, self._game = engine, game
        self._options = dict(game.values)
        self._player: Player | None = None
        self._position = Position(game)
        self._undo: list[int] = []  # moves, passes of the other colour among them, by command
        self._clocks: dict[int, tuple[float, int]] = {}  # seconds left, for so many stones (0: all)
        self._settings: tuple[float, float, int] | None = None
        self._new = True
        engine.ready()
        self._commands: dict[str, Callable[[list[str]], str]] = {
            name.removeprefix("do_"): getattr(self, name) for name in dir(self) if name[:3] == "do_"
        }

    def close(self) -> None:
        """Let go of the player."""
        if self._player is not None:
            self._player.close()
            self._player = None

    def answer(self, line: str) -> str | None:
        """Return the answer to a line, its last line empty; None for an empty line."""
        text = "".join(c if c >= " " else " " * (c == "\t") for c in line.partition("#")[0])
        words = text.split()
        number = words.pop(0) if words and NUMBER.fullmatch(words[0]) else ""
        if not words:
            return f"?{number} no command\n" if number else None
        command = self._commands.get(words[0])
        try:
            if command is None:
                raise Failure("unknown command")
            answer = command(words[1:])
        except (Failure, JouteError) as error:
            return f"?{number} {str(error).splitlines()[0]}\n"
        return f"={number} {answer}".rstrip() + "\n"

    # What there is

    def do_protocol_version(self, words: list[str]) -> str:
        """Version 2."""
        return "2"

    def do_name(self, words: list[str]) -> str:
        """Our name."""
        return "Joute"

    def do_version(self, words: list[str]) -> str:
        """Which engine this is."""
        return str(getattr(self._engine, "text", "") or self._game.label)

    def do_known_command(self, words: list[str]) -> str:
        """Whether a command is known."""
        return "true" if words and words[0] in self._commands else "false"

    def do_list_commands(self, words: list[str]) -> str:
        """All commands."""
        return "\n".join(sorted(self._commands))

    def do_quit(self, words: list[str]) -> str:
        """The last command."""
        self.ended = True
        return ""

    # The board

    def do_boardsize(self, words: list[str]) -> str:
        """Take a square board of so many lines."""
        size = whole(words, "boardsize")
        if not 2 <= size <= LARGEST:
            raise Failure("unacceptable size")
        self._options |= {"size": size, "columns": size, "rows": size}
        self._clear()
        return ""

    def do_komi(self, words: list[str]) -> str:
        """Take a komi, and keep the moves."""
        komi = real(words, "komi")
        if abs(komi) > 361 or 2 * komi != int(2 * komi):
            raise Failure("komi is a whole or half number up to 361")
        moves, undo, clocks = list(self._position.moves), self._undo, self._clocks
        self._options["komi"] = komi
        self._clear(self._position.start)
        for action in moves:
            self._position.play(action)
        self._undo, self._clocks = undo, clocks
        return ""

    def do_clear_board(self, words: list[str]) -> str:
        """Begin a new game."""
        self._clear()
        return ""

    def _clear(self, start: str = "startpos") -> None:
        shown = ("columns", "rows", "rules", "ko", "komi")
        game = parse_game(
            f"go[{','.join(f'{name}={text_of(self._options[name])}' for name in shown)}]"
        )
        assert isinstance(game, Go)
        if game is not self._game:
            self.close()
            self._engine, self._game = self._engine.on(game), game
        self._position = Position(game, start)
        self._undo, self._new = [], True
        self._clocks = {}
        if self._settings is not None:
            self._start_clocks()

    def do_play(self, words: list[str]) -> str:
        """Play a move of either colour."""
        if len(words) != 2:
            raise Failure("syntax error: play COLOUR VERTEX")
        colour, before = colour_of(words[:1]), self._position.ply
        self._pass_to(colour)
        try:
            action = self._game.action_of(words[1])
        except Refused:
            action = -1
        if action < 0 or not self._position.is_legal(action):
            self._back_to(before)
            raise Failure("illegal move" if action >= 0 else "syntax error: no vertex")
        self._position.play(action)
        self._undo.append(self._position.ply - before)
        return ""

    def _pass_to(self, colour: int) -> None:
        """Let the other colour pass if it is its turn."""
        if self._position.to_move != colour and not self._position.over:
            self._position.play(self._game.action_of("pass"))
        if self._position.over:
            raise Failure("the game is over: two passes")

    def _back_to(self, ply: int) -> None:
        moves = self._position.moves[:ply]
        self._position = Position(self._game, self._position.start)
        for action in moves:
            self._position.play(action)

    def do_undo(self, words: list[str]) -> str:
        """Take the last move back."""
        if not self._undo:
            raise Failure("cannot undo")
        self._back_to(self._position.ply - self._undo.pop())
        return ""

    def do_loadsgf(self, words: list[str]) -> str:
        """Take a game from a file, up to before a move's number."""
        if not 1 <= len(words) <= 2:
            raise Failure("syntax error: loadsgf FILE [MOVE]")
        plies = max(0, whole(words[1:], "loadsgf") - 1) if len(words) == 2 else None
        record = read_file(Path(words[0]), plies)
        game = record.game()
        position = record.position(game, plies)
        self._options = dict(game.values)
        self._clear(position.start)
        for action in position.moves:
            self._position.play(action)
            self._undo.append(1)
        return ""

    def do_showboard(self, words: list[str]) -> str:
        """Draw the board."""
        return "\n" + plain(self._position.draw())

    # Moves of ours

    def do_genmove(self, words: list[str]) -> str:
        """Choose a move and play it."""
        before = self._position.ply
        choice = self._chosen(words)
        if choice.resigns:
            self._back_to(before)
            return "resign"
        self._position.play(choice.action)
        self._undo.append(self._position.ply - before)
        return self._vertex(choice.action)

    def do_reg_genmove(self, words: list[str]) -> str:
        """Choose a move and leave the board alone."""
        before = self._position.ply
        choice = self._chosen(words)
        self._back_to(before)
        return self._vertex(choice.action)

    def _chosen(self, words: list[str]) -> Move:
        colour = colour_of(words)
        if self._position.over:
            raise Failure("the game is over: two passes")
        self._pass_to(colour)
        if self._player is None:
            self._player, self._new = self._engine.player(clocks=True), True
        if self._new:
            self._player.new_game(0, colour)
            self._new = False
        usual = self._player.guard_ms
        begun, limit = time.perf_counter(), self._limit_ms(colour)
        if limit is None and self._engine.by_clock:
            raise Failure(f"{self._engine.text}: {NO_CLOCK}")
        if limit is not None:
            self._player.guard_ms = min(limit, usual or limit)
        try:
            return self._player.choose(self._position)
        except PlayerFailure as failure:
            raise Failure(f"the engine failed: {failure}") from None
        finally:
            self._player.guard_ms = usual
            self._spend(colour, time.perf_counter() - begun)

    def _vertex(self, action: int) -> str:
        text = self._game.action_text(action)
        return text if text != "pass" else "PASS"

    # Time

    def do_time_settings(self, words: list[str]) -> str:
        """Take main time, byo yomi time and stones; byo yomi of no stones means no limit."""
        if len(words) != 3:
            raise Failure("syntax error: time_settings MAIN BYO_YOMI STONES")
        main, extra = (real([word], "time_settings") for word in words[:2])
        stones = whole(words[2:], "time_settings")
        self._settings = None if extra > 0 and stones == 0 else (main, extra, stones)
        self._clocks = {}
        if self._settings is not None:
            self._start_clocks()
        return ""

    def do_time_left(self, words: list[str]) -> str:
        """Set a colour's time left, for so many stones (0: main time)."""
        if len(words) != 3:
            raise Failure("syntax error: time_left COLOUR SECONDS STONES")
        colour = colour_of(words[:1])
        self._clocks[colour] = (real(words[1:2], "time_left"), whole(words[2:], "time_left"))
        return ""

    def _start_clocks(self) -> None:
        assert self._settings is not None
        main, extra, stones = self._settings
        clock = (main, 0) if main > 0 else (extra, stones)
        self._clocks = {0: clock, 1: clock}

    def _limit_ms(self, colour: int) -> float | None:
        """Return how long a move may take; None without clocks."""
        if colour not in self._clocks:
            return None
        seconds, stones = self._clocks[colour]
        if self._engine.by_clock and self._player is not None:
            return share_of(1e3 * seconds, 0.0, stones, self._player.clock_moves)
        if stones == 0:  # main time: for half of the empty cells
            empty = self._game.cells(self._position.W, self._position.at).count(0)
            stones = max(LEAST_LEFT, empty // 2)
            if self._settings is not None and self._settings[2]:
                per_stone = self._settings[1] / self._settings[2]
                return 1e3 * SHARE * max(seconds / stones, min(seconds, per_stone))
        return max(1.0, 1e3 * SHARE * seconds / stones)

    def _spend(self, colour: int, spent: float) -> None:
        """Run our own clock, for clients that send no time left."""
        if colour not in self._clocks:
            return
        seconds, stones = self._clocks[colour]
        seconds -= spent
        if self._settings is not None and (seconds <= 0 or stones == 1) and self._settings[2]:
            seconds, stones = self._settings[1], self._settings[2]
        elif stones > 1:
            stones -= 1
        self._clocks[colour] = (max(0.0, seconds), stones)

    # The end

    def do_final_score(self, words: list[str]) -> str:
        """Score the board as it is."""
        return score_text(self._game.lead(self._position.W, self._position.at))

    def do_final_status_list(self, words: list[str]) -> str:
        """List stones by status: all on the board are alive."""
        if words not in (["alive"], ["dead"], ["seki"]):
            raise Failure("syntax error: final_status_list alive, dead or seki")
        if words != ["alive"]:
            return ""
        return "\n".join(" ".join(map(self._game.action_text, chain)) for chain in self._chains())

    def _chains(self) -> list[list[int]]:
        cells = self._game.cells(self._position.W, self._position.at)
        chains, seen = [], set[int]()
        for cell, holds in enumerate(cells):
            if holds and cell not in seen:
                chain = [c for c in self._game.chain(cells, cell) if cells[c] == holds]
                seen.update(chain)
                chains.append(sorted(chain))
        return chains


def colour_of(words: list[str]) -> int:
    """Return the player of a colour."""
    if len(words) != 1 or words[0].lower() not in COLOURS:
        raise Failure("syntax error: a colour is black, white, b or w")
    return COLOURS[words[0].lower()]


def whole(words: list[str], command: str) -> int:
    """Return the one whole number of a command."""
    if len(words) != 1 or not NUMBER.fullmatch(words[0]):
        raise Failure(f"syntax error: {command} takes a whole number")
    return int(words[0])


def real(words: list[str], command: str) -> float:
    """Return the one number of a command."""
    try:
        (number,) = (float(word) for word in words)
    except ValueError:
        raise Failure(f"syntax error: {command} takes a number") from None
    if not abs(number) < 1e9:
        raise Failure(f"syntax error: {command} takes a number below a thousand millions")
    return number

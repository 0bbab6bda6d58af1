"""The engine's side: answers a program that speaks UCI."""

from __future__ import annotations

import time
from collections.abc import Mapping
from importlib.metadata import version
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import Any

from joute.engines.engine import Engine
from joute.engines.errors import JouteError, Refused
from joute.engines.games.chess.names import START
from joute.engines.games.chess.score import centipawns, plies_to_mate
from joute.engines.kernels.compile import prepare
from joute.engines.player import Move, Player
from joute.engines.position import Position, parse_position
from joute.engines.protocol import Playing, Read, Write
from joute.engines.search import CLOCK
from joute.engines.searches._principal import principal_line
from joute.engines.time_control import KEPT_MS, MOVES_LEFT, share_of

ENDLESS_MS = 1e9
DEEPEST = 60  # plies
IN_TURN = ("ucinewgame", "position", "go", "setoption")  # obeyed one after the other
FLAGS = ("searchmoves", "ponder", "infinite")
NUMBERS = (
    "wtime", "btime", "winc", "binc", "movestogo", "depth", "nodes", "mate", "movetime",
)  # fmt: skip
CLOCKS = ("wtime", "btime")
LIMITS = {*CLOCKS, "depth", "nodes", "movetime", "infinite"}  # take the place of the engine's own


class Controller:
    """One conversation, over as many games as it lasts. Searches run beside the reading of lines, so
    that `stop` is heard; what comes meanwhile and is to be obeyed in turn waits for the answer.
    """

    def __init__(self, engine: Playing, read: Read, write: Write) -> None:
        assert isinstance(engine, Engine)
        self._own, self._engine, self._read, self._write = engine, engine, read, write
        self._players: dict[str, Player] = {}
        self._position = Position(engine.game)
        self._search: Thread | None = None
        self._stop = Event()
        self._player: Player | None = None
        self._endless = False  # whether the search goes on until it is stopped
        self._waiting: list[list[str]] = []
        self._turn = Lock()  # held by who obeys, or looks whether there is a search
        own = engine.limit
        self._shared_among = own[1] if own is not None and own[0] == CLOCK else MOVES_LEFT
        self._freely = engine.game.values.get("chess960") == "on"

    def run(self) -> None:
        """Answer until `quit` or the end of the lines."""
        try:
            while True:
                words = self._read().split()
                if words and words[0] == "quit":
                    return
                if words:
                    self._answer(words)
        except EOFError:
            return
        finally:
            with self._turn:
                self._waiting.clear()
            self._end_search()
            for player in self._players.values():
                player.close()

    def _answer(self, words: list[str]) -> None:
        command = words[0]
        if command == "uci":
            self._introduce()
        elif command == "isready":
            if not self._searching():
                self._player_for(self._engine)
            self._write("readyok")
        elif command == "stop":
            self._end_search()
        elif command in IN_TURN:
            self._take(words)
        elif command == "ponderhit":
            self._write("info string this engine does not ponder")
        elif command not in ("debug", "register"):
            self._write(f"info string unknown command {command}")

    def _take(self, words: list[str]) -> None:
        """Obey a command at once, or after the search that goes on; one without end is ended."""
        if self._endless:
            self._end_search()
        with self._turn:
            self._waiting.append(words)
            self._go_on()

    def _go_on(self) -> None:
        """Obey what waits, up to a search."""
        while self._waiting and self._search is None:
            self._obey(self._waiting.pop(0))

    def _obey(self, words: list[str]) -> None:
        """Obey a command; what makes no sense is told."""
        try:
            if words[0] == "ucinewgame":
                self._new_game()
            elif words[0] == "setoption":
                self._set(words[1:])
            elif words[0] == "position":
                self._set_up(words[1:])
            else:
                self._go(words[1:])
        except JouteError as error:
            self._write(f"info string {error}")

    def _introduce(self) -> None:
        self._write(f"id name Joute {version('joute')} {self._own.search.name}")
        self._write("id author the maintainers of Joute")
        self._write(f"option name UCI_Chess960 type check default {str(self._freely).lower()}")
        if "table" in self._own.values:
            table = int(self._own.values["table"])
            self._write(f"option name Hash type spin default {table} min 0 max 4096")
        self._write("uciok")

    def _set(self, words: list[str]) -> None:
        """Take an option."""
        text = " ".join(words)
        name, _, value = text.removeprefix("name ").partition(" value ")
        if name.lower() == "uci_chess960":
            self._freely = value.strip().lower() == "true"
            game = type(self._own.game)(
                **{**self._own.game.values, "chess960": "on" if self._freely else "off"}
            )
            self._engine = self._engine.on(game)
        elif name.lower() == "hash" and "table" in self._own.values:
            try:
                table = int(value)
            except ValueError:
                raise Refused(f"Hash is a whole number of megabytes, not {value!r}") from None
            self._engine = Engine(self._engine.game, {**self._engine.settings, "table": table})
        else:
            raise Refused(f"no option {name}")
        self._new_players()

    def _new_players(self) -> None:
        for player in self._players.values():
            player.close()
        self._players = {}
        self._position = Position(self._engine.game)

    def _new_game(self) -> None:
        for player in self._players.values():
            player.new_game(0, 0)
        self._position = Position(self._engine.game)

    def _set_up(self, words: list[str]) -> None:
        """Take a position: `startpos moves e2e4`, or `fen` and a FEN."""
        if words[:1] == ["fen"]:
            words = words[1:]
            if " ".join(words[: words.index("moves") if "moves" in words else None]) == START:
                words = [
                    "startpos",
                    *words[words.index("moves") if "moves" in words else len(words) :],
                ]
        self._position = parse_position(self._engine.game, " ".join(words), afresh)

    def _player_for(self, engine: Engine) -> Player:
        """Return the player of an engine, made once."""
        if engine.text not in self._players:
            prepare(engine.game.rules.key)  # of lines of play
            engine.ready()
            player = self._players[engine.text] = engine.player(clocks=True)
            player.new_game(0, 0)
        return self._players[engine.text]

    # --- searches

    def _go(self, words: list[str]) -> None:
        """Begin a search. A draw that would have to be claimed is played on from."""
        position = self._position
        if position.over:
            moves = position.game.list_actions(position.W, position.at)
            position = afresh(position)
            if position.over:  # mated, stalemated, or drawn whatever is played
                text = position.game.action_text(moves[0]) if moves else "(none)"
                self._write(f"bestmove {text}")
                return
        mover = position.to_move
        found, notes = limits_in(words, position)
        for note in notes:
            self._write(f"info string {note}")
        asked = kept(found, self._engine, mover)
        player = self._player_for(limited(self._engine, asked))
        player.guard_ms = guard_of(asked, mover, self._shared_among)
        endless = "infinite" in asked
        if player.guard_ms is None and self._own.by_clock and not endless:
            self._write("info string this engine plays by the clock: it searches until stop")
            endless = True
        player.only = asked.get("searchmoves")
        if player.guard_ms is None:  # its own limit ends it, or `stop`
            player.guard_ms = ENDLESS_MS
        self._stop, self._player, self._endless = Event(), player, endless
        ready: SimpleQueue[bool] = SimpleQueue()
        self._search = Thread(
            target=self._run_search, args=(player, position, endless, ready), daemon=True
        )
        self._search.start()
        ready.get()

    def _run_search(
        self, player: Player, position: Position, endless: bool, ready: SimpleQueue[bool]
    ) -> None:
        """Search and answer, then obey what has waited for that."""
        try:
            self._searched(player, position, endless, ready)
        finally:
            with self._turn:
                self._search, self._endless = None, False
                self._go_on()

    def _searched(
        self, player: Player, position: Position, endless: bool, ready: SimpleQueue[bool]
    ) -> None:
        """Search, tell each depth, and answer."""
        begun = time.perf_counter()
        told: list[int] = []

        def tell(move: Move) -> None:
            told.append(move.depth)
            self._write(self._info(player, position, move, (time.perf_counter() - begun) * 1e3))

        player.report, text = tell, "(none)"
        ready.put(True)
        try:
            move = player.choose(position)
            if not told or told[-1] != move.depth:
                tell(move)
            text = position.game.action_text(move.action)
        except JouteError as error:
            self._write(f"info string {error}")
            text = position.game.action_text(position.legal_actions()[0])
        finally:
            player.report = player.only = None
        if endless:
            self._stop.wait()
        self._write(f"bestmove {text}")

    def _end_search(self) -> None:
        """Stop a search, and those that wait for it, and wait for their answers."""
        while (search := self._searching()) is not None:
            self._stop.set()
            if self._player is not None:
                self._player.stop()
            search.join(0.01)

    def _searching(self) -> Thread | None:
        """Return the search that goes on."""
        with self._turn:
            return self._search

    def _info(self, player: Player, position: Position, move: Move, ms: float) -> str:
        """Return what is known after a depth."""
        text = f"info depth {max(1, move.depth)}"
        if move.value is not None:
            text += f" score {score_of(move.value, self._engine.search.tells)}"
        nps = int(move.nodes / ms * 1e3) if ms > 0 else 0
        table = int(self._engine.values.get("table", 0))
        line = principal_line(player, position, move, table)
        pv = " ".join(map(position.game.action_text, line))
        return f"{text} nodes {move.nodes} nps {nps} time {int(ms)} pv {pv}"


def afresh(position: Position) -> Position:
    """Return the same board without the moves that led to it, as if a pawn had just moved."""
    board, side, castling, passing, _, move = str(position.text()).split()
    return Position(position.game, " ".join([board, side, castling, passing, "0", move]))


def limits_in(words: list[str], position: Position) -> tuple[dict[str, Any], list[str]]:
    """Return what a `go` asks, and what of it makes no sense and is left out, a line each."""
    asked: dict[str, Any] = {}
    notes: list[str] = []
    i = 0
    while i < len(words):
        word = words[i]
        i += 1
        if word == "searchmoves":
            moves = []
            while i < len(words) and words[i] not in (*FLAGS, *NUMBERS):
                try:
                    action = position.game.action_of(words[i])
                except Refused:
                    action = -1
                if action >= 0 and position.is_legal(action):
                    moves.append(action)
                else:
                    notes.append(f"searchmoves: {words[i]} is not legal, and is left out")
                i += 1
            if moves:
                asked[word] = frozenset(moves)
        elif word in FLAGS:
            asked[word] = True
        elif word in NUMBERS:
            try:
                number = float(words[i])
                int(number)
                asked[word] = number
            except (IndexError, ValueError, OverflowError):
                notes.append(f"go {word} needs a number, and is left out")
            i += 1
    return asked, notes


def kept(asked: Mapping[str, Any], engine: Engine, mover: int) -> dict[str, Any]:
    """Return what a `go` asks without what cannot limit the engine: nodes or depth that its search does
    not count, the clock of the other side.
    """
    lost = {CLOCKS[1 - mover]}
    if "nodes" not in engine.search.limits:
        lost |= {"nodes"}
    if all(p.name != "depth" for p in engine.parameters):
        lost |= {"depth", "mate"}
    return {word: value for word, value in asked.items() if word not in lost}


def limited(engine: Engine, asked: Mapping[str, Any]) -> Engine:
    """Return the engine with the limit of work that a `go` asks for; its own where that asks none. A mate
    in N moves needs no more than 2N - 1 plies, and leaves the engine's own limit.
    """
    replaced = bool(asked.keys() & LIMITS)
    if not replaced and "mate" not in asked:
        return engine
    settings, own = dict(engine.settings), engine.limit
    if replaced or own is None or own[0] == CLOCK:
        if own is not None:
            settings.pop(own[0])
        if "milliseconds" in engine.search.limits:
            settings["milliseconds"] = ENDLESS_MS / 1e3
    if "nodes" in asked:
        settings.pop("milliseconds", None)
        settings["nodes"] = int(asked["nodes"])
    depths = [DEEPEST if replaced else int(engine.values.get("depth", DEEPEST))]
    depths += [int(asked["depth"])] if "depth" in asked else []
    depths += [2 * int(asked["mate"]) - 1] if "mate" in asked else []
    if len(depths) > 1 or engine.search.work == "depth":
        settings["depth"] = max(1, min(depths))
    return Engine(engine.game, settings)


def guard_of(asked: Mapping[str, Any], mover: int, among: float = MOVES_LEFT) -> float | None:
    """Return the milliseconds after which a search is to be answered; None: its own limit. The rest of
    a clock is shared among so many moves (`share_of`).
    """
    if "movetime" in asked:
        return max(1.0, float(asked["movetime"]) - min(KEPT_MS, asked["movetime"] / 4))
    left = asked.get("btime" if mover else "wtime")
    if left is None:
        return ENDLESS_MS if "depth" in asked or "nodes" in asked or "mate" in asked else None
    increment = asked.get("binc" if mover else "winc", 0.0)
    return share_of(left, increment, int(asked.get("movestogo", 0)), among)


def score_of(value: float, tells: str) -> str:
    """Return a value as `cp` or `mate`, in moves."""
    plies = plies_to_mate(value)
    if plies is None:
        return f"cp {round(centipawns(value, tells))}"
    return f"mate {plies // 2 + 1 if value > 0 else -((1 - plies) // 2)}"

"""`process`: any program is an engine, `tron/process:command="./bot --k {k}",k=0.08`.

`{name}` in the command, the environment or the first line is filled with a parameter's value; such
names are the program's own parameters, but for those that the protocol fills (an address). It may also
have them in a file, or be told them by the protocol: `parameters` lists those. Words are seen from the
current directory, as in a shell.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from joute.engines.errors import Refused, cut
from joute.engines.evaluation import Evaluation
from joute.engines.files import content
from joute.engines.game import Game
from joute.engines.generator import Generator
from joute.engines.parameter import Parameter, Value, Values
from joute.engines.player import Move, Player, PlayerFailure
from joute.engines.position import Position
from joute.engines.programs import placeholders
from joute.engines.programs.conversing import ConversingPlayer
from joute.engines.programs.option import Introduction, Reach, check_reach, settings_in, unfair
from joute.engines.programs.process import Program, Trouble
from joute.engines.programs.program_player import PATHS, OutsidePlayer, environment_of, words_of
from joute.engines.programs.startable import check_startable
from joute.engines.programs.told import FileName, Told, told_in, written
from joute.engines.protocol import LineSession, Protocol, protocols_of
from joute.engines.registry import find, make, names
from joute.engines.search import Search, Setup

TEXTS = ("command", "env", "first_line")  # texts with placeholders
TAKEN = ("search", "evaluation", "generator", "ending")
GENERAL = "json-lines"  # the protocol of a game without lines in any other
MISSING = "(no value)"


def has_env(values: Values) -> bool:
    """Whether variables are set."""
    return values["env"] != ""


def has_first_line(values: Values) -> bool:
    """Whether there is a first line."""
    return values["first_line"] != ""


def has_file(values: Values) -> bool:
    """Whether there is a parameter file."""
    return values["file"] != ""


def has_told(values: Values) -> bool:
    """Whether parameters are listed."""
    return values["parameters"] != ""


def has_memory(values: Values) -> bool:
    """Whether memory is limited."""
    return values["memory_mb"] != 0


@dataclass(frozen=True)
class Own(Parameter):
    """A parameter of the program's own: of its kind, or, where none is known, a number or else a text
    of one line.
    """

    typed: bool = False

    def check(self, value: Any, where: str = "") -> Value:
        """Return the number that a text is, or the text."""
        if value is self.default:
            place = f"{where}: " if where else ""
            raise Refused(f"{place}{{{self.name}}} has no value; write {self.name}=...")
        if self.typed:
            return super().check(value, where)
        number = Parameter(self.name, "float", 0.0)
        try:
            exact = float(number.check(value))
        except Refused:
            return super().check(value, where)
        return int(exact) if exact == int(exact) else exact


class Process(Search):
    """Starts a program and asks it for every action, by a protocol."""

    name = "process"
    summary = "any program: its command line, asked by a protocol (your own bot)"
    reproducible = False
    unknown_hint = (
        "; write {{{name}}} in the command or in env, list it in parameters, or take it out"
    )
    starts = True
    parameters = (
        Parameter(
            "command",
            "text",
            "",
            meaning="program and words; {name} is a parameter",
            files=lambda values: [w for w in words_without(values) if not os.path.isabs(w)],
        ),
        Parameter("protocol", "choice", GENERAL, meaning="how it is asked (default: by the game)"),
        Parameter("env", "text", "", meaning="variables, K={k} DEPTH={depth}", active=has_env),
        Parameter("first_line", "text", "", meaning="is sent first", active=has_first_line),
        FileName(
            "file",
            "text",
            "",
            meaning="parameter file, made anew for each process: params.json (.toml, .txt, .ini, .cfg); {file} is its path",
            active=has_file,
        ),
        Told(
            "parameters",
            "text",
            "",
            meaning="what the file holds, or the protocol tells: k:float depth:int (in a study: all of [parameters])",
            active=has_told,
        ),
        Parameter("turn_ms", "float", 100.0, 1.0, 1e7, meaning="time of a turn (by the protocol)"),
        Parameter("first_ms", "float", 1e3, 1.0, 1e7, meaning="time of a game's first turn"),
        Parameter(
            "keep", "choice", "game", choices=("game", "alive"), meaning="a process a game, or many"
        ),
        Parameter(
            "pause_waiting",
            "choice",
            "off",
            choices=("off", "on"),
            meaning="stops it (SIGSTOP) while it is not its turn",
        ),
        Parameter(
            "memory_mb", "int", 0, 0, 1 << 20, meaning="address space; 0: any", active=has_memory
        ),
    )

    def parameters_for(
        self, settings: Mapping[str, Any], game: Game | None = None
    ) -> tuple[Parameter, ...]:
        """Return the parameters above, defaults by the protocol, then the program's own."""
        known = names("protocol")
        usual = next(iter(protocols_of(game) if game is not None else ()), GENERAL)
        asked = str(settings.get("protocol", usual))
        protocol: type[Protocol] = find("protocol", asked if asked in known else usual)
        usually: dict[str, Value] = {
            "protocol": usual,
            "turn_ms": protocol.turn_ms,
            "first_ms": protocol.first_ms,
            "keep": "alive" if protocol.many_games else "game",
        }
        parameters = {
            p.name: replace(
                p,
                default=usually.get(p.name, p.default),
                choices=tuple(known) if p.name == "protocol" else p.choices,
            )
            for p in self.parameters
        }
        for text in (*TEXTS, *protocol.texts):
            for name in placeholders.names_in(str(settings.get(text, ""))):
                if name not in parameters and name not in (*TAKEN, *protocol.fills):
                    parameters[name] = Own(
                        name, "text", MISSING, meaning=f"the program's own, {text}"
                    )
        ours = {*parameters} & {p.name for p in self.parameters}
        for name, kind in told_in(settings).items():
            if name not in ours and name not in TAKEN:
                meaning = "the program's own"
                parameters[name] = Own(
                    name, kind or "text", MISSING, meaning=meaning, typed=kind != ""
                )
        parameters |= {p.name: p for p in make("protocol", protocol.name).settings(game)}
        return tuple(parameters.values())

    def check_values(
        self,
        game: Game,
        values: Mapping[str, Value],
        evaluation: Evaluation | None = None,
        generator: Generator | None = None,
    ) -> None:
        """Refuse a command that is none, and a protocol that cannot play the game."""
        for text in (*TEXTS, *protocol_of(values).texts):
            given = str(values.get(text, ""))
            placeholders.check(given, text)
            for name in placeholders.names_in(given):
                if name in (*TEXTS, *TAKEN, "parameters"):
                    raise Refused(f"{text}: {{{name}}} cannot be a placeholder")
        protocol = protocol_of(values)
        check_told(values, protocol)
        known = filled(values, protocol)
        first = str(values["command"]).split(" ")[0]
        if re.match(r"[A-Za-z_]\w*=", first):
            raise Refused(
                f"command begins with the variable {cut(first, 40)!r}, and no shell is there to set it: "
                f'write it as env="{cut(first, 40)}"'
            )
        if not words_of(known):
            raise Refused('process needs a command: command="./bot --k {k}"')
        environment_of(known)
        protocol.check(game)
        protocol.check_settings(values)
        protocol.started(str(values["command"]))
        placed = {
            name for text in TEXTS for name in placeholders.names_in(str(values.get(text, "")))
        }
        if not placed >= {*protocol.fills[-1:]}:
            every = " ".join(f"{{{name}}}" for name in protocol.fills)
            raise Refused(f'command: {protocol.name} fills {every}; write "./bot {every}"')
        if values["keep"] == "alive" and not protocol.many_games:
            raise Refused(f"keep: {protocol.name} starts no second game in a process; keep=game")

    def as_declared(
        self, settings: Mapping[str, Any], kinds: Mapping[str, str]
    ) -> Mapping[str, Any]:
        """Return settings whose `parameters` say the kinds that a study declares; with a file and no
        list, all that it declares.
        """
        told = told_in(settings)
        if not told and settings.get("file"):
            told = dict.fromkeys(kinds, "")
        full = {name: kind or kinds.get(name, "") for name, kind in told.items()}
        return {**settings, "parameters": written(full)} if full else settings

    def player(self, setup: Setup) -> Player:
        """Return a player; its program starts with its first game."""
        protocol, own = protocol_of(setup.values), own_of(setup.values)
        values = {**setup.values, "command": protocol.started(str(setup.values["command"]))}
        if (player := protocol.player(setup.game, values, own)) is not None:
            return player
        if (side := protocol.conversation(setup.game, own)) is not None:
            return ConversingPlayer(side, values)
        return ProcessPlayer(setup.game, values, own)

    def by_clock(self, setup: Setup) -> bool:
        """Whether the program has no other limit than the clock of its game."""
        return protocol_of(setup.values).by_clock(setup.values)

    def check_here(self, setup: Setup, reach: Sequence[Reach] = ()) -> Introduction:
        """Refuse a program that is not there. Start one that says which settings it takes, and see
        whether it takes these, and the values in reach; return its name, and what is unfair about it.
        """
        check_startable(words_without(setup.values), environment_of(filled_of(setup.values)))
        protocol = protocol_of(setup.values)
        if not protocol.introduces:
            return Introduction()
        player = self.player(setup)
        assert isinstance(player, ConversingPlayer)
        try:
            player.meet()
        except PlayerFailure as failure:
            raise Refused(failure.text.splitlines()[0]) from None
        finally:
            player.close()
        options, given = player.side.options, set[str]()
        for name in protocol.texts:
            text = str(setup.values.get(name, ""))
            check_reach(text, setup.values, reach, options)
            given |= {*settings_in(text, setup.values)}
        return Introduction(player.side.name, unfair(options, given))

    def digest(self, setup: Setup) -> str:
        """Return the digest of the program and of every file that its command names."""
        parts = [super().digest(setup), *filter(None, self.needs(setup).values())]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def needs(self, setup: Setup) -> dict[str, str]:
        """Return the digests of the program and of every file that its command names, by word."""
        program, *words = words_without(setup.values)
        files = {program: shutil.which(program) or program, **{word: word for word in words}}
        digests = {word: content(file) for word, file in files.items() if os.path.isfile(file)}
        return {program: "", **digests}


class ProcessPlayer(OutsidePlayer):
    """Plays by asking a program by lines."""

    def __init__(self, game: Game, values: Mapping[str, Value], own: Mapping[str, Value]) -> None:
        super().__init__(values)
        self._talk: LineSession = protocol_of(values).talk(game, own)
        self._first_line = self._filled("first_line")
        self._alive = values["keep"] == "alive"
        self._new, self._greeting = True, ""  # whether the game is new; the lines sent first
        self._starting = False  # whether the program has answered nothing yet

    def new_game(self, seed: int, seat: int) -> None:
        """Start the program, unless it lives on from the last game."""
        if self._program is None or not self._alive:
            self._start()
            self._starting = True
            self._greeting = f"{self._first_line}\n" if self._first_line else ""
        self._talk.new_game(seed, seat)
        self._new = True

    def choose(self, position: Position) -> Move:
        """Ask, and take the answer within the time of the turn."""
        program = self._program
        if program is None:
            raise PlayerFailure("crash", f"{self._command}: does not run any more")
        time_ms, clocks = self._turn_ms, self.clocks
        self._talk.clocks = clocks
        if clocks is not None:
            time_ms = max(0.0, clocks.left_ms[position.to_move]) + clocks.margin_ms
        if not self._new:
            lines = self._talk.turn(position, time_ms)
        else:
            time_ms = self._first_ms + (0.0 if clocks is None else time_ms)
            lines = self._greeting + self._talk.turn(position, time_ms)
            self._greeting, self._new = "", False
        if self._pauses:
            program.resume()
        try:
            begun = time.perf_counter()
            text = program.ask(lines.encode(), time_ms)
            self.used_ms = 0.0 if self._starting else (time.perf_counter() - begun) * 1e3
            self._starting = False
            choice = self._talk.choice(position, text)
        except Trouble as trouble:
            self._fail(trouble)
        except ValueError as error:  # Refused, or a dialogue's own exception
            self._refuse(text, repr(cut(text, 80)), error)
        if self._pauses:
            program.pause()
        self.announced = self._talk.announced
        return choice

    def game_over(self, position: Position) -> None:
        """Announce the end to a program that lives on; kill any other."""
        program = self._program
        if program is None or not self._alive:
            self._kill()
        else:
            self._say(program, self._talk.over(position))

    def close(self) -> None:
        """Send the program away."""
        program = self._program
        if program is not None and self._alive and (farewell := self._talk.quit()):
            self._say(program, farewell)
            self._see_off(program)
        self._kill()

    def _say(self, program: Program, lines: list[str]) -> None:
        if lines and not program.tell("".join(f"{line}\n" for line in lines).encode()):
            self._kill()  # it does not read, and half a line must not be left in its pipe


def protocol_of(values: Mapping[str, Value]) -> Protocol:
    """Return the protocol by which a program is asked."""
    protocol: Protocol = make("protocol", str(values["protocol"]))
    return protocol


def check_told(values: Mapping[str, Value], protocol: Protocol) -> None:
    """Refuse a list of parameters that are told nowhere, and a file that is not used or empty."""
    told, name = told_in(values), values.get("file", "")
    fixed = {p.name for p in Process.parameters}
    for one in told:
        if one in fixed or one in TAKEN:
            raise Refused(f"parameters: {one!r} is a setting of process; take another name")
    for text in TEXTS:
        if "file" in placeholders.names_in(str(values.get(text, ""))):
            if not name:
                raise Refused(
                    f'{text}: {{file}} is a parameter file\'s path; say file="params.json"'
                )
            if text not in PATHS:
                raise Refused(f"{text}: {{file}} stands in {' or '.join(PATHS)} alone")
    if name and not told:
        raise Refused(f'file: {name} would be empty; list what it holds: parameters="k:float"')
    placed = {n for text in TEXTS for n in placeholders.names_in(str(values.get(text, "")))}
    idle = [one for one in told if one not in placed]
    if idle and not name and not protocol.tells_parameters:
        raise Refused(
            f"parameters: {protocol.name} tells a program no {idle[0]}; write {{{idle[0]}}} in the command "
            'or in env, or say file="params.json"'
        )


def filled(values: Mapping[str, Value], protocol: Protocol) -> dict[str, Value]:
    """Return the values with "" for those that the protocol will fill, and the path of a file."""
    return {**dict.fromkeys(protocol.fills, ""), **values, "file": ""}


def words_without(values: Mapping[str, Value]) -> list[str]:
    """Return the words of the command, with "" for those that the protocol will fill."""
    return words_of(filled_of(values))


def filled_of(values: Mapping[str, Value]) -> dict[str, Value]:
    """Return the values with the command that the protocol starts, and "" for what it will fill."""
    protocol = protocol_of(values)
    return {**filled(values, protocol), "command": protocol.started(str(values["command"]))}


def own_of(values: Mapping[str, Value]) -> dict[str, Value]:
    """Return the parameters that are the program's own."""
    ours = {p.name for p in Process.parameters}
    return {name: value for name, value in values.items() if name not in ours}

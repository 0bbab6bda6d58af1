"""`bot`: a program that a referee starts, `referee[command="./referee"]/bot:command="./bot --k {k}",k=0.5`.

`{name}` in its command or its environment is filled with a parameter's value; or it reads them from a
file, whose path is `{file}`. Joute itself never talks to it.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
from collections.abc import Mapping
from typing import Any, NoReturn

from joute.engines.errors import Refused
from joute.engines.evaluation import Evaluation
from joute.engines.files import content
from joute.engines.game import Game
from joute.engines.generator import Generator
from joute.engines.parameter import Parameter, Value, Values
from joute.engines.player import Move, Player
from joute.engines.position import Position
from joute.engines.programs import placeholders
from joute.engines.programs.parameter_file import text_in
from joute.engines.programs.program_player import environment_of, words_of
from joute.engines.programs.told import FileName, Told, told_in, written
from joute.engines.referees.game_folder import GameFolder
from joute.engines.search import Search, Setup
from joute.engines.searches.process import MISSING, TAKEN, Own, has_env, has_file, has_told

TEXTS = ("command", "env")  # texts with placeholders


def named_files(values: Values) -> list[str]:
    """Return the words of the command that may be files below the current folder."""
    return [word for word in words_of({**values, "file": ""}) if not os.path.isabs(word)]


class BotSearch(Search):
    """Lets a referee start a program."""

    name = "bot"
    summary = "any program that a referee starts: its command line (your own bot)"
    reproducible = False
    refereed = True
    starts = True
    unknown_hint = (
        "; write {{{name}}} in the command or in env, list it in parameters, or take it out"
    )
    parameters = (
        Parameter(
            "command",
            "text",
            "",
            meaning="program and words; {name} is a parameter",
            files=named_files,
        ),
        Parameter("env", "text", "", meaning="variables, K={k} DEPTH={depth}", active=has_env),
        FileName(
            "file",
            "text",
            "",
            meaning="parameter file, made for each game: params.json (.toml, .txt, .ini, .cfg); {file} is its path",
            active=has_file,
        ),
        Told(
            "parameters",
            "text",
            "",
            meaning="what the file holds: k:float depth:int (in a study: all of [parameters])",
            active=has_told,
        ),
    )

    def parameters_for(
        self, settings: Mapping[str, Any], game: Game | None = None
    ) -> tuple[Parameter, ...]:
        """Return the parameters above, then the program's own."""
        parameters = {p.name: p for p in self.parameters}
        for text in TEXTS:
            for name in placeholders.names_in(str(settings.get(text, ""))):
                if name not in parameters and name not in TAKEN:
                    parameters[name] = Own(
                        name, "text", MISSING, meaning=f"the program's own, {text}"
                    )
        ours = {p.name for p in self.parameters}
        for name, kind in told_in(settings).items():
            if name not in ours and name not in TAKEN:
                meaning = "the program's own"
                parameters[name] = Own(
                    name, kind or "text", MISSING, meaning=meaning, typed=kind != ""
                )
        return tuple(parameters.values())

    def check_values(
        self,
        game: Game,
        values: Mapping[str, Value],
        evaluation: Evaluation | None = None,
        generator: Generator | None = None,
    ) -> None:
        """Refuse a command that is none, and parameters that the program is not told."""
        placed: set[str] = set()
        for text in TEXTS:
            given = str(values.get(text, ""))
            placeholders.check(given, text)
            placed |= {*placeholders.names_in(given)}
        for name in sorted(placed & {*TEXTS, *TAKEN, "parameters"}):
            raise Refused(f"command or env: {{{name}}} cannot be a placeholder")
        told, file = told_in(values), values.get("file", "")
        for one in told:
            if one in TAKEN or one in {p.name for p in self.parameters}:
                raise Refused(f"parameters: {one!r} is a setting of bot; take another name")
        if file and "file" not in placed:
            raise Refused(
                f"file: write {{file}} in the command or in env, where the path of {file} stands"
            )
        if "file" in placed and not file:
            raise Refused('{file} is the path of a parameter file; say file="params.json"')
        if file and not told:
            raise Refused(f'file: {file} would be empty; list what it holds: parameters="k:float"')
        if not file and (idle := [one for one in told if one not in placed]):
            raise Refused(
                f"parameters: the program is told no {idle[0]}; write {{{idle[0]}}} in the command or "
                'in env, or say file="params.json"'
            )
        known = {**values, "file": ""}
        if not words_of(known):
            raise Refused('bot needs a command: command="./bot --k {k}"')
        environment_of(known)

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

    def command_line(self, values: Values, folder: GameFolder, seat: int) -> str:
        """Return the command line of the program in a seat, as a shell or a referee reads it; its
        parameter file is written in the folder of the game.
        """
        filled = dict(values)
        if name := str(values.get("file", "")):
            file = folder.own / f"seat-{seat + 1}" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text_in(name, {n: values[n] for n in told_in(values)}), "utf-8")
            filled["file"] = str(file)
        words = folder.furnish(words_of(filled))
        variables = [f"{name}={value}" for name, value in environment_of(filled).items()]
        return shlex.join(["env", *variables, *words] if variables else words)

    def player(self, setup: Setup) -> Player:
        """Return a player that plays nothing itself."""
        return Elsewhere()

    def digest(self, setup: Setup) -> str:
        """Return the digest of the program and of every file that its command names."""
        parts = [super().digest(setup), *filter(None, self.needs(setup).values())]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def needs(self, setup: Setup) -> dict[str, str]:
        """Return the digests of the program and of every file that its command names, by word."""
        program, *words = words_of({**setup.values, "file": ""})
        files = {program: shutil.which(program) or program, **{word: word for word in words}}
        digests = {word: content(file) for word, file in files.items() if os.path.isfile(file)}
        return {program: "", **digests}


class Elsewhere(Player):
    """A bot that a referee starts: nobody here asks it for moves."""

    def choose(self, position: Position) -> Move:
        """Refuse."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise Refused("a bot is asked by its referee alone; for a game of Joute's take process")

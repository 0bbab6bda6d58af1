"""psyleague's form: a command with %P1%, %P2%, ... or %ALL_PLAYERS%, which answers in JSON."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from joute.engines.data import parse_json
from joute.engines.errors import Refused
from joute.engines.referees.form import Form, NoResult, Result, one_each, same_seed, shown

ALL, SEED, LOG = "%ALL_PLAYERS%", "%SEED%", "%LOG%"
KEYWORD = re.compile(r"%[A-Z_0-9]+%")


class Psyleague(Form):
    """One JSON object: `ranks`, from 0 for the first; `errors`, what is true (or not 0) for a player
    who failed; `test_data`, in which `seed` says which seed was played, and `player_data` are not needed.
    """

    name = "psyleague"
    summary = "psyleague's: a command with %P1% %P2% or %ALL_PLAYERS%, answers JSON with ranks"
    seeded = False

    def check(self, command: Sequence[str], players: int) -> None:
        """Refuse unknown keywords, those that do not stand alone, and players that are missing."""
        seats = [f"%P{i}%" for i in range(1, players + 1)]
        known = [*seats, ALL, SEED, LOG]
        found = [(word, key) for word in command for key in KEYWORD.findall(word)]
        for word, key in found:
            if key not in known:
                raise Refused(
                    f"command: {key} is no keyword here; allowed: {', '.join(known)} (a bot has its "
                    "whole command line, so that no %DIR% is needed)"
                )
            if key in (*seats, ALL) and word != key:
                raise Refused(
                    f"command: {shown(word)}: {key} stands for a bot's whole command line"
                )
        keys = {key for _, key in found}
        if ALL not in keys and (missing := [seat for seat in seats if seat not in keys]):
            raise Refused(f"command: {missing[0]} is missing; allowed: {' '.join(seats)}, or {ALL}")

    def words(self, command: Sequence[str], bots: Sequence[str], seed: int, log: Path) -> list[str]:
        """Return the command with its keywords filled; a bot's command line is one word."""
        values = {f"%P{i}%": bot for i, bot in enumerate(bots, 1)}
        values |= {SEED: str(seed), LOG: str(log)}
        words: list[str] = []
        for word in command:
            if word == ALL:
                words += bots
            else:
                words.append(KEYWORD.sub(lambda key: values.get(key[0], key[0]), word))
        return words

    def has_seed(self, command: Sequence[str]) -> bool:
        """Whether the command has the keyword %SEED%, which psyleague itself does not know."""
        return any(SEED in word for word in command)

    def result(self, output: str, players: int, seed: int | None) -> Result:
        """Return the ranks and errors of the one object."""
        try:
            data: Any = parse_json(output)
        except ValueError as error:
            raise NoResult(f"not one JSON object: {error}: {shown(output.strip())}") from None
        if not isinstance(data, dict):
            raise NoResult(f"not one JSON object: {shown(data)}")
        if absent := [key for key in ("ranks", "errors") if key not in data]:
            raise NoResult(f"{absent[0]} is missing: {shown(data)}")
        ranks = one_each(data["ranks"], players, "ranks")
        errors = data["errors"]
        if not isinstance(errors, list) or len(errors) != players:
            raise NoResult(f"errors = {shown(errors)}; allowed: a list of {players}")
        test = data.get("test_data")
        if isinstance(test, dict) and "seed" in test:
            same_seed(test["seed"], seed)
        failed = tuple("error" if error else "" for error in errors)
        return Result(tuple(-rank for rank in ranks), failed, ranked=True)

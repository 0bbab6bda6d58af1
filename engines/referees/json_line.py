"""Our own form: a command with {seed}, {bots}, {log}, which answers with one line of JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from joute.engines.errors import Refused
from joute.engines.programs import placeholders
from joute.engines.referees.form import Form, NoResult, Result, one_each, same_seed, shown

ALL, SEED, LOG = "bots", "seed", "log"
RESULTS = ("scores", "ranks")


class JsonLine(Form):
    """One line that is a JSON object with `scores` (more is better) or `ranks` (1 is first), a number
    a player. Optional: `failed`, null or a text for each player; `log`, a text; `seed`, the one that was
    played. Other lines are not read.
    """

    name = "json-line"
    summary = "ours: a command with {seed} {bots}, answers with a line of JSON: scores or ranks"

    def check(self, command: Sequence[str], players: int) -> None:
        """Refuse unknown placeholders, and bots that are missing."""
        seats = [f"bot{i}" for i in range(1, players + 1)]
        known = [ALL, *seats, SEED, LOG]
        names = list[str]()
        for word in command:
            placeholders.check(word, "command")
            names += placeholders.names_in(word)
            if f"{{{ALL}}}" in word and word != f"{{{ALL}}}":
                raise Refused(f"command: {shown(word)}: {{{ALL}}} is a word a bot: it stands alone")
        for name in names:
            if name not in known:
                every = ", ".join(f"{{{one}}}" for one in known)
                raise Refused(f"command: {{{name}}} is no placeholder here; allowed: {every}")
        missing = [seat for seat in seats if seat not in names]
        if names and ALL not in names and missing:
            raise Refused(
                f"command: {{{missing[0]}}} is missing; allowed: all of them, or {{{ALL}}}"
            )

    def words(self, command: Sequence[str], bots: Sequence[str], seed: int, log: Path) -> list[str]:
        """Return the command with its placeholders filled; without any, `--seed N BOT BOT ...` is
        added. A bot's command line is one word.
        """
        if not any(placeholders.names_in(word) for word in command):
            command = [*command, "--seed", f"{{{SEED}}}", f"{{{ALL}}}"]
        values = {f"bot{i}": bot for i, bot in enumerate(bots, 1)}
        values |= {SEED: str(seed), LOG: str(log)}
        words: list[str] = []
        for word in command:
            if word == f"{{{ALL}}}":
                words += bots
            else:
                words.append(placeholders.fill(word, values))
        return words

    def has_seed(self, command: Sequence[str]) -> bool:
        """Whether the command has the placeholder {seed}, or none at all: then the seed is added."""
        names = [name for word in command for name in placeholders.names_in(word)]
        return SEED in names or not names

    def result(self, output: str, players: int, seed: int | None) -> Result:
        """Return the result in the one line that has one."""
        rows = [row for line in output.splitlines() if (row := result_in(line)) is not None]
        if not rows:
            raise NoResult(
                f'no line like {{"scores": [3, 1]}}: {shown(output.strip()) or "nothing"}'
            )
        if len(rows) > 1:
            raise NoResult(f"{len(rows)} results: {shown(rows)}")
        row = rows[0]
        if all(key in row for key in RESULTS):
            raise NoResult(f"scores and ranks: {shown(row)}; allowed: one of them")
        ranked = "ranks" in row
        numbers = one_each(row["ranks" if ranked else "scores"], players, RESULTS[ranked])
        failed = row.get("failed", [None] * players)
        right = isinstance(failed, list) and len(failed) == players
        if not right or not all(one is None or isinstance(one, str) for one in failed):
            raise NoResult(
                f"failed = {shown(failed)}; allowed: a list of {players}, null or a text each"
            )
        if "seed" in row:
            same_seed(row["seed"], seed)
        log = row.get("log", "")
        if not isinstance(log, str):
            raise NoResult(f"log = {shown(log)}; allowed: a text")
        points = tuple(-number for number in numbers) if ranked else numbers
        return Result(points, tuple(one or "" for one in failed), ranked, log)


def result_in(line: str) -> dict[str, Any] | None:
    """Return the object of a line with a result; None for any other line."""
    if not line.lstrip().startswith("{"):
        return None
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) and any(key in row for key in RESULTS) else None

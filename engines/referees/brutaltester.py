"""cg-brutaltester's form, that of CodinGame's referees: `CMD -p1 BOT -p2 BOT -d seed=N -l FILE`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from joute.engines.errors import Refused
from joute.engines.referees.form import Form, NoResult, Result, same_seed, shown

SCORE = re.compile(r"[+-]?\d{1,18}")
SEED = re.compile(r"seed=([+-]?\d+)")
OLD = re.compile(r"^###(Input|Output|Error|End|Start)\b", re.MULTILINE)


class Brutaltester(Form):
    """One whole number a player, a line each in their order, other lines before or after; a negative
    one is the player's error. A line seed=N says which seed was played.
    """

    name = "brutaltester"
    summary = "cg-brutaltester's: -p1 BOT -p2 BOT -d seed=N -l FILE; a whole number a player"

    def words(self, command: Sequence[str], bots: Sequence[str], seed: int, log: Path) -> list[str]:
        """Return the command with the options of the bots, the seed and the log."""
        players = [word for i, bot in enumerate(bots, 1) for word in (f"-p{i}", bot)]
        return [*command, *players, "-d", f"seed={seed}", "-l", str(log)]

    def greeting(self, players: int) -> str:
        """Return the first line of the older protocol: a referee of that answers, and is known by it."""
        return f"###Start {players}\n"

    def result(self, output: str, players: int, seed: int | None) -> Result:
        """Return the scores: the whole numbers, on lines that follow each other."""
        if old := OLD.search(output):
            raise Refused(
                f"this referee speaks brutaltester's older protocol ({old[0]}), in which the runner "
                "starts the bots; allowed: the newer one, -p1 BOT -p2 BOT -d seed=N -l FILE"
            )
        lines = [line.strip() for line in output.splitlines()]
        at = [i for i, line in enumerate(lines) if SCORE.fullmatch(line)]
        scores = [int(lines[i]) for i in at]
        if not at:
            raise NoResult(f"no line with a whole number: {shown(output.strip()) or 'nothing'}")
        if len(at) != players:
            raise NoResult(f"{len(at)} scores for {players} players: {shown(scores)}")
        if at[-1] - at[0] != players - 1:
            raise NoResult(f"other lines stand between the scores: {shown(output.strip())}")
        for line in lines:
            if told := SEED.fullmatch(line):
                same_seed(told[1], seed)
        failed = tuple(f"score {score}" if score < 0 else "" for score in scores)
        return Result(tuple(map(float, scores)), failed)

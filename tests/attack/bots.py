"""Bad bots: each loses loudly, the run ends, the good one's games count, no process is left."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path

from tests.attack.findings import Findings
from tests.support.processes import carrying, nobody_carries
from tests.support.runs import ROOT, joute, played_by

BOT = ROOT / "tests" / "attack" / "wild_bot.py"
WAYS = re.findall(r'case "(\w+)"', BOT.read_text())
FINE = {
    "huge_nodes",
    "nan",
    "negative",
    "wrong_types",
    "daemon_and_on",
}  # what they do costs nothing
AT_ONCE = 10  # bots in one run
LONGEST = 300  # seconds


def attack(seed: int, number: int) -> Findings:
    """Let so many bad bots play, each way at its first turn, then at later ones."""
    found, chance = Findings("bad bots"), random.Random(seed)
    bots = [(how, when) for when in range(1, 2 + number // len(WAYS)) for how in WAYS]
    bots = chance.sample(bots[: max(number, len(WAYS))], number)
    for first in range(0, number, AT_ONCE):
        with tempfile.TemporaryDirectory() as place:
            play(found, Path(place), bots[first : first + AT_ONCE], f"--seed {seed}")
    return found


def play(found: Findings, place: Path, bots: list[tuple[str, int]], seed: str) -> None:
    """Let some bots play against a good one."""
    mark = uuid.uuid4().hex
    entrants = "".join(
        f"[[entrants]]\nname = '{how}-{when}'\nspec = '''process:command=\"{sys.executable} -S {BOT} "
        f"{how} {when} {mark}\",turn_ms=400,first_ms=3000,memory_mb=600'''\n"
        for how, when in bots
    )
    (place / "s.toml").write_text(
        'name = "bad"\nkind = "tournament"\ngame = "connect4"\nseed = 5\n[openings]\nplies = 2\n'
        '[schedule]\nblocks = 1\ntype = "gauntlet"\nagainst = ["random"]\n'
        f'[[entrants]]\nname = "random"\nspec = "random"\n{entrants}'
    )
    repeat = f"{seed}, bots {bots}"
    if ended(found, place, mark, repeat) is None:
        return
    for how, when in bots:
        look(found, place / "run", how, when, repeat)


def ended(
    found: Findings, place: Path, mark: str, repeat: str, longest: float = LONGEST
) -> subprocess.CompletedProcess[str] | None:
    """Play the study of a folder to its end, in order and with nothing left behind; return how it ended,
    None if it hangs.
    """
    try:
        done = joute("run", place / "s.toml", "-j", 2, "--out", place / "run", timeout=longest)
    except subprocess.TimeoutExpired:
        found.fault("the run hangs", repeat)
        return None
    if done.returncode not in (0, 1) or "Traceback" in done.stderr:
        found.fault(f"exit code {done.returncode}: {done.stderr[-600:]}", repeat)
    if not nobody_carries(mark) or carrying(mark, "cmdline"):
        found.fault(f"left behind: {carrying(mark, 'cmdline')}", repeat)
    return done


def look(found: Findings, folder: Path, how: str, when: int, repeat: str) -> None:
    """See how a bot's two games ended."""
    games = played_by(folder, f"{how}-{when}") if (folder / "run.db").exists() else []
    found.done[how] += 1
    if len(games) != 2:
        found.fault(f"{how} at turn {when}: {len(games)} of 2 games", repeat)
    for game in games:
        lost = (game.own.failure != "", game.own.returns, game.other.failure)
        if how in FINE and lost[0]:
            found.fault(f"{how} at turn {when}: failed: {game.text[:200]}", repeat)
        elif how not in FINE and game.own.plies >= when and lost != (True, 0.0, ""):
            found.fault(f"{how} at turn {when}: {lost}", repeat)
        elif how not in FINE and lost[0] and not game.text.strip():
            found.fault(f"{how} at turn {when}: nothing says why", repeat)

"""Bad bots of every protocol of lines: each loses, no run stops, the good one's games count."""

from __future__ import annotations

import random
import re
import sys
import tempfile
import uuid
from pathlib import Path

from tests.attack.bots import ended
from tests.attack.findings import Findings
from tests.support.runs import JOUTE, ROOT, played_by

BOT = ROOT / "tests" / "attack" / "coarse_bot.py"
WAYS = re.findall(r'case "(\w+)"', BOT.read_text())
# The game, the protocol, the honest bot, and what a line with a move looks like.
SIDES = [
    ("connect4", "json-lines", "uct:iterations=5", "action"),
    ("tron[width=10,height=8]", "codingame", "uct:evaluation=zones,iterations=5", "."),
    ("go[size=5]", "gtp", "uct:iterations=5", "^= ?([A-T][0-9]|[Pp])"),
    ("chess", "uci", "uct:evaluation=tapered,iterations=5", "^bestmove"),
]
AT_ONCE = 4  # bots in one run
LONGEST = 900  # seconds
LIMITS = "turn_ms=1500,first_ms=20000,memory_mb=4000"


def attack(seed: int, number: int) -> Findings:
    """Let so many bad bots play, in all ways and protocols in turn."""
    found, chance = Findings("bad bots of all protocols"), random.Random(seed)
    bots = [
        (side, how, when)
        for when in (0, 1, 2)
        for how in WAYS
        for side in range(len(SIDES))
        if when or SIDES[side][1] != "uci"  # asked for its options first: no greeting, no run
    ]
    chance.shuffle(bots)
    chosen = sorted((bots * (1 + number // len(bots)))[:number])
    for side in range(len(SIDES)):
        mine = [(how, when) for one, how, when in chosen if one == side]
        for first in range(0, len(mine), AT_ONCE):
            with tempfile.TemporaryDirectory() as place:
                play(found, Path(place), side, mine[first : first + AT_ONCE], f"--seed {seed}")
    return found


def play(found: Findings, place: Path, side: int, bots: list[tuple[str, int]], seed: str) -> None:
    """Let some bots of a protocol play against a good engine."""
    mark = uuid.uuid4().hex
    game, protocol, engine, pattern = SIDES[side]
    limits = f"{LIMITS},depth=1" if protocol == "uci" else LIMITS
    honest = " ".join([*JOUTE, "bot", f"{game}/{engine}", "--protocol", protocol])
    entrants = "".join(
        f"[[entrants]]\nname = '{how}-{when}-{number}'\nspec = '''process:command=\"{sys.executable} -S {BOT} "
        f"{how} {when} '{pattern}' {mark} {honest}\",protocol={protocol},{limits}'''\n"
        for number, (how, when) in enumerate(bots)
    )
    (place / "s.toml").write_text(
        f'name = "bad"\nkind = "tournament"\ngame = "{game}"\nseed = 5\n[openings]\nplies = 2\n'
        '[schedule]\nblocks = 1\ntype = "gauntlet"\nagainst = ["good"]\n'
        f'[[entrants]]\nname = "good"\nspec = "{engine}"\n{entrants}'
    )
    repeat = f"{seed}, {protocol}, bots {bots}"
    done = ended(found, place, mark, repeat, LONGEST)
    if done is None:
        return
    for number, (how, when) in enumerate(bots):
        found.done[f"{protocol}: {how}"] += 1
        name = f"{how}-{when}-{number}"
        games = played_by(place / "run", name) if (place / "run" / "run.db").exists() else []
        if len(games) != 2:
            said = f"exit code {done.returncode}: {done.stderr[-400:]}"
            found.fault(f"{name}: {len(games)} of 2 games; {said}", repeat)
        for one in games:
            lost = (one.own.failure != "", one.own.returns, one.other.failure)
            if one.own.plies >= when and lost != (True, 0.0, ""):
                found.fault(f"{name}: {lost}, {one.own.plies} plies, {one.text[:200]!r}", repeat)
            elif lost[0] and not one.text.strip():
                found.fault(f"{name}: nothing says why", repeat)

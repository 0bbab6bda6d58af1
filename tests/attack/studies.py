"""A study of every kind that there is, quick to play and the same whenever it is played."""

from __future__ import annotations

import sys
from importlib.util import find_spec

from joute.engines.registry import names
from tests.support.runs import BAD, ROOT
from tests.support.training import TINY, TRAINING_SEARCH

HEAD = 'name = "{name}"\nkind = "{kind}"\ngame = "{game}"\nseed = 7\nplugins = ["{plugin}"]\n'
MS = 5  # milliseconds of a move: a game takes about a tenth of a second
SMALL = "connect4[columns=5,rows=4]"
SLEEPY = '{{ spec = "sleepy:ms={ms},salt={salt}" }}'
ENGINE = '[engine]\nsearch = "sleepy"\nms = {ms}\n'
STUDIES = {
    "match": "blocks = {blocks}\na = {one}\nb = {two}\n[openings]\nplies = 6\n",
    "tournament": (
        'entrants = [{one}, {two}, {{ spec = "sleepy:ms={ms},salt=3" }}]\n'
        "[schedule]\nblocks = {few}\n[openings]\nplies = 6\n"
        '[[stage]]\nentrants = "best:2"\nblocks = {few}\n'
    ),
    "scan": 'budget = "{games} games"\n' + ENGINE + "[space]\nsalt = {{ from = 0, to = 50 }}\n"
    '[[opponents]]\nname = "b"\nsalt = 77\n[scan]\nopenings = 20\n[openings]\nplies = 6\n',
    "tune": 'budget = "{games} games"\n' + ENGINE + "[space]\nsalt = {{ from = 0, to = 50 }}\n"
    '[[opponents]]\nname = "b"\nsalt = 77\n[tune]\nsampler = "random"\ntrial_blocks = 4\n'
    "rung_blocks = 2\nparallel_trials = 3\ncandidates = 2\n[openings]\nplies = 6\n",
}
TABLE = (
    'name = "tables"\nkind = "tournament"\ngame = "tron[width=8,height=6,players=3]"\nseed = 7\n'
    'plugins = ["{plugin}"]\nentrants = [{one}, {two}, {{ spec = "random" }}]\n[schedule]\nblocks = {few}\n'
)
SPRT = "a = {one}\nb = {two}\n[openings]\nplies = 6\n[sprt]\nelo0 = {elo0}\nelo1 = {elo1}\n"
# The search that is the default, and a confirmation at a longer limit.
CONFIRMED = (
    'budget = "{games} games"\n[engine]\nsearch = "uct"\niterations = 3000\n'
    '[space]\nk = {{ from = 0.1, to = 3.0 }}\n[[opponents]]\nname = "b"\nk = 0.1\n'
    "[final]\nlimit = {{ iterations = 6000 }}\nblocks = {few}\n[openings]\nplies = 6\n"
)
REFEREED = (
    'name = "referee"\nkind = "match"\ngame = \'referee[command="{command}"]\'\nseed = 7\n'
    "blocks = {blocks}\na = {one}\nb = {two}\n"
)
TRAININGS = {"train": TINY, "train-search": TRAINING_SEARCH}
BOT = ROOT / "tests" / "support" / "bad_bot.py"
REFEREE = ROOT / "tests" / "support" / "referee.py"


def studies(size: float, mark: str) -> dict[str, str]:
    """Return the texts of studies by name: one of each kind (trainings where torch is), a sequential
    test, a search that is confirmed, one at tables of three, one of bots, one with a referee.

    `size` 1 plays for some seconds; `mark` stands in the command lines of the bots and of the referee.
    """
    attacked = {*STUDIES, *TRAININGS}
    assert set(names("kind")) == attacked, "a new kind needs a study to be attacked in"
    values = {
        "ms": MS,
        "one": SLEEPY.format(ms=MS, salt=1),
        "two": SLEEPY.format(ms=MS, salt=2),
        "blocks": int(150 * size),
        "few": int(50 * size),
        "games": max(120, int(400 * size)),
        "plugin": BAD,
    }
    found = {
        kind: HEAD.format(name=kind, kind=kind, game=SMALL, plugin=BAD) + text.format(**values)
        for kind, text in STUDIES.items()
    }
    found["tables"] = TABLE.format(**values)
    command = f"{sys.executable} -S {BOT} good {mark}"
    bot = f"{{ spec = '''process:command=\"{command}\"''' }}"
    found["bots"] = HEAD.format(name="bots", kind="match", game=SMALL, plugin=BAD) + STUDIES[
        "match"
    ].format(**{**values, "one": bot, "blocks": int(60 * size)})
    found["sprt"] = HEAD.format(name="sprt", kind="match", game=SMALL, plugin=BAD) + SPRT.format(
        **values, elo0=-40 / size, elo1=40 / size
    )
    found["confirmed"] = HEAD.format(
        name="confirmed", kind="tune", game=SMALL, plugin=BAD
    ) + CONFIRMED.format(**values)
    found["referee"] = REFEREED.format(
        command=f"{sys.executable} -S -X mark={mark} {REFEREE} dice {{seed}} {{bots}}",
        blocks=int(80 * size),
        one="{ spec = 'bot:command=\"echo {k}\",k=1.3' }",
        two="{ spec = 'bot:command=\"echo {k}\",k=1.1' }",
    )
    if find_spec("torch") and find_spec("onnxruntime"):
        found |= TRAININGS
    return found

"""Outside programs as engines: texts, parameters, time, and what is left of them."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joute.engines.engine import Engine, parse_engine, parse_game
from joute.engines.engine_text import names_game, split_options
from joute.engines.errors import Refused
from joute.engines.parameter import written
from joute.engines.player import Player, PlayerFailure
from joute.engines.position import Position
from joute.engines.programs import placeholders
from joute.engines.programs.process import Program, Trouble
from joute.engines.programs.session import Session
from tests.support.processes import left_behind, nobody_left, state_of
from tests.support.runs import ROOT, here

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
PYTHON = f"{sys.executable} -S"
GAME = "connect4"
MARK = uuid.uuid4().hex
ECHO = "import sys\nfor line in sys.stdin: print('got', line.strip(), flush=True)"
HAS_SPOKEN = "open(__file__ + '.spoken', 'w').close()"
"""Says to `until_spoken` that all was written which stands above."""


def engine(command: str, **more: object) -> Engine:
    return Engine(parse_game(GAME), {"search": "process", "command": command, **more})


def refusal(command: str, **more: object) -> str:
    with pytest.raises(Refused) as refused:
        engine(command, **more)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_a_parameter_that_the_command_has_not_is_told_where_to_go() -> None:
    said = refusal("./bot --k {k}", k=1, centre=0.5)
    assert said.startswith("unknown parameter 'centre'")
    assert said.endswith(
        "; write {centre} in the command or in env, list it in parameters, or take it out"
    )
    uci = {"protocol": "uci", "depth": 1}
    with pytest.raises(Refused, match=r'options="Hash=\.\.\."'):
        Engine(parse_game("chess"), {"search": "process", "command": "x", "option.Hash": 1, **uci})


@pytest.fixture
def bot(tmp_path: Path) -> Iterator[Path]:
    """A file for a bot; whatever runs it must be gone afterwards."""
    path = tmp_path / f"bot-{uuid.uuid4().hex}.py"
    yield path
    assert nobody_left(path.name)


def program(path: Path, code: str, *words: str, memory_mb: int = 0) -> Program:
    path.write_text(code)
    return Program([sys.executable, "-S", str(path), *words], {"COLOUR": "red"}, memory_mb)


def until_spoken(path: Path) -> None:
    """Wait until the program has come to `HAS_SPOKEN`."""
    begun, file = time.perf_counter(), path.with_name(f"{path.name}.spoken")
    while not file.exists():
        assert time.perf_counter() - begun < 60
        time.sleep(0.01)


LINE = st.text(st.characters(exclude_categories=("C", "Z"), include_characters=" "), max_size=40)
HARD = st.text('ab,"\\/:=[]{} .toml', max_size=12)


@given(st.dictionaries(st.sampled_from(["a", "b_2", "C"]), LINE | HARD))
def test_options_read_back(values: dict[str, str]) -> None:
    text = ",".join(f"{name}={written(value)}" for name, value in values.items())
    assert split_options(text, "test") == values


@given(LINE | HARD, LINE | HARD, st.floats(-1e6, 1e6) | st.integers())
def test_engine_texts_read_back(word: str, value: str, k: float) -> None:
    escaped = word.replace("{", "{{").replace("}", "}}")
    command = f"bot --k {{k}} {{other}} '{escaped.replace(chr(39), '')}'".replace("\\", "/")
    made = engine(command, k=k, other=f"x{value}")
    again = parse_engine(made.text)
    assert again.text == made.text and again.values == made.values
    assert names_game(made.text) and not names_game(made.text.removeprefix(f"{made.game.label}/"))


@pytest.mark.parametrize(
    "text", ['process:command="bot', 'process:command=bo"t', 'process:command="a"b', "process:x"]
)
def test_broken_quotes_are_refused(text: str) -> None:
    with pytest.raises(Refused, match="is not of the form"):
        parse_engine(text, parse_game(GAME))


@given(HARD, st.text("{}k", max_size=8))
def test_placeholders(value: str, text: str) -> None:
    assert placeholders.fill("a{k}b{{k}}{{{k}}}", {"k": value}) == f"a{value}b{{k}}{{{value}}}"
    try:
        placeholders.check(text, "command")
    except Refused:
        return
    assert placeholders.fill(text, {n: "v" for n in placeholders.names_in(text)}).count(
        "{k}"
    ) <= len(text)


def test_the_canonical_text_says_everything() -> None:
    text = (
        'connect4/process:command="./bot --k {k} {mode}",k=0.50,mode=fast,env="D={depth}",depth=7'
    )
    made = parse_engine(text)
    assert made.text == (
        'connect4[columns=7,rows=6]/process:command="./bot --k {k} {mode}",protocol=json-lines,'
        'env="D={depth}",turn_ms=1000,first_ms=10000,keep=alive,pause_waiting=off,k=0.5,mode=fast,'
        "depth=7"
    )
    assert str(Path.cwd()) not in made.text
    assert made.values["k"] == 0.5 and made.values["depth"] == 7 and made.values["mode"] == "fast"


def test_requests_that_make_no_sense_are_refused_in_one_line() -> None:
    assert "{k} has no value; write k=..." in refusal("bot {k}")
    assert "lone '{'" in refusal("bot {k")
    assert "unknown parameter 'deph'; did you mean 'depth'?" in refusal(
        "b {depth}", depth=1, deph=2
    )
    assert "needs a command" in refusal("")
    assert "no closing quotation" in refusal("bot 'x")
    assert "not of the form NAME=value" in refusal("bot", env="K {k}", k=1)
    assert "cannot be a placeholder" in refusal("bot {search}")
    assert "protocol = 'jsonlines' is not one of" in refusal("bot", protocol="jsonlines")
    assert "no lines for the protocol codingame" in refusal("bot", protocol="codingame")
    assert "text of one line" in refusal("bot\nx")
    assert "takes no limit nodes" in refusal("bot", nodes=5)


def test_a_limits_name_can_be_the_programs_own() -> None:
    made = engine("bot --nodes {nodes} --time {turn_ms}", nodes=500)
    assert made.limit is None and made.values["nodes"] == 500
    assert parse_engine(made.text).text == made.text


def test_the_digest_covers_the_program_and_the_files_that_its_command_names(tmp_path: Path) -> None:
    script, weights = tmp_path / "bot.py", tmp_path / "w1"
    script.write_text("print(1)")
    weights.write_text("1 2 3")
    command = f"{sys.executable} {script} {tmp_path}/w{{n}}"
    first = engine(command, n=1).digest
    assert engine(command, n=1).digest == first != engine(command, n=2).digest
    weights.write_text("1 2 4")
    second = engine(command, n=1).digest
    assert second != first
    script.write_text("print(22)")
    assert engine(command, n=1).digest not in (first, second)


def test_a_program_answers_lines_and_knows_its_variables(bot: Path) -> None:
    running = program(
        bot, f"import os\nprint(os.environ['COLOUR'], flush=True)\n{HAS_SPOKEN}\n{ECHO}"
    )
    until_spoken(bot)
    with pytest.raises(Trouble, match="unasked"):
        running.ask(b"x\n", 2000)
    running.kill()
    running = program(bot, ECHO)
    assert running.ask(b"hello\n", 2000) == "got hello"
    assert running.ask(b"again\n", 2000) == "got again"
    running.kill()
    running.kill()


def test_nobody_blocks_us_by_not_reading_or_by_talking(bot: Path) -> None:
    running = program(bot, "import time\ntime.sleep(60)")
    begun = time.perf_counter()
    with pytest.raises(Trouble, match="no answer in 100 ms"):
        running.ask(b"x" * (1 << 20) + b"\n", 100)
    assert 0.1 <= time.perf_counter() - begun < 0.5
    running.kill()
    loud = (
        "import os\nline = input()\nfor _ in range(80): os.write(2, b'x' * 60000)\n"
        "os.write(2, b'last words')\nprint(line[:3], flush=True)\ninput()"
    )
    running = program(bot, loud)
    assert running.ask(b"abc" * (1 << 20) + b"\n", 10_000) == "abc"
    running.kill()
    assert running.stderr_tail().endswith("last words") and len(running.stderr_tail()) <= 1600


def test_a_second_line_that_comes_later_is_not_the_next_answer(bot: Path) -> None:
    running = program(
        bot,
        "import time\ninput()\nprint(1, flush=True)\ntime.sleep(.05)\nprint(2, flush=True)\n"
        f"{HAS_SPOKEN}\ninput()",
    )
    assert running.ask(b"x\n", 2000) == "1"
    until_spoken(bot)
    with pytest.raises(Trouble, match="unasked") as trouble:
        running.ask(b"x\n", 2000)
    assert trouble.value.kind == "illegal"
    running.kill()


def test_the_whole_group_dies_also_when_it_is_stopped_or_ignores_sigterm(bot: Path) -> None:
    code = (
        "import os, signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "print(input(), os.fork() and 'parent', flush=True)\ntime.sleep(60)"
    )
    running = program(bot, code)
    with contextlib.suppress(Trouble):  # both halves answer
        running.ask(b"x\n", 1000)
    assert len(left_behind(bot.name)) == 2
    running.pause()
    running.kill()
    assert nobody_left(bot.name)


def test_memory_can_be_limited(bot: Path) -> None:
    running = program(bot, "line = input()\nprint(len(bytearray(1 << 28)))", memory_mb=100)
    with pytest.raises(Trouble, match="ended with exit status 1"):
        running.ask(b"x\n", 5000)
    running.kill()
    assert running.stderr_tail().endswith("MemoryError")


COUNTING = """\
import json, os, sys, time
games = turns = 0
for line in sys.stdin:
    message = json.loads(line) if line[0] == "{" else print(line, file=sys.stderr, flush=True)
    if message and message["type"] == "new":
        games += 1
    if message and message["type"] == "turn":
        turns += 1
        print(json.dumps({"action": message["actions"][0], "nodes": games, "depth": turns}), flush=True)
"""


def play(player: Player, turns: int) -> list[tuple[int, int]]:
    """Play some turns of one seat alone; return what the bot counted: games and turns."""
    position, found = Position(parse_game(GAME)), []
    player.new_game(3, 0)
    for _ in range(turns):
        choice = player.choose(position)
        found.append((choice.nodes, choice.depth))
        position.play(choice.action)
    player.game_over(position)
    return found


@pytest.mark.parametrize(("keep", "second"), [("alive", (2, 3)), ("game", (1, 1))])
def test_a_process_a_game_or_many(bot: Path, keep: str, second: tuple[int, int]) -> None:
    bot.write_text(COUNTING)
    player = engine(f"{PYTHON} {bot}", keep=keep, first_line="k {k}", k=0.25).player()
    assert play(player, 2) == [(1, 1), (1, 2)]
    assert bool(left_behind(bot.name)) == (keep == "alive")
    assert play(player, 1) == [second]
    player.close()


def test_a_waiting_program_can_be_stopped(bot: Path) -> None:
    bot.write_text(COUNTING)
    player, position = engine(f"{PYTHON} {bot}", pause_waiting="on").player(), None
    for _ in range(2):
        player.new_game(1, 0)
        position = Position(parse_game(GAME))
        player.choose(position)
        time.sleep(0.05)
        assert state_of(bot.name) == "T"
        player.game_over(position)
    player.close()


def test_a_failure_names_the_command_and_what_it_said(bot: Path) -> None:
    bot.write_text("import sys\ninput()\nsys.exit('no ' + 'x' * 5000 + ' weights')")
    player = engine(f"{PYTHON} {bot} --k {{k}} {{text}}", k=0.25, text="a b").player()
    player.new_game(1, 0)
    with pytest.raises(PlayerFailure) as failure:
        player.choose(Position(parse_game(GAME)))
    text = str(failure.value)
    assert failure.value.kind == "crash" and len(text) < 2000
    assert text.startswith(f"{PYTHON} {bot} --k 0.25 'a b': ended with exit status 1")
    assert text.endswith("xxx weights")
    player.close()


def test_what_runs_dies_with_the_process_that_started_it(bot: Path) -> None:
    bot.write_text("import time\ntime.sleep(60)")
    starter = os.fork()
    if starter == 0:  # dies without a word to anybody
        Program([sys.executable, "-S", str(bot)], {})
        time.sleep(0.2)
        os._exit(0)
    os.waitpid(starter, 0)
    assert nobody_left(bot.name)


CLAIM = """\
import os, sys
from joute.engines.programs import pinning
free = pinning.claim() is None and len(os.sched_getaffinity(0)) > 1
pinning.wanted = True
print(pinning.claim(), os.sched_getaffinity(0), pinning.claim(), free, flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="nothing can be pinned here")
def test_workers_take_distinct_processors_while_there_are_some(tmp_path: Path) -> None:
    count = len(os.sched_getaffinity(0))
    if count < 2:
        pytest.skip("one processor only")
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", CLAIM],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=ROOT,
        )
        for _ in range(count + 1)
    ]  # fmt: skip
    told = [worker.stdout.readline().strip() for worker in workers if worker.stdout]
    for worker in workers:
        worker.communicate()
    pinned = [line for line in told if not line.startswith("None")]
    assert len(set(pinned)) == count == len(told) - 1
    for line in pinned:
        number = line.split()[0]
        assert line == f"{number} {{{number}}} None True"


def test_where_the_others_play_on_a_bad_bot_dies_alone(bot: Path) -> None:
    bot.write_text(
        "for turn in range(3):\n    for _ in range(4): input()\n    print('UP', flush=True)"
    )
    game = "tron[width=9,height=9,players=3]"
    spec = f'{game}/process:command="{PYTHON} {bot}",first_ms=9000,turn_ms=9000'
    start = "4A4/9/B8/9/9/9/9/9/C8 1 4,0;0,2;0,8"
    done = here("play", spec, "random", "random", "--json", "--position", start)
    assert done.exit_code == 0  # it ran into the wall: a legal death, the first of three
    found = json.loads(done.stdout)
    assert found["moves"][0]["action"] == "UP" and found["returns"][0] == 0.0
    bot.write_text("input()\nprint('NORTH', flush=True)")
    done = here("play", spec, "random", "random", "--json", "--position", start)
    found = json.loads(done.stdout)
    assert done.exit_code == 1 and found["returns"][0] == 0.0
    assert [move["action"] for move in found["moves"]][:1] == ["DIES"] and len(found["moves"]) > 3


class Hiccup:
    """Looks at a program's pipes and comes back late, as one does that was stopped meanwhile."""

    def __init__(self, asked: Program, seconds: float) -> None:
        self.look, self.seconds = asked._look, seconds

    def __call__(self, time_ms: float) -> list[tuple[int, int]]:
        if self.seconds:
            time.sleep(time_ms / 1e3 + self.seconds)
            self.seconds = time_ms = 0.0
        return self.look(time_ms)


@pytest.mark.parametrize("before", ["", "sys.stderr.write('thinking'); sys.stderr.flush()"])
def test_who_asks_is_late_not_who_answered(bot: Path, before: str) -> None:
    code = f"import sys\nfor line in sys.stdin:\n    {before or 'pass'}\n    print('got', line.strip(), flush=True)"
    with contextlib.ExitStack() as stack:
        asked = program(bot, code)
        stack.callback(asked.kill)
        assert asked.ask(b"warm\n", 5000) == "got warm"
        asked._look = Hiccup(asked, 0.3)
        assert asked.ask(b"a\n", 100) == "got a"
        session = Session(asked)
        session.begin(100)
        session.send("b")
        asked._look = Hiccup(asked, 0.3)
        assert session.receive() == ["got b"]


def test_who_answers_late_is_late_whatever_we_did(bot: Path) -> None:
    code = "import sys, time\nfor line in sys.stdin:\n    time.sleep(0.15)\n    print('got', flush=True)"
    for seconds in (0.0, 0.01):
        asked = program(bot, code)
        asked.ask(b"warm\n", 5000)
        asked._look = Hiccup(asked, seconds)
        with pytest.raises(Trouble, match="no answer in 60 ms"):
            asked.ask(b"a\n", 60)
        asked.kill()

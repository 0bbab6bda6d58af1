"""A turn that is late for want of a processor is nobody's loss; one that is late by itself is."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from joute.engines.engine import parse_engine
from joute.engines.programs import run_queue
from joute.harness.conformance.check import check_engine
from joute.harness.match import Rules
from joute.harness.runner import TooBusy
from joute.results.tables import load
from joute.studies.load import load_study
from joute.studies.study import Study
from tests.support.marks import dear
from tests.support.runs import play

BOT = """
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        if sys.argv[1] == "sleeps":
            time.sleep(0.2)
        else:
            begun = time.process_time()
            seconds = 0.06 if sys.argv[1] == "computes" else 3600.0
            while time.process_time() - begun < seconds:
                pass
        print(json.dumps({"action": message["actions"][0]}), flush=True)
    elif message["type"] == "quit":
        break
"""
STUDY = """
name = "starved"
kind = "tournament"
game = "connect4"
seed = 1
[[entrants]]
name = "bot"
spec = 'process:command="{python} -S {bot} {way}",turn_ms=100,first_ms=2000'
[[entrants]]
name = "other"
spec = "random"
[schedule]
blocks = {blocks}
"""


@pytest.fixture
def busy() -> Iterator[None]:
    """Sixteen processes that take all the processors they get."""
    words = [sys.executable, "-S", "-c", "while True: pass"]
    hogs = [subprocess.Popen(words) for _ in range(16)]
    yield
    for hog in hogs:
        hog.kill()
    for hog in hogs:
        hog.wait()


def study_of(folder: Path, way: str, blocks: int) -> Study:
    (folder / "bot.py").write_text(BOT)
    text = STUDY.format(python=sys.executable, bot=folder / "bot.py", way=way, blocks=blocks)
    (folder / "study.toml").write_text(text)
    return load_study(folder / "study.toml")


def failures(folder: Path) -> list[tuple[str, str]]:
    """Return the name of each engine that failed, and how."""
    return [(row.engine, row.kind) for row in load(folder).failures.itertuples()]


def assert_late_in_every_game(folder: Path) -> None:
    """See that the bot lost every game in which it had a second turn; the first has more time."""
    results = load(folder)
    assert len(results.games) == 10
    assert {*failures(folder)} == {("bot", "timeout")} and len(failures(folder)) > 5
    bot = results.seats[results.seats["engine"] == "bot"]
    assert (bot[~bot["game"].isin(results.failures["game"])]["plies"] <= 1).all()


@pytest.mark.slow
@dear
def test_starved_turns_score_no_game_and_end_the_run(tmp_path: Path, busy: None) -> None:
    study = study_of(tmp_path, "computes", 20)
    with pytest.raises(TooBusy, match=r"this machine is too busy: .* Use fewer workers"):
        play(study, tmp_path / "run", workers=2)
    assert failures(tmp_path / "run") == []


@pytest.mark.slow
@dear
def test_a_bot_that_sleeps_is_late_on_a_busy_machine(tmp_path: Path, busy: None) -> None:
    play(study_of(tmp_path, "sleeps", 5), tmp_path / "run", workers=2)
    assert_late_in_every_game(tmp_path / "run")


@pytest.mark.slow
def test_a_bot_that_sleeps_is_late_on_an_idle_machine(tmp_path: Path) -> None:
    play(study_of(tmp_path, "sleeps", 5), tmp_path / "run", workers=1)
    assert_late_in_every_game(tmp_path / "run")


def test_where_the_system_does_not_tell_nobody_has_waited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_queue.os, "listdir", lambda path: [])
    queue = run_queue.RunQueue()
    queue.begin(run_queue.clock())
    assert queue.waited_ms() == 0.0


def test_a_long_turn_begins_at_an_earlier_look(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[float] = []
    queue = run_queue.RunQueue()
    monkeypatch.setattr(queue, "_look", lambda: (looks.append(0.0), (0, 0))[1])
    for now, seconds, seen in ((9.0, 60.0, 1), (9.2, 60.0, 1), (9.2, 1.0, 2), (9.204, 0.01, 2),
                               (9.6, math.inf, 2), (9.6, 0.0, 3)):  # fmt: skip
        queue.begin(now, seconds)
        assert len(looks) == seen


def test_a_turn_is_late_after_the_least_of_its_limits() -> None:
    player = parse_engine("connect4/random").player()
    rules = Rules(move_time_ms=500.0, margin_ms=50.0)
    assert rules.most_ms(player) == 500.0 and Rules().most_ms(player) == math.inf
    assert rules.most_ms(player, 20.0) == 70.0 and rules.most_ms(player, -9.0) == 50.0
    player.limit_ms = 100.0
    assert rules.most_ms(player) == 150.0 and rules.most_ms(player, 60.0) == 110.0


@pytest.mark.slow
@dear
def test_a_check_on_a_busy_machine_blames_nobody(tmp_path: Path, busy: None) -> None:
    study_of(tmp_path, "computes", 1)
    command = f"{sys.executable} -S {tmp_path / 'bot.py'} computes"
    engine = parse_engine(f'connect4/process:command="{command}",turn_ms=100,first_ms=2000')
    checks = {c.rule: c for c in check_engine(engine)}
    found = checks["plays whole games legally"]
    assert not found.fault and found.note.startswith("this machine is too busy to tell")


@pytest.mark.slow
@dear
def test_a_bot_that_never_answers_loses_on_a_busy_machine(tmp_path: Path, busy: None) -> None:
    """It gets as long again as it waited for a processor, and no longer."""
    play(study_of(tmp_path, "spins", 2), tmp_path / "run", workers=2)
    assert {*failures(tmp_path / "run")} == {("bot", "timeout")}


@pytest.mark.slow
@pytest.mark.parametrize(("waited_ms", "starved"), [(150.0, True), (60.0, False), (30.0, False)])
def test_a_program_gets_as_long_again_as_it_waited(
    waited_ms: float, starved: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It answers after 200 ms of 100: in time only if it waited for at least 100 of them."""
    monkeypatch.setattr(run_queue.RunQueue, "waited_ms", lambda queue: waited_ms)
    study = study_of(tmp_path, "sleeps", 1)
    if starved:
        with pytest.raises(
            TooBusy, match=r"answered after \d+ ms of 100 ms, 150 ms of them waiting"
        ):
            play(study, tmp_path / "run")
    else:
        assert play(study, tmp_path / "run").failures > 0
    assert {*failures(tmp_path / "run")} == (set() if starved else {("bot", "timeout")})


def test_an_engine_of_ours_is_starved_where_it_would_have_been_in_time() -> None:
    player, rules = parse_engine("connect4/uct:milliseconds=90").player(), Rules(margin_ms=50.0)
    assert player.limit_ms == 90.0
    assert rules.starved(player, 200.0, 80.0)  # 120 ms of its own, and 140 are allowed
    assert not rules.starved(player, 300.0, 80.0) and not rules.starved(player, 160.0, 40.0)

"""Games that a referee plays: results, seats and seeds; and referees that do not do as they should."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from joute.engines.engine import parse_game
from joute.engines.errors import Refused
from joute.engines.record import GameRecord
from joute.engines.referees import referee_process
from joute.engines.referees.refereed_game import RefereedGame
from joute.harness.refereed import NoGame, play_refereed
from joute.harness.schedule import Block
from tests.support.processes import nobody_left

REFEREE = Path(__file__).parents[1] / "support" / "referee.py"
STRONG, WEAK = 'bot:command="echo {k}",k=5', 'bot:command="echo {k}",k=3'
BLOCK = Block("b1", "main", "", 0, 0, ("strong", "weak"))

Play = Callable[..., GameRecord]


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Play a game by a referee of some kind, in an empty folder but for the referee."""
    shutil.copy(REFEREE, tmp_path)
    monkeypatch.chdir(tmp_path)

    def played(how: str, more: str = "", seed: int = 17, seating: int = 0) -> GameRecord:
        log = "{log} " if how == "path" else ""
        command = f"{sys.executable} -S referee.py {how} {{seed}} {log}{{bots}}"
        text = f'referee[command="{command}"{more}]'
        game = parse_game(text)
        assert isinstance(game, RefereedGame)
        engines = {"strong": f"{text}/{STRONG}", "weak": f"{text}/{WEAK}"}
        seats = [engines[name] for name in BLOCK.seats(seating)]
        return play_refereed(game, f"seed {seed}", BLOCK, seating, seats)

    return played


def test_a_result_is_a_game(play: Play) -> None:
    one, other = play("dice"), play("dice", seating=1)
    assert [(s.engine, s.returns, s.rank) for s in one.seats] == [
        ("strong", 1.0, 1.0),
        ("weak", 0.0, 2.0),
    ]
    assert [(s.engine, s.returns) for s in other.seats] == [("weak", 0.0), ("strong", 1.0)]
    assert one.opening == other.opening == "seed 17"
    assert one.log == "seed 17: echo 5 | echo 3"
    assert one.seats[0].margin == -one.seats[1].margin > 0  # type: ignore[operator]
    assert (one.plies, one.actions, one.termination) == (0, "", "normal")
    assert one.digest != other.digest  # nothing tells whether they were alike
    assert play("dice") == one


def test_a_failure_belongs_to_a_seat_if_the_referee_says_so(play: Play) -> None:
    game = play("blames")
    assert [(s.failure, s.failure_text, s.returns) for s in game.seats] == [
        ("timeout", "the referee says: timeout", 0.0),
        ("", "", 1.0),
    ]
    assert game.termination == "failure"
    assert [s.margin for s in game.seats] == [None, None]


FAULTS = {
    "dies": ("died by SIGSEGV", ""),
    "exits": ("ended with exit status 3; its stderr ends: cannot find the map", ""),
    "nothing": ("no line like", ""),
    "twice": ("2 results", ""),
    "nan": ("nan is not a finite number", ""),
    "many": ("3 scores for 2 players", ""),
    "words": ("is not a finite number", ""),
    "seed": ("it played the seed 18, and was told 17", ""),
    "hangs": ("no end of the game in 0.2 s", ",timeout_s=0.2"),
}


@pytest.mark.parametrize("how", FAULTS)
def test_a_game_without_a_result_is_nobodys(how: str, play: Play) -> None:
    why, more = FAULTS[how]
    with pytest.raises(NoGame) as none:
        play(how, more)
    assert "gave no result, 3 times, of the game with seed 17: " in str(none.value)
    assert why in str(none.value)


def test_a_game_that_failed_once_is_played_again(play: Play, tmp_path: Path) -> None:
    assert play("once").seats[0].returns == 1.0
    assert (tmp_path / "mark").exists()


def test_bots_that_are_left_alive_are_ended(play: Play) -> None:
    begun = time.monotonic()
    seed = 10_000_000 + os.getpid()
    assert play("leaves", seed=seed).seats[0].returns == 1.0
    assert time.monotonic() - begun < 10
    assert nobody_left(f"60{seed}")


@pytest.mark.parametrize("how", ["prints", "writes"])
def test_a_referee_that_writes_without_end_is_stopped(
    how: str, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(referee_process, "MOST_OUTPUT", 1 << 20)
    monkeypatch.setattr(referee_process, "LARGEST_FILE", 8 << 20)
    with pytest.raises(NoGame) as none:
        play(how, ",timeout_s=20")
    stopped = {
        "prints": "printed more than 1,048,576 bytes",
        "writes": "File too large",
    }
    assert stopped[how] in str(none.value) or "SIGXFSZ" in str(none.value)


def test_each_game_has_a_folder_of_its_own_that_goes_with_it(play: Play) -> None:
    one, other = Path(play("folder").log), Path(play("folder").log)
    assert one != other and one != Path.cwd()
    assert not one.exists() and not other.exists()


def test_files_of_ours_never_meet_those_of_the_current_folder(play: Play) -> None:
    for name in ("referee.log", "seat-1"):
        Path(name).write_text("mine")
    assert Path(play("path").log).name == "referee.log"
    assert Path("referee.log").read_text() == "mine"


def test_a_long_log_loses_its_middle(play: Play) -> None:
    kept = play("logs", ",log_kb=1").log
    assert kept.startswith("seed 17\necho 5 echo 3\nxxx")
    assert "characters left out" in kept and len(kept) < 1100
    assert play("logs", ",log_kb=0").log == ""


def test_the_older_protocol_is_refused_at_once(play: Play) -> None:
    Path("old.sh").write_text("#!/bin/sh\nread line\necho '###Input 0'\n")
    text = 'referee[command="sh old.sh",form=brutaltester]'
    game = parse_game(text)
    assert isinstance(game, RefereedGame)
    with pytest.raises(Refused, match=r"older protocol \(###Input\)"):
        play_refereed(game, "seed 1", BLOCK, 0, [f"{text}/{STRONG}", f"{text}/{WEAK}"])


def test_a_bot_gets_its_parameters_by_words_variables_and_file(play: Play) -> None:
    Path("print.py").write_text(
        "import json, os, sys; print(json.load(open(sys.argv[1]))['k'] + int(os.environ['D']))"
    )
    text = f'referee[command="{sys.executable} -S referee.py dice {{seed}} {{bots}}"]'
    game = parse_game(text)
    assert isinstance(game, RefereedGame)
    bot = (
        f'{text}/bot:command="{sys.executable} print.py {{file}}",env="D={{d}}",'
        'file=params.json,parameters="k:float",k=4.5,d=1'
    )
    record = play_refereed(game, "seed 1", BLOCK, 0, [bot, f"{text}/{WEAK}"])
    assert record.seats[0].returns == 1.0
    assert "env D=1" in record.log and "seat-1/params.json" in record.log

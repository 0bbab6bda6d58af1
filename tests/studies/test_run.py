"""Whole runs: the same tables whatever kills, resumes, workers and growth come between."""

from __future__ import annotations

import random
import re
import resource
import shlex
import signal
import time
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from joute.reports.reading.caveats import warnings
from joute.results.database import RunBusy, RunDamaged
from joute.results.manifest import noting
from joute.results.store import Store
from joute.results.tables import load, write_tables
from joute.studies.load import load_study
from joute.studies.play.progress import Progress
from joute.studies.play.run_folder import StudyChanged
from joute.studies.play.stages import entrants_of, mean_of
from joute.studies.play.study_run import run_study
from joute.studies.study import StagePlan
from tests.support.here import Here
from tests.support.marks import quick, slow
from tests.support.runs import (
    ROOT,
    csv_bytes,
    here,
    joute,
    kill_group,
    lines_of,
    play,
    rows,
    started,
    stored,
    study_of,
    study_text,
    tables,
    wait_for_games,
)

# A small connect4-width-depth: 2 depths x 3 widths, 6 blocks, then the champions.
CAMPAIGN = (
    "game=connect4[columns=7,rows=6]",
    "grid={depth=[2,3],width=[0.5,0.7,1.0]}",
    "schedule.blocks=6",
    "stage.0.blocks=5",
)
COUNT = "SELECT COUNT(*) FROM games"
HEXAPAWN = ROOT / "examples" / "hexapawn.py"


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The campaign, undisturbed, by one worker."""
    folder = tmp_path_factory.mktemp("calm") / "run"
    play(load_study("connect4-width-depth", CAMPAIGN), folder, 1)
    return folder


@pytest.mark.parametrize("workers", quick([2, 4], (4).__eq__))
def test_the_number_of_workers_changes_no_byte(calm: Path, tmp_path: Path, workers: int) -> None:
    play(load_study("connect4-width-depth", CAMPAIGN), tmp_path / "run", workers)
    assert tables(tmp_path / "run") == tables(calm)


SLOWER = (
    "grid={depth=[6,7],width=[0.4,0.6]}",
    "schedule.blocks=20",
    "stage.0.blocks=8",
)


@pytest.mark.slow
def test_kills_and_resumes_lose_and_repeat_nothing(tmp_path: Path) -> None:
    """Two kill -9 of the whole process group at random moments, then the run to its end."""
    folder = tmp_path / "run"
    settings = [word for setting in SLOWER for word in ("--set", setting)]
    command = ["run", "connect4-width-depth", *settings, "-j", 2, "--out", folder]
    chance = random.Random()
    at = 0
    for number in (2, 24):
        process = started(*command)
        wait_for_games(folder, number, process)
        time.sleep(chance.random() * 0.3)
        kill_group(process)
        assert process.wait() == -signal.SIGKILL
        process.communicate()
        assert stored(folder) >= max(at, number)  # nothing stored is ever lost
        at = stored(folder)
    done = joute(*command)
    assert done.returncode == 0, done.stderr
    assert "report: " in done.stdout and (folder / "report.html").is_file()
    outcome = play(load_study("connect4-width-depth", SLOWER), tmp_path / "calm")
    assert at <= outcome.played == rows(folder, COUNT)[0][0]
    assert lines_of(folder) == lines_of(tmp_path / "calm")
    assert csv_bytes(folder) == tables(tmp_path / "calm")


def test_a_finished_run_plays_nothing_again(calm: Path) -> None:
    before = lines_of(calm)
    outcome = play(load_study("connect4-width-depth", CAMPAIGN), calm)
    assert (outcome.played, outcome.missing, outcome.stopped) == (0, 0, "")
    assert lines_of(calm) == before


SPECS = ["random", "alphabeta:evaluation=static,depth=1", "alphabeta:evaluation=static,depth=2"]
LATER = '[[stage]]\nentrants = "best:2"\nblocks = 6\n'


def growing(tmp_path: Path, specs: list[str], blocks: int) -> Path:
    study_of(tmp_path, study_text(specs, blocks) + LATER)
    return tmp_path / "s.toml"


@pytest.mark.parametrize(
    ("specs", "blocks"),
    [(SPECS[:2], 9), (SPECS, 5), (SPECS, 8)],
    ids=["blocks", "entrants", "both"],
)
def test_a_grown_study_is_like_a_fresh_one(tmp_path: Path, specs: list[str], blocks: int) -> None:
    play(load_study(growing(tmp_path, SPECS[:2], 5)), tmp_path / "run")
    small = {line[0] for line in lines_of(tmp_path / "run")}
    grown = load_study(growing(tmp_path, specs, blocks))
    fresh = play(grown, tmp_path / "fresh")
    outcome = play(grown, tmp_path / "run")
    now = {line[0] for line in lines_of(tmp_path / "run")}
    wanted = {line[0] for line in lines_of(tmp_path / "fresh")}
    assert small <= now and wanted <= now
    assert outcome.played == len(wanted - small) < fresh.played
    assert tables(tmp_path / "run") == tables(tmp_path / "fresh")


def test_a_study_that_shrinks_and_grows_again_plays_nothing_twice(tmp_path: Path) -> None:
    play(load_study(growing(tmp_path, SPECS, 6)), tmp_path / "fresh")
    played = 0
    two = SPECS[:2]
    for specs, blocks in ((two, 4), (two, 2), (two, 5), (SPECS, 3), (SPECS, 6)):
        played += play(load_study(growing(tmp_path, specs, blocks)), tmp_path / "run").played
    assert tables(tmp_path / "run") == tables(tmp_path / "fresh")
    assert played == stored(tmp_path / "run")


def test_the_first_game_of_a_study_without_end_is_played_at_once(tmp_path: Path) -> None:
    """Blocks are dealt as they are played: how many there are is no matter, nor is it on resuming."""
    text = study_text(["random", "uct:iterations=1"], blocks=10**9, more="[openings]\nplies = 12\n")
    begun = time.process_time()
    for games in (10, 30):
        outcome = play(study_of(tmp_path, text, f"budget={games} games"), tmp_path / "run")
        assert outcome.stopped == "budget" and outcome.missing == 2 * 10**9 - games
    assert stored(tmp_path / "run") == 30
    assert time.process_time() - begun < 60  # a billion blocks would take days


def test_entrants_in_another_order_are_the_same_study(tmp_path: Path) -> None:
    """Nothing depends on the order of a list; names here stay with their engines."""
    text = study_text(SPECS, 4)
    play(study_of(tmp_path, text), tmp_path / "run")
    head, *parts = text.partition("[schedule]")[0].split("[[entrants]]")
    turned = "[[entrants]]".join([head, *(f"{part}\n" for part in reversed(parts))])
    outcome = play(study_of(tmp_path, f"{turned}\n[schedule]\nblocks = 4\n"), tmp_path / "run")
    assert outcome.played == 0


CHANGES = [
    ("seed = 5", "seed = 6", "seed: was 5, is now 6"),
    ('game = "connect4"', 'game = "connect4[columns=8]"', "game: was connect4[columns=7,rows=6]"),
    ("depth=1", "depth=3", "entrant e1, depth: was 1, is now 3"),
    ("[schedule]", "[openings]\nplies = 4\n[schedule]", "openings.plies: was 6, is now 4"),
    ("[schedule]", "[time]\nmove_time_ms = 5\n[schedule]", "time.move_time_ms: was none, is now 5"),
]


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tmp_path = tmp_path_factory.mktemp("begun")
    play(study_of(tmp_path, study_text(SPECS[:2], 2)), tmp_path / "run")
    return tmp_path / "run"


@pytest.mark.parametrize(("before", "after", "told"), CHANGES, ids=[c[2][:9] for c in CHANGES])
def test_a_changed_study_is_refused(
    begun: Path, tmp_path: Path, before: str, after: str, told: str
) -> None:
    dump = rows(begun, "SELECT * FROM meta ORDER BY key"), lines_of(begun)
    text = study_text(SPECS[:2], 2)
    assert before in text
    with pytest.raises(StudyChanged) as refused:
        play(study_of(tmp_path, text.replace(before, after)), begun)
    assert told in str(refused.value).partition("what differs: ")[2]
    assert "start over (--fresh)" in str(refused.value)
    assert (rows(begun, "SELECT * FROM meta ORDER BY key"), lines_of(begun)) == dump


def test_a_changed_study_is_refused_in_one_line_with_exit_2(begun: Path, tmp_path: Path) -> None:
    study_of(tmp_path, study_text(SPECS[:2], 2))
    done = here("run", tmp_path / "s.toml", "--set", "seed=99", "--out", begun)
    assert done.exit_code == 2 and done.stdout == ""
    [line] = done.stderr.splitlines()
    assert "seed: was 5, is now 99" in line


def test_two_runs_in_one_folder(begun: Path, tmp_path: Path) -> None:
    study = study_of(tmp_path, study_text(SPECS[:2], 2))
    with Store.open(begun, write=True):
        with pytest.raises(RunBusy):
            play(study, begun)
        with pytest.raises(RunBusy):
            play(study, begun, fresh=True)
        done = here("run", tmp_path / "s.toml", "--out", begun)
    assert done.exit_code == 2
    assert done.stderr == f"joute: another process is writing the run in {begun}\n"


def test_fresh_starts_over_and_leaves_foreign_files(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    play(study_of(tmp_path, study_text(SPECS[:2], 3)), folder)
    before = {line[0] for line in lines_of(folder)}
    with noting(folder):
        write_tables(folder)
    (folder / "notes.txt").write_text("mine")
    other = study_of(tmp_path, study_text(SPECS[:2], 2), "seed=6")
    outcome = play(other, folder, fresh=True)
    assert outcome.played == rows(folder, COUNT)[0][0] == 4
    assert not before & {line[0] for line in lines_of(folder)}
    assert (folder / "notes.txt").read_text() == "mine"
    assert not (folder / "games.csv").exists()  # tables of the old run are gone


@pytest.mark.parametrize("fresh", [False, True])
def test_a_damaged_store_is_told_and_left_alone(tmp_path: Path, fresh: bool) -> None:
    folder = tmp_path / "run"
    study = study_of(tmp_path, study_text(SPECS[:2], 2))
    play(study, folder)
    data = bytearray((folder / "run.db").read_bytes())
    data[4096:8192] = b"\x5a" * 4096
    (folder / "run.db").write_bytes(data)
    with pytest.raises(RunDamaged, match=r"run\.db is damaged: .*; it was left as it is"):
        play(study, folder, fresh=fresh)
    assert (folder / "run.db").read_bytes() == bytes(data)


MATCH = """
name = "m"
kind = "match"
game = "connect4"
seed = 3
[engine]
search = "alphabeta"
evaluation = "static"
[a]
depth = 3
[b]
depth = 1
[sprt]
elo0 = 0
elo1 = 60
max_blocks = 2000
"""


@pytest.mark.slow
def test_an_sprt_stops_at_the_same_block_for_any_number_of_workers(tmp_path: Path) -> None:
    study = study_of(tmp_path, MATCH)
    seen = []
    for workers in (1, 2, 4):
        folder = tmp_path / f"run{workers}"
        outcome = play(study, folder, workers)
        results = load(folder)
        all_games = int(str(rows(folder, COUNT)[0][0]))
        assert results.surplus == all_games - len(results.games)
        assert len(results.games) < 4000 and outcome.missing == 0 and outcome.stopped == ""
        seen.append((outcome.decided, tables(folder)))
        orders = sorted(set(results.games["order"]))
        assert orders == list(range(len(orders)))  # the counted blocks are a prefix
    assert seen[0][0] == "H1"
    assert seen[0] == seen[1] == seen[2]
    outcome = play(study, tmp_path / "run2")  # decided: nothing more is played
    assert outcome.played == 0 and outcome.decided == "H1"
    assert tables(tmp_path / "run2") == seen[0][1]


def test_an_sprt_that_is_resumed_counts_the_same_blocks(tmp_path: Path) -> None:
    whole = study_of(tmp_path, MATCH)
    play(whole, tmp_path / "whole")
    part = study_of(tmp_path, MATCH, "budget=9 games")
    first = play(part, tmp_path / "parts")
    assert first.stopped == "budget" and not first.decided
    play(study_of(tmp_path, MATCH), tmp_path / "parts")
    assert tables(tmp_path / "parts") == tables(tmp_path / "whole")


OPEN_ENDED = """
name = "open"
kind = "match"
game = "connect4[columns=4,rows=4]"
seed = 3
openings = { plies = 1 }
a = { search = "random" }
b = { search = "uct", iterations = 1 }
sprt = { elo0 = -400, elo1 = 400, alpha = 1e-9, beta = 1e-9, max_blocks = 40 }
"""


@pytest.mark.slow
def test_an_open_ended_match_takes_longer_openings_when_they_run_out(tmp_path: Path) -> None:
    study, seen = study_of(tmp_path, OPEN_ENDED), []
    for workers in (0, 2):
        folder = tmp_path / f"run{workers}"
        play(study, folder, workers)
        seen.append(tables(folder))
        assert (
            len({opening for (opening,) in rows(folder, "SELECT opening FROM games")})
            == stored(folder) // 2
        )
    assert seen[0] == seen[1]
    [said] = [text for text in warnings(load(tmp_path / "run0")) if "openings" in text]
    assert said.startswith("There are fewer openings of 1 random plies than blocks")


def test_an_open_ended_match_ends_with_the_last_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("joute.harness.openings.TRIES", 20)
    hexapawn = f'plugins = ["{HEXAPAWN}"]\n' + OPEN_ENDED.replace(
        "connect4[columns=4,rows=4]", "hexapawn"
    ).replace('"uct", iterations = 1', '"plain-uct", iterations = 1').replace("= 40 }", "= 4000 }")
    said: list[str] = []
    study = study_of(tmp_path, hexapawn)
    progress = Progress(say=said.append)
    outcome = run_study(study, tmp_path / "run", 1, False, progress, Here())
    assert outcome.exhausted and (outcome.stopped, outcome.missing) == ("", 0)
    assert "distinct openings of any length: the match ends here" in said[-1]
    assert 10 < outcome.played < 1000


@pytest.mark.parametrize(("budget", "games"), [("20 games", 20), slow("7 blocks", 14)])
def test_a_budget_stops_and_the_run_resumes(tmp_path: Path, budget: str, games: int) -> None:
    text = study_text(SPECS, 8)
    outcome = play(study_of(tmp_path, text, f"budget={budget}"), tmp_path / "run", games % 3)
    assert outcome.stopped == "budget" and outcome.played == games
    assert outcome.missing == 48 - games
    again = play(study_of(tmp_path, text, f"budget={budget}"), tmp_path / "run")
    assert (again.played, again.stopped) == (0, "budget")
    rest = play(study_of(tmp_path, text), tmp_path / "run")
    assert (rest.played, rest.stopped) == (48 - games, "")
    play(study_of(tmp_path, text), tmp_path / "calm")
    assert tables(tmp_path / "run") == tables(tmp_path / "calm")


def test_ties_go_through(tmp_path: Path) -> None:
    study = load_study("connect4-width-depth", CAMPAIGN)
    depth2 = [e for e in study.entrants if e.parameters["depth"] == 2]
    depth3 = [e for e in study.entrants if e.parameters["depth"] == 3]

    def got(*games: tuple[str, str, float]) -> dict[str, Fraction]:
        found: dict[str, list[tuple[float, int]]] = {}
        for one, two, share in games:
            found.setdefault(one, []).append((share, 1))
            found.setdefault(two, []).append((1 - share, 1))
        return {engine: mean_of(returns) for engine, returns in found.items()}

    a, b, c = (e.engine.id for e in depth2)
    x, y, z = (e.engine.id for e in depth3)
    first = [(a, b, 0.5), (b, c, 1.0), (a, c, 1.0)]
    before = got(*first, (x, y, 1.0), (y, z, 1.0), (x, z, 0.5))
    rule = StagePlan("champions", "best-per:depth", None, 1, "round_robin")
    through = entrants_of(rule, study.entrants, before)
    assert through == [depth2[0], depth2[1], depth3[0]]
    two = StagePlan("final", "best:1", None, 1, "round_robin")
    assert entrants_of(two, study.entrants, got(*first)) == depth2[:2]


def interrupted(tmp_path: Path, times: int, ms: int = 4) -> tuple[int, str, str]:
    specs = [f"sleepy:ms={ms},salt={i}" for i in range(3)]
    study_of(tmp_path, study_text(specs, blocks=40))
    folder = tmp_path / "run"
    process = started("run", tmp_path / "s.toml", "-j", 2, "--out", folder)
    wait_for_games(folder, 4, process)
    for number in range(times):
        time.sleep(0.1 * number)  # signals that come at once are one
        kill_group(process, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def test_one_interrupt_finishes_the_games_in_hand(tmp_path: Path) -> None:
    code, out, err = interrupted(tmp_path, 1)
    folder = tmp_path / "run"
    assert code == 130
    assert "report: " in out and "Traceback" not in err
    [command] = re.findall(r"to continue: joute (.*)", err)
    found = rows(folder, "SELECT block, COUNT(*), MIN(termination) FROM games GROUP BY block")
    assert 2 <= len(found) < 120
    assert {(row[1], row[2]) for row in found} == {(2, "normal")}  # whole blocks, nobody failed
    has = stored(folder)
    assert f"{240 - has} games of this stage are still to be played" in err
    # The printed command is the one that was given, and it goes on from here.
    asked, given = shlex.split(command), ["run", str(tmp_path / "s.toml"), "-j", "2"]
    assert asked == [*given, "--out", str(folder)]
    more = here(*asked, "--set", f"budget={has + 2} games")
    assert more.exit_code == 0, more.stderr
    assert stored(folder) == has + 2


@pytest.mark.slow
def test_two_interrupts_stop_at_once(tmp_path: Path) -> None:
    code, _, err = interrupted(tmp_path, 2, ms=60)  # games last longer than any pause here
    assert code == 130 and err.endswith("joute: stopped\n") and "Traceback" not in err
    counts = Counter(row[0] for row in rows(tmp_path / "run", "SELECT block FROM games"))
    assert set(counts.values()) == {2}
    with Store.open(tmp_path / "run", write=True):  # the lock went with its holder
        pass


def test_a_full_disk_ends_in_one_line_and_keeps_the_games(tmp_path: Path) -> None:
    """A limit on file size stands for the full disk: both make a write fail half way."""
    study_of(tmp_path, study_text(SPECS, blocks=400))
    folder = tmp_path / "run"

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))

    done = joute("run", tmp_path / "s.toml", "-j", 1, "--out", folder, preexec_fn=limited)
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    last = done.stderr.strip().splitlines()[-1]
    assert (
        last.startswith(f"joute: cannot use {folder}/run.db: ") and "what was stored stays" in last
    )
    kept = lines_of(folder)
    assert kept
    with Store.open(folder) as store:
        assert store.count() == len(kept) / 2
    again = play(load_study(tmp_path / "s.toml", [f"budget={len(kept) // 2 + 10} games"]), folder)
    assert again.played == 10
    assert set(kept) <= set(lines_of(folder))


@pytest.mark.parametrize("place", ["file/run", "/proc/joute/run"])
def test_a_place_that_takes_no_folder_is_one_line(tmp_path: Path, place: str) -> None:
    """Root may write anywhere, so a file in the way and /proc stand for a read-only place."""
    (tmp_path / "file").write_text("in the way")
    study_of(tmp_path, study_text(SPECS[:2], 1))
    out = tmp_path / place
    done = here("run", tmp_path / "s.toml", "--out", out)
    assert done.exit_code == (2 if place == "file/run" else 1), done.stderr  # /proc says it later
    [line] = done.stderr.splitlines()
    assert line.startswith("joute: ") and str(out.parent) in line

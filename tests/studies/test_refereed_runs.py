"""Whole runs of games that a referee plays: match, scan, tune, stages, seeds; workers, kills, resuming."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pandas as pd
import pytest

from joute.engines.errors import Refused
from joute.results.store import Store
from joute.studies.load import load_study
from joute.studies.play.study_run import run_study
from tests.support.here import Here
from tests.support.processes import nobody_left
from tests.support.runs import (
    csv_bytes,
    here,
    joute,
    kill_group,
    lines_of,
    rows,
    started,
    stored,
    wait_for_games,
)

REFEREE = Path(__file__).parents[1] / "support" / "referee.py"
WORDS = f"{sys.executable} -S {REFEREE}"


def game(how: str = "dice", more: str = "") -> str:
    """Return the text of a game with a referee of some kind."""
    return f'referee[command="{WORDS} {how} {{seed}} {{bots}}"{more}]'


def bot(strength: float) -> str:
    """Return the text of a bot of some strength."""
    return f'bot:command="echo {{k}}",k={strength}'


def toml(text: str) -> str:
    """Return a text of TOML."""
    return "'" + text + "'"


STUDY = """
name = "dice"
kind = "{kind}"
game = {game}
seed = 3
{more}
[engine]
search = "bot"
command = "echo {{k}}"
[parameters]
k = {{ kind = "float", default = 1.0, low = 0, high = 5 }}
"""


def study(tmp_path: Path, kind: str, more: str = "", tables: str = "", options: str = "") -> Path:
    """Write a study of bots whose strength is k."""
    path = tmp_path / "dice.toml"
    path.write_text(STUDY.format(kind=kind, game=toml(game(more=options)), more=more) + tables)
    return path


def test_a_match_has_its_tables_margins_and_report(tmp_path: Path) -> None:
    run = tmp_path / "run"
    done = here("match", f"{game()}/{bot(1.3)}", bot(1.1), "--blocks", 6, "--out", run)
    assert done.exit_code == 0, done.stderr
    assert "1.3 " in done.stdout
    seats = pd.read_csv(run / "seats.csv")
    assert len(seats) == 24
    assert (seats["margin"].groupby(seats["game"]).sum() == 0).all()
    assert ((seats["margin"] > 0) == (seats["returns"] == 1)).all()
    games = pd.read_csv(run / "games.csv")
    assert games.groupby("block")["opening"].nunique().eq(1).all()
    assert games["opening"].nunique() == 6
    assert games["opening"].str.fullmatch(r"seed \d{1,10}").all()
    assert "cannot be shown" not in (run / "report.html").read_text()


def test_workers_and_kills_change_nothing(tmp_path: Path) -> None:
    words = ("match", f"{game()}/{bot(1.3)}", bot(1.1), "--blocks", 12)
    one, two = tmp_path / "one", tmp_path / "two"
    assert here(*words, "--out", one).exit_code == 0
    process = started(*words, "--out", two, "-j", 6)
    wait_for_games(two, 2, process)
    kill_group(process)
    process.wait()
    assert 0 < stored(two) < 24
    again = joute(*words, "--out", two, "-j", 6)
    assert again.returncode == 0, again.stderr
    assert "games at once with -j 6: 2, as one may use 3 cores" in again.stderr
    assert csv_bytes(one) == csv_bytes(two)
    assert lines_of(one) == lines_of(two)


def test_a_referee_without_a_result_ends_the_run(tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = ("match", f"{game('hangs', ',timeout_s=0.3')}/{bot(1)}", bot(2), "--blocks", 2)
    done = joute(*words, "--out", run, "-j", 2)
    assert done.returncode == 1
    assert "the referee gave no result, 3 times, of the game with seed" in done.stderr
    assert "no end of the game in 0.3 s" in done.stderr
    assert "Traceback" not in done.stderr
    assert stored(run) == 0
    assert nobody_left(str(REFEREE))


def test_an_interrupted_run_leaves_no_bot_behind(tmp_path: Path) -> None:
    run, mark = tmp_path / "run", f"mark-{os.getpid()}"
    slow = f"bot:command=\"sh -c 'sleep 0.2; echo 1' {mark}\""
    process = started("match", f"{game()}/{slow}", bot(2), "--blocks", 40, "--out", run, "-j", 6)
    wait_for_games(run, 2, process)
    kill_group(process)
    process.wait()
    assert nobody_left(mark)


@pytest.mark.parametrize(("players", "games"), [(2, 2), (3, 6), (4, 4)])
def test_seatings_are_as_in_every_game(players: int, games: int, tmp_path: Path) -> None:
    entrants = "".join(f'[[entrants]]\nname = "e{k}"\nk = {k}\n' for k in range(1, players + 1))
    path = study(
        tmp_path,
        "tournament",
        "",
        f"{entrants}[schedule]\nblocks = 2\n",
        f",players={players}",
    )
    done = here("run", path, "--out", tmp_path / "run")
    assert done.exit_code == 0, done.stderr
    blocks = rows(
        tmp_path / "run", "SELECT block, COUNT(*), COUNT(DISTINCT opening) FROM games GROUP BY 1"
    )
    assert [row[1:] for row in blocks] == [(games, 1)] * 2
    standings = pd.read_csv(tmp_path / "run" / "standings.csv").sort_values("engine")
    assert list(standings["score"]) == sorted(standings["score"])


def test_stages_go_on_with_the_best_on_fresh_seeds(tmp_path: Path) -> None:
    tables = (
        "[grid]\nk = [1, 2, 3]\n[schedule]\nblocks = 2\n"
        '[[stage]]\nname = "final"\nentrants = "best:2"\nblocks = 3\n'
    )
    done = here("run", study(tmp_path, "tournament", "", tables), "--out", tmp_path / "run")
    assert done.exit_code == 0, done.stderr
    games = pd.read_csv(tmp_path / "run" / "games.csv")
    seeds = {stage: set(found["opening"]) for stage, found in games.groupby("stage")}
    assert len(seeds["final"]) == 3 and not seeds["final"] & seeds["main"]


def test_given_seeds_are_the_openings(tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text("11 12 13\n14\n12\n")
    run = tmp_path / "run"
    words = ("match", f"{game()}/{bot(1.3)}", bot(1.1), "--openings", tmp_path / "seeds.txt")
    done = here(*words, "--blocks", 4, "--out", run)
    assert done.exit_code == 0, done.stderr
    games = pd.read_csv(run / "games.csv")
    assert list(games["opening"].unique()) == ["seed 11", "seed 12", "seed 13", "seed 14"]
    more = here(*words, "--blocks", 5, "--out", tmp_path / "more")
    assert more.exit_code == 2
    assert "only 4 distinct openings are in" in more.stderr


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "holds no seed"),
        ("1 two", "'two' is no seed"),
        ("2147483648", "whole numbers below 2^31"),
    ],
)
def test_a_file_that_is_none_of_seeds_is_refused(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text(text)
    words = ("match", f"{game()}/{bot(1)}", bot(2), "--openings", tmp_path / "seeds.txt")
    done = here(*words, "--out", tmp_path / "run")
    assert done.exit_code == 2
    assert why in done.stderr
    assert not (tmp_path / "run").exists()


SPACE = '[space]\nk = { from = 0, to = 2 }\n[[opponents]]\nname = "defaults"\n'


def test_a_scan_samples_the_parameter_of_a_bot(tmp_path: Path) -> None:
    scan = study(tmp_path, "scan", 'budget = "40 games"', SPACE)
    done = here("run", scan, "--out", tmp_path / "scan")
    assert done.exit_code == 0, done.stderr
    trials = pd.read_csv(tmp_path / "scan" / "trials.csv")
    assert len(trials) == 20 and trials["k"].between(0, 2).all()


def test_a_tune_finds_the_strong_end_of_a_parameter(tmp_path: Path) -> None:
    tune = study(tmp_path, "tune", 'budget = "180 games"', SPACE)
    done = here("run", tune, "--out", tmp_path / "tune")
    assert done.exit_code == 0, done.stderr
    best = rows(tmp_path / "tune", "SELECT value FROM meta WHERE key = 'candidates'")
    assert '"k": 1.' in str(best[0][0]) or '"k": 2' in str(best[0][0])


def test_what_needs_rules_is_refused_in_a_line(tmp_path: Path) -> None:
    one = f"{game()}/{bot(1)}"
    for words, why in [
        (("perft", game(), 2), "only its referee knows the rules"),
        (("play", one, one), "only its referee knows the rules"),
        (("bestmove", one, "startpos"), "only its referee knows the rules"),
        (("evaluate", game(), "lines", "startpos"), "only its referee knows the rules"),
        (("match", f"{game()}/random", "random"), "random: only its referee knows the rules"),
        (("match", "connect4/bot:command=x", "random"), "a referee starts it, and nobody else"),
        (("match", "referee/bot:command=x", "bot:command=y"), "referee needs a command"),
        (("match", one, bot(2), "--plies", 4), "allowed: records, a file of seeds"),
    ]:
        done = here(*words)
        assert (done.exit_code, done.stdout) == (2, ""), words
        assert why in done.stderr and len(done.stderr.strip().splitlines()) <= 2, done.stderr


def test_a_run_goes_on_only_with_the_same_referee(tmp_path: Path) -> None:
    script, run = tmp_path / "fair.py", tmp_path / "run"
    script.write_text("print('{\"ranks\": [1, 2]}')")
    words = f'referee[command="{sys.executable} -S {script}"]/{bot(1)}', bot(2)
    asked = ("match", *words, "--blocks", 2, "--out", run)
    assert here(*asked).exit_code == 0
    assert here(*asked).exit_code == 0  # nothing is left to play
    script.write_text("print('{\"ranks\": [2, 1]}')")
    done = joute(*asked)
    assert done.returncode == 2
    assert "what differs: code: has changed for k=1, k=2" in done.stderr


class Elsewhere(Here):
    """Workers on other machines."""

    elsewhere = True


def test_a_cluster_is_refused(tmp_path: Path) -> None:
    plan = load_study(
        study(tmp_path, "tournament", "", "[grid]\nk = [1, 2]\n[schedule]\nblocks = 1\n")
    )
    with pytest.raises(Refused, match="referee is played on this machine alone"):
        run_study(plan, tmp_path / "run", 1, executor=Elsewhere())
    assert not (tmp_path / "run").exists()


def test_runs_are_merged_with_margins_and_logs(tmp_path: Path) -> None:
    words = ("match", f"{game()}/{bot(1.3)}", bot(1.1), "--blocks")
    for name, blocks in (("few", 2), ("more", 4)):
        assert here(*words, blocks, "--out", tmp_path / name).exit_code == 0
    asked = (tmp_path / "few", tmp_path / "more", "--out", tmp_path / "all")
    assert here("merge", *asked).exit_code == 0
    assert here("report", tmp_path / "all").exit_code == 0
    seats = pd.read_csv(tmp_path / "all" / "seats.csv")
    assert len(seats) == 16 and seats["margin"].notna().all()
    with Store.open(tmp_path / "all") as store:
        assert all(one.log.startswith("seed ") for one in store.games())


def test_a_referee_keeps_the_time_itself(tmp_path: Path) -> None:
    path = study(
        tmp_path, "match", "blocks = 2", '[a]\nk = 1\n[b]\nk = 2\n[time]\nclock = "10+1"\n'
    )
    with pytest.raises(
        Refused, match=r"time\.clock: referee: the referee's program keeps the time"
    ):
        load_study(path)

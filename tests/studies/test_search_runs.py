"""Scan and tune runs: a function of study and seed, whatever kills, workers and growth there are."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import optuna
import pytest

from joute.engines.errors import Refused
from joute.reports.reading.caveats import warnings
from joute.reports.reading.search import Search
from joute.reports.telling import answer
from joute.results.frames import Results
from joute.results.store import Store
from joute.results.tables import load, write_tables
from joute.studies.kinds.tune.trial_search import TrialSearch
from joute.studies.play.run_folder import StudyChanged
from joute.studies.play.study_run import StudyRun
from joute.studies.search.dashboard import up_to_date
from joute.studies.search.optuna_storage import storage_of
from joute.studies.search.plan import JOURNAL
from tests.support.marks import dear, dear_case, quick
from tests.support.processes import killing_one
from tests.support.runs import (
    BAD,
    TABLES,
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
    wait_for_games,
)
from tests.support.searches import scan_text, tune_text

KINDS = {
    "tune": tune_text(),
    "scan": scan_text(),
    "duels": tune_text(more='against = "both"\n').replace("small-tune", "small-duels"),
}


def tables(folder: Path) -> dict[str, bytes]:
    write_tables(folder)
    return csv_bytes(folder) | {"trials.csv": (folder / "trials.csv").read_bytes()}


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """All studies, undisturbed, in this process."""
    found = {}
    for kind, text in KINDS.items():
        folder = tmp_path_factory.mktemp(kind)
        play(study_of(folder, text), folder / "run")
        found[kind] = folder / "run"
    return found


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("workers", [1, 3])
def test_the_number_of_workers_changes_no_byte(
    calm: dict[str, Path], tmp_path: Path, kind: str, workers: int
) -> None:
    play(study_of(tmp_path, KINDS[kind]), tmp_path / "run", workers)
    assert tables(tmp_path / "run") == tables(calm[kind])


@pytest.mark.slow
@dear
@pytest.mark.parametrize("kind", KINDS)
def test_kills_and_resumes_lose_and_repeat_nothing(tmp_path: Path, kind: str) -> None:
    """Two kill -9 of the whole process group at random moments, then the run to its end."""
    text = KINDS[kind].replace("to = 4 }", "to = 6 }").replace("depth = 2", "depth = 4")
    study_of(tmp_path, text)
    folder = tmp_path / "run"
    command = ["run", tmp_path / "s.toml", "-j", 2, "--out", folder]
    chance, at = random.Random(), 0
    for number in (2, 40):
        process = started(*command)
        wait_for_games(folder, number, process)
        time.sleep(chance.random() * 0.2)
        kill_group(process)
        process.wait()
        process.communicate()
        assert stored(folder) >= at
        at = stored(folder)
    done = joute(*command)
    assert done.returncode == 0, done.stderr
    play(study_of(tmp_path, text), tmp_path / "calm")
    assert lines_of(folder) == lines_of(tmp_path / "calm")
    calm = tables(tmp_path / "calm")
    assert {name: (folder / name).read_bytes() for name in (*TABLES, "trials.csv")} == calm
    assert (folder / "parameters.csv").read_text().startswith("parameter,range,default,best")


@pytest.mark.parametrize("kind", quick(KINDS, "scan".__eq__))
def test_a_finished_run_plays_nothing_again(calm: dict[str, Path], kind: str) -> None:
    before, trials = lines_of(calm[kind]), rows(calm[kind], "SELECT * FROM trials")
    outcome = play(study_of(calm[kind].parent, KINDS[kind]), calm[kind])
    assert (outcome.played, outcome.missing, outcome.stopped) == (0, 0, "")
    assert lines_of(calm[kind]) == before
    assert rows(calm[kind], "SELECT * FROM trials") == trials


@pytest.mark.parametrize("kind", quick(KINDS, "scan".__eq__))
def test_the_resolved_study_is_the_same_study(
    calm: dict[str, Path], tmp_path: Path, kind: str
) -> None:
    play(study_of(tmp_path, (calm[kind] / "study.toml").read_text()), tmp_path / "run")
    assert lines_of(tmp_path / "run") == lines_of(calm[kind])


@pytest.mark.parametrize(
    ("kind", "small", "large"),
    [dear_case("tune", tune_text("500 games"), tune_text("800 games")),
     ("scan", scan_text("60 games"), scan_text("160 games"))],
)  # fmt: skip
def test_a_grown_budget_goes_on(tmp_path: Path, kind: str, small: str, large: str) -> None:
    play(study_of(tmp_path, small), tmp_path / "run")
    first = rows(tmp_path / "run", "SELECT number, engine, scores FROM trials ORDER BY number")
    before = {line[0] for line in lines_of(tmp_path / "run")}
    outcome = play(study_of(tmp_path, large), tmp_path / "run")
    assert outcome.played > 0
    play(study_of(tmp_path, large), tmp_path / "fresh")
    told = "SELECT number, engine, state, scores FROM trials ORDER BY number"
    assert rows(tmp_path / "run", told) == rows(tmp_path / "fresh", told)
    again = rows(tmp_path / "run", "SELECT number, engine, scores FROM trials ORDER BY number")
    assert again[: len(first)] == first
    grown = lines_of(tmp_path / "run")
    assert before <= {line[0] for line in grown}  # no stored game is lost
    with pytest.raises(Refused, match="made longer, not shorter"):
        play(study_of(tmp_path, small), tmp_path / "run")
    assert lines_of(tmp_path / "run") == grown


def test_games_of_a_trial_that_a_smaller_budget_cut_are_left_out(tmp_path: Path) -> None:
    """The trial after it then began with other blocks than in a run of the larger budget."""
    for games in (696, 700):
        play(study_of(tmp_path, tune_text(f"{games} games")), tmp_path / "run")
    play(study_of(tmp_path, tune_text("700 games")), tmp_path / "fresh")
    assert stored(tmp_path / "run") > stored(tmp_path / "fresh")
    same = {"games.csv", "seats.csv", "standings.csv", "trials.csv"}
    assert {name: tables(tmp_path / "run")[name] for name in same} == {
        name: tables(tmp_path / "fresh")[name] for name in same
    }


@pytest.mark.parametrize("change", ['sampler = "random"', "trial_blocks = 8", "prune_risk = 0.1"])
def test_another_search_is_refused(calm: dict[str, Path], change: str) -> None:
    key = change.split(" ")[0]
    lines = [line for line in KINDS["tune"].splitlines() if not line.startswith(key)]
    at = lines.index("[tune]") + 1
    text = "\n".join([*lines[:at], change, *lines[at:]])
    before = lines_of(calm["tune"])
    with pytest.raises(StudyChanged, match=key):
        play(study_of(calm["tune"].parent, text), calm["tune"])
    assert lines_of(calm["tune"]) == before


def test_trials_meet_the_same_openings_and_opponents_in_turn(calm: dict[str, Path]) -> None:
    games = load(calm["tune"]).games
    search = games[games["stage"] == "search"]
    openings: dict[object, set[object]] = {}
    for number, opening in zip(search["round"], search["opening"], strict=True):
        openings.setdefault(number, set()).add(opening)
    assert all(len(own) == 1 for own in openings.values())
    assert len({next(iter(own)) for own in openings.values()}) == len(openings)


def test_hopeless_trials_of_matches_are_given_up(tmp_path: Path) -> None:
    text = tune_text("400 games", 'sampler = "tpe"\n')
    play(study_of(tmp_path, text), tmp_path / "run")
    states = [row[0] for row in rows(tmp_path / "run", "SELECT state FROM trials")]
    assert {"complete", "pruned"} == set(states)


def test_the_best_candidates_meet_the_default(calm: dict[str, Path]) -> None:
    states = [row[0] for row in rows(calm["tune"], "SELECT state FROM trials")]
    assert {"complete"} == set(states)  # our own sampler's trials are too short to be given up
    with Store.open(calm["tune"]) as store:
        meta = store.meta()
    results = load(calm["tune"])
    final = set(results.seats[results.seats["stage"] == "final"]["engine"])
    assert final == {meta["finalist"], "default", "strong", "weak"}
    screened = set(results.seats[results.seats["stage"] == "screen"]["engine"])
    assert screened == {"tuned-1", "tuned-2", "strong", "weak"}
    shared = set(results.games[results.games["stage"] == "search"]["opening"]) & set(
        results.games[results.games["stage"] == "final"]["opening"]
    )
    assert not shared  # fresh openings


@pytest.mark.slow
def against_pool(folder: Path) -> int:
    """Return how many trials of a run are no duels."""
    trials, duels = (rows(folder, f"SELECT COUNT(*) FROM {t}")[0][0] for t in ("trials", "duels"))
    assert trials > duels > 0
    return int(trials - duels)


def test_optunas_storage_follows_the_store(calm: dict[str, Path], tmp_path: Path) -> None:
    def there(folder: Path) -> list[tuple[object, ...]]:
        study = optuna.load_study(study_name="small-tune", storage=storage_of(folder, None))
        return [(t.number, t.params, t.value, t.state.name) for t in study.get_trials()]

    found = there(calm["tune"])
    assert len(found) == against_pool(calm["tune"])
    (calm["tune"] / JOURNAL).unlink()
    play(study_of(calm["tune"].parent, KINDS["tune"]), calm["tune"])
    assert there(calm["tune"]) == found


@pytest.mark.slow
def test_a_url_is_a_storage_and_another_study_in_it_is_refused(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'optuna.db'}"
    more = f'storage = "{url}"\n'
    play(study_of(tmp_path, tune_text("300 games", more)), tmp_path / "run")
    study = optuna.load_study(study_name="small-tune", storage=url)
    assert len(study.trials) == against_pool(tmp_path / "run")
    other = tune_text("300 games", more).replace("seed = 3", "seed = 4")
    study_of(tmp_path, other)
    refused = here("run", tmp_path / "s.toml", "--out", tmp_path / "other")
    assert refused.exit_code == 2
    assert "holds another study named 'small-tune'" in refused.stderr


def test_a_storage_that_cannot_be_reached(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'no' / 'folder' / 'optuna.db'}"
    study_of(tmp_path, tune_text("300 games", f'storage = "{url}"\n'))
    refused = here("run", tmp_path / "s.toml", "--out", tmp_path / "run")
    assert refused.exit_code == 2
    assert refused.stderr.count("\n") == 1
    assert "tune.storage" in refused.stderr and "cannot be reached" in refused.stderr
    assert not (tmp_path / "run" / "run.db").exists()


@pytest.fixture
def _time_by_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty games a second, on any machine."""
    monkeypatch.setattr(StudyRun, "seconds", lambda run: run.outcome.played / 40)


@pytest.mark.slow
@pytest.mark.usefixtures("_time_by_games")
def test_a_time_budget_searches_confirms_and_goes_no_further(tmp_path: Path) -> None:
    study = study_of(tmp_path, tune_text("4s"))
    play(study, tmp_path / "run", 2)
    stages = {row[0] for row in rows(tmp_path / "run", "SELECT DISTINCT stage FROM games")}
    assert stages == {"search", "screen", "final"}
    trials = rows(tmp_path / "run", "SELECT * FROM trials")
    outcome = play(study, tmp_path / "run", 2)
    assert rows(tmp_path / "run", "SELECT * FROM trials") == trials
    assert outcome.stopped == "" and outcome.played == 0


@pytest.mark.slow
@pytest.mark.usefixtures("_time_by_games")
def test_a_larger_time_budget_goes_on(tmp_path: Path) -> None:
    play(study_of(tmp_path, tune_text("2s")), tmp_path / "run", 2)
    before = rows(tmp_path / "run", "SELECT COUNT(*) FROM trials")[0][0]
    outcome = play(study_of(tmp_path, tune_text("4s")), tmp_path / "run", 2)
    assert outcome.played > 0
    assert int(str(rows(tmp_path / "run", "SELECT COUNT(*) FROM trials")[0][0])) > int(str(before))


def test_a_stop_between_trials_chooses_no_finalist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the last games in hand end their trials, none is in flight, and yet the search lacks some."""
    asked = TrialSearch._may_ask

    def stop(search: TrialSearch) -> bool:
        search.run.stop_asked = search.run.stop_asked or len(search.trials.finished) >= 5
        return asked(search)

    study = study_of(tmp_path, KINDS["tune"])
    with monkeypatch.context() as patched:
        patched.setattr(TrialSearch, "_may_ask", stop)
        outcome = play(study, tmp_path / "run")
    assert outcome.stopped == "interrupted" and outcome.missing > 0
    with Store.open(tmp_path / "run") as store:
        assert not store.rows("SELECT * FROM engines WHERE name LIKE 'tuned%'")
    assert not play(study, tmp_path / "run").stopped
    play(study, tmp_path / "calm")
    for folder in ("run", "calm"):
        write_tables(load(tmp_path / folder))
    assert csv_bytes(tmp_path / "run") == csv_bytes(tmp_path / "calm")


OPEN = "from pathlib import Path; from joute.studies.search.optuna_storage import *; "
HELD = f"{OPEN}JournalLock(Path('run')).acquire(); import os; os._exit(9)"
WRITE = f"{OPEN}import optuna; optuna.create_study(storage=storage_of(Path('run'), None))"


def test_a_killed_writer_of_the_journal_leaves_no_lock_behind(tmp_path: Path) -> None:
    """Optuna's own is a link; one to a relative path that is left behind is waited for, for ever."""
    (tmp_path / "run").mkdir()
    assert subprocess.run([sys.executable, "-c", HELD], cwd=tmp_path).returncode == 9
    (tmp_path / "run" / "optuna.journal.lock").symlink_to("run/optuna.journal")
    subprocess.run([sys.executable, "-c", WRITE], cwd=tmp_path, check=True, timeout=60)
    assert (tmp_path / "run" / JOURNAL).stat().st_size


@pytest.mark.slow
def test_a_damaged_or_foreign_journal_is_written_anew(calm: dict[str, Path]) -> None:
    folder, study = calm["tune"], study_of(calm["tune"].parent, KINDS["tune"])
    whole = (folder / JOURNAL).read_bytes()
    for damaged in (whole[:300], b"nonsense", whole.replace(b'"width": 0', b'"width": 1')):
        (folder / JOURNAL).write_bytes(damaged)
        play(study, folder)
        found = optuna.load_study(study_name="small-tune", storage=storage_of(folder, None))
        assert len(found.trials) == against_pool(folder)


@pytest.mark.slow
def test_a_default_between_the_steps_and_one_with_many_decimals(tmp_path: Path) -> None:
    stepped = tune_text("300 games").replace("from = 1, to = 4", "from = 1, to = 5, step = 2")
    play(study_of(tmp_path, stepped), tmp_path / "stepped")
    depths = rows(tmp_path / "stepped", "SELECT json_extract(point, '$.depth') FROM trials")
    assert {row[0] for row in depths} <= {1, 3, 5}
    exact = tune_text("300 games").replace("width = 0.5", "width = 0.62345")
    play(study_of(tmp_path, exact), tmp_path / "exact")
    first = "SELECT json_extract(point, '$.width') FROM trials WHERE number = 0"
    assert rows(tmp_path / "exact", first) == [(0.62345,)]


def test_a_grid_plays_every_point_once(tmp_path: Path) -> None:
    text = tune_text("900 games", 'sampler = "grid"\n')
    for line in ('evaluation = ["static", "lines"]\n', 'reading = ["A", "B"]\n'):
        text = text.replace(line, "")
    text = text.replace("from = 0.3, to = 1.0", "from = 0.4, to = 1.0, step = 0.3")
    play(study_of(tmp_path, text), tmp_path / "run")
    points = [row[0] for row in rows(tmp_path / "run", "SELECT point FROM trials")]
    assert len(points) == len(set(points)) == 12


def test_too_few_openings_for_repeats_end_the_search(tmp_path: Path) -> None:
    text = tune_text("900 games").replace('"connect4"', '"connect4[columns=4,rows=4]"')
    for line in ('evaluation = ["static", "lines"]\n', 'reading = ["A", "B"]\n', "width = {{ from"):
        text = text.replace(line, "")
    text = text.replace("width = { from = 0.3, to = 1.0 }\n", "").replace("to = 4 }", "to = 2 }")
    outcome = play(study_of(tmp_path, text + "[openings]\nplies = 3\n"), tmp_path / "run")
    assert outcome.stopped == ""


@pytest.mark.parametrize("kind", quick(KINDS, dear=lambda kind: kind != "scan"))
def test_a_dead_worker_costs_no_trial(calm: dict[str, Path], tmp_path: Path, kind: str) -> None:
    kills: list[int] = []
    outcome = play(study_of(tmp_path, KINDS[kind]), tmp_path / "run", 2, killing_one(kills))
    assert kills and (outcome.failures, outcome.missing, outcome.stopped) == (0, 0, "")
    assert tables(tmp_path / "run") == tables(calm[kind])


def test_the_dashboards_storage_is_brought_up_to_date(calm: dict[str, Path]) -> None:
    (calm["tune"] / JOURNAL).unlink()
    assert up_to_date(calm["tune"]) is None
    study = optuna.load_study(study_name="small-tune", storage=storage_of(calm["tune"], None))
    assert len(study.trials) == against_pool(calm["tune"])
    refused = here("dashboard", calm["scan"])
    assert refused.exit_code == 2 and "holds no tune study" in refused.stderr


@pytest.mark.slow
@dear
def test_ctrl_c_keeps_the_games_and_says_how_to_go_on(tmp_path: Path) -> None:
    study_of(tmp_path, tune_text("3000 games").replace("depth = 3", "depth = 5"))
    folder = tmp_path / "run"
    process = started("run", tmp_path / "s.toml", "-j", 2, "--out", folder)
    wait_for_games(folder, 80, process)
    kill_group(process, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "to continue: joute run" in err
    assert "The search is not finished" in out
    assert stored(folder) >= 80


@pytest.mark.slow
@dear
def test_an_opponent_that_always_fails_is_said(tmp_path: Path) -> None:
    more = '[[opponents]]\nname = "bad"\nspec = "bad:how=raise,after=0"\n'
    text = tune_text("300 games").replace("seed = 3", f'seed = 3\nplugins = ["{BAD}"]')
    head, _, rest = text.partition("[[opponents]]")
    _, _, tail = rest.partition("[tune]")
    study_of(tmp_path, f"{head}{more}[tune]{tail}")
    done = here("run", tmp_path / "s.toml", "--out", tmp_path / "run")
    assert done.exit_code == 1  # the run has failures
    page = (tmp_path / "run" / "report.html").read_text()
    assert "The opponent bad failed in" in page
    assert done.stdout.startswith("No verdict about strength: bad failed in ")


@pytest.mark.slow
def test_a_default_in_the_pool_meets_the_other_opponents_in_the_final(tmp_path: Path) -> None:
    text = tune_text("700 games").replace('name = "weak"\ndepth = 1', 'name = "itself"')
    folder = tmp_path / "run"
    play(study_of(tmp_path, text), folder)
    results = load(folder)
    final = results.seats[results.seats["stage"] == "final"]
    met = {frozenset(pair) for _, pair in final.groupby("game")["engine"]}
    best = next(name for pair in met for name in pair if name.startswith("tuned"))
    assert met == {
        frozenset(p) for p in ((best, "strong"), (best, "default"), ("default", "strong"))
    }
    assert not any("not finished" in line for line in answer(load(folder)).lines)
    # the default is searched like any point, and its games of the final are read, 1/2 against itself
    found = Search.of(results)
    tried = [trial for trial in found.trials if trial.point == found.default_point]
    assert tried and all(0.5 in trial.values for trial in tried)
    assert sum(len(trial.values) for trial in tried) >= 0.04 * sum(
        len(trial.values) for trial in found.trials
    )
    [fresh] = [trial for trial in found.confirming() if trial.point == found.default_point]
    rounds = int(results.meta["final_rounds"])
    pairs = final.groupby("block")["engine"].agg(frozenset)
    alone = pairs.index[pairs == frozenset(("default", "strong"))]
    own = final[(final["engine"] == "default") & final["block"].isin(alone)]["returns"].mean()
    assert len(fresh.values) == 2 * rounds
    assert fresh.score == pytest.approx((own + 0.5) / 2)


@pytest.mark.slow
def test_an_opponent_that_is_held_out_meets_the_final_alone(tmp_path: Path) -> None:
    text = tune_text("500 games", 'held_out = ["weak"]\n')
    folder = tmp_path / "run"
    play(study_of(tmp_path, text), folder)
    results = load(folder)
    weak = results.seats[results.seats["game"].isin(met_by(results, "weak"))]
    assert set(weak["stage"]) == {"final"}
    best = results.meta["finalist"]
    assert set(weak["engine"]) == {"weak", best, "default"}
    said = answer(results)
    found = Search.of(results)
    final = found.final()
    assert final is not None and len(final.held_out["weak"]) == int(results.meta["final_rounds"])
    assert found.games_read == len(results.games) - weak["game"].nunique()
    mine = weak[weak["engine"] == best]["returns"].mean()
    line = next(line for line in said.lines if line.startswith("Against weak, which the search"))
    assert f"{100 * mine:.1f} %" in line and "gain" in line


def met_by(results: Results, name: str) -> set[int]:
    return set(results.seats["game"][results.seats["engine"] == name])


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ('["waek"]', "tune.held_out: unknown opponent 'waek'; did you mean 'weak'?"),
        ('["weak", "strong"]', "tune.held_out: names all opponents; allowed: all but one"),
    ],
)
def test_opponents_that_cannot_be_held_out(tmp_path: Path, named: str, said: str) -> None:
    (tmp_path / "s.toml").write_text(tune_text(more=f"held_out = {named}\n"))
    done = here("run", tmp_path / "s.toml", "--out", tmp_path / "run")
    assert done.exit_code == 2 and said in done.stderr
    assert not (tmp_path / "run").exists()


FEW = """
name = "few"
kind = "tune"
game = "{}"
seed = 3
budget = "{} games"
openings = {{ plies = 2 }}
engine = {{ search = "uct", k = 1.0, iterations = 2 }}
space = {{ k = {{ from = 0.1, to = 2.0 }} }}
"""


@pytest.mark.slow
def test_a_search_of_more_blocks_than_openings_takes_longer_ones(tmp_path: Path) -> None:
    study = study_of(tmp_path, FEW.format("connect4[columns=5,rows=4]", 174))
    found = []
    for workers in (1, 2):
        folder = tmp_path / f"run{workers}"
        play(study, folder, workers)
        found.append(tables(folder))
        assert stored(folder) == 174
    assert found[0] == found[1]
    searched = "SELECT opening FROM games WHERE stage = 'search' AND seating = 0"
    lengths = [len(opening.split()) - 2 for (opening,) in rows(tmp_path / "run1", searched)]
    assert min(lengths) == 2 and max(lengths) > 2
    [said] = [text for text in warnings(load(tmp_path / "run1")) if "openings of" in text]
    assert said.startswith("There are fewer openings of 2 random plies than blocks")

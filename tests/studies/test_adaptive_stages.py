"""Stages with adaptive pairings: the same tables whatever workers, kills and growth come between."""

from __future__ import annotations

import json
import signal
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from joute.engines.errors import Refused
from joute.reports.reading.answer import match_answer
from joute.reports.reading.caveats import warnings
from joute.results.database import RunDamaged
from joute.results.standings import standings_table
from joute.results.tables import load
from joute.studies.file.validation import StudyRefused
from joute.studies.load import load_study
from joute.studies.play.estimate import blocks_tried
from joute.studies.play.merge import merge
from joute.studies.play.stage_run import check_openings
from tests.support.marks import quick
from tests.support.runs import (
    here,
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

SPECS = ["random", *(f"alphabeta:evaluation=static,depth={depth}" for depth in (1, 2, 3))]
FIELD = [*SPECS, *(f"uct:iterations={count}" for count in (5, 20))]
GROUPS = """name = "groups"
kind = "tournament"
game = "connect4"
seed = 1
[engine]
search = "alphabeta"
evaluation = "static"
[grid]
depth = [1, 2]
width = [0.5, 0.7, 1.0]
[schedule]
blocks = 8
type = "adaptive"
within = "depth"
"""


def league(specs: list[str] = FIELD, blocks: int = 10, more: str = "", **options: str) -> str:
    """Return a tournament with adaptive pairings."""
    return study_text(specs, blocks, **options) + f'type = "adaptive"\n{more}'


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A field of six, undisturbed."""
    folder = tmp_path_factory.mktemp("league") / "run"
    outcome = play(study_of(folder.parent, league()), folder)
    assert (outcome.played, outcome.missing, outcome.stopped) == (60, 0, "")
    return folder


def test_the_games_are_shared_out(calm: Path) -> None:
    results = load(calm)
    table = standings_table(results, "main").set_index("engine")
    assert table["games"].sum() == 2 * 60 and table["games"].min() >= 10
    assert table.loc["e0", "rank"] == 6 and table.loc["e0", "games"] == table["games"].min()
    assert table["games"].max() > 24 > table["games"].min()
    assert results.adaptive("main") and not results.surplus
    assert rows(calm, "SELECT COUNT(DISTINCT order_), MAX(order_) FROM games") == [(30, 29)]


@pytest.mark.parametrize("workers", quick([1, 2, 4], (4).__eq__))
def test_the_number_of_workers_changes_no_byte(calm: Path, tmp_path: Path, workers: int) -> None:
    play(study_of(tmp_path, league()), tmp_path / "run", workers)
    assert tables(tmp_path / "run") == tables(calm)


def test_a_budget_in_steps_changes_no_byte(calm: Path, tmp_path: Path) -> None:
    for games in range(6, 60, 9):
        outcome = play(study_of(tmp_path, league(), f"budget={games} games"), tmp_path / "run")
        assert outcome.stopped == "budget" and outcome.missing == 60 - stored(tmp_path / "run")
    outcome = play(study_of(tmp_path, league()), tmp_path / "run")
    assert not outcome.stopped and tables(tmp_path / "run") == tables(calm)
    assert play(study_of(tmp_path, league()), tmp_path / "run").played == 0


def test_entrants_in_another_order_play_nothing_again(calm: Path, tmp_path: Path) -> None:
    head, *parts = league().partition("[schedule]")[0].split("[[entrants]]")
    turned = "[[entrants]]".join([head, *(f"{part}\n" for part in reversed(parts))])
    study = study_of(tmp_path, f'{turned}\n[schedule]\nblocks = 10\ntype = "adaptive"\n')
    play(study, tmp_path / "run")
    assert lines_of(tmp_path / "run") == lines_of(calm)


@pytest.mark.slow
def test_kills_lose_and_repeat_nothing(tmp_path: Path) -> None:
    specs = [f"sleepy:ms=4,salt={i}" for i in range(5)]
    study = study_of(tmp_path, league(specs, 16))
    command = ["run", tmp_path / "s.toml", "-j", 2, "--out", tmp_path / "run"]
    at = 0
    for number in (4, 20, 50):
        process = started(*command)
        wait_for_games(tmp_path / "run", number, process)
        kill_group(process)
        assert process.wait() == -signal.SIGKILL
        process.communicate()
        assert (at := max(at, stored(tmp_path / "run"))) == stored(tmp_path / "run") >= number
    outcome, fresh = (play(study, tmp_path / name, 2) for name in ("run", "fresh"))
    assert outcome.played + at == fresh.played == 80
    assert tables(tmp_path / "run") == tables(tmp_path / "fresh")


def test_a_newcomer_plays_its_share_and_nothing_is_lost(tmp_path: Path) -> None:
    play(study_of(tmp_path, league(FIELD[:-1])), tmp_path / "run")
    before = {line[0] for line in lines_of(tmp_path / "run")}
    outcome = play(study_of(tmp_path, league()), tmp_path / "run")
    assert before < {line[0] for line in lines_of(tmp_path / "run")} and outcome.played == 10
    table = standings_table(load(tmp_path / "run"), "main").set_index("engine")
    assert table.loc["e5", "games"] >= 10 and table["games"].sum() == 2 * 60


def test_more_and_fewer_blocks_play_nothing_twice(calm: Path, tmp_path: Path) -> None:
    played = 0
    for blocks in (6, 3, 10):
        played += play(study_of(tmp_path, league(blocks=blocks)), tmp_path / "run").played
        assert len(load(tmp_path / "run").games) == 6 * blocks
    assert played == stored(tmp_path / "run") == 60
    assert tables(tmp_path / "run") == tables(calm)


def test_each_group_has_pairings_of_its_own(tmp_path: Path) -> None:
    play(study_of(tmp_path, GROUPS), tmp_path / "run")
    results = load(tmp_path / "run")
    table = standings_table(results, "groups")
    assert table.groupby("group")["games"].sum().tolist() == [48, 48]
    assert "The groups did not meet" in " ".join(match_answer(results).lines)


def test_the_best_by_rating_advance(tmp_path: Path) -> None:
    """Opponents differ: the mean return of an engine says little."""
    more = '[[stage]]\nentrants = "best:2"\nblocks = 2\n'
    play(study_of(tmp_path, league(more=more)), tmp_path / "run")
    results = load(tmp_path / "run")
    first = standings_table(results, "main").sort_values("rank")["engine"].tolist()
    assert {*standings_table(results, "stage-2")["engine"]} == {*first[:2]}
    assert results.adaptive("main") and not results.adaptive("stage-2")


def test_a_later_stage_follows_a_changed_field(tmp_path: Path) -> None:
    """More blocks before it may bring another field; what both fields share is not played again."""
    more = '[[stage]]\nentrants = "best:3"\nblocks = 4\ntype = "adaptive"\n'
    text = study_text(FIELD, 1) + more
    study = study_of(tmp_path, text, "schedule.blocks=1")
    play(study, tmp_path / "run")
    with sqlite3.connect(tmp_path / "run" / "run.db") as db:  # as if another one had been third
        (key, part), *_ = db.execute("SELECT key, value FROM meta WHERE key LIKE 'part %'")
        ids = {table for _, meeting in json.loads(part) for table in meeting}
        [other] = [e.engine.id for e in study.entrants if e.engine.id not in ids][:1]
        changed = part.replace(sorted(ids)[0], other)
        db.execute("UPDATE meta SET value = ? WHERE key = ?", (changed, key))
    db.close()
    assert play(study, tmp_path / "run").missing == 0
    play(study, tmp_path / "fresh")
    assert tables(tmp_path / "run") == tables(tmp_path / "fresh")


def test_three_players_meet(tmp_path: Path) -> None:
    specs = [f"uct:iterations={count}" for count in (2, 4, 8, 16)]
    text = league(specs, 3, game="tron[players=3,width=9,height=9]")
    outcome = play(study_of(tmp_path, text), tmp_path / "run")
    assert outcome.played == 4 * 6 and outcome.missing == 0
    assert "a lead of" in match_answer(load(tmp_path / "run")).lines[0]


def test_nobody_meets_twice_on_a_position_of_a_small_book(tmp_path: Path) -> None:
    pawns = ("PPPPPPP1", "1PPPPPPP")
    lines = [f"rnbqkbnr/pppppppp/8/8/8/8/{row}/RNBQKBNR w KQkq - 0 1\n" for row in pawns]
    (tmp_path / "book.epd").write_text("".join(lines))
    specs = [f"uct:iterations={count}" for count in (1, 2, 3)]
    more = '[openings]\nrecords = "book.epd"\n'
    text = league(specs, 4, game="chess[plies=100]", more=more)
    outcome = play(study_of(tmp_path, text), tmp_path / "run")
    assert outcome.played == 12 and outcome.missing == 0
    assert {*Counter(rows(tmp_path / "run", "SELECT block FROM games")).values()} == {2}
    with pytest.raises(Refused, match="only 2 distinct openings are in"):
        play(study_of(tmp_path, text, "schedule.blocks=5"), tmp_path / "run")


def test_the_answer_tells_the_lead_and_no_score(calm: Path) -> None:
    results = load(calm)
    line = match_answer(results).lines[0]
    assert " a lead of +" in line and " Elo (" in line and "of the points" not in line
    assert any("compare Elo, not scores" in text for text in warnings(results))


def test_runs_cannot_be_merged(calm: Path, tmp_path: Path) -> None:
    play(study_of(tmp_path, league()), tmp_path / "run")
    with pytest.raises(Refused, match="adaptive pairings, which follow from its own games"):
        merge([calm, tmp_path / "run"], tmp_path / "both")


def test_a_damaged_plan_is_one_line(tmp_path: Path) -> None:
    study = study_of(tmp_path, league(blocks=4))
    play(study, tmp_path / "run")
    with sqlite3.connect(tmp_path / "run" / "run.db") as db:
        db.execute("UPDATE meta SET value = '[7' WHERE key LIKE 'part %'")
    db.close()
    with pytest.raises(
        RunDamaged, match=r"is damaged: the note 'part 000000 of main' holds no pair"
    ):
        play(study_of(tmp_path, league(blocks=9)), tmp_path / "run")


def test_a_match_of_many_may_be_adaptive(tmp_path: Path) -> None:
    specs = ["connect4/random", *FIELD[1:4]]
    found = here(
        "match", *specs, "--adaptive", "--blocks", 4, "--out", tmp_path / "run", "--no-report"
    )
    assert found.exit_code == 0 and "a lead of" in found.output, found.output
    assert len(load(tmp_path / "run").games) == 16
    both = here("match", *specs, "--adaptive", "--gauntlet")
    assert both.exit_code == 2 and "gauntlet and adaptive exclude each other" in both.output
    two = here("match", *specs[:2], "--adaptive")
    assert two.exit_code == 2 and "adaptive pairings need three engines or more" in two.output


def test_a_large_field_is_planned_as_it_goes(tmp_path: Path) -> None:
    """All pairs of 600 are too many to list."""
    text = league([f"uct:iterations={1 + i}" for i in range(600)], 10)
    study = study_of(tmp_path, text, "budget=20 games")
    check_openings(study)
    assert next(iter(blocks_tried(study))).block.table
    outcome = play(study, tmp_path / "run")
    assert outcome.played == 20 and outcome.missing == 6000 - 20


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (league(SPECS[:2], game="tron[players=3]"), "schedule.type: 'adaptive' pairings of 2 entrants; allowed: 3 to 1000"),
        (league(more='against = ["e0"]\n'), "schedule.against: needs type = 'gauntlet'"),
        (
            league([f"uct:iterations={i}" for i in (1, 2, 3, 4)], game="tron[players=3]", more='[[stage]]\nentrants = "best:2"\nblocks = 1\ntype = "adaptive"\n'),
            'stage.0.entrants: "best:2": too few for \'adaptive\' pairings; allowed: at least best:3',
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_played_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "s.toml").write_text(text)
    with pytest.raises(StudyRefused) as refused:
        load_study(tmp_path / "s.toml")
    assert said in str(refused.value)

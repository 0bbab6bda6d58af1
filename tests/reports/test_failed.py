"""Of a run in which an engine failed most of the time, nothing is said about strength."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from joute.engines.programs.process import Program
from joute.reports.card import next_step
from joute.reports.kinds.tune import TuneTelling
from joute.reports.reading.caveats import failing, failures_of
from joute.reports.telling import answer, telling_of
from joute.reports.watch.pace import Progress
from joute.reports.watch.what_if import what_if
from joute.results.tables import load
from tests.support.runs import BAD, here

HEAD = f'name = "s"\ngame = "connect4"\nseed = 3\nplugins = ["{BAD}"]\n'
GAUNTLET = (
    HEAD + 'kind = "tournament"\n[schedule]\nblocks = 4\ntype = "gauntlet"\nagainst = ["random"]\n'
)
ENTRANT = '[[entrants]]\nname = "{0}"\nspec = "{1}"\n'


def played(tmp_path: Path, text: str) -> tuple[str, Path]:
    """Play a study; return what it prints, and its folder."""
    (tmp_path / "s.toml").write_text(text)
    done = here("run", tmp_path / "s.toml", "--out", tmp_path / "run", "--no-report")
    assert done.exit_code == 1
    return done.output, tmp_path / "run"


def test_a_match_with_a_program_that_crashes_has_no_verdict(tmp_path: Path) -> None:
    entrants = ENTRANT.format("random", "random") + ENTRANT.format("bot", "bad:how=raise,after=0")
    said, folder = played(tmp_path, GAUNTLET + entrants)
    results = load(folder)
    answered = answer(results)
    assert (answered.winner, answered.tied) == (None, [])
    [line] = answered.lines
    assert line.startswith("No verdict about strength: bot failed in 8 of its 8 games. The first ")
    assert line.endswith("ZeroDivisionError: the engine is wrong")
    assert line in said
    told = next_step(results, answered)
    assert told.startswith("mend it, then joute --plugin ")
    assert told.endswith("check 'connect4[columns=7,rows=6]/bad:how=raise,after=0'")
    assert f"next: {told}" in said and "nothing to do" not in said
    assert not what_if(results, answered, Progress("playing", 8, 16, False, "main", None, None, 2))
    winner = json.loads((folder / "winner.json").read_text())
    assert (winner["confirmed"], winner["why"]) == (False, line)


def test_an_engine_that_fails_in_half_of_its_games_leaves_the_verdict(tmp_path: Path) -> None:
    text = GAUNTLET.replace('["random"]', '["random", "good"]')
    good = "bad:how=good,after=0"
    for name, spec in (("random", "random"), ("good", good), ("bot", "bad:how=raise,after=99")):
        text += ENTRANT.format(name, spec)
    (tmp_path / "s.toml").write_text(text)
    done = here("run", tmp_path / "s.toml", "--out", tmp_path / "run", "--no-report")
    assert done.exit_code == 0 and "No verdict" not in done.output


def test_the_first_failure_of_many_is_to_be_looked_at(tmp_path: Path) -> None:
    entrants = ENTRANT.format("random", "random") + ENTRANT.format("bot", "bad:how=illegal,after=4")
    (tmp_path / "s.toml").write_text(GAUNTLET.replace("blocks = 4", "blocks = 10") + entrants)
    done = here("run", tmp_path / "s.toml", "--out", tmp_path / "run", "--no-report")
    results = load(tmp_path / "run")
    failures = failures_of(results)
    assert 2 <= len(failures) <= 10, "some games must end before"
    [told] = [line for line in done.output.splitlines() if line.startswith("next: ")]
    first = str(failures.iloc[0]["game"])
    assert told.startswith("next: mend bot, then play anew. The first such game: joute --plugin ")
    assert told.endswith(f" {first[:12]}")
    shown = here("replay", tmp_path / "run", first[:12])
    assert shown.exit_code == 0 and "illegal" in shown.output


def test_a_program_that_is_late_on_a_busy_machine_is_not_to_be_mended(tmp_path: Path) -> None:
    """Its turn had ended even with the time for which it had waited."""
    entrants = ENTRANT.format("random", "random") + ENTRANT.format("bot", "bad:how=illegal,after=4")
    (tmp_path / "s.toml").write_text(GAUNTLET.replace("blocks = 4", "blocks = 10") + entrants)
    here("run", tmp_path / "s.toml", "--out", tmp_path / "run", "--no-report")
    results = load(tmp_path / "run")
    program = SimpleNamespace(_process=SimpleNamespace(poll=lambda: None), owed=lambda _: 0.054)
    late = Program.silence(program, 0.1, "").text  # type: ignore[arg-type]
    busy = replace(results, failures=results.failures.assign(kind="timeout", text=late))
    told = next_step(busy, answer(busy))
    assert told.startswith(
        "play anew with fewer workers (-j 1) or longer turns: bot was late while the machine was busy. "
        "The first such game: joute --plugin "
    )
    most = replace(busy, failures=pd.concat([busy.failures] * 20, ignore_index=True))
    ids = list(most.seats["game"].unique())
    most = replace(most, failures=most.failures.iloc[: len(ids)].assign(game=ids))
    told = next_step(most, answer(most))
    assert told.startswith("play anew with fewer workers") and "To check it alone: joute" in told
    mixed = busy.failures.assign(text=[late, *["crashed"] * (len(busy.failures) - 1)])
    told = next_step(other := replace(busy, failures=mixed), answer(other))
    assert told.startswith("mend bot, then play anew.")


def test_in_a_field_of_many_who_fails_loses_and_the_others_have_a_verdict(tmp_path: Path) -> None:
    text = GAUNTLET.replace('["random"]', '["random", "good"]')
    good = "bad:how=good,after=0"
    for name, spec in (("random", "random"), ("good", good), ("bot", "bad:how=raise,after=0")):
        text += ENTRANT.format(name, spec)
    said, _ = played(tmp_path, text)
    assert "No verdict" not in said and "bot failed in 16 of its 16 games" in said


def test_of_many_failing_engines_three_are_named(tmp_path: Path) -> None:
    text = GAUNTLET + ENTRANT.format("random", "random")
    for after in range(6):
        text += ENTRANT.format(f"bot-{after}", f"bad:how=raise,after={after}")
    said, folder = played(tmp_path, text)
    results = load(folder)
    first, second, third, rest = failing(results)
    for line in (first, second, third):
        assert re.match(r"bot-\d failed in (\d) of its 8 games \(\1 crash\): ZeroDiv", line)
    assert rest == "and 3 other engines failed in the same way"
    assert f"joute: {rest}" in said


@pytest.mark.slow
@pytest.mark.parametrize("against", ["pool", "both"])
def test_a_search_whose_points_all_fail_has_no_verdict(tmp_path: Path, against: str) -> None:
    text = HEAD + (
        'kind = "tune"\nbudget = "250 games"\n[engine]\nsearch = "bad"\nhow = "raise"\n'
        "[space]\nafter = { from = 0, to = 1 }\n[[opponents]]\nspec = 'random'\n"
        f'[tune]\nagainst = "{against}"\n'
    )
    said, folder = played(tmp_path, text)
    results = load(folder)
    [line] = answer(results).lines
    assert line.startswith("No verdict about strength: default failed in ")
    if against == "pool":  # of two that fail, the first to move does
        assert ", and the points of the search in most of theirs." in line
    telling = telling_of(results)
    assert isinstance(telling, TuneTelling)
    assert telling.note.startswith("Most games were lost by failures, so they tell nothing of any ")
    assert "Keep the default" not in said and "next: mend it, then joute --plugin" in said

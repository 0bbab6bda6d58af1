"""The answer card: its verdict, and that the next command that it names can be typed."""

from __future__ import annotations

import json
import shlex
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from joute.reports.card import card_of
from joute.reports.reading.card import CONFIRM, KEEP, TAKE, UNKNOWN, Card
from joute.reports.reading.next_command import (
    confirming_match,
    export_commands,
    longer_final,
    more_games,
    playable,
)
from joute.reports.telling import answer, winner_of
from joute.results.standings import groups_of, standings_table
from joute.results.tables import load
from tests.support.runs import ROOT, cut_short, here, play, study_of
from tests.support.searches import tune_text

MATCH = """
name = "m"
kind = "match"
game = "connect4"
seed = 5
blocks = 2
[a]
spec = "{}"
[b]
spec = "random"
"""
FIELD = """
name = "t"
kind = "tournament"
game = "connect4"
seed = 5
[[entrants]]
spec = "uct:iterations=20"
[[entrants]]
spec = "uct:iterations=21"
[schedule]
blocks = 2
"""
FEW = (
    "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
    "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1",
)
STRONG = "alphabeta:evaluation=lines,depth=3"


def card_in(folder: Path) -> Card:
    """Return the card of a run."""
    results = load(folder)
    answered = answer(results)
    card = card_of(results, answered, winner_of(results, answered))
    assert card is not None
    return card


def openings_in(folder: Path) -> set[str]:
    """Return the openings of a run's games, as texts."""
    with closing(sqlite3.connect(folder / "run.db")) as store:
        return {text for (text,) in store.execute("SELECT opening FROM games")}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        (MATCH.format("random"), 4, 16),
        (FIELD, 4, 16),
        (FIELD + '[[stage]]\nentrants = "all"\nblocks = 1\n', 6, 12),  # more of the last stage
    ],
)
def test_where_nothing_is_known_the_next_command_plays_more(
    text: str, before: int, after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    play(study_of(tmp_path, text), tmp_path / "run")
    card = card_in(tmp_path / "run")
    assert card.verdict == UNKNOWN and card.title.startswith("Cannot tell")
    assert len(load(tmp_path / "run").games) == before
    assert here(*shlex.split(card.command)[1:]).exit_code == 0
    assert len(load(tmp_path / "run").games) == after


def test_a_sequential_test_that_has_ended_says_why_and_what_would_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = MATCH.format("random").replace("blocks = 2", "")
    given_up = study_of(tmp_path, text + "[sprt]\nelo1 = 5\nmax_blocks = 3\n")
    play(given_up, tmp_path / "run")
    assert "undecided after 3 blocks" in answer(load(tmp_path / "run")).lines[1]
    assert "sprt.max_blocks = 3 ends it" in answer(load(tmp_path / "run")).lines[1]
    card = card_in(tmp_path / "run")
    assert card.command.endswith("--set sprt.max_blocks=12")
    assert here(*shlex.split(card.command)[1:]).exit_code == 0
    assert len(load(tmp_path / "run").games) == 24

    few = text + '[sprt]\nelo1 = 5\n[openings]\nrecords = "few.epd"\n'
    few = few.replace('"connect4"', '"chess[plies=100]"')
    (tmp_path / "few.epd").write_text("\n".join(FEW), "utf-8")
    play(study_of(tmp_path, few), tmp_path / "few")
    assert "only 2 distinct openings are in" in answer(load(tmp_path / "few")).lines[1]
    larger = card_in(tmp_path / "few").next
    assert larger.startswith(
        "the test has not decided. With a larger book than this one of 2 openings: "
    )
    assert larger.endswith('few/study.toml --set openings.records="$PWD/FILE" --out NEW')

    decided = MATCH.format(STRONG).replace("blocks = 2", "") + "[sprt]\nelo0 = -500\nelo1 = 0\n"
    play(study_of(tmp_path, decided), tmp_path / "decided")
    assert "passed" in answer(load(tmp_path / "decided")).lines[1]
    assert "export" in card_in(tmp_path / "decided").next
    other = MATCH.format("random").replace("blocks = 2", "[sprt]\nelo0 = 500\nelo1 = 900\n")
    play(study_of(tmp_path, other), tmp_path / "failed")
    assert "failed" in answer(load(tmp_path / "failed")).lines[1]
    assert card_in(tmp_path / "failed").next == ""


def test_a_book_that_is_used_up_is_said_and_one_that_is_not_is_played_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "few.epd").write_text("\n".join(FEW), "utf-8")
    text = MATCH.format("random").replace('"connect4"', '"chess[plies=100]"')
    text = text.replace("blocks = 2", "blocks = 1") + '[openings]\nrecords = "few.epd"\n'
    play(study_of(tmp_path, text), tmp_path / "run")
    assert card_in(tmp_path / "run").command.endswith("--set blocks=2")
    assert here(*shlex.split(card_in(tmp_path / "run").command)[1:]).exit_code == 0
    assert card_in(tmp_path / "run").next == (
        "nothing to do. With a larger book than this one of 2 openings: joute run run/study.toml "
        '--set openings.records="$PWD/FILE" --out NEW --set blocks=8'
    )


def test_of_a_run_that_was_stopped_the_next_command_plays_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study = study_of(tmp_path, MATCH.format("random").replace("blocks = 2", "blocks = 9"))
    stopped = tmp_path / "run"
    once = iter([signal.SIGINT])

    def stop(games: int) -> None:
        for asked in once:
            signal.raise_signal(asked)

    play(study, stopped, advance=stop)
    assert 0 < len(load(stopped).games) < 18
    told = here("report", "run")
    assert f"The run is not over: {len(load(stopped).games)} of 18 games are played." in told.stdout
    card = card_in(stopped)
    assert card.command == "joute run run/study.toml --out run"
    assert ("not over", f"{len(load(stopped).games)} of 18 games are played") in card.facts
    assert here(*shlex.split(card.command)[1:]).exit_code == 0
    assert len(load(stopped).games) == 18
    assert "not over" not in dict(card_in(stopped).facts)


def test_a_command_of_a_run_elsewhere_can_be_typed_and_its_page_names_no_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(study_of(tmp_path, MATCH.format("random")), tmp_path / "run")
    (tmp_path / "else").mkdir()
    monkeypatch.chdir(tmp_path / "else")
    told = here("report", tmp_path / "run").stdout
    command = next(line for line in told.splitlines() if line.startswith("next: "))
    assert str(tmp_path) not in (tmp_path / "run" / "report.html").read_text("utf-8")
    assert here(*shlex.split(command)[2:]).exit_code == 0
    assert len(load(tmp_path / "run").games) == 16


def test_a_match_of_two_says_one_thing_in_its_answer_and_in_its_tables(tmp_path: Path) -> None:
    text = MATCH.format(STRONG).replace("blocks = 2", "blocks = 9")
    play(study_of(tmp_path, text), tmp_path / "run")
    results = load(tmp_path / "run")
    first, second = standings_table(results, "main").to_dict("records")
    found = groups_of(results, "main")[0].estimate(first["engine"])
    ends = (found.elo, found.elo_low, found.elo_high)
    elo, *limits = (end if end is None else end / 2 for end in ends)
    assert [first["elo_low"], first["elo_high"]] == limits
    assert first["elo"] == (None if None in limits else elo)
    assert second["elo_high"] == (first["elo_low"] and -first["elo_low"])
    assert second["los_vs_best"] == (found.los and 1 - found.los)
    assert (second["tied_with_best"], answer(results).winner) == (False, first["engine"])


def test_a_winner_is_taken_and_the_page_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = MATCH.format(STRONG).replace("blocks = 2", "blocks = 12")
    play(study_of(tmp_path, text), tmp_path / "run")
    card = card_in(tmp_path / "run")
    assert card.verdict == TAKE and dict(card.facts)["scores"].endswith("games of the stage main")
    assert here(*shlex.split(card.command)[1:]).exit_code == 0 and [*Path().glob("*.py")]
    assert here("report", "run").exit_code == 0
    page = (tmp_path / "run" / "report.html").read_text()
    assert f'<p class="verdict">{card.title}</p>' in page and card.command in page


LEADER = """
name = "t"
kind = "tournament"
game = "connect4"
seed = 1
[[entrants]]
spec = "alphabeta:evaluation=lines,depth=4"
[[entrants]]
spec = "random"
[[entrants]]
spec = "uct:iterations=2"
[openings]
plies = 6
[schedule]
blocks = 12
"""


def test_the_best_of_a_field_is_to_be_confirmed_by_a_match_that_can_be_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    play(study_of(tmp_path, LEADER), tmp_path / "run")
    card = card_in(tmp_path / "run")
    assert card.verdict == CONFIRM and card.title == "Confirm alphabeta, which leads"
    words = shlex.split(card.command)
    assert words[1] == "match" and words[-4:] == shlex.split("--like run --blocks 12")
    assert here(*words[1:], "--out", "match", "--no-report").exit_code == 0
    assert card_in(tmp_path / "match").verdict == TAKE
    assert not openings_in(tmp_path / "run") & openings_in(tmp_path / "match")


def test_the_match_that_is_to_confirm_has_the_book_and_the_clock_of_its_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pawns = [f"{i or ''}P{7 - i or ''}" for i in range(8)]
    (tmp_path / "few.epd").write_text(
        "\n".join(f"rnbqkbnr/pppppppp/8/8/{row}/8/8/RNBQKBNR b KQkq - 0 1" for row in pawns)
    )
    text = """
name = "b"
kind = "tournament"
game = "chess[plies=100]"
seed = 5
[[entrants]]
spec = "alphabeta:evaluation=tapered,depth=2"
[[entrants]]
spec = "random"
[[entrants]]
spec = "uct:iterations=2"
[openings]
records = "few.epd"
[time]
clock = "5+0.1"
[schedule]
blocks = 6
"""
    play(study_of(tmp_path, text), tmp_path / "run")
    results = load(tmp_path / "run")
    best = winner_of(results)
    assert best is not None
    words = shlex.split(confirming_match(results, best))
    assert words[-4:] == ["--like", "run", "--blocks", "6"] and words[2:4][0] == best.name
    words[words.index("--blocks") + 1] = "2"
    assert here(*words[1:], "--out", "match", "--no-report").exit_code == 0
    match = load(tmp_path / "match")
    assert len(match.games) == 4
    assert {*match.engines["name"]} == {*words[2:4]}  # as they were called
    own, first = match.meta.study, results.meta.study
    assert own["openings"] == first["openings"] | {"start": 7}
    assert own["time"]["clock"] == "5+0.1" and own["seed"] == first["seed"] + 1
    nobody = here("match", "nobody", "random", "--like", "run")
    assert nobody.exit_code == 2 and "run: unknown engine 'nobody'" in nobody.stderr
    assert here(*words[1:], "--clock", "6", "--out", "other", "--no-report").exit_code == 0
    assert load(tmp_path / "other").meta.study["time"]["clock"] == "6"
    assert not openings_in(tmp_path / "run") & openings_in(tmp_path / "match")


GRID = """
name = "g"
kind = "tournament"
game = "connect4[columns=5,rows=4]"
seed = 5
[engine]
search = "alphabeta"
evaluation = "lines"
[grid]
depth = [1, 2, 4]
width = [0.5, 1.0]
[openings]
plies = 2
[schedule]
blocks = 10
"""


def test_the_best_at_the_end_of_a_grid_says_where_nothing_was_tried(tmp_path: Path) -> None:
    play(study_of(tmp_path, GRID), tmp_path / "run")
    card = card_in(tmp_path / "run")
    assert card.engine == "depth=4,width=1"
    assert dict(card.facts)["not tried"] == "depth above 4"  # two widths are no range
    play(study_of(tmp_path, GRID.replace("[0.5, 1.0]", "[0.1, 0.2, 0.3]")), tmp_path / "narrow")
    best = card_in(tmp_path / "narrow")
    assert best.engine == "depth=4,width=0.3"
    assert dict(best.facts)["not tried"] == "depth above 4 and width above 0.3"
    play(study_of(tmp_path, GRID.replace("[1, 2, 4]", "[1, 2]")), tmp_path / "two")
    assert "not tried" not in dict(card_in(tmp_path / "two").facts)


def test_groups_that_did_not_meet_have_no_engine_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A budget ends the run before the firsts of the groups meet: the next command raises it."""
    monkeypatch.chdir(tmp_path)
    grid, _, _ = GRID.partition("[schedule]")
    grid = grid.replace("seed = 5", 'seed = 5\nbudget = "8 games"')
    text = f"{grid}[schedule]\nwithin = 'depth'\nblocks = 2\n[[stage]]\nentrants = 'best-per:depth'\nblocks = 2\n"
    play(study_of(tmp_path, text), tmp_path / "run")
    card = card_in(tmp_path / "run")
    assert card.title == "Cannot tell: the groups did not meet" and not card.engine
    assert here(*shlex.split(card.command)[1:]).exit_code == 0
    assert len(load(tmp_path / "run").games) > 8


def test_a_short_scan_does_not_keep_the_default_for_good(tmp_path: Path) -> None:
    text = """
name = "k"
kind = "scan"
game = "connect4[columns=5,rows=4]"
seed = 1
budget = "60 games"
[engine]
search = "uct"
iterations = 10
[space]
k = { from = 0.9, to = 1.1 }
"""
    play(study_of(tmp_path, text), tmp_path / "run")
    card = card_in(tmp_path / "run")
    assert card.title == "Cannot tell yet, so keep default"
    assert card.command.endswith("--set 'budget=240 games'")


def test_a_run_that_is_not_over_says_so_first_and_how_to_go_on(tmp_path: Path) -> None:
    text = """
name = "short"
kind = "tournament"
game = "connect4[columns=5,rows=4]"
seed = 1
[engine]
search = "alphabeta"
evaluation = "lines"
[grid]
depth = [1, 2, 3]
[schedule]
blocks = 10
"""
    run = tmp_path / "run"
    play(study_of(tmp_path, text), run)
    assert not answer(load(run)).lines[0].startswith("So far")
    cut_short(run)
    assert answer(load(run)).lines[0].startswith("So far (60 of 1,000,000 games are played): ")
    card = card_in(run)
    assert card.title == "Not over: depth=3 leads so far"
    assert shlex.split(card.command)[1:] == ["run", "study.toml", "--out", "run"]


def test_a_scan_whose_best_lies_at_an_end_is_to_be_widened_first(tmp_path: Path) -> None:
    text = """
name = "deep"
kind = "scan"
game = "connect4[columns=5,rows=4]"
seed = 1
budget = "160 games"
[engine]
search = "alphabeta"
evaluation = "lines"
depth = 1
[space]
depth = { from = 1, to = 3 }
"""
    play(study_of(tmp_path, text), tmp_path / "run")
    card = card_in(tmp_path / "run")
    assert card.title == "Cannot tell yet: depth = 3 looks best"
    assert dict(card.facts)["scores"].endswith("expected, by the model of all 160 games")
    assert not card.command and card.lead == "Widen [space] and run with another --out."
    assert card.more[0] == "To play on all the same" and "budget=640 games" in card.more[1]


def test_a_default_that_is_its_own_opponent_has_no_score_worth_telling(tmp_path: Path) -> None:
    text = """
name = "even"
kind = "tune"
game = "connect4[columns=5,rows=4]"
seed = 3
budget = "180 games"
[engine]
search = "alphabeta"
evaluation = "lines"
depth = 1
width = 0.9
[space]
width = { from = 0.8, to = 1.0 }
"""
    play(study_of(tmp_path, text), tmp_path / "run")
    card = card_in(tmp_path / "run")
    assert card.engine == "default"
    assert "%) against it, in 14 games of the stage final" in dict(card.facts)["scores"]


@pytest.mark.slow
def test_a_search_has_a_card_and_its_points_can_be_exported(tmp_path: Path) -> None:
    play(study_of(tmp_path, tune_text("200 games")), tmp_path / "run", workers=2)
    card = card_in(tmp_path / "run")
    assert card.verdict in (KEEP, TAKE, UNKNOWN) and "run" in card.command
    for point, why in (
        ("trial-3", "the point of trial-3"),
        ("expected", "the model of all games"),
        ("tuned-1", "tuned-1, exported on request"),
    ):
        file = tmp_path / f"{point}.json"
        done = here("export", tmp_path / "run", "--to", "json", "--point", point, "-o", file)
        assert done.exit_code == 0 and why in file.read_text(), done.stderr
        assert f"--point {point}" in file.read_text() and f"-o {file.name}" in file.read_text()
    said = here("export", tmp_path / "run", "--to", "json", "--point", "trial-9999").stderr
    assert "--point trial-9999: allowed: " in said and "tuned-1" in said
    assert ", expected, trial-0 to trial-" in said


def test_the_page_begins_with_the_studys_question_and_its_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.toml").write_text(f"# Is <20> enough?\n{FIELD}")
    assert here("run", "s.toml", "--out", "run").exit_code == 0
    page = Path("run/report.html").read_text()
    assert "<p>Is &lt;20&gt; enough?</p>" in page and f" · last played {date.today().year}-" in page
    assert here("run", "run/study.toml", "--out", "run").exit_code == 0  # it has no comment
    assert "enough?</p>" in Path("run/report.html").read_text()


OWN = """
name = "own"
kind = "match"
game = "connect4[columns=4,rows=4]"
seed = 5
blocks = 6
[parameters]
k = {{ kind = "float", default = 1.0, meaning = "how bold" }}
[a]
search = "process"
command = "{bot}"
k = 2.0
[b]
spec = "alphabeta:evaluation=lines,depth=3"
"""


def test_the_exports_of_a_programs_run_can_be_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that plays cannot be written of a program: its parameters can."""
    monkeypatch.chdir(tmp_path)
    bot = f"{sys.executable} -S {ROOT}/examples/json_lines/bot.py --first {{k}}"
    play(study_of(tmp_path, OWN.format(bot=bot)), tmp_path / "run")
    results = load(tmp_path / "run")
    best = winner_of(results)
    assert best is not None
    engine = next(row.spec for row in results.engines.itertuples() if "process" in row.spec)
    commands = export_commands(results, replace(best, engine=engine, confirmed=False))
    assert [command.partition("--to ")[2] for command in commands] == [
        "toml --anyway",
        "header -o winner.h --anyway",
    ]
    Path("own.toml").write_text("the study\n")  # the name that an export must not need
    for command in commands:
        assert here(*shlex.split(command)[1:]).exit_code == 0, command
    assert Path("own.toml").read_text() == "the study\n" and Path("own_winner.toml").is_file()


def test_of_a_program_without_parameters_there_is_nothing_to_export() -> None:
    text = 'chess/process:command=x,protocol=uci,depth=4,options="Hash=1"'
    assert playable(text) == "" and playable(text.replace("Hash=1", "Hash={h}") + ",h=2") == "uci"
    assert playable("connect4/human") == ""


def test_an_engine_of_ones_own_class_leaves_as_constants_not_as_a_file_that_plays() -> None:
    code = (
        "from joute.reports.reading.next_command import playable\n"
        "from joute.engines.registry import load_plugin\n"
        f"load_plugin({str(ROOT / 'examples/careful.py')!r})\n"
        "print(playable('connect4/careful:fear=1'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "header\n"


def test_a_settled_default_leaves_nothing_to_do(tmp_path: Path) -> None:
    play(study_of(tmp_path, MATCH.format("random")), tmp_path / "run")
    results = load(tmp_path / "run")
    best = winner_of(results)
    assert best is not None
    results.meta["search"] = json.dumps({"default": best.name})
    vars(results).pop("search", None)
    for gain, step in (
        (0.009, "nothing to do. To look for gains below 1 point: joute run "),
        (0.018, "keep it, or go on. To look for gains below 2 points: joute run "),
    ):
        card = card_of(results, replace(answer(results), gain_below=gain), best)
        assert card is not None and card.verdict == KEEP and card.next.startswith(step), card
    unsure = replace(answer(results), undecided=True, beside="tuned-1: 51.0 %")
    card = card_of(results, unsure, best)
    assert card is not None and card.title == f"Cannot tell yet, so keep {best.name}"
    assert card.next.startswith("nothing to do. To play on all the same: joute run ")
    assert dict(card.facts)["scores"].endswith("; tuned-1: 51.0 %")
    card = card_of(results, replace(unsure, more=300), best)
    assert card is not None and card.next.startswith("joute run ")
    card = card_of(results, replace(unsure, match=("saves games", "joute match a b")), best)
    assert card is not None and card.next == "joute match a b"
    assert dict(card.facts)["a match"] == "saves games"
    card = card_of(results, replace(unsure, longer=15), best)
    assert card is not None and card.next.endswith(" --set final.blocks=60")


def test_a_test_that_did_not_decide_goes_on() -> None:
    assert longer_final({"final": {"sprt": {"elo1": 5}}}, 500) == "final.sprt.max_blocks=2000"


@pytest.mark.parametrize(
    ("study", "more", "setting"),
    [
        ({"budget": "4000 games"}, 3000, "'budget=7000 games'"),
        ({"budget": "4000 games"}, 3020, "'budget=7100 games'"),
        ({"budget": "16000 games"}, 9_000, "'budget=25000 games'"),
        ({"budget": "4000 games"}, None, "'budget=16000 games'"),
        ({"budget": "2h"}, 3000, ""),
        ({"blocks": 50}, None, "blocks=200"),
    ],
)
def test_the_next_command_plays_as_many_games_as_may_settle_it(
    study: dict[str, object], more: int | None, setting: str
) -> None:
    assert more_games(study, more) == setting


def test_a_page_that_tells_all_is_not_drawn_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study_of(tmp_path, MATCH.format("random"))
    page = tmp_path / "run" / "report.html"

    def run(*more: str) -> str:
        done = here("run", "s.toml", "--out", "run", "-j", "1", *more)
        assert done.exit_code == 0 and "report: run/report.html" in done.stdout
        return page.read_text("utf-8")

    drawn = run()
    page.write_text(f"{drawn}<!-- mine -->", "utf-8")
    assert run().endswith("<!-- mine -->")  # nothing was played, and it tells the same
    assert not run("--set", "blocks=3").endswith("<!-- mine -->")
    page.unlink()
    assert "joute-stamp" in run("--set", "blocks=3")

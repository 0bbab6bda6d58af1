"""Two runs compared: luck is called luck, a planted difference is found, a game counts once."""

from __future__ import annotations

import itertools
import json
import re
import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from joute.cli import main
from joute.engines.parameter import text_of
from joute.engines.record import EngineRecord, GameRecord
from joute.reports.compare.answer import answer, beware
from joute.reports.compare.answer import recommended as recommended_of
from joute.reports.compare.comparison_page import data, render, row, write_comparison
from joute.reports.compare.difference import holm
from joute.reports.compare.pairs import CHANGED, CODE, INSTEAD, SAME
from joute.reports.compare.run_pair import Comparison, compare
from joute.reports.compare.searches import disjoint
from joute.reports.compare.study_differences import Differences, Parameters, flat
from joute.results.quantity import ELO, POINTS, SHARE, Quantity
from joute.results.store import Store
from joute.studies.file.differences import Change, CodeChange, EntrantChange, changes
from tests.support import synthetic_runs as runs
from tests.support.runs import ROOT, here, play, study_of


class Fresh(runs.Players):
    """Players whose blocks and openings belong to their seed, as those of a study do."""

    def __init__(self, strengths: dict[str, float], seed: int) -> None:
        super().__init__(strengths, seed)
        self.salt = seed

    def game(self, *args: object) -> GameRecord:  # type: ignore[override]
        *head, block, group, opening = args
        salted = (runs.digest(f"{self.salt} {block}"), group, f"{opening} {self.salt}")
        return super().game(*head, *salted)  # type: ignore[arg-type]


def tournament(
    folder: Path,
    elo: dict[str, float],
    seed: int = 1,
    blocks: int = 40,
    stage: str = "main",
    records: dict[str, EngineRecord] | None = None,
    **meta: str,
) -> Path:
    """Store a round robin between engines of these strengths, in Elo; `seed` decides all luck."""
    made = {name: runs.engine(name, width=sum(name.encode())) for name in elo}
    made |= records or {}
    players = Fresh({made[name].id: value for name, value in elo.items()}, seed)
    with Store.create(folder) as store:
        store.add_engines(made[name] for name in elo)
        store.set_meta({**runs.META, "stages": json.dumps([stage]), "seed": str(seed), **meta})
        games = []
        for number in range(blocks):
            for i, (a, b) in enumerate(itertools.combinations(elo, 2)):
                games += players.pair(made[a].id, made[b].id, stage, number, 100 * number + i)
        store.add_games(games)
    return folder


def three(tmp_path: Path, name: str, seed: int, **changes: float) -> Path:
    return tournament(tmp_path / name, {"one": 0.0, "two": 30.0, "six": -20.0, **changes}, seed)


def both(first: Path, second: Path) -> tuple[Comparison, list[str], str]:
    found = compare(first, second)
    page = render(found, "compare.csv")
    said = answer(found)
    json.dumps(data(found, first, second))
    for text in (*said, *beware(found), page):
        assert not re.search(r"\bnan\b|\binf\b|0\.00 to 0\.00|± ?0\.0", text), text
    return found, said, page


def width(found: Quantity) -> float:
    """Return the width of an interval; fails where there is none."""
    assert found.low is not None and found.high is not None
    return found.high - found.low


@pytest.mark.slow
def test_the_same_study_with_another_seed_differs_by_luck_in_a_fair_share(tmp_path: Path) -> None:
    alone, real = [], []
    for i in range(12):
        one, two = (three(tmp_path, f"{i}{name}", 2 * i + j) for j, name in enumerate("ab"))
        lines = compare(one, two).scores.engines
        assert len(lines) == 3
        alone += [line.alone for line in lines]
        real.append(any(line.real for line in lines))
    assert np.mean(alone) <= 0.17 and sum(real) <= 2  # 36 intervals and 12 tests at 5 %


def test_a_planted_difference_is_found_and_said_first(tmp_path: Path) -> None:
    names = {"one": 0.0, "two": 30.0}
    old = tournament(tmp_path / "a", {**names, "mine": -40.0}, 1, 120)
    text = "connect4[columns=12,rows=6]/alphabeta:width=9"
    new = runs.engine("mine", width=9)
    records = {"mine": EngineRecord(new.id, "mine", text, {"width": 9}, new.digest)}
    found, said, page = both(
        old, tournament(tmp_path / "b", {**names, "mine": 120.0}, 2, 120, records=records)
    )
    lines = {line.engine.a: line for line in found.scores.engines}
    assert lines["mine"].engine.how == CHANGED and lines["mine"].real
    assert lines["mine"].same_field and (lines["mine"].difference.value or 0) > 0.1
    gap = lines["mine"].elos[2]
    assert gap.value == pytest.approx(160 * 0.85, abs=60)  # 15 % of the games are drawn
    assert not lines["one"].same_field and lines["one"].elos[2].value is None
    assert not lines["one"].real, "its opponent of both is as strong as before"
    assert said[0].startswith("More than luck: 1 of 2 scores differs at 95 % (Holm")
    assert said[1].startswith("mine scores ")
    assert "★ more than luck" in page
    assert any("opponents of one differ between the runs" in text for text in beware(found))


def test_independent_variances_add(tmp_path: Path) -> None:
    found = compare(three(tmp_path, "a", 1), three(tmp_path, "b", 2))
    for line in found.scores.engines:
        a, b, gap = map(width, line.scores)
        assert gap == pytest.approx(np.hypot(a, b), rel=1e-9)
        a, b, gap = map(width, line.elos)
        assert gap == pytest.approx(np.hypot(a, b), rel=0.1)
        for one, two, less in (line.scores, line.elos):
            assert less.value == pytest.approx((two.value or 0) - (one.value or 0), abs=1e-9)


def test_the_same_games_are_the_same_data(tmp_path: Path) -> None:
    short = tournament(tmp_path / "short", {"one": 0.0, "two": 30.0}, 7, 40)
    whole = tournament(tmp_path / "whole", {"one": 0.0, "two": 30.0}, 7, 60)
    other = tournament(tmp_path / "other", {"one": 0.0, "two": 30.0}, 8, 60)
    found, said, _ = both(short, whole)
    assert (len(found.shared.same), found.shared.otherwise) == (80, 0)
    assert any("80 of the 120 games of B are the same games" in text for text in said)
    grown, apart = found.scores.engines[0], compare(short, other).scores.engines[0]
    assert width(grown.difference) < 0.7 * width(apart.difference)

    again = tournament(tmp_path / "again", {"one": 0.0, "two": 30.0}, 7, 40)
    found, said, page = both(short, again)
    assert found.shared.all and said[0].startswith("The two runs hold the same 80 games")
    [line] = found.scores.engines
    assert line.p is None and line.difference.low is None and not line.real and not line.alone
    assert "the same games" in page and row("engine", line)["difference_low"] is None


def test_openings_of_both_runs_are_paired(tmp_path: Path) -> None:
    """Same ids and openings, played otherwise by other code: told apart from the same games."""
    coded = runs.engine("two", width=sum(b"two"))
    records = {"two": EngineRecord(coded.id, "two", coded.spec, coded.parameters, "new code")}
    one = tournament(tmp_path / "a", {"one": 0.0, "two": 30.0}, 7)
    two = tournament(tmp_path / "b", {"one": 0.0, "two": 80.0}, 7, records=records)
    found, said, _ = both(one, two)
    assert len(found.shared.same) + found.shared.otherwise == 80
    assert 0 < found.shared.otherwise < 40
    assert any("with the same id, openings and seeds went differently" in text for text in said)
    assert [pair.how for pair in found.scores.pairs] == [SAME, CODE]
    assert any("The code of two" in text for text in beware(found))
    [line] = found.scores.engines
    a, b, gap = map(width, line.scores)
    assert gap < 0.8 * np.hypot(a, b)
    with sqlite3.connect(two / "run.db") as database:
        database.execute("UPDATE games SET opening = 'another ' || opening")
    found, said, _ = both(one, two)
    assert found.shared.otherwise == 0 and not any("went differently" in text for text in said)


def test_other_opponents_leave_the_pairings_of_both(tmp_path: Path) -> None:
    old = tournament(tmp_path / "a", {"one": 0.0, "two": 30.0, "six": 0.0, "ten": 200.0}, 1)
    new = tournament(tmp_path / "b", {"one": 0.0, "two": 30.0, "six": 0.0}, 2)
    found, _, page = both(old, new)
    assert [line.met for line in found.scores.engines] == [(3, 2)] * 3
    assert all(len(line.opponents) == 2 for line in found.scores.engines)
    assert all(one.value is None for line in found.scores.engines for one in line.elos)
    assert len(found.scores.pairings) == 3 and all(
        len(line.opponents) == 1 for line in found.scores.pairings
    )
    parts = [line.scores[0].value for line in found.scores.pairings if line.engine.a == "one"]
    [whole] = [line.scores[0].value for line in found.scores.engines if line.engine.a == "one"]
    assert whole == np.mean([part or 0 for part in parts])
    assert "Pairings in both runs" in page
    keys = [frozenset((p.engine, *p.opponents)) for p in found.scores.pairings]
    assert len(keys) == len(set(keys))


def test_one_engine_in_place_of_another(tmp_path: Path) -> None:
    base, new = runs.engine("base", width=0), runs.engine("new", width=5)
    one = tournament(tmp_path / "a", {"base": 0.0, "old": 0.0}, 1, 80, records={"base": base})
    two = tournament(
        tmp_path / "b", {"base": 0.0, "new": 150.0}, 2, 80, records={"base": base, "new": new}
    )
    found, said, _ = both(one, two)
    [line] = found.scores.engines
    assert (line.engine.how, line.engine.label) == (INSTEAD, "old → new")
    assert (
        line.real and line.same_field and said[0] == "More than luck: 1 of 1 score differs at 95 %."
    )
    assert any("compared by their scores" in text for text in beware(found))


def test_stages_that_only_one_run_has(tmp_path: Path) -> None:
    one = tournament(tmp_path / "a", {"one": 0.0, "two": 0.0}, 1, 10)
    two = tournament(tmp_path / "b", {"one": 0.0, "two": 0.0}, 2, 10, stage="finals")
    found, said, _ = both(one, two)
    assert not found.scores.engines and "no stage of run A has the name of one of run B" in said[0]
    assert sum("not compared" in text for text in beware(found)) == 2
    short, long = (
        runs.campaign(tmp_path / n, (4, 5), b, s) for n, b, s in (("c", 4, 1), ("d", 6, 2))
    )
    found, said, page = both(short, long)
    assert {line.stage for line in found.scores.engines} == {"widths", "champions"}
    assert "in 2 stages" in said[0] and "Fewer than 30 openings" in page


def test_one_sided_results_have_an_interval_all_the_same(tmp_path: Path) -> None:
    one, two = (tournament(tmp_path / n, {"one": 9e3, "two": 0.0}, s) for s, n in enumerate("ab"))
    for folder in (one, two):  # no draws: the stronger wins every game
        with Store.open(folder, write=True) as store, store._transaction() as db:
            db.execute(
                "UPDATE seats SET rank = 1 + (engine != (SELECT id FROM engines WHERE name = 'one'))"
            )
            db.execute("UPDATE seats SET returns = 2 - rank")
    found, _, _ = both(one, two)
    [line] = found.scores.engines
    gap = line.difference
    assert gap.value == 0 and gap.low is not None and gap.high is not None
    assert gap.low < -0.02 and gap.high > 0.02 and not line.alone


def test_names_are_escaped_wherever_they_are_shown(tmp_path: Path) -> None:
    bad = "<script>alert('x')</script>$^{$"
    records = {bad: EngineRecord("bad", bad, "connect4/x:" + bad, {}, "c")}
    a, b = (
        tournament(tmp_path / n, {bad: 0.0, "two": 0.0}, s, records=records, name=bad)
        for s, n in enumerate("ab")
    )
    _, _, page = both(a, b)
    assert "<script" not in page and "&lt;script&gt;" in page
    assert page.count("<table") == page.count("</table>") and page.rstrip().endswith("</html>")
    loads = re.findall(r'(?:src|href)="([^"]*)"', page)
    assert all(one.startswith("#") for one in loads)
    ids = re.findall(r'\bid="([^"]*)"', page)
    assert len(ids) == len(set(ids))


def test_a_run_without_games(tmp_path: Path) -> None:
    one = tournament(tmp_path / "a", {"one": 0.0, "two": 0.0}, blocks=0)
    two = tournament(tmp_path / "b", {"one": 0.0, "two": 0.0}, 2)
    assert both(one, two)[1][0] == "Run A has no game yet, so there is nothing to compare."
    assert both(two, one)[1][0].startswith("Run B has no game yet")


def test_runs_that_cannot_be_compared_are_refused(tmp_path: Path) -> None:
    one, two = three(tmp_path, "a", 1), three(tmp_path, "b", 2)
    with Store.open(two, write=True) as store:
        store.set_meta({"game": "dodo[side=4]"})
    for request, said in (
        ([one, two], "different games"),
        ([one, tmp_path / "b" / ".." / "a"], "the same run"),
        ([one, tmp_path / "none"], "there is no run in"),
        ([one, "--out", tmp_path / "x.html"], "--out needs two runs to compare"),
    ):
        found = CliRunner().invoke(main, ["report", *map(str, request)])
        assert found.exit_code == 2 and said in found.stderr and found.stderr.count("\n") == 1
    assert not list(tmp_path.rglob("compare.*")) and not list(tmp_path.rglob("*.html"))


def test_the_front_door(tmp_path: Path) -> None:
    one, two = three(tmp_path, "a", 1), three(tmp_path, "b", 2)
    found = CliRunner().invoke(main, ["report", str(one), str(two)])
    assert found.exit_code == 0 and found.stdout.endswith(f"report: {one / 'compare.html'}\n")
    table = pd.read_csv(one / "compare.csv")
    assert list(table["of"]) == ["engine"] * 3 and table["difference"].abs().max() < 1
    assert not list(two.glob("compare*"))
    out = tmp_path / "page.html"
    found = CliRunner().invoke(main, ["report", str(one), str(two), "-o", str(out), "--json"])
    told = json.loads(found.stdout)
    assert told["report"] == str(out) and len(told["engines"]) == 3 and told["correction"] == "holm"
    for wrong in ("page.txt", "none/page.html"):
        found = CliRunner().invoke(
            main, ["report", str(one), str(two), "-o", str(tmp_path / wrong)]
        )
        assert found.exit_code == 2 and found.stderr.count("\n") == 1


def test_the_same_comparison_is_the_same_page(tmp_path: Path) -> None:
    one, two = three(tmp_path, "a", 1), three(tmp_path, "b", 2)
    tables = [write_comparison(compare(one, two), tmp_path / f"{n}.html") for n in "xy"]
    assert tables[0].read_bytes() == tables[1].read_bytes()
    pages = [(tmp_path / f"{n}.html").read_text().replace(f"{n}.csv", "") for n in "xy"]
    assert pages[0] == pages[1]


def test_what_differs_before_a_game_is_played(tmp_path: Path) -> None:
    text = 'kind = "match"\n[schedule]\nblocks = {}\n[[stage]]\nname = "last"\nblocks = 5\n'
    one = tournament(tmp_path / "a", {"one": 0.0, "two": 0.0}, 1, study=text.format(10), commit="x")
    two = tournament(tmp_path / "b", {"one": 0.0, "two": 0.0}, 2, study=text.format(20))
    found = compare(one, two).study
    assert found == Differences(
        plan=[Change("seed", "1", "2")],
        rest=[Change("schedule.blocks", 10, 20), Change("commit", "x", "0123456789ab")],
    )
    assert found.texts() == [
        "seed: was 1, is now 2",
        "schedule.blocks: was 10, is now 20",
        "commit: was x, is now 0123456789ab",
    ]
    assert flat({"a": [{"name": "x", "b": True}], "c": [1], "d": 0.5}) == {
        **{"a.x.name": "x", "a.x.b": "true"},
        **{"c": ["1"], "d": 0.5},
    }


def test_entrants_that_changed_are_values(tmp_path: Path) -> None:
    """From A to B the widths of `one` and `two` change alike, six entrants go and one comes."""
    many = [f"n{i}" for i in range(6)]
    folders = []
    for name, wide in (("a", 1), ("b", 2)):
        made = {n: runs.engine(n, width=wide) for n in ("one", "two")}
        made |= {n: runs.engine(n, depth=i) for i, n in enumerate(many)} if wide == 1 else {}
        made |= {"six": runs.engine("six", depth=9)} if wide == 2 else {}
        entrants = {n: record.spec for n, record in made.items()}
        identity = {"entrants": entrants, "game": "g", "seed": 1, "openings": {}, "stages": []}
        meta = {"identity": json.dumps({**identity, "move_time_ms": None})}
        folders.append(
            tournament(tmp_path / name, dict.fromkeys(made, 0.0), 1, 2, "main", made, **meta)
        )
    found = compare(*folders).study
    assert found.moved == [Parameters(["one", "two"], (Change("width", 1, 2),))]
    assert [(one.what, one.after) for one in found.gone] == [(name, None) for name in many]
    assert [(one.what, one.before) for one in found.added] == [("six", None)]
    spec = runs.engine("n0", depth=0).spec
    assert found.texts() == [
        f"entrant n0: is gone ({spec})",
        *(f"entrant n{i}: is gone ({spec.replace('depth=0', f'depth={i}')})" for i in (1, 2, 3)),
        "2 more entrants of A are missing",
        "2 entrants (one and two), width: was 1, is now 2",
        f"entrant six: is new ({spec.replace('depth=0', 'depth=9')})",
    ]
    assert found.brief() == (
        "What differs: entrant n0: is gone; entrant n1: is gone; entrant n2: is gone; 4 more."
    )
    assert Differences().brief().startswith("The studies, the code and the versions are the same")
    long = Differences(rest=[Change("a", "x" * 200, 1)]).brief()
    assert len(long) < 130 and long.endswith("….")


def test_the_changes_of_a_study_are_values() -> None:
    old = {
        **{"game": "g", "seed": 1, "openings": {"plies": 4}, "move_time_ms": None, "stages": []},
        **{"entrants": {"a": "g/x", "b": "g/y", "c": "g/z"}, "code": dict.fromkeys("abc", "1")},
    }
    new = {
        **old,
        **{"seed": 2, "entrants": {"a": "g/w", "c": "g/z"}, "code": dict.fromkeys("ac", "2")},
    }
    assert changes(old, new) == [
        Change("seed", 1, 2),
        EntrantChange("a", "g/x", "g/w"),
        EntrantChange("b", "g/y", None),
        CodeChange("code", None, ["c"]),
    ]


def test_a_quantity_is_written_in_its_unit() -> None:
    share = Quantity("score", SHARE, 0.5, 0.45, 0.551)
    assert (share.text(), share.cell) == ("50.0 %", "50.0 % (45.0 to 55.1)")
    gap = Quantity("difference", POINTS, 0.081, -0.00001, 0.2)
    assert (gap.text(), gap.cell) == ("+8.1 points", "+8.1 (0.0 to +20.0)")
    elo = Quantity("Elo", ELO, -12.4, -30.0, 5.0)
    assert (elo.text(), elo.cell) == ("-12 Elo", "-12 (-30 to +5)")
    assert Quantity("Elo", ELO).cell == "" and Quantity("difference", POINTS, 0.0).cell == "none"
    assert gap.columns("difference", "difference_") == {
        **{"difference": 0.081, "difference_low": -0.00001, "difference_high": 0.2}
    }


def test_holm_by_hand() -> None:
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert holm([]) == [] and holm([0.9, 0.8]) == [1.0, 1.0]


def test_ranges_that_do_not_overlap() -> None:
    assert disjoint((0.2, 0.5), (0.6, 1.0)) and disjoint((0.6, 1.0), (0.2, 0.5))
    assert not disjoint((0.2, 0.7), (0.6, 1.0)) and not disjoint((0.2, 0.6), (0.6, 1))
    assert disjoint((3, 3), (4, 4)) and not disjoint((3, 3), (3, 3))
    assert disjoint(["A", "B"], ["C"]) and not disjoint(["A"], ["A", "B"])
    assert not disjoint(None, (4, 4)) and not disjoint(["A"], None)


@pytest.mark.slow
def test_two_searches(tmp_path: Path) -> None:
    """Scans of two parts of one curve: ranges that do not overlap are a disagreement."""
    low, high = (
        scan(tmp_path, name, *ends) for name, ends in (("a", (-1, -0.3)), ("b", (0.1, 0.9)))
    )
    found, said, page = both(low, high)
    a, b = found.searches
    assert a is not None and b is not None
    assert disjoint(a.best_ranges["x"], b.best_ranges["x"]) and max(a.p_value, b.p_value) < 0.05
    assert said[0] == "The searches disagree: the 95 % ranges of the best x do not overlap."
    assert "The searches" in page and "best value (95 %) in B" in page
    told = data(found, low, high)["searches"]
    assert told[0]["trials"] == told[0]["finished"] == told[0]["blocks"] == 200
    assert told[0]["expected"] == list(a.expected(a.best)) and told[1]["best"] == b.best
    [recommended] = [line for line in said if line.startswith("First in A is ")]
    one, two = found.winners
    assert one is not None and two is not None
    for winner in (one, two):
        sure = "confirmed" if winner.confirmed else "not confirmed"
        assert f"x={text_of(winner.parameters['x'])}" in winner.name  # which says it already
        assert f"{winner.name} ({sure})" in recommended
    a_tune, b_tune = (replace(winner, name="tuned-1") for winner in (one, two))
    assert recommended_of(replace(found, winners=(a_tune, b_tune))) == (
        f"First in A is tuned-1 (x = {text_of(one.parameters['x'])}; {sure}), in B tuned-1 "
        f"(x = {text_of(two.parameters['x'])}; {sure})."
    )


def test_a_search_and_a_match_differ_in_what_both_have(tmp_path: Path) -> None:
    """The kinds' own settings are no differences, nor is code that only a search has."""
    low = scan(tmp_path, "a", -1, -0.3)
    plugin = ("--plugin", ROOT / "examples" / "planted.py")
    length = ("--blocks", 2, "--no-report", "-j", 1, "--out", tmp_path / "match")
    done = here(*plugin, "match", "#1", "#2", "--like", low, *length)
    assert done.exit_code == 0, done.stderr
    texts = compare(low, tmp_path / "match").study.texts()
    assert "kind: was scan, is now match" in texts
    assert not [text for text in texts if text.startswith(("code", "scan.", "space.", "a.", "b."))]
    assert not [
        text
        for text in texts
        if "is now none" in text or ("was none" in text and "stages" not in text)
    ]


def scan(folder: Path, name: str, low: float, high: float) -> Path:
    """Play a scan of the planted example over a part of its range."""
    text = (ROOT / "examples" / "planted.toml").read_text()
    text = text.replace('"planted.py"', f'"{ROOT / "examples" / "planted.py"}"')
    text = text.replace('"tune"', '"scan"').replace("4000 games", "400 games")
    text = text.replace("from = -1.0, to = 1.0", f"from = {low}, to = {high}")
    play(study_of(folder, text), folder / name)
    return folder / name

"""Two runs compared: luck is called luck, a planted difference is found, a game counts once."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from cli import main
from engines.record import EngineRecord, GameRecord
from reports.compare import Comparison, compare
from reports.compare_answer import answer, beware
from reports.compare_page import data, render, write_comparison
from reports.compare_scores import CHANGED, CODE, INSTEAD, SAME, holm
from reports.compare_search import disjoint
from reports.compare_study import brief, flat
from results.store import Store
from tests.support import synthetic_runs as runs


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


def test_the_same_study_with_another_seed_differs_by_luck_in_a_fair_share(tmp_path: Path) -> None:
    alone, real = [], []
    for i in range(12):
        one, two = (three(tmp_path, f"{i}{name}", 2 * i + j) for j, name in enumerate("ab"))
        lines = compare(one, two).engines
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
    lines = {line.engine.a: line for line in found.engines}
    assert lines["mine"].engine.how == CHANGED and lines["mine"].real
    assert lines["mine"].same_field and lines["mine"].difference > 0.1
    gap = lines["mine"].elo_difference
    assert gap is not None and gap == pytest.approx(160 * 1.2, abs=70)  # Davidson's scale is wider
    assert not lines["one"].same_field and lines["one"].elo_difference is None
    assert not lines["one"].real, "its opponent of both is as strong as before"
    assert said[0].startswith("More than luck: 1 of 2 scores differs at 95 % (Holm")
    assert said[1].startswith("mine scores ")
    assert "★ more than luck" in page
    assert any("opponents of one are not the same" in text for text in beware(found))


def test_independent_variances_add(tmp_path: Path) -> None:
    found = compare(three(tmp_path, "a", 1), three(tmp_path, "b", 2))
    for line in found.engines:
        assert line.low is not None and line.high is not None
        halves = [(side.high - side.low) / 2 for side in (line.a, line.b)]
        assert (line.high - line.low) / 2 == pytest.approx(np.hypot(*halves), rel=1e-9)
        assert line.a.elo is not None and line.elo_low is not None
        assert line.elo_high is not None


def test_the_same_games_are_the_same_data(tmp_path: Path) -> None:
    short = tournament(tmp_path / "short", {"one": 0.0, "two": 30.0}, 7, 40)
    whole = tournament(tmp_path / "whole", {"one": 0.0, "two": 30.0}, 7, 60)
    other = tournament(tmp_path / "other", {"one": 0.0, "two": 30.0}, 8, 60)
    found, said, _ = both(short, whole)
    assert (found.shared.same, found.shared.otherwise) == (80, 0)
    assert any("80 of the 120 games of B are the same games" in text for text in said)
    grown, apart = found.engines[0], compare(short, other).engines[0]
    assert None not in (grown.low, grown.high, apart.low, apart.high)
    assert grown.high - grown.low < 0.7 * (apart.high - apart.low)  # type: ignore[operator]

    again = tournament(tmp_path / "again", {"one": 0.0, "two": 30.0}, 7, 40)
    found, said, page = both(short, again)
    assert found.shared.all and said[0].startswith("The two runs hold the same 80 games")
    assert found.engines[0].p is None and "the same games" in page


def test_openings_of_both_runs_are_paired(tmp_path: Path) -> None:
    """Same ids and openings, played otherwise by other code: told apart from the same games."""
    coded = runs.engine("two", width=sum(b"two"))
    records = {"two": EngineRecord(coded.id, "two", coded.spec, coded.parameters, "new code")}
    one = tournament(tmp_path / "a", {"one": 0.0, "two": 30.0}, 7)
    two = tournament(tmp_path / "b", {"one": 0.0, "two": 80.0}, 7, records=records)
    found, said, _ = both(one, two)
    assert found.shared.same + found.shared.otherwise == 80 and 0 < found.shared.otherwise < 40
    assert any("with the same id, openings and seeds went otherwise" in text for text in said)
    assert [pair.how for pair in found.scores.pairs] == [SAME, CODE]  # type: ignore[union-attr]
    assert any("The code of two" in text for text in beware(found))
    [line] = found.engines
    assert line.low is not None and line.high is not None
    apart = np.hypot(line.a.high - line.a.low, line.b.high - line.b.low)
    assert line.high - line.low < 0.8 * apart


def test_other_opponents_leave_the_pairings_of_both(tmp_path: Path) -> None:
    old = tournament(tmp_path / "a", {"one": 0.0, "two": 30.0, "six": 0.0, "ten": 200.0}, 1)
    new = tournament(tmp_path / "b", {"one": 0.0, "two": 30.0, "six": 0.0}, 2)
    found, _, page = both(old, new)
    assert [line.met for line in found.engines] == [(3, 2)] * 3
    assert all(len(line.opponents) == 2 and line.elo_difference is None for line in found.engines)
    assert len(found.pairings) == 3 and all(len(line.opponents) == 1 for line in found.pairings)
    score = np.mean([p.a.score for p in found.pairings if p.engine.a == "one"])
    assert next(line.a.score for line in found.engines if line.engine.a == "one") == score
    assert "Pairings in both runs" in page
    keys = [frozenset((p.engine, *p.opponents)) for p in found.pairings]
    assert len(keys) == len(set(keys))


def test_one_engine_in_place_of_another(tmp_path: Path) -> None:
    base, new = runs.engine("base", width=0), runs.engine("new", width=5)
    one = tournament(tmp_path / "a", {"base": 0.0, "old": 0.0}, 1, 80, records={"base": base})
    two = tournament(
        tmp_path / "b", {"base": 0.0, "new": 150.0}, 2, 80, records={"base": base, "new": new}
    )
    found, said, _ = both(one, two)
    [line] = found.engines
    assert (line.engine.how, line.engine.label) == (INSTEAD, "old → new")
    assert (
        line.real and line.same_field and said[0] == "More than luck: 1 of 1 score differs at 95 %."
    )
    assert any("held against each other" in text for text in beware(found))


def test_stages_that_only_one_run_has(tmp_path: Path) -> None:
    one = tournament(tmp_path / "a", {"one": 0.0, "two": 0.0}, 1, 10)
    two = tournament(tmp_path / "b", {"one": 0.0, "two": 0.0}, 2, 10, stage="finals")
    found, said, _ = both(one, two)
    assert not found.engines and "no stage of run A has the name of one of run B" in said[0]
    assert sum("not compared" in text for text in beware(found)) == 2
    short, long = (
        runs.campaign(tmp_path / n, (4, 5), b, s) for n, b, s in (("c", 4, 1), ("d", 6, 2))
    )
    found, said, page = both(short, long)
    assert {line.stage for line in found.engines} == {"widths", "champions"}
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
    [line] = found.engines
    assert line.difference == 0 and line.low is not None and line.high is not None
    assert line.low < -0.02 and line.high > 0.02 and not line.alone


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
    assert both(one, two)[1][0] == "Run A has no game yet: there is nothing to compare."
    assert both(two, one)[1][0].startswith("Run B has no game yet")


def test_runs_that_cannot_be_compared_are_refused(tmp_path: Path) -> None:
    one, two = three(tmp_path, "a", 1), three(tmp_path, "b", 2)
    with Store.open(two, write=True) as store:
        store.set_meta({"game": "dodo[side=4]"})
    for request, said in (
        ([one, two], "different games"),
        ([one, tmp_path / "b" / ".." / "a"], "the same run"),
        ([one, tmp_path / "none"], "there is no run in"),
        ([one, "--out", tmp_path / "x.html"], "--out is for the comparison"),
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


def test_what_differs_is_told_in_words(tmp_path: Path) -> None:
    text = 'kind = "match"\n[schedule]\nblocks = {}\n[[stage]]\nname = "last"\nblocks = 5\n'
    one = tournament(tmp_path / "a", {"one": 0.0, "two": 0.0}, 1, study=text.format(10), commit="x")
    two = tournament(tmp_path / "b", {"one": 0.0, "two": 0.0}, 2, study=text.format(20))
    lines = compare(one, two).study
    assert "seed: was 1, is now 2" in lines and "schedule.blocks: was 10, is now 20" in lines
    assert "commit: was x, is now 0123456789ab" in lines
    assert brief([]).startswith("The studies, the code and the versions are the same")
    assert brief([f"{i}" for i in range(9)]).endswith("6 more.")
    assert flat({"a": [{"name": "x", "b": True}], "c": [1]}) == {
        **{"a.x.name": "x", "a.x.b": "true"},
        "c": ["1"],
    }


def test_holm_by_hand() -> None:
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert holm([]) == [] and holm([0.9, 0.8]) == [1.0, 1.0]


def test_ranges_that_do_not_overlap() -> None:
    assert disjoint({"k": "0.2 to 0.5"}, {"k": "0.6 to 1"}, "k")
    assert not disjoint({"k": "0.2 to 0.7"}, {"k": "0.6 to 1"}, "k")
    assert disjoint({"k": "3"}, {"k": "4"}, "k") and not disjoint({"k": "3"}, {"k": "3"}, "k")
    assert disjoint({"k": "A or B"}, {"k": "C"}, "k") and not disjoint(
        {"k": "A"}, {"k": "A or B"}, "k"
    )
    assert not disjoint({"k": "does not matter"}, {"k": "4"}, "k")

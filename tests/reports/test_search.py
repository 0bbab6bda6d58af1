"""Reports of scan and tune runs: the answer, what is known and no more, plots, tables, winner."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.text import Text

from joute.engines.parameter import text_of
from joute.reports.card import card_of
from joute.reports.kinds.tune import TuneTelling, so_far
from joute.reports.page.page import report, values_of
from joute.reports.plots.write import plots, write_plots
from joute.reports.reading.binned import binned
from joute.reports.reading.decision import Decision
from joute.reports.reading.effect import f_test, terms
from joute.reports.reading.search import Search
from joute.reports.reading.search_answer import edge_line, gain_text, held_out_text, scan_lines
from joute.reports.telling import answer, telling_of, winner_of
from joute.reports.watch.parts import Now, standing_values
from joute.results.quantity import percent
from joute.results.standings import standings_table
from joute.results.tables import Results, load
from joute.studies.search.trial import Trial
from joute.studies.tuner.answer import BETTER, KEEP
from tests.support.marks import quick
from tests.support.runs import ROOT, cut_short, play, study_of
from tests.support.searches import scan_text, tune_text

NUMBERLESS = re.compile(r"\b(nan|NaN|inf|undefined)\b")
TUNE_PLOTS = ["curve", "posterior", "regret", "importance", "contour", "parallel"]
PLANTED = (ROOT / "examples" / "planted.toml").read_text()


def planted(tmp_path: Path, curve: str, games: int, kind: str = "tune") -> Path:
    """Play the planted example with another curve, budget or kind."""
    text = PLANTED.replace('"planted.py"', f'"{ROOT / "examples" / "planted.py"}"')
    text = text.replace("4000 games", f"{games} games").replace(
        'curve = "log"', f'curve = "{curve}"'
    )
    text = text.replace('kind = "tune"', f'kind = "{kind}"')
    play(study_of(tmp_path, text), tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("tuned")
    text = tune_text().replace('name = "weak"', 'name = "<b>weak</b> & co"')
    play(study_of(folder, text), folder / "run")
    report(folder / "run")
    return load(folder / "run")


@pytest.fixture(scope="module")
def pooled(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("pooled")
    play(study_of(folder, tune_text(more='against = "pool"\n')), folder / "run")
    return load(folder / "run")


@pytest.fixture(scope="module")
def scanned(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("scanned")
    play(study_of(folder, scan_text("200 games")), folder / "run")
    report(folder / "run")
    return load(folder / "run")


def texts(figure) -> str:  # type: ignore[no-untyped-def]
    figure.draw_without_rendering()
    return " ".join(text.get_text() for text in figure.findobj(match=Text))


@pytest.mark.parametrize("name", quick(TUNE_PLOTS, "regret".__ne__))
def test_a_plot_of_trials_has_title_caption_and_numbers(tuned: Results, name: str) -> None:
    plot = next(plot for plot in plots() if name == plot.name)
    subject = Search.of(tuned)
    assert plot.wanted(subject)
    figure, numbers = plot.draw(subject)
    shown = texts(figure)
    assert len(numbers) and len(shown) > 50 and not NUMBERLESS.search(shown)
    assert (tuned.folder / "plots" / f"{name}.csv").is_file()


def test_a_scan_draws_its_curve_alone(scanned: Results) -> None:
    assert [plot.name for plot in write_plots(scanned)] == ["curve"]


@pytest.mark.parametrize("which", ["tuned", "scanned"])
def test_the_page_says_all_and_no_nan(which: str, request: pytest.FixtureRequest) -> None:
    results: Results = request.getfixturevalue(which)
    page = (results.folder / "report.html").read_text()
    assert not NUMBERLESS.search(re.sub(r"<svg.*?</svg>|<style.*?</style>", "", page, flags=re.S))
    assert "http" not in re.sub(r'xmlns(:\w+)?="[^"]*"|"http://www.w3.org[^"]*"', "", page)
    said = {"tuned": "best value (80 % interval)", "scanned": "best value (95 % interval)"}[which]
    assert "<h2>Parameters</h2>" in page and said in page
    for name in ("trials.csv", "parameters.csv"):
        assert not NUMBERLESS.search((results.folder / name).read_text())


def test_standings_of_a_final_say_why_the_answer_has_another_score(tuned: Results) -> None:
    telling = telling_of(tuned)
    assert isinstance(telling, TuneTelling) and telling.standing_note("final") == ""
    final = telling.search.final()
    assert final is not None
    shown = percent(float(standings_table(tuned, "final").set_index("engine")["score"]["strong"]))
    met = replace(
        final, default="strong", theirs=[0.539] * len(final.theirs)
    )  # and meets the finalist
    assert shown != "53.9 %"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(telling.search, "final", lambda: met)
        note = telling.standing_note("final")
        assert telling.standing_note("search") == ""
        values = standing_values(Now(tuned, None), answer(tuned))  # type: ignore[arg-type]
        page = values_of(tuned, [], answer(tuned))
    assert note.startswith(
        "Here all games of the stage count, in the answer those against strong and "
    )
    assert note.endswith(" alone: that gives strong 53.9 % (50 % against itself).")
    for stages in (values["stages"], page["stages"]):
        assert note in [stage["note"] for stage in stages if stage["name"] == "final"]


def test_the_answer_comes_first_and_the_rest_is_folded(tuned: Results, scanned: Results) -> None:
    page = (tuned.folder / "report.html").read_text()
    parts = [
        *('class="card', 'class="beyond"', 'aria-label="Score over each parameter"'),
        *('aria-label="Where the best point may lie"', "<h2>Parameters</h2>"),
        *("<details><summary>Standings", "<details><summary>Rating ladder", 'id="games-here"'),
    ]
    places = [page.index(part) for part in parts]
    assert places == sorted(places)
    assert "<details open" not in page and "one.open = true" in page  # opened for print
    assert page.index('aria-label="Expected regret"') < page.index("<h2>Parameters</h2>")
    assert 'aria-label="Score over each parameter"' in (scanned.folder / "report.html").read_text()


def test_dots_beside_a_curve_are_moved_to_where_it_holds_the_other_parameters(
    pooled: Results,
) -> None:
    search = Search.of(pooled)
    axis = next(axis for axis in search.axes if axis.name == "depth")
    curve = search.curve(axis)
    moved, raw = binned(search, axis, curve), binned(search, axis)
    assert [row["games"] for row in moved] == [row["games"] for row in raw]
    for row, plain in zip(moved, raw, strict=True):
        own = [
            (trial.point, score)
            for trial in search.trials
            for score in trial.values
            if trial.point["depth"] == row["value"]
        ]
        here = float(curve.at(axis, [row["value"]])[0])
        rest = [score - float(search.modelled([Trial(0, point)])[0]) for point, score in own]
        expected = min(max(here + sum(rest) / len(rest), 0.0), 1.0)
        assert row["score"] == pytest.approx(expected, abs=1e-9)
        assert row["score_low"] <= row["score"] <= row["score_high"]
        assert plain["score"] == pytest.approx(sum(score for _, score in own) / len(own))


def test_the_recommended_numbers_have_the_digits_that_their_intervals_support(
    tuned: Results,
) -> None:
    search = Search.of(tuned)
    for axis, effect in zip(search.axes, search.answer.effects(), strict=True):
        if effect.low is None or effect.low == effect.high or effect.value is None:
            continue
        places = [axis.place(v) for v in (effect.low, effect.high)]
        exact = axis.place(search.space.point(search.answer.best)[axis.name])
        assert abs(axis.place(effect.value) - exact) <= 0.11 * (places[1] - places[0])
        assert search.best[axis.name] == effect.value
    data = winner_of(load(tuned.folder)).data()  # type: ignore[union-attr]
    assert data["score"] == round(data["score"], 4)
    assert data["elo"] is None  # there are several opponents: the standings have a rating


def test_names_are_escaped(tuned: Results) -> None:
    page = (tuned.folder / "report.html").read_text()
    assert "<b>weak</b>" not in page and "&lt;b&gt;weak&lt;/b&gt; &amp; co" in page


def test_the_search_is_not_in_the_standings(tuned: Results) -> None:
    assert set(tuned.matches.stages) == {"screen", "final"}
    assert "#1" in set(tuned.engines["name"])
    standings = (tuned.folder / "standings.csv").read_text()
    assert "search" not in {line.split(",")[0] for line in standings.splitlines()}
    games = (tuned.folder / "games.csv").read_text()
    assert "search" in {line.split(",")[1] for line in games.splitlines()}


def test_trials_csv_has_a_row_for_every_trial(tuned: Results) -> None:
    lines = (tuned.folder / "trials.csv").read_text().splitlines()
    head = "number,state,blocks,games,score,score_low,score_high,engine"
    axes = ("evaluation", "depth", "width", "reading")
    others = ",".join(f"other_{name}" for name in axes)
    assert lines[0] == f"{head},{','.join(axes)},other,{others}"
    assert len(lines) == len(tuned.trials) + 1
    assert [line.split(",")[0] for line in lines[1:]] == [str(n) for n in range(len(lines) - 1)]


def test_a_planted_gain_is_confirmed(tmp_path: Path) -> None:
    folder = planted(tmp_path, "log", 1500)
    said = answer(load(folder))
    assert "is better than the default by about +" in said.lines[0]
    assert said.gain in said.lines[0] and said.gain.startswith("+")
    assert said.lines[1].startswith("Fresh games alone: ")
    assert "announced" not in said.lines[-1]  # the best of many trials of two games is always 100 %
    assert "the model of the search expected " in said.lines[-1]
    best = winner_of(load(folder))
    assert best is not None and best.confirmed and best.name == said.winner
    assert -0.8 < float(best.parameters["x"]) < -0.2
    assert best.score_low < 0.6192 < best.score_high or best.score > 0.5


@pytest.mark.slow
def test_where_nothing_matters_the_default_is_kept(tmp_path: Path) -> None:
    folder = planted(tmp_path, "flat", 1200)
    said = answer(load(folder))
    assert said.lines[0].startswith("Keep the default")
    assert said.winner == "default"
    best = winner_of(load(folder))
    assert best is not None and not best.confirmed and best.parameters["x"] == 0.5


def test_matches_as_trials_are_told_with_the_luck_of_the_best(tmp_path: Path) -> None:
    text = (
        tune_text("600 games")
        .replace("[tune]", '[tune]\nsampler = "random"')
        .replace("prune_risk = 0.3", "prune_risk = 0")
    )
    play(study_of(tmp_path, text), tmp_path / "run")
    found = Search.of(load(tmp_path / "run"))
    history = next(plot for plot in plots() if plot.name == "history")
    assert not found.small and history.wanted(found)
    shown = texts(history.draw(found)[0])
    assert "the luck of the best" in " ".join(shown.split())
    assert "partly by luck" in answer(found.results).lines[-1]


@pytest.mark.slow
def test_a_scan_finds_the_best_or_no_effect(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    found_log = load(planted(tmp_path / "a", "log", 1600, "scan"))
    line = answer(found_log).lines[0]
    assert line.startswith("Best: x = -0.") and "95 %" in line
    ends = Search.of(found_log).best_ranges["x"]
    assert float(ends[0]) <= -0.525 <= float(ends[1])
    flat = answer(load(planted(tmp_path / "b", "flat", 400, "scan")))
    assert flat.lines[0].startswith("No detectable effect of x") or "Best" in flat.lines[0]
    best = winner_of(load(found_log.folder))
    assert best is not None and not best.confirmed and "scan" in best.why


def test_a_scan_without_effect_tells_only_a_narrow_band(scanned: Results) -> None:
    def told(half: float) -> str:
        search = Search.of(scanned)
        curve = SimpleNamespace(low=np.full(3, 0.5 - half), high=np.full(3, 0.5 + half))
        vars(search).update(p_value=0.9, curve=lambda _: curve)
        return scan_lines(search)[1]

    assert told(0.02).startswith("All expected scores over the range lie within 4.0 points")
    assert told(0.175) == (
        "These games are too few to tell: gains and losses of many points are still possible."
    )


def test_a_mean_gain_that_is_unlikely_is_not_the_headline(
    tuned: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = Search.of(tuned)

    def said(sure: float) -> list[str]:
        gain = SimpleNamespace(mean=0.043, low=-0.112, high=0.226, sure=sure)
        monkeypatch.setattr(search.answer, "compare", lambda *_: gain)
        return so_far(search)

    first, second, third, _ = said(0.197)
    assert first.startswith(
        "Nothing is found yet: most likely what is searched does not matter. The "
    )
    assert first.endswith(" is only 19.7 %.") and second.startswith("So far ")
    assert third == (
        "On average over all that is still possible, that is +4.3 points (95 %: -11.2 to +22.6) "
        "against the default."
    )
    first, second, _ = said(0.9)
    assert first.startswith("So far ") and second.endswith("better at all is 90.0 %.")


def test_a_best_point_at_the_end_of_its_range_is_told(scanned: Results) -> None:
    found = Search.of(scanned)
    [axis] = [axis for axis in found.axes if axis.kind != "choice"][:1]
    inside, last = axis.at(0.5), axis.at(1.0)
    assert edge_line(found.axes, {axis.name: inside}) == ""
    assert edge_line(found.axes, {axis.name: last}) == (
        f"{axis.name} = {text_of(last)} lies at the end of the searched range: widen it, "
        "if larger or smaller values are allowed."
    )


def test_the_test_for_an_effect_keeps_its_level() -> None:
    import numpy as np

    rng = np.random.default_rng(1)
    values = []
    for _ in range(400):
        u = 2 * rng.random(150) - 1
        X = np.column_stack([u, u * u, u**3])
        values.append(f_test(X, rng.binomial(2, 0.5, 150) / 2))
    assert 0.02 < np.mean(np.array(values) < 0.05) < 0.09
    assert f_test(np.zeros((30, 2)), rng.random(30)) == 1.0
    assert f_test(np.zeros((0, 2)), np.zeros(0)) == 1.0


def test_terms_cover_all_axes(tuned: Results) -> None:
    search = Search.of(tuned)
    X = terms(search.space, [trial.point for trial in search.trials])
    assert X.shape[0] == len(search.trials)
    assert X.shape[1] == 2 + 3 + 3 + 2 + 1


@pytest.fixture
def unfinished(tuned: Results, tmp_path: Path) -> Path:
    """The run without the games of its final."""
    shutil.copytree(tuned.folder, tmp_path / "run")
    db = sqlite3.connect(tmp_path / "run" / "run.db")
    for table in ("seats", "failures", "told", "searched"):
        db.execute(
            f"DELETE FROM {table} WHERE game IN (SELECT number FROM games WHERE stage = 'final')"
        )
    db.execute("DELETE FROM games WHERE stage = 'final'")
    db.commit()
    db.close()
    cut_short(tmp_path / "run")
    return tmp_path / "run"


def test_an_unfinished_search_recommends_nothing(unfinished: Path) -> None:
    results = load(unfinished)
    said = answer(results)
    assert said.winner is None and "not finished" in said.lines[0]
    assert said.lines[0].startswith("So far (") and all(said.lines)
    assert winner_of(results) is None
    card = card_of(results, said, None)
    assert card is not None and card.title == "Not over: nothing is recommended yet"
    assert card.command.endswith(" run study.toml --out run")


@pytest.mark.slow
def test_an_unfinished_search_has_a_page(unfinished: Path) -> None:
    report(unfinished)
    assert (unfinished / "report.html").is_file()


def test_a_scan_against_the_default_knows_that_it_is_even_with_itself(tmp_path: Path) -> None:
    text = scan_text("240 games").replace(
        "width = { from = 0.2, to = 1.0 }", 'evaluation = ["static", "lines"]'
    )
    play(study_of(tmp_path, text.replace("depth = 2", "depth = 4")), tmp_path / "run")
    results = load(tmp_path / "run")
    assert {trial.state for trial in results.trials} == {"complete", "even"}
    said = answer(results)
    assert said.lines[0].startswith("Best: evaluation = lines")
    assert any("the opponent itself: counted as 50 %" in line for line in said.lines)
    search = Search.of(results)
    assert search.expected({"evaluation": "static"})[0] == pytest.approx(0.5, abs=0.03)
    report(tmp_path / "run")
    even = next(t.number for t in results.trials if t.state == "even")
    line = (tmp_path / "run" / "trials.csv").read_text().splitlines()[even + 1]
    assert line.split(",")[:4] == [str(even), "even", "1", "0"]


def test_a_final_that_is_not_finished_decides_nothing(tuned: Results, tmp_path: Path) -> None:
    shutil.copytree(tuned.folder, tmp_path / "run")
    assert Search.of(load(tmp_path / "run")).final() is not None
    db = sqlite3.connect(tmp_path / "run" / "run.db")
    last = "SELECT block FROM games WHERE stage = 'final' ORDER BY order_ DESC LIMIT 1"
    [[block]] = db.execute(last).fetchall()
    for round_ in db.execute("SELECT round FROM games WHERE block = ?", (block,)).fetchall()[:1]:
        for (game,) in db.execute(
            "SELECT number FROM games WHERE stage = 'final' AND round = ?", round_
        ).fetchall():
            db.execute("DELETE FROM seats WHERE game = ?", (game,))
            db.execute("DELETE FROM told WHERE game = ?", (game,))
            db.execute("DELETE FROM searched WHERE game = ?", (game,))
            db.execute("DELETE FROM games WHERE number = ?", (game,))
    db.commit()
    db.close()
    assert Search.of(load(tmp_path / "run")).final() is None
    assert winner_of(load(tmp_path / "run")) is None


@pytest.mark.slow
def test_a_default_outside_the_space_is_reported_all_the_same(tmp_path: Path) -> None:
    text = tune_text("300 games").replace('evaluation = "static"', 'evaluation = "lines"', 1)
    text = text.replace("depth = 2", "depth = 6", 1).replace('["A", "B"]', '["A", "C"]')
    play(study_of(tmp_path, text), tmp_path / "run")
    report(tmp_path / "run")
    assert (tmp_path / "run" / "plots" / "curve.png").is_file()


def test_the_candidates_are_told_with_what_was_expected(tuned: Results) -> None:
    told = json.loads(tuned.meta["candidates"])
    assert [c["name"] for c in told] == ["tuned-1", "tuned-2"]
    assert all(0 <= c["expected"][1] <= c["expected"][0] <= c["expected"][2] <= 1 for c in told)


def decision(verdict: str, gain: float, low: float, high: float) -> Decision:
    return Decision(verdict, gain, low, high, 1000, None, None, True)


def test_a_gain_that_is_none_to_speak_of_is_told_in_words() -> None:
    assert gain_text(decision(KEEP, 0.0, -4e-7, 4e-7)) == "less than 0.1 points either way (95 %)"
    told = gain_text(decision(KEEP, 0.01, -4e-7, 0.053))
    assert told == "+1.0 points (95 %: 0.0 to +5.3)"


def test_a_gain_holds_against_somebody_else_only_where_there_is_one() -> None:
    pairs = [(0.75, 0.5), (1.0, 0.5), (0.75, 0.25), (0.5, 0.25)] * 5
    better, kept = (
        held_out_text("x", pairs, decision(verdict, 0.1, 0.0, 0.2)) for verdict in (BETTER, KEEP)
    )
    assert better.endswith("; the gain holds.")
    assert kept.endswith("; it is better against this one.")
    worse = held_out_text("x", [(b, a) for a, b in pairs], decision(BETTER, 0.1, 0.0, 0.2))
    assert "a loss" in worse

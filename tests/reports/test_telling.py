"""A kind of study from a plugin has an answer, a report, plots and a watched page of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import joute
from joute.engines.registry import entries, names
from joute.reports.watch.live import Live
from joute.studies.kinds.match import MatchKind  # noqa: F401  (the plugin's base)

PLUGIN = '''
from joute import Answer, Column, Plot, Section, Telling
from joute.studies.kinds.match import MatchKind


class Shootout(MatchKind):
    """A match that is told in its own words."""

    name = "shootout"
    summary = "a match that is told in its own words"


class ShootoutTelling(Telling):
    """Counts goals."""

    name = "shootout"
    summary = "counts goals"
    settled_by_games = False

    def answer(self):
        return Answer([f"{len(self.results.games)} shots were fired."])

    def warnings(self):
        return ["Mind the goalkeeper."]

    def tables(self):
        return [Section("Shots", [Column("shot", ["a <b>", "c"], False)], "By hand.", keys=("shot",))]

    def to_come(self):
        return ["Extra time decides."]


class Shots(Plot):
    """Shots."""

    name, summary, title, place, of = "shots", "shots", "Shots", 1, "shots"

    def wanted(self, subject):
        return True

    def draw(self, subject):
        import pandas as pd
        from joute.reports.plots.style import figure

        made, axes = figure()
        axes.plot([1, subject])
        return made, pd.DataFrame({"shots": [subject]})
'''
PLUGIN = PLUGIN.replace(
    "    def to_come", '    def subjects(self):\n        return {"shots": 7}\n\n    def to_come'
)


@pytest.fixture(scope="module")
def run(own_plugins: None, tmp_path_factory: pytest.TempPathFactory) -> joute.Run:
    """A run of the plugin's kind."""
    folder: Path = tmp_path_factory.mktemp("shootout")
    (folder / "shootout.py").write_text(PLUGIN)
    study = {
        "name": "cup",
        "kind": "shootout",
        "game": "connect4[columns=4,rows=4]",
        "seed": 1,
        "a": {"search": "random"},
        "b": {"search": "alphabeta", "evaluation": "static", "depth": 1},
        "blocks": 2,
    }
    return joute.run(
        study, out=folder / "run", workers=1, progress=False, plugins=[folder / "shootout.py"]
    )


def test_its_answer_is_its_own(run: joute.Run) -> None:
    assert str(run) == "4 shots were fired."
    assert run.plots() == ["shots"] and run.plot_data("shots")["shots"].tolist() == [7]


def test_winner_json_is_written_when_the_run_ends(run: joute.Run) -> None:
    assert not (run.folder / "report.html").exists()
    winner = json.loads((run.folder / "winner.json").read_text())
    assert winner["kind"] == "shootout" and winner["confirmed"] is False
    ours = (run.folder / ".joute-files").read_text().splitlines()  # what --fresh takes away
    assert "winner.json" in ours


def test_its_page_has_its_parts(run: joute.Run) -> None:
    page = run.report().read_text()
    for text in ("4 shots were fired.", "Mind the goalkeeper.", "<h2>Shots</h2>", "By hand."):
        assert text in page
    assert "a &lt;b&gt;" in page and (run.folder / "plots" / "shots.png").is_file()


def test_its_watched_page_has_them_too(run: joute.Run) -> None:
    live = Live(run.folder)
    live.first()
    parts = live.state().parts
    assert "4 shots were fired." in parts["answer"] and "Mind the goalkeeper" in parts["answer"]
    assert "<h2>Shots</h2>" in parts["standings"]


def test_every_telling_is_that_of_a_kind() -> None:
    assert {*names("telling")} <= {*names("kind")} and len(entries("telling")) >= 4

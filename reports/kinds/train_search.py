"""`train-search`: whether other settings of a training make stronger networks, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from joute.engines.parameter import rounded, text_of
from joute.reports.kinds.train import hours
from joute.reports.page.html_table import Column
from joute.reports.reading.answer import Answer
from joute.reports.reading.card import KEEP, TAKE, UNKNOWN, Card
from joute.reports.reading.modelled import Modelled
from joute.reports.reading.next_command import MORE, export_commands, with_setting
from joute.reports.reading.search_answer import edge_line
from joute.reports.reading.winner import Winner, match_winner
from joute.reports.reading.words import counted, listed
from joute.reports.telling import Section, Telling
from joute.reports.watch.charts import Chart
from joute.results.frames import Results
from joute.results.quantity import elo_ends, percent, percent_ends
from joute.results.statistics import Estimate, estimate_means
from joute.studies.learning.plan import ANEW, TRIED
from joute.studies.tuner.axis import Axis

OWN_SETTINGS = "the study's own settings"


def entries_of(results: Results, role: str = "") -> list[dict[str, Any]]:
    """Return the entries of all trainings, or of those of one role."""
    entries = (results.training_search or {}).get("entries", [])
    return [entry for entry in entries if role in ("", entry["role"])]


def axes_of(results: Results) -> tuple[Axis, ...]:
    """Return the searched settings with their ranges."""
    return tuple(Axis.stored(axis) for axis in (results.training_search or {}).get("axes", []))


def duels_of(results: Results) -> list[dict[str, Any]]:
    """Return the final matches: the best settings' champions against those of the study's own (not
    those of settings that were the best before the search went on).
    """
    stored = results.training_search or {}
    return [duel for duel in stored.get("duels", []) if duel["best"] == stored["best"]]


def trainings_lines(results: Results) -> tuple[list[str], str | None]:
    """Return the answer in three lines, and the network to take, if it is shown to be better."""
    tried, duels = entries_of(results, TRIED), duels_of(results)
    lines, winner = [_so_far(tried)], None
    if duels:
        best = next(entry for entry in tried if entry["name"] == duels[0]["best"])
        estimate = estimate_means([duel["score"] for duel in duels])
        better = estimate.score_low > 0.5
        lines = [_verdict(_said(best), estimate, len(duels)), _networks(results, duels[0]["best"])]
        networks = _of(results, duels[0]["best"])
        if better:
            winner = max(networks, key=lambda entry: entry["score"])["name"]
            lines.append(edge_line(axes_of(results), best["point"]))
    return [*(line for line in lines if line), _cost(results)], winner


def _verdict(point: str, estimate: Estimate, seeds: int) -> str:
    ends = percent_ends(estimate.score_low, estimate.score_high)
    elo = elo_ends(estimate.elo_low, estimate.elo_high)
    score = f"{percent(estimate.score)} of the points ({ends}{f'; Elo {elo}' if elo else ''})"
    over = f"over {counted(seeds, 'pair')} of networks trained again"
    if estimate.score_low > 0.5:
        return f"{point} makes stronger networks than the study's own settings: {score} {over}."
    if estimate.score_high < 0.5:
        return f"The study's own settings make stronger networks than {point}, which got {score} {over}."
    more = (
        "one training of each does not show the effect of chance"
        if seeds == 1
        else "a larger trials.seeds may tell"
    )
    return f"Cannot tell {point} from the study's own settings: {score} {over}; {more}."


def _networks(results: Results, best: str) -> str:
    """Name the strongest network, and say how much trainings with the same settings differ."""
    best_nets, defaults = _of(results, best), _of(results, "default")
    both = [entry for entry in (*best_nets, *defaults) if entry.get("net")]
    if not both:
        return ""
    top = max(both, key=lambda entry: float(entry["score"]))
    spread = [listed([percent(e["score"], 0) for e in kind]) for kind in (best_nets, defaults)]
    return (
        f"Against the anchors these networks score {spread[0]}, those of the study's own settings "
        f"{spread[1]}; the strongest is {top['net']} ({percent(top['score'])}, "
        f"{percent_ends(top['low'], top['high'])})."
    )


def _of(results: Results, start: str) -> list[dict[str, Any]]:
    return [e for e in entries_of(results, ANEW) if e["name"].rpartition("-")[0] == start]


def _so_far(tried: list[dict[str, Any]]) -> str:
    if not tried:
        return "No training has ended, so there is no answer."
    top = max(tried, key=lambda entry: float(entry["score"]))
    return (
        f"Nothing is confirmed yet. Of {counted(len(tried), 'training')} {_said(top)} scores best "
        f"against the anchors, {percent(top['score'])} ({percent_ends(top['low'], top['high'])}); "
        f"the luckiest of many always looks good."
    )


def _said(entry: dict[str, Any]) -> str:
    return listed([f"{name} = {value}" for name, value in entry["point"].items()])


def _cost(results: Results) -> str:
    every = entries_of(results)
    games, seconds = sum(e["games"] for e in every), sum(e["seconds"] for e in every)
    faults = [e["name"] for e in every if e["note"]]
    note = f" Failed: {listed(faults)} (see the table)." if faults else ""
    return (
        f"{counted(len(every), 'training')}, {games:,} games of self-play, {hours(seconds)}.{note}"
    )


def _value(point: Mapping[str, Any], name: str) -> str:
    return text_of(point[name]) if name in point else "as the study's"


def training_columns(results: Results) -> list[Column]:
    """Return the table of trainings; none if this is no search among trainings."""
    rows = entries_of(results)
    if not rows:
        return []
    assert results.training_search is not None
    own = results.training_search["own"]
    noted = any(entry["note"] for entry in rows)
    return [
        Column("training", [entry["name"] for entry in rows], False),
        *(
            Column(axis.name, [_value(entry["point"] or own, axis.name) for entry in rows])
            for axis in axes_of(results)
        ),
        Column("against anchors", [percent(e["score"]) if e["blocks"] else "" for e in rows]),
        Column(
            "95 % interval",
            [percent_ends(e["low"], e["high"]) if e["blocks"] else "" for e in rows],
        ),
        Column("blocks", [str(entry["blocks"]) for entry in rows]),
        Column("champion", ["" if e["generation"] is None else str(e["generation"]) for e in rows]),
        Column("games", [f"{entry['games']:,}" for entry in rows]),
        Column("time", [hours(entry["seconds"]) for entry in rows]),
        *([Column("failure", [entry["note"] for entry in rows], False)] if noted else []),
    ]


NOTE = (
    "Each training is a separate run with its own networks and games: <code>{} report "
    "{}/trials/{}</code>. Games count self-play, blocks the matches against the anchors. The "
    "interval covers the games of that one network; it leaves out the effect of chance on the "
    "training itself. Trainings whose name ends in a number were repeated at the end."
)


class TrainSearchTelling(Telling):
    """Whether other settings of a training make stronger networks, and how sure that is."""

    name = "train-search"
    summary = "the best settings against the study's own, each trained again, and every training"
    settled_by_games = False

    def answer(self) -> Answer:
        """Say whether other settings are better."""
        return (
            Answer(*trainings_lines(self.results))
            if self.results.training_search
            else super().answer()
        )

    def winner(self, answered: Answer) -> Winner | None:
        """Return the strongest network of the final matches."""
        if not len(self.results.games):
            return None
        return match_winner(self.results, answered, stage_of(self.results, answered.leader))

    def card(self, answered: Answer, best: Winner) -> Card | None:
        """Say which settings to train with: the engine of a card is a network's, chosen by chance."""
        duels = duels_of(self.results)
        if not duels:
            return None
        tried = next(e for e in entries_of(self.results, TRIED) if e["name"] == duels[0]["best"])
        point = _said({"point": {n: rounded(value) for n, value in tried["point"].items()}})
        estimate = estimate_means([duel["score"] for duel in duels])
        ends = percent_ends(estimate.score_low, estimate.score_high)
        pairs = counted(len(duels), "pair")
        score = f"{percent(estimate.score)} ({ends}) over {pairs} of networks trained again"
        plan = self.results.meta.study["trials"]
        if estimate.score_low > 0.5:
            facts = [("scores", score), ("its best net", best.name)]
            return Card(TAKE, point, facts, export_commands(self.results, best)[-1])
        facts = [("best tried", point), ("scores", score)]
        if estimate.score_high < 0.5:
            more = with_setting(self.results, f"trials.trials={MORE * plan['trials']}")
            return Card(KEEP, OWN_SETTINGS, facts, "", ("To search on", more))
        more = with_setting(self.results, f"trials.seeds={MORE * plan['seeds']}")
        return Card(UNKNOWN, OWN_SETTINGS, facts, more, kept=True)

    def subjects(self) -> dict[str, Any]:
        """Return the final matches, and the search among trainings."""
        more = {"train-search": self.results} if self.results.training_search else {}
        return super().subjects() | more

    def tables(self) -> list[Section]:
        """Return the trainings."""
        columns = training_columns(self.results)
        return [Section("Trainings", columns, keys=("training",))] if columns else []

    def sections(self, program: str, folder: str) -> list[Section]:
        """Return the trainings and their folders."""
        sections = self.tables()
        if sections:
            first = sections[0].columns[0].cells[0]
            sections = [replace(sections[0], note=Markup(NOTE).format(program, folder, first))]
        return sections

    def to_come(self) -> list[str]:
        """Say what will decide."""
        return [
            "Nothing is recommended until the best settings and the study's own have been trained "
            "again and compared."
        ]

    def charts(self, model: Modelled | None) -> list[tuple[str, list[Chart]]]:
        """Return nothing: settings of trainings are no engines' parameters."""
        return [] if self.results.training_search else super().charts(model)


def stage_of(results: Results, winner: str | None) -> str:
    """Return the deciding stage: the winner's own final match."""
    for stage in results.finals:
        if winner in set(results.seats[results.seats["stage"] == stage]["engine"]):
            return stage
    return (results.finals or results.stages)[-1]

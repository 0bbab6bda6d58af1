"""`train`: how strong the networks of a training are, which were accepted, and their cost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from markupsafe import Markup

from joute.reports.html import page as html_part
from joute.reports.kinds._selfplay_samples import samples_of
from joute.reports.kinds._training_card import deciding, judged, training_card
from joute.reports.page.html_table import Column
from joute.reports.reading.answer import Answer
from joute.reports.reading.card import Card
from joute.reports.reading.champion import (
    by_work,
    champion_of,
    difference,
    generations_of,
    strength_line,
)
from joute.reports.reading.modelled import Modelled
from joute.reports.reading.plateau import by_heart, outlook
from joute.reports.reading.winner import Winner
from joute.reports.reading.words import counted, listed
from joute.reports.telling import Section, Telling
from joute.reports.watch.charts import Chart
from joute.results.frames import Results
from joute.results.quantity import percent, percent_ends
from joute.results.ratings.ratings import Ratings
from joute.results.statistics import SURE
from joute.studies.learning.plan import LADDER, called

SPENT = ("self-play", "learning", "gate", "ladder")


def training_lines(results: Results) -> tuple[list[str], str | None]:
    """Return the answer in up to three lines, and the champion if it is in the ladder."""
    met = by_work(results)
    lines = [strength_line(results, met) if met else _unmeasured(results)]
    progress = _progress(results, met.ratings, met.name) if met else ""
    lines.append(" ".join(text for text in (progress, by_heart(results.training)) if text))
    lines.append(" ".join(text for text in (_taught(results), _cost(results)) if text))
    return [line for line in lines if line], met.name if met else None


def _unmeasured(results: Results) -> str:
    if not results.training:
        return "No network was made, so there is no answer."
    champion = called(champion_of(results))
    why = "no ladder was played, so its strength is unknown"
    if LADDER in results.stages:
        why = "the ladder was played without it, so its strength is unknown"
    elif results.meta.study.get("ladder", {}).get("generations"):
        why = "the ladder, which will measure its strength, is still to be played"
    return f"{champion} is the champion; {why}."


def _progress(results: Results, ratings: Ratings, champion: str) -> str:
    """Say which of the last generations cannot be told apart, and the gain since the first."""
    made = [*map(called, generations_of(ratings))]
    if len(made) < 2:
        return ""
    me, alike = ratings.names.index(champion), 0
    for name in reversed(made):
        chance = ratings.difference(me, ratings.names.index(name)).los
        if name != champion and (chance is None or not 1 - SURE < chance < SURE):
            break
        alike += 1
    since = f"Above {made[0]}: {difference(ratings, champion, made[0])}"
    if alike == len(made):
        return f"The {alike} generations of the ladder cannot be told apart. {since}."
    if alike > 1:
        told = outlook(ratings, made[-alike], made[-1], alike, results.training)
        return f"{told} {since}."
    return f"{champion} is stronger than the generation of the ladder before it. {since}."


def _taught(results: Results) -> str:
    shares = [
        f"{percent(measures['all']['accuracy'])} of the moves of {whose} (its value errs by "
        f"{measures['all']['error']:.2f})"
        for whose, measures in _tests(results).items()
    ]
    return f"Taught by records, the first network finds {listed(shares)}." if shares else ""


def _cost(results: Results) -> str:
    """Say what was played and how long it took."""
    made = [e for e in results.training if e["generation"] and "games" in e]
    games, accepted = sum(e["games"] for e in made), sum(bool(e.get("accepted")) for e in made)
    seconds = [e.get("seconds", {}) for e in results.training]
    spent = {name: sum(spans.get(name, 0.0) for spans in seconds) for name in SPENT}
    parts = listed([f"{name} {hours(time)}" for name, time in spent.items() if time])
    iterations = f"{counted(len(made), 'iteration')}, {accepted} of them accepted"
    phrases = [
        *([f"{games:,} games of self-play in {iterations}"] if made else []),
        *([f"{hours(sum(spent.values()))}: {parts}"] if parts else []),
    ]
    return "; ".join(phrases) + "." if phrases else ""


def hours(seconds: float) -> str:
    """Return a time in hours, minutes or seconds."""
    if seconds >= 3600:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 60:.0f} min" if seconds >= 100 else f"{seconds:.0f} s"


def generation_columns(results: Results) -> list[Column]:
    """Return the table of generations: data, losses and gate of each; empty if this is no training
    run.
    """
    rows = results.training
    if not rows:
        return []

    def cells(key: str, shown: str = "{}", inside: str = "") -> list[str]:
        tables = [e.get(inside, {}) if inside else e for e in rows]
        return ["" if table.get(key) is None else shown.format(table[key]) for table in tables]

    def whole(key: str) -> list[str]:
        return [f"{e[key]:,}" if isinstance(e.get(key), int) else "" for e in rows]

    return [
        Column("generation", cells("generation")),
        Column("games", whole("games")),
        Column("window", whole("window")),
        Column("policy loss", cells("policy_loss", "{:.3f}", "learnt")),
        Column("value loss", cells("value_loss", "{:.3f}", "learnt")),
        Column("value, new", cells("value_loss", "{:.3f}", "fresh")),
        Column("right, new", [_share(e) for e in rows]),
        Column("gate", [_gate(e) for e in rows]),
        Column("95 % interval", [_gate_ends(e) for e in rows]),
        Column("blocks", cells("blocks", "{}", "gate")),
        Column("verdict", [_verdict(e) for e in rows], False),
        Column("time", [_time(e) for e in rows]),
    ]


def phase_columns(results: Results) -> list[Column]:
    """Return the table of the first network's measures on unseen games, by phase; empty if no
    records taught it.
    """
    rows = [
        (whose, phase, measures)
        for whose, phases in _tests(results).items()
        for phase, measures in phases.items()
        if measures["samples"]
    ]
    if not rows:
        return []
    return [
        Column("games", [whose for whose, _, _ in rows], False),
        Column("phase", [phase for _, phase, _ in rows], False),
        Column("positions", [f"{measures['samples']:,}" for _, _, measures in rows]),
        Column("policy right", [percent(measures["accuracy"]) for _, _, measures in rows]),
        Column("policy loss", [f"{measures['policy_loss']:.3f}" for _, _, measures in rows]),
        Column("value off", [f"{measures['error']:.2f}" for _, _, measures in rows]),
        Column("value loss", [f"{measures['value_loss']:.3f}" for _, _, measures in rows]),
    ]


def _tests(results: Results) -> dict[str, dict[str, Any]]:
    """Return the first network's measures on unseen games, by their source and phase."""
    first = results.training[0] if results.training else {}
    own = {"games held out": first["held_out"]} if "held_out" in first else {}
    others = first.get("tests", {})
    return own | {f"the games of {Path(source).name}": phases for source, phases in others.items()}


def training_warnings(results: Results) -> list[str]:
    """Return the caveats of self-play and learning."""
    texts = [
        f"Iteration {e['generation']} made no network: {e['diverged']}."
        for e in results.training
        if e.get("diverged")
    ]
    played = [e for e in results.training if e["generation"] and "games" in e]
    games, cut = sum(e["games"] for e in played), sum(e.get("cut", 0) for e in played)
    if cut:
        texts.append(
            f"{cut:,} of {games:,} games of self-play lasted too long and were ended "
            "(selfplay.most_plies, or the game's own limit): they teach the value little."
        )
    return texts


def _time(entry: dict[str, Any]) -> str:
    """Say how long a generation took, without the ladder."""
    spent = [time for what, time in entry.get("seconds", {}).items() if what != LADDER]
    return hours(sum(spent)) if spent else ""


def _share(entry: dict[str, Any]) -> str:
    return percent(entry["fresh"]["accuracy"]) if "fresh" in entry else ""


def _gate(entry: dict[str, Any]) -> str:
    return percent(entry["gate"]["score"]) if "gate" in entry else ""


def _gate_ends(entry: dict[str, Any]) -> str:
    gate = entry.get("gate")
    return percent_ends(gate["low"], gate["high"]) if gate else ""


def _verdict(entry: dict[str, Any]) -> str:
    if entry.get("diverged"):
        return "no network"
    if "gate" not in entry:
        first = {"drawn": "drawn at random", "records": "taught by records"}
        return (
            first.get(str(entry.get("from", "")), "given")
            if entry.get("accepted")
            else "unfinished"
        )
    if entry["accepted"]:
        return "★ champion"
    return "rejected" if entry["gate"]["decided"] else "undecided: rejected"


GENERATIONS = (
    "Losses: of the last epoch of learning. New: the games of this iteration, judged by the "
    "previous network, which has not learnt from them: the loss of its value, and how often its "
    "policy finds the best move. Gate: the score against the champion at that time."
)
PHASES = (
    "The network taught by the records, measured on games that it has not learnt from; a phase is "
    "a third of a game's plies. Policy right: how often its favourite move is the one that was "
    "played. Value off: |z - v|, from 0 to 2; value loss: (z - v)²."
)


class TrainTelling(Telling):
    """How strong the networks of a training are, which were accepted, and their cost."""

    name = "train"
    summary = "the champion's strength, the generations and their gates, what was learnt"
    first_wins = False  # a champion may be below an anchor
    confirms = True  # gates chose the champion; the ladder's games are others
    settled_by_games = False

    def answer(self) -> Answer:
        """Say how strong the champion is."""
        return Answer(*training_lines(self.results)) if self.results.training else super().answer()

    def winner(self, answered: Answer) -> Winner | None:
        """Return the champion, confirmed if it beats every anchor."""
        best, met = super().winner(answered), deciding(self.results)
        return judged(best, met) if best is not None and met is not None else best

    def card(self, answered: Answer, best: Winner) -> Card | None:
        """Return what to do with the champion."""
        met = deciding(self.results)
        return None if met is None else training_card(self.results, best, met)

    def warnings(self) -> list[str]:
        """Return the caveats of self-play and learning."""
        return training_warnings(self.results)

    def subjects(self) -> dict[str, Any]:
        """Return the ladder's games, and the whole training."""
        return super().subjects() | ({"training": self.results} if self.results.training else {})

    def tables(self) -> list[Section]:
        """Return the generations."""
        columns = generation_columns(self.results)
        return (
            [Section("Generations", columns, GENERATIONS, keys=("generation",))] if columns else []
        )

    def sections(self, program: str, folder: str) -> list[Section]:
        """Return generations, results of stored games, and some games of self-play."""
        sections, phases = self.tables(), phase_columns(self.results)
        if phases:
            sections.append(Section("What stored games taught", phases, PHASES))
        if samples := samples_of(self.results):
            body = html_part(
                "parts/selfplay.html.jinja", selfplay=samples, program=program, folder=folder
            )
            sections.append(Section("Self-play", body=Markup(body)))  # a template of ours, escaped
        return sections

    def to_come(self) -> list[str]:
        """Say what will decide."""
        return [
            "A new generation becomes the champion only by passing its gate; the ladder, played "
            "last, measures how strong the generations are."
        ]

    def charts(self, model: Modelled | None) -> list[tuple[str, list[Chart]]]:
        """Return nothing: generations have no parameter."""
        return [] if self.results.training else super().charts(model)

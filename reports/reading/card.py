"""The answer card as data: a verdict, what it rests on, the next command."""

from __future__ import annotations

from dataclasses import dataclass

from joute.reports.reading.move_time import name_of, time_words, told
from joute.reports.reading.winner import Winner
from joute.results.frames import Results
from joute.results.quantity import milliseconds
from joute.results.tables import times_table

TAKE, KEEP, UNKNOWN, CONFIRM = "take", "keep", "cannot tell", "confirm"
FAILED = "no verdict"  # an engine failed in most of its games


@dataclass(frozen=True)
class Card:
    """The answer in a few words: `verdict` is take, keep, cannot tell, confirm where the best of many
    leads in the games that chose it, or no verdict where `engine` failed in most of its games; `engine` is what it is about,
    `facts` pairs of a label and a text, `command` the next one to type; where nothing is left to
    do (or only to keep what there is, the `lead`), `more` has a purpose and a command that may
    still serve it. `kept`: the engine is the default of a search that has not settled anything yet;
    `ahead`: it has scored more than the others.
    """

    verdict: str
    engine: str
    facts: list[tuple[str, str]]
    command: str
    more: tuple[str, str] = ("", "")
    kept: bool = False
    lead: str = "Nothing to do."
    headline: str = ""
    ahead: bool = True

    @property
    def next(self) -> str:
        """The next step in a line of text."""
        purpose, command = self.more
        if self.command or not command:
            return self.command
        purpose = f" {purpose}:" if purpose else ""
        return f"{self.lead[0].lower()}{self.lead[1:]}{purpose} {command}"

    @property
    def title(self) -> str:
        """The `headline`, or else the verdict as one."""
        if self.headline:
            return self.headline
        if self.verdict == FAILED:
            return f"No verdict: {self.engine} failed"
        if self.verdict == UNKNOWN and self.kept:
            return f"Cannot tell yet, so keep {self.engine}"
        if self.verdict == UNKNOWN:
            return f"Cannot tell{f': {self.engine} is ahead' if self.engine and self.ahead else ''}"
        which = ", which leads" if self.verdict == CONFIRM else ""
        return f"{self.verdict.capitalize()} {self.engine}{which}"


def time_text(results: Results, best: Winner) -> str:
    """Return how long the engine takes for a move; "" if that is not known."""
    table = times_table(results)
    stage = table[table["stage"] == best.stage].to_dict("records")
    row = next((row for row in stage if row["engine"] == best.name), None)
    if row is None:
        return ""
    column = told(stage)
    time, what = time_words(row, column)
    median = what.partition(";")[2]
    return f"{name_of(column)} {time},{f'{median},' if median else ''} 99 % under {milliseconds(row['p99_ms'])}"

"""The answer card: take, keep or cannot tell, what that rests on, and the exact next command.

One card, made here, is on top of the report and of the watched page; the terminal prints its next
command.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from shlex import quote

from joute.engines.engine import parse_engine
from joute.engines.errors import Refused
from joute.engines.parameter import rounded
from joute.reports.plugins import from_here, program, typed_here
from joute.reports.reading.answer import SETTLED, Answer
from joute.reports.reading.card import CONFIRM, FAILED, KEEP, TAKE, UNKNOWN, Card, time_text
from joute.reports.reading.caveats import never_differed
from joute.reports.reading.failed import mostly_failed, often_failed
from joute.reports.reading.match import FAILED_TEST, tested_in_vain
from joute.reports.reading.next_command import (
    MORE,
    confirming_match,
    export_commands,
    longer_final,
    more_command,
    with_larger_book,
    with_setting,
)
from joute.reports.reading.unfinished import missing
from joute.reports.reading.winner import IN_DOUBT, Winner
from joute.reports.reading.words import listed, listed_first
from joute.reports.telling import telling_of, winner_of
from joute.results.frames import Results
from joute.results.meta import CONFIRMATION, USED_UP
from joute.results.quantity import elo_ends, elo_text, percent, percent_ends

EVEN = 0.5  # score of two engines that are level
NAMED = 4  # engines that are named
ID = 12  # characters of a game's id that name it
SCAN = "scan"  # the stage of a scan
RANGE = 3  # values that are tried, from which they are a range with ends


def next_step(results: Results, answered: Answer) -> str:
    """Return the next step in a line for a terminal; "" before the first game."""
    with typed_here():
        card = card_of(results, answered, winner_of(results, answered))
    return card.next if card is not None else ""


def card_of(results: Results, answered: Answer, best: Winner | None) -> Card | None:
    """Return the card of a run; None before its first game."""
    card = _card_of(results, answered, best)
    if card is None or best is None:
        return card
    if best.stage == SCAN and not card.kept and not card.headline:
        return replace(card, headline=f"Cannot tell yet: {settings_text(results, best)} looks best")
    if results.search is not None:
        return card
    level = results.seats["engine"].nunique() == 2 and best.score == EVEN
    return replace(card, ahead=not level)


def _card_of(results: Results, answered: Answer, best: Winner | None) -> Card | None:
    if failed := mostly_failed(results):
        check = f"{program(results.meta)} check {quote(failed[0].engine)}"
        facts = [("why", f"{one}: {one.reason}") for one in failed[:NAMED]]
        if failed[0].busy:
            alone = ("To check it alone", check)
            return Card(FAILED, failed[0].name, facts, "", alone, lead=failed[0].mend)
        return Card(FAILED, failed[0].name, facts, "", ("", check), lead="Mend it, then")
    if not len(results.games):
        return None
    if best is None:
        return unfinished_search(results)
    if (own := telling_of(results).card(answered, best)) is not None:
        return own
    if answered.apart:
        facts = [("why", "each group has its own first, named below")]
        title = "Cannot tell: the groups did not meet"
        return Card(UNKNOWN, "", facts, more_command(results, answered.more), headline=title)
    default = (results.search or {}).get("default")
    longer = results.meta.of(CONFIRMATION, None) or {}
    kept = best.name in (default, longer.get("default", default))
    if never_differed(results):
        facts = [
            ("why", "both play the same moves in all blocks, so more of them will tell little")
        ]
        return Card(UNKNOWN, "", facts, "", lead="Make the engines differ.")
    verdict = TAKE if best.confirmed else KEEP if kept and not answered.undecided else UNKNOWN
    often = often_failed(results)
    facts = [
        ("with", "" if best.stage == SCAN else settings_text(results, best)),
        ("gain", answered.gain),
        strength(results, best, answered.beside),
        ("time per move", time_text(results, best)),
        ("why", best.why),
        ("not over", missing(results)),
        ("not settled", "" if best.why.startswith(IN_DOUBT) else unsettled(answered, best)),
        ("not tried", untried(results, best)),
        ("a match", answered.match[0] if answered.match else ""),
        *(("failures", f"{one}: {one.reason}") for one in often[:NAMED]),
    ]
    facts = [fact for fact in facts if fact[1]]
    if often:
        folder = quote(from_here(results.folder))
        game = f"{program(results.meta)} replay {folder} {often[0].game[:ID]}"
        first = ("The first such game", game)
        return Card(verdict, best.name, facts, "", first, kept, often[0].mend)
    if missing(results) and results.search is None:
        head = f"Not over: {best.name} leads so far" if best.score > EVEN else "Not over yet"
        return Card(UNKNOWN, best.name, facts, more_command(results), headline=head)
    sure = verdict == UNKNOWN and leads(results, answered, best)
    if sure and (command := confirming_match(results, best)):
        return Card(CONFIRM, best.name, facts, command)
    if best.why.startswith(FAILED_TEST):
        return Card(
            verdict, best.name, facts, "", headline="Not shown to be stronger: the test failed"
        )
    if verdict == TAKE:
        commands = export_commands(results, best)
        if len(commands) == 1:  # a program that has nothing to take home
            joute, folder = program(results.meta), quote(from_here(results.folder))
            games = ("To see the games", f"{joute} replay {folder}")
            return Card(verdict, best.name, facts, "", games)
        return Card(verdict, best.name, facts, commands[-1])
    if answered.match is not None:
        return Card(verdict, best.name, facts, answered.match[1], kept=kept)
    if answered.longer is not None:
        command = with_setting(results, longer_final(results.meta.study, answered.longer))
        return Card(verdict, best.name, facts, command, kept=kept)
    if (blocks := tested_in_vain(results)) is not None:
        command = with_setting(results, f"sprt.max_blocks={MORE * blocks}") if blocks else ""
        if not results.meta.get(USED_UP):
            return Card(verdict, best.name, facts, command, kept=kept)
        larger, lead = with_larger_book(results), "The test has not decided."
        return Card(verdict, best.name, facts, "", larger, kept=kept, lead=lead)
    more, gain = more_command(results, answered.more), answered.gain_below
    if not more:
        return Card(verdict, best.name, facts, "", with_larger_book(results), kept=kept)
    if answered.before:
        again = ("To play on all the same", more)
        return Card(verdict, best.name, facts, "", again, kept, answered.before)
    if answered.undecided and answered.more is None:
        return Card(verdict, best.name, facts, "", ("To play on all the same", more), kept)
    if verdict == KEEP and longer:  # the final at another limit has decided
        return Card(verdict, best.name, facts, "", ("To search further", more))
    if verdict == KEEP and gain is not None:
        points = max(ceil(100 * gain), 1)
        purpose = f"To look for gains below {points} point{'' if points == 1 else 's'}"
        lead = Card.lead if gain < SETTLED else "Keep it, or go on."
        return Card(verdict, best.name, facts, "", (purpose, more), lead=lead)
    return Card(verdict, best.name, facts, more, kept=kept)


def unfinished_search(results: Results) -> Card | None:
    """Return the card of a search that was stopped before it had a best point; None of any other run."""
    if not missing(results):
        return None
    facts = [("not over", missing(results))]
    title = "Not over: nothing is recommended yet"
    return Card(UNKNOWN, "", facts, more_command(results), headline=title)


def leads(results: Results, answered: Answer, best: Winner) -> bool:
    """Whether an engine of a field beat all others, in the games that chose it."""
    return results.search is None and answered.winner == best.name and not answered.tied


def settings_text(results: Results, best: Winner) -> str:
    """Return the searched parameters of the engine, those whose effect the games show first; "" of a run
    that searched none.
    """
    axes = [axis["name"] for axis in (results.search or {}).get("axes", [])]
    known = [name for name in axes if name in best.parameters]
    seen = telling_of(results).detected()
    parts = [[name for name in known if name in seen], [name for name in known if name not in seen]]
    told, other = (
        ", ".join(f"{name} = {rounded(best.parameters[name])}" for name in names) for names in parts
    )
    return f"{told}; no effect seen of {other}" if told and other else told or other


def strength(results: Results, best: Winner, beside: str) -> tuple[str, str]:
    """Return the fact of how strong the engine is: its score, or its rating where opponents differ."""
    if results.adaptive(best.stage):
        ends = elo_ends(best.elo_low, best.elo_high)
        told = [elo_text(best.elo)] * (best.elo is not None) + [f"({ends})"] * bool(ends)
        where = f"in {best.games:,} games of the stage {best.stage}"
        return "Elo", f"{' '.join(told) or '?'}, 0 is the average of the field, {where}"
    return "scores", score_text(results, best, beside)


def score_text(results: Results, best: Winner, beside: str) -> str:
    """Return the engine's score, in how many games it was measured, and what it compares with."""
    ends = percent_ends(best.score_low, best.score_high)
    search = results.search or {}
    itself = best.name == search.get("default") and best.name in search.get("pool", [])
    if itself and beside and len(search["pool"]) == 1:  # its own score is no news
        return f"{beside} against it, in {best.games:,} games of the stage {best.stage}"
    if best.stage == SCAN:
        if itself and len(search["pool"]) == 1:  # 50 % by definition
            return ""
        told = f"{percent(best.score)} ({ends}) expected, by the model of all {best.games:,} games"
        return f"{told}, 50 % against itself" if itself else told
    against = " against the opponents of the search, itself counted as 50 %," if itself else ""
    return (
        f"{percent(best.score)} ({ends}){against} in {best.games:,} games of the stage {best.stage}"
        f"{f'; {beside}' if beside else ''}"
    )


def unsettled(answered: Answer, best: Winner) -> str:
    """Name the engines that may be as strong; "" if there are none."""
    tied = [name for name in answered.tied if name != best.name]
    return f"{listed_first(tied, NAMED, 'others')} may be as strong" if tied else ""


def untried(results: Results, best: Winner) -> str:
    """Name the ends of what the entrants of its search try at which the engine lies: beyond them, where
    it may go, better values may lie. "" of a search over parameters, which says so in its answer.
    """
    try:
        known = {row.name: row for row in parse_engine(best.engine).parameters}
    except Refused:  # a plugin that is not here
        return ""
    if results.search is not None:
        return ""
    search = best.parameters.get("search")
    entrants = [row for row in results.values.values() if row.get("search", search) == search]
    ends = []
    for name, value in best.parameters.items():
        tried = {tried for row in entrants if isinstance(tried := row.get(name), int | float)}
        if name not in known or not isinstance(value, int | float) or len(tried) < RANGE:
            continue
        least, largest = min(tried), max(tried)
        if value == least > known[name].low:
            ends.append(f"{name} below {rounded(value)}")
        if value == largest < known[name].high:
            ends.append(f"{name} above {rounded(value)}")
    return listed(ends)

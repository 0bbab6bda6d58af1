"""The answer card of a training: whether its champion is worth taking, by what it does to the anchors."""

from __future__ import annotations

from dataclasses import replace

from joute.reports.reading.card import KEEP, TAKE, UNKNOWN, Card, time_text
from joute.reports.reading.champion import Meeting, by_time, by_work, gain_line
from joute.reports.reading.next_command import MORE, export_commands, with_setting
from joute.reports.reading.winner import Winner
from joute.reports.reading.words import listed
from joute.results.frames import Results


def judged(best: Winner, met: Meeting) -> Winner:
    """Return the champion as a winner: confirmed if it beats every anchor, or if there is none."""
    if not met.anchors:
        why = "the last generation to pass its gate; no anchor says how strong it is"
        return replace(best, confirmed=True, why=why)
    if met.lost:
        why = f"it loses to {listed(met.lost)} at 95 %"
    elif met.level:
        why = f"it cannot be told from {listed(met.level)} at 95 %"
    else:
        why = f"stronger than {listed(met.anchors)} at 95 %, on fresh openings"
    return replace(best, confirmed=not (met.lost or met.level), why=why)


def deciding(results: Results) -> Meeting | None:
    """Return the games that decide: at equal time where these were played, else of the ladder."""
    return by_time(results) or by_work(results)


def training_card(results: Results, best: Winner, met: Meeting) -> Card:
    """Return the card: take the champion, keep the anchor that beats it, or measure it with more games."""
    ladder, study = by_work(results), results.meta.study
    facts = [
        ("strength", str(met) if met.anchors else ""),
        ("learnt", gain_line(ladder) if ladder else ""),
        ("time per move", time_text(results, best)),
        ("why", best.why if best.confirmed else ""),
    ]
    facts = [fact for fact in facts if fact[1]]
    export = export_commands(results, best)[-1]
    if best.confirmed:
        return Card(TAKE, best.name, facts, export)
    iterations = study.get("selfplay", {}).get("iterations")
    if met.lost:
        more = ("To play with it all the same", export)
        if iterations:
            more = (
                "To train on",
                with_setting(results, f"selfplay.iterations={MORE * iterations}"),
            )
        lead = f"{met.lost[0]} is stronger than the network."
        loses = f"Not strong enough: {best.name} loses to {met.lost[0]}"
        return Card(KEEP, met.lost[0], facts, "", more, lead=lead, headline=loses)
    blocks = MORE * study.get("ladder", {}).get("blocks", 1)
    return Card(UNKNOWN, "", facts, with_setting(results, f"ladder.blocks={blocks}"))

"""The command that a card names next: more games, a match, an export; each can be typed as it stands."""

from __future__ import annotations

from shlex import quote
from typing import Any

from joute.engines.engine import parse_engine
from joute.engines.errors import Refused
from joute.engines.programs.told import told_in
from joute.engines.search import Search
from joute.reports.export.constants import own_parameters
from joute.reports.plugins import from_here, program
from joute.reports.reading.unfinished import missing
from joute.reports.reading.winner import Winner
from joute.results.frames import Results
from joute.results.standings import standings_table

MORE = 4  # times the games, which halves an interval


def confirming_match(results: Results, best: Winner) -> str:
    """Return the command of a match of the best engine with the second, on fresh openings; "" for more
    than two players, who have no match.
    """
    table = standings_table(results, best.stage)
    others = [name for name in table["engine"] if name != best.name]
    blocks = results.meta.study.get("schedule", {}).get("blocks")
    if results.players != 2 or not others or not isinstance(blocks, int):
        return ""
    return match_command(results, best.name, others[0], f"--blocks {blocks}")


def match_command(results: Results, first: str, second: str, length: str) -> str:
    """Return the command of a match of two engines of a run, as the run plays, on other openings."""
    two, folder = [quote(name) for name in (first, second)], quote(from_here(results.folder))
    return " ".join([program(results.meta), "match", *two, "--like", folder, length])


def export_commands(results: Results, best: Winner) -> list[str]:
    """Return the commands that export the winner, the most useful one last: a program's parameters,
    as it takes them, or any other engine as a file that plays.
    """
    joute, folder = program(results.meta), quote(from_here(results.folder))
    anyway = "" if best.confirmed else " --anyway"
    targets = ["toml", *(target for target in [playable(best.engine)] if target)]
    named = {"header": " -o winner.h"}  # a program includes it under one name, whatever the run's
    return [
        f"{joute} export {folder} --to {target}{named.get(target, '')}{anyway}"
        for target in targets
    ]


def playable(text: str) -> str:
    """Return the target with which an engine plays elsewhere; "" if none is known."""
    try:
        engine = parse_engine(text)
    except Refused:  # a plugin that is not here
        return ""
    if type(engine.search).recipe is not Search.recipe:  # a player that can be written
        return "python" if engine.search.cores(engine.setup) == 1 else ""
    if told_in(engine.values):
        return "params"
    if not own_parameters(engine, {}):
        return ""
    return "uci" if engine.values.get("protocol") == "uci" else "header"


def more_command(results: Results, more: int | None = None) -> str:
    """Return the command that plays more games of the same study: so many, if that is known; "" if its
    book has no openings for more. A run that was stopped has its own games to play first.
    """
    if missing(results):
        return with_setting(results, "")
    study, book = results.meta.study, results.meta.book
    if 0 < games_of(study.get("budget")) <= len(results.games):
        return with_setting(results, more_budget(study, more))
    name, blocks = planned_blocks(study)
    if name and book:
        most = book - sum(blocks_of_stages(study)[:-1])  # each stage has openings of its own
        return with_setting(results, f"{name}={min(MORE * blocks, most)}") if blocks < most else ""
    return with_setting(results, more_games(study, more))


def with_larger_book(results: Results) -> tuple[str, str]:
    """Return the command that plays a study anew with more openings, and what for."""
    name, blocks = planned_blocks(results.meta.study)
    study = quote(from_here(results.folder / "study.toml"))
    settings = f" --set {name}={MORE * blocks}" if name else ""
    larger = '--set openings.records="$PWD/FILE" --out NEW'  # a study's paths begin at its folder
    command = f"{program(results.meta)} run {study} {larger}{settings}"
    return f"With a larger book than this one of {results.meta.book:,} openings", command


def longer_final(study: dict[str, Any], blocks: int) -> str:
    """Return the setting with which a final at another limit, of so many blocks, goes on."""
    name = "final.sprt.max_blocks" if "sprt" in study.get("final", {}) else "final.blocks"
    return f"{name}={MORE * blocks}"


def with_setting(results: Results, setting: str) -> str:
    """Return the command that goes on with a run, with a setting changed."""
    joute, folder = program(results.meta), quote(from_here(results.folder))
    study = quote(from_here(results.folder / "study.toml"))
    return f"{joute} run {study} --out {folder}{f' --set {setting}' if setting else ''}"


def more_games(study: dict[str, Any], more: int | None = None) -> str:
    """Return the setting with which a study plays more games; "" where its test goes on by itself."""
    if "sprt" in study:
        return ""
    name, blocks = planned_blocks(study)
    return f"{name}={MORE * blocks}" if name else more_budget(study, more)


def planned_blocks(study: dict[str, Any]) -> tuple[str, int]:
    """Return the setting that says how many blocks a study plays, in the last of its stages, and how
    many; "" where none does.
    """
    if "sprt" in study:
        return "", 0
    if len(counts := blocks_of_stages(study)) > 1:
        return f"stage.{len(counts) - 2}.blocks", counts[-1]
    for name, table in (("blocks", study), ("schedule.blocks", study.get("schedule", {}))):
        if isinstance(blocks := table.get("blocks"), int):
            return name, blocks
    return "", 0


def blocks_of_stages(study: dict[str, Any]) -> list[int]:
    """Return the blocks of each stage of a tournament; none of another study."""
    first = study.get("schedule", {}).get("blocks")
    return [first, *(stage["blocks"] for stage in study.get("stage", []))] if first else []


def more_budget(study: dict[str, Any], more: int | None = None) -> str:
    """Return the setting with which a study has a larger budget; "" where that is a time."""
    count, _, unit = str(study.get("budget", "")).partition(" ")
    if not count.isdigit():
        return ""
    games = int(count)
    return quote(f"budget={MORE * games if more is None else rounded_up(games + more)} {unit}")


def games_of(budget: object) -> int:
    """Return the games of a budget as a study has it; 0 for blocks, a time, or none."""
    count, _, unit = str(budget).partition(" ")
    return int(count) if unit == "games" and count.isdigit() else 0


def rounded_up(games: int) -> int:
    """Return a number of games with two digits that are not 0, or a few games more."""
    step = int(10 ** max(len(str(games)) - 2, 0))
    return -(-games // step) * step

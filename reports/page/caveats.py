"""What a reader must know before trusting the tables: sentences, none of them a failure."""

from __future__ import annotations

from reports.page.words import listed
from results.duplicates import distinct_games
from results.frames import Results
from results.standings import Group, groups_of


def warnings(results: Results) -> list[str]:
    """Return what a reader must know before trusting the tables, one sentence each."""
    found = []
    if results.surplus:
        found.append(
            f"{results.surplus} games were finished after the one that decided an early stop: "
            "they are stored, and left out of everything here."
        )
    found += failing(results)
    found.append(_longer_openings(results))
    found.append(_duplicates(results))
    where: dict[str, dict[str, list[str]]] = {}
    for stage in results.stages:
        for group in groups_of(results, stage):
            for note in _notes(group):
                where.setdefault(note, {}).setdefault(stage, []).append(group.name)
    found += [f"{listed(_places(stages))}: {note}" for note, stages in where.items()]
    entrants = results.seats["engine"].nunique()
    if len(results.stages) == 1 and entrants > 2:
        found.append(
            f"The best of {entrants} was found and measured on the same games: it looks better "
            "than it is. Confirm it in a later stage, on fresh openings."
        )
    return list(dict.fromkeys(text for text in found if text))


def failing(results: Results) -> list[str]:
    """Say of each engine that failed how often, and why the first time."""
    found = []
    games = results.seats.groupby("engine", sort=False)["game"].nunique()
    for engine, rows in results.failures.groupby("engine", sort=False):
        kinds = ", ".join(f"{n} {kind}" for kind, n in rows["kind"].value_counts().items())
        first = next((line for line in str(rows["text"].iloc[0]).splitlines() if line.strip()), "")
        found.append(
            f"{engine} failed in {rows['game'].nunique()} of its {games.get(engine, 0)} games "
            f"({kinds}): {first[:200]}"
        )
    return found


def _longer_openings(results: Results) -> str:
    """Say that an open-ended match had to take longer openings; "" if it had not."""
    if not results.meta.get("sprt"):
        return ""
    openings = results.games["opening"].str.partition(" moves ")[2]
    plies = openings.map(lambda actions: len(actions.split()))
    if plies.empty or plies.min() == plies.max():
        return ""
    more = int((plies > plies.min()).sum())
    return (
        f"There are not as many openings of {plies.min()} random plies as the test took blocks: "
        f"{more} games have longer ones, of up to {plies.max()}."
    )


def _places(stages: dict[str, list[str]]) -> list[str]:
    return [f"{s} ({', '.join(g)})" if any(g) else s for s, g in stages.items()]


def _notes(group: Group) -> list[str]:
    if len(group.engines) == 1:
        return ["one engine alone, nothing to compare it with."]
    notes = group.ratings.notes if group.ratings else []
    return [note if note.endswith(".") else f"{note}." for note in notes]


def _pairings(results: Results) -> list[str]:
    seats = results.seats
    tables = seats.groupby("game", sort=False)["engine"].agg(" against ".join)
    stages = results.games["stage"].tolist()
    named = [tables.get(game, "") for game in results.games["id"]]
    return [f"{stage}: {table}" for stage, table in zip(stages, named, strict=True)]


def _by_chance(results: Results) -> bool:
    """Whether chance took part: then equal games are no copies of each other."""
    return bool((results.games["outcomes"] != "").any())


def _duplicates(results: Results) -> str:
    if _by_chance(results):
        return ""
    return distinct_games(_pairings(results), results.games["digest"].tolist())[1]


def repeats(results: Results) -> str:
    """Say in one short line how many games repeat an earlier one; "" if none does."""
    if _by_chance(results):
        return ""
    found, _ = distinct_games(_pairings(results), results.games["digest"].tolist())
    repeats = sum(one.repeats for one in found)
    if not repeats:
        return ""
    return f"Beware: {repeats} of {len(results.games)} games repeat an earlier one."

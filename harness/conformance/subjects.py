"""Subjects of a check: games, engines and views by their texts."""

from __future__ import annotations

import math
from collections.abc import Sequence

from joute.engines.check import LIMIT_RANGE, RENAME
from joute.engines.engine import parse_engine, parse_game
from joute.engines.engine_text import is_file, names_game
from joute.engines.errors import JouteError, Refused, suggest, unknown
from joute.engines.evaluation import Evaluation, evaluations_of
from joute.engines.game import Game, games_with_rules
from joute.engines.nets.net import shipped
from joute.engines.registry import entries, find, games_of, is_for, make, names
from joute.engines.search import Search
from joute.engines.view import view_of, views_of
from joute.engines.view_text import OF, names_view, parse_view, seen_text
from joute.harness.conformance.findings import Checked

MOST = 10**7
KINDS = ("game", "search", "evaluation", "view")


def subjects_of(asked: Sequence[str], every: bool = False) -> list[str]:
    """Return the games, engines and views to check: those asked for, or, by default, every game
    with all its searches and views. The name of a search means quick engines with it, that of an
    evaluation two of them, or `every` one; that of a view all its games. Raises Refused for any
    other name.
    """
    subjects, refusals = list[str](), list[str]()
    for thing in asked or games_with_rules():
        name = thing.partition("[")[0]
        if names_game(thing) or is_file(thing):
            parse_engine(thing)
            subjects.append(thing)
        elif not asked:
            subjects += [thing, *(with_game(parse_game(thing)) if is_made(thing) else ())]
        elif name in names("game"):
            if find("game", name).refereed:
                able = [n for n, e in entries("search").items() if e.facts.get("refereed")]
                raise Refused(
                    f"{thing}: a referee needs bots; check an engine, {thing}/{able[0]}:..."
                )
            subjects.append(thing)
        elif names_view(thing):
            view, seen = parse_view(thing)
            subjects += [seen_text(view, game) for game in seen]
        elif thing in names("evaluation"):
            made: Evaluation = make("evaluation", thing)
            games = [g for g in names("game") if is_for(made.games, g)]
            texts = [
                t for g in games for t in engines_of(parse_game(g), "", thing, refusals=refusals)
            ]
            if not games:
                fit = ", ".join(made.games or ())
                refusals.append(f"it is for {fit}, and no such game is known")
            if clash := next((text for text in refusals if text.endswith(RENAME)), None):
                raise Refused(clash)  # though other searches would take it
            subjects += texts if every else two_of(texts)
        elif thing in names("search"):
            games = [g for g in names("game") if is_made(g)]
            subjects += [text for game in games for text in engines_of(parse_game(game), thing)]
        else:
            known = [n for kind in KINDS for n in names(kind)]
            raise unknown("game, search, evaluation or view", name, known)
        if not subjects:
            why = f" ({refusals[0]})" if refusals else ""
            raise Refused(
                f"{thing}: no built-in engine can be made with it{why}; check an engine SPEC"
            )
    return subjects


def two_of(engines: Sequence[str]) -> list[str]:
    """Return two engines whose searches work in other ways: by nodes and by descents, if there are."""
    by_limit: dict[str, str] = {}
    for text in engines:
        limits = parse_engine(text).search.limits
        by_limit.setdefault(limits[0] if limits else "", text)
    chosen = [by_limit.pop(name, "") for name in LIMIT_RANGE]
    return [text for text in [*chosen, *by_limit.values(), *engines[1:]] if text][:2]


def with_game(game: Game) -> list[str]:
    """Return a quick engine of every search that plays a game, and its views."""
    return [
        *engines_of(game),
        *(f"{name}{OF}{game.label}" for name in views_of(game) if shows(name, game)),
    ]


def shows(view: str, game: Game) -> bool:
    """Whether a view with its defaults shows a game; its faults are reported elsewhere."""
    try:
        view_of(game, view)
    except JouteError as error:
        return not isinstance(error, Refused)
    return True


def is_made(game: str) -> bool:
    """Whether a game can be made with its defaults; its faults are reported elsewhere."""
    try:
        parse_game(game)
    except JouteError:
        return False
    return True


def engines_of(
    game: Game, only: str = "", evaluation: str = "", refusals: list[str] | None = None
) -> list[str]:
    """Return a quick engine of every search and evaluation that plays a game, or of those named; note
    why others cannot be made, if asked.
    """
    texts = []
    fitting = evaluations_of(game)
    limits = {"nodes": "nodes=200", "iterations": "iterations=50", "milliseconds": "milliseconds=5"}
    for search in names("search"):
        if search == "human" or (only and search != only):
            continue
        kind = find("search", search)
        limit = (
            [limits[kind.limits[0]]] if kind.limits and kind.needs_limit else quick_work(game, kind)
        )
        uses: dict[str, list[str | None]] = {
            "never": [None],
            "always": [*fitting],
            "optional": [None, *fitting],
        }
        for used in uses[kind.evaluation]:
            if evaluation and used != evaluation:
                continue
            arguments = (
                ([f"evaluation={used}"] if used else []) + limit + networks_of(game, kind, used)
            )
            text = f"{game.label}/{search}" + (f":{','.join(arguments)}" if arguments else "")
            try:
                parse_engine(text)
            except Refused as error:
                if refusals is not None:
                    refusals.append(str(error))
                continue
            texts.append(text)
    hands = [
        t for t in texts if ":" in t and type(parse_engine(t).search).recipe is not Search.recipe
    ]
    if only or evaluation:
        return texts
    endings = [n for n, games in games_of("ending").items() if is_for(games, game.name)]
    return texts + [f"{hands[-1]},ending={ending}" for ending in endings if hands]


def networks_of(game: Game, kind: type[Search], evaluation: str | None) -> list[str]:
    """Return the setting with a network that comes with Joute, for an engine that needs one."""
    reads = evaluation is not None and find("evaluation", evaluation).guided
    fitting = [name for name in shipped() if name.startswith(f"{game.name}-")]
    return [f"network={fitting[0]}"] if fitting and (kind.guided or reads) else []


def quick_work(game: Game, kind: type[Search]) -> list[str]:
    """Return the setting with which a search that has no limit looks at some MOST lines at most, where
    its usual depth is too much for a game of so many actions.
    """
    usual = next((p for p in kind.parameters if p.name == kind.work), None)
    if usual is None or not game.listed:
        return []
    deepest = int(math.log(MOST) / math.log(max(2, game.slots)))
    return [f"{usual.name}={max(1, deepest)}"] if deepest < float(usual.default) else []


def games_are_there() -> list[Checked]:
    """Return a fault for every evaluation, generator, ending, view or dialogue that is for a game
    that is not there.
    """
    known, faults = names("game"), list[Checked]()
    for kind in ("evaluation", "generator", "ending", "view", "dialogue"):
        for name, entry in entries(kind).items():
            for game in entry.facts.get("games") or ():
                if game not in known:
                    fault = f"games = {game!r}: no game has this name{suggest(game, known)}"
                    faults.append(Checked(f"{kind} {name}", "its games are there", fault))
    return faults


def not_started(things: Sequence[str]) -> list[Checked]:
    """Return, for engines that start programs, a note that only their settings were checked."""
    checks = []
    for thing in things:
        if names_game(thing) or is_file(thing):
            engine = parse_engine(thing)
            if engine.search.starts:
                rule, note = "its settings are allowed", "it was not started"
                checks.append(Checked(thing, rule, "", note))
    return checks

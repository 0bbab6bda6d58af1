"""The descriptions of `joute show`: of a game, search, evaluation, generator or study."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from tabulate import tabulate

from joute.commands._terminal import fitted, terminal_width
from joute.engines.check import LIMIT_RANGE
from joute.engines.engine import parse_game
from joute.engines.errors import Refused, nearest
from joute.engines.evaluation import evaluations_of
from joute.engines.game import Game, games_with_rules
from joute.engines.output import Output
from joute.engines.parameter import Parameter, text_of
from joute.engines.position import example_of
from joute.engines.protocol import protocols_of
from joute.engines.registry import entries, find, games_of, is_for, kinds, make, names
from joute.engines.tuned import tuned_of
from joute.engines.view import View, views_of
from joute.engines.view_text import OF, parse_view
from joute.studies.ready_made import STUDIES
from joute.studies.reference import keys_of, own_keys

RANGE, MEANING, SOURCE = 24, 52, 30  # most characters of these columns of a table of parameters,
LEAST, GAP = 16, 2  # least ones of the last two, and those between columns


def describe(thing: str) -> Output:
    """Return the description of a thing, of all that have its name; raise Refused with the nearest
    known name.
    """
    name = thing.partition(OF)[0].partition("[")[0]
    described = [
        member(kind, thing, find(kind, name))
        for kind in shown_kinds()
        if name in names(kind) and kind != "telling"  # the report on a kind of study
    ]
    for kind, folder in (("study", STUDIES), ("suite", STUDIES / "suites")):
        file = folder / f"{thing}.toml"
        if file.is_file():
            text = file.read_text()
            described.append(Output({"kind": kind, "name": thing, "text": text}, text.rstrip()))
    if not described:
        known = [n for kind in kinds() for n in names(kind)] + [
            p.stem for p in STUDIES.rglob("*.toml")
        ]
        near = nearest(thing.rpartition("/")[2].partition(":")[0], known)
        other = "; joute list names all; what a plugin adds needs --plugin FILE"
        raise Refused(f"nothing is called {thing!r}{near or other}")
    first, *others = described
    also = {"also": [other.data for other in others]} if others else {}
    return Output({**first.data, **also}, "\n\n".join(one.text for one in described))


def shown_kinds() -> list[str]:
    """Return the kinds of members, games first: a name may be of several kinds."""
    return sorted(
        kinds(), key=lambda kind: (kind != "game", kind != "search", kind != "evaluation", kind)
    )


def member(kind: str, thing: str, cls: Any) -> Output:
    """Return the description of a registered member."""
    parameters: tuple[Parameter, ...] = (
        cls.options if kind == "game" else getattr(cls, "parameters", ())
    )
    if kind == "protocol":  # of every program that speaks it
        parameters = make("protocol", cls.name).settings(None)
    rows = [row_of(p) for p in parameters]
    data: dict[str, Any] = {"kind": kind, "name": cls.name, "summary": cls.summary}
    facts = [f"{cls.name} ({kind}): {cls.summary}"]
    if kind == "game":
        game = parse_game(thing)
        data |= {"label": game.label, "players": game.players, "notation": cls.notation}
        facts += [
            f"players: {players_of(cls, game)}",
            f"label: {game.label}",
            f"position: {cls.notation}",
            *([] if game.refereed else [f"for example: {example_of(game)}"]),
        ]
        if game.refereed:
            facts += [f"form {n}: {e.fact('summary')}" for n, e in entries("form").items()]
        data["evaluations"] = fitting = evaluations_of(game)
        facts.append(f"evaluations: {', '.join(fitting) or 'none'}")
        data["generators"] = [
            n
            for n in names("generator")
            if generates(find("generator", n), game) and not game.refereed
        ]
        facts.append(f"generators: {', '.join(data['generators']) or 'none'}")
        data["endings"] = [n for n, games in games_of("ending").items() if is_for(games, cls.name)]
        data["protocols"] = protocols_of(cls)
        data["views"] = views_of(game)
        for more in ("endings", "protocols", "views"):
            if data[more]:
                facts.append(f"{more}: {', '.join(data[more])}")
        tuned = tuned_of(cls)
        data["tuned"] = [asdict(one) for one in tuned.values()]
        facts += [one.described() for one in tuned.values()]
    if kind == "evaluation":
        data["games"] = [game for game in games_with_rules() if is_for(cls.games, game)]
        facts.append(f"games: {', '.join(cls.games or ['any that it can value'])}")
    if kind == "search":
        data |= {"evaluation": cls.evaluation, "limits": list(cls.limits)}
        facts.append(f"evaluation: {cls.evaluation}")
        needed = "one is needed" if cls.needs_limit else "optional"
        limits = [f"{n} ({LIMIT_RANGE[n].meaning})" for n in cls.limits]
        facts.append(f"limits: {', '.join(limits) + '; ' + needed if limits else 'none'}")
    if kind == "protocol":
        games = [n for n in games_with_rules() if plays(cls, n)]
        data |= {"turn_ms": cls.turn_ms, "first_ms": cls.first_ms, "games": games}
        facts += [
            f"games: {', '.join(games) or 'none'}",
            f"time: {cls.turn_ms:g} ms a turn, {cls.first_ms:g} ms the first",
            f"one process plays {'many games' if cls.many_games else 'one game'}",
        ]
    if kind == "view":
        view, shown = parse_view(thing)
        data |= {"label": view.label, "generator": cls.generator}
        data["games"] = [sizes_of(view, game) for game in shown]
        facts += [f"label: {view.label}", f"policy: actions of the generator {cls.generator}"]
        facts += [size_text(one) for one in data["games"]]
    if kind == "kind":
        return study_keys(cls, data, facts)
    data["options" if kind == "game" else "parameters"] = rows
    text = "\n".join(fitted(fact, 4) for fact in facts)
    if rows:
        text += "\n\n" + parameter_table(rows)
    return Output(data, text)


def parameter_table(rows: list[dict[str, Any]]) -> str:
    """Return parameters as a table that the terminal has room for: their meaning and source get what
    the other columns leave.
    """
    grid = [{k: v for k, v in row.items() if k != "choices"} for row in rows]
    widths = (
        max(len(str(row[k])) for row in [*grid, {k: k}])
        for k in ("name", "kind", "default", "range")
    )
    left = terminal_width() - sum(min(width, RANGE) + GAP for width in widths) - GAP
    meaning, source = (
        int(max(LEAST, min(most, left * most / (MEANING + SOURCE)))) for most in (MEANING, SOURCE)
    )
    return tabulate(grid, headers="keys", maxcolwidths=[None, None, None, RANGE, meaning, source])


def sizes_of(view: View, game: Game) -> dict[str, Any]:
    """Return the sizes of a game as a network sees it."""
    sizes = view.shape(game)._asdict()
    return {"game": game.label, **sizes, "symmetries": len(view.symmetries(game))}


def size_text(sizes: dict[str, Any]) -> str:
    """Return the same in a line."""
    return (
        "{game}: {planes} planes of {rows} x {columns}, a policy of {policy} entries, "
        "symmetries: {symmetries}"
    ).format(**sizes)


def study_keys(cls: Any, data: dict[str, Any], facts: list[str]) -> Output:
    """Return the keys of a kind's study files, its own first."""
    kind_keys = own_keys(cls.name)
    keys = [*kind_keys, *(key for key in keys_of(cls.name) if key not in kind_keys)]
    rows = [
        {"key": k.name, "meaning": k.meaning, "allowed": k.allowed, "default": k.default}
        for k in keys
    ]
    text = tabulate(rows, headers="keys", maxcolwidths=[None, 48, 40, 24])
    told = [fitted(fact, 4) for fact in facts]
    return Output({**data, "keys": rows}, "\n".join([*told, "", text]))


def players_of(cls: Any, game: Game) -> str:
    """Return how many players a game has: a range where that is an option of it."""
    for option in cls.options:
        if option.name == "players" and option.low < option.high:
            return f"{text_of(option.low)} to {text_of(option.high)}"
    return str(game.players)


def generates(generator: Any, game: Game) -> bool:
    """Whether a search can have a game's actions from a generator."""
    try:
        generator().check(game)
    except Refused:
        return False
    return True


def plays(protocol: Any, game: str) -> bool:
    """Whether a game can be played by a protocol."""
    try:
        protocol().check(parse_game(game))
    except Refused:
        return False
    return True


def default_text(p: Parameter) -> str:
    """Return a default, and that of an engine with a limit if it is another."""
    limited = "" if p.under_limit is None else f" ({text_of(p.under_limit)} under a limit)"
    return f"{text_of(p.default)}{limited}"


def row_of(p: Parameter) -> dict[str, Any]:
    """Return a parameter as a table row."""
    if p.kind == "choice":
        span = " | ".join(p.choices)
    elif p.kind == "text":
        span = ""
    else:
        low = text_of(p.low) if p.low > -math.inf else ""
        high = text_of(p.high) if p.high < math.inf else ""
        span = f"{low} .. {high}"
    return {
        "name": p.name,
        "kind": p.kind,
        "default": default_text(p),
        "range": span,
        "meaning": p.meaning,
        "source": p.source,
        "choices": list(p.choices),
    }

"""Checks the settings of an engine, all at once, and lists the faults by setting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from joute.engines.ending import Ending
from joute.engines.errors import Refused, unknown
from joute.engines.evaluation import Evaluation
from joute.engines.game import Game
from joute.engines.generator import Generator
from joute.engines.parameter import LIMITS, Parameter, Value
from joute.engines.registry import entries, games_of, make
from joute.engines.search import CLOCK, TIME, Search

LIMIT_RANGE = {
    "nodes": Parameter("nodes", "int", 10_000, 1, 1 << 50, meaning="nodes per move"),
    "iterations": Parameter("iterations", "int", 1000, 1, 1 << 40, meaning="descents per move"),
    "milliseconds": Parameter("milliseconds", "float", 100.0, 1.0, 1e7, meaning="time per move"),
    "clock": Parameter(
        "clock", "float", 30.0, 1.0, 1000.0,
        meaning="moves among which the rest of its clock is shared, in a game with clocks",
    ),
}  # fmt: skip
COMPONENTS = ("search", "evaluation", "generator", "ending")
UCI_OPTION = "option."  # as other managers of chess engines write an option
RENAME = "give it another name"
WHOLE = ""  # key of faults that concern several settings


class SettingsRefused(Refused):
    """Settings that make no engine; `faults` are messages by setting, WHOLE for several together."""

    def __init__(self, faults: Mapping[str, str], where: str = "") -> None:
        place = f"{where}: " if where else ""
        super().__init__(place + next(iter(faults.values())))
        self.faults = dict(faults)


@dataclass
class Checked:
    """The parts of an engine as far as its settings make any, and all that is wrong with them.

    `parameters` are those of search, evaluation, generator and ending, in this order; `values` has
    those that have an effect.
    """

    game: Game | None
    settings: dict[str, Any]
    parts: dict[str, Any] = field(default_factory=dict)
    parameters: tuple[Parameter, ...] = ()
    limit: tuple[str, float] | None = None
    values: dict[str, Value] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)

    def note(self, setting: str, error: Refused | str) -> None:
        """Note a fault of a setting, unless it has one."""
        self.faults.setdefault(setting, str(error))


def check(
    game: Game | None, settings: Mapping[str, Any], declared: Mapping[str, Parameter] | None = None
) -> Checked:
    """Check settings; without a game, only what can be checked without one.

    `declared` takes the place of a program's own parameters: a study knows their ranges.
    """
    checked = Checked(game, dict(settings))
    find_parts(checked)
    check_names(checked)
    parameters = parameters_in(game, checked.settings, checked.parts)
    checked.parameters = tuple((declared or {}).get(p.name, p) for p in parameters)
    check_values(checked)
    if game is not None and not checked.faults.keys() & set(COMPONENTS):
        try:
            checked.limit = limit_of(checked)
            check_fit(checked)
            if len(checked.values) == len(checked.parameters):
                checked.values = effective(checked)
                parts, limit = checked.parts, checked.limit
                values = {**checked.values, **({"limit": kind_of(limit[0])} if limit else {})}
                parts["search"].check_values(
                    game, values, parts.get("evaluation"), parts["generator"]
                )
        except Refused as error:
            checked.note(WHOLE, error)
    return checked


def find_parts(checked: Checked) -> None:
    """Find the members that the settings name, and the usual generator where they name none."""
    for kind in COMPONENTS:
        name = checked.settings.get(kind)
        if name is None or (kind, name) == ("ending", "none"):
            continue
        try:
            checked.parts[kind] = make(kind, str(name))
        except Refused as error:
            checked.note(kind, error)
    game, parts = checked.game, checked.parts
    if game is not None and "generator" not in checked.settings and "search" in parts:
        parts["generator"] = make("generator", usual_generator(game, type(parts["search"])))


def check_names(checked: Checked) -> None:
    """Note a part with a parameter that is called as something else is: one would be read for the other."""
    taken = {**dict.fromkeys(LIMITS, "a limit"), **dict.fromkeys(COMPONENTS, "a part of an engine")}
    for kind, part in checked.parts.items():
        parameters = own_parameters(checked.game, checked.settings, kind, part)
        for name in (p.name for p in parameters if kind != "search"):
            if name in taken:
                checked.note(
                    kind,
                    f"{kind} {part.name} has a parameter {name}, and so is {taken[name]} called: {RENAME}",
                )
        taken |= {p.name: f"one of the {kind} {part.name}" for p in parameters}


def own_parameters(
    game: Game | None, settings: Mapping[str, Any], kind: str, part: Any
) -> tuple[Parameter, ...]:
    """Return the parameters of a part of an engine with these settings."""
    parameters: tuple[Parameter, ...] = (
        part.parameters_for(settings, game) if kind == "search" else part.parameters
    )
    return parameters


def parameters_in(
    game: Game | None, settings: Mapping[str, Any], parts: Mapping[str, Any]
) -> tuple[Parameter, ...]:
    """Return the parameters of the parts of an engine with these settings, each name once."""
    known: dict[str, Parameter] = {}
    for kind in COMPONENTS:
        if kind in parts:
            for p in own_parameters(game, settings, kind, parts[kind]):
                known.setdefault(p.name, p)
    return tuple(known.values())


def check_values(checked: Checked) -> None:
    """Note every setting that is wrong by itself; an unknown one only if that is sure."""
    known = {p.name: p for p in checked.parameters}
    limits = [kind for part in checked.parts.values() for kind in getattr(part, "limits", ())]
    sure = not checked.faults and "search" in checked.settings  # else a member's own may be missing
    for name, value in checked.settings.items():
        try:
            if name in known:
                checked.values[name] = known[name].check(value)
            elif name in LIMITS:
                LIMIT_RANGE[name].check(value)
            elif name not in COMPONENTS and (sure or get_close_matches(name, known, n=1)):
                search = checked.parts.get("search")
                hint = search.unknown_hint.format(name=name) if search is not None else ""
                if name.startswith(UCI_OPTION) and "options" in known:
                    hint = f'; write options="{name.removeprefix(UCI_OPTION)}=..."'
                raise Refused(f"{unknown('parameter', name, [*known, *COMPONENTS, *limits])}{hint}")
        except Refused as error:
            checked.note(name, error)
    for name in (name for name in known if name not in checked.settings):
        try:
            checked.values[name] = known[name].check(known[name].usual(checked.settings))
        except Refused as error:  # some have none that is allowed
            checked.note(name, error)


def limit_of(checked: Checked) -> tuple[str, float] | None:
    """Return the limit of a move; raise Refused for two, for one that the search has not, or none."""
    search: Search | None = checked.parts.get("search")
    if search is None:
        raise Refused("an engine needs a search")
    declared = {p.name for p in checked.parameters}
    given = [kind for kind in LIMITS if kind in {*checked.settings} - declared]
    if len(given) > 1:
        raise Refused(f"at most one limit, not {' and '.join(given)}")
    for kind in given:
        if kind_of(kind) not in search.limits:
            allowed = ", ".join(kinds_of(search)) or "none"
            raise Refused(f"{search.name} takes no limit {kind}; allowed: {allowed}")
        return kind, float(checked.settings[kind]) if kind not in checked.faults else 1.0
    if search.needs_limit:
        raise Refused(
            f"{search.name} needs a limit: {' or '.join(search.limits)}, as in "
            f"{search.name}:{search.limits[0]}={LIMIT_RANGE[search.limits[0]].default}"
        )
    return None


def kind_of(limit: str) -> str:
    """Return what a limit is for a search: a clock is a time."""
    return TIME if limit == CLOCK else limit


def kinds_of(search: Search) -> list[str]:
    """Return the limits that a search takes: where it takes a time, also the clock of its game."""
    return [*search.limits, *([CLOCK] if TIME in search.limits else [])]


def check_fit(checked: Checked) -> None:
    """Raise Refused where game, search, evaluation, generator and ending do not fit together."""
    game, parts = checked.game, checked.parts
    assert game is not None
    search: Search = parts["search"]
    evaluation: Evaluation | None = parts.get("evaluation")
    generator: Generator = parts["generator"]
    ending: Ending | None = parts.get("ending")
    game.check_playable()
    if game.refereed != search.refereed:
        able = [n for n, e in entries("search").items() if e.facts.get("refereed")]
        why = f"a referee starts it, and nobody else: it does not play {game.name}"
        if game.refereed:
            why = f"only its referee knows the rules of {game.name}: take {', '.join(able)}"
        raise Refused(f"{search.name}: {why}")
    search.check(game, evaluation)
    search.check_generator(game, generator)
    if ending is not None and game.name not in ending.games:
        fit = ", ".join(ending.games)
        raise Refused(f"ending {ending.name} is for {fit}, not for {game.name}")
    if ending is not None and type(search).recipe is Search.recipe:
        raise Refused(f"{search.name} takes no ending")


def effective(checked: Checked) -> dict[str, Value]:
    """Return the values of the parameters that have an effect, in canonical order."""
    around = context(checked.game, checked.settings, checked.values)
    return {p.name: checked.values[p.name] for p in checked.parameters if p.active(around)}


def context(
    game: Game | None, settings: Mapping[str, Any], values: Mapping[str, Value]
) -> dict[str, Any]:
    """Return the values on which a parameter's effect may depend: values, members, limit, facts of
    the game.
    """
    around: dict[str, Any] = {kind: str(settings[kind]) for kind in COMPONENTS if kind in settings}
    around["players"] = game.players if game is not None else 2
    around["forces"] = game.forces if game is not None else True
    limit = next((kind for kind in LIMITS if kind in settings and kind not in values), None)
    return {**around, **({"limit": kind_of(limit)} if limit else {}), **values}


def usual_generator(game: Game, search: type[Search]) -> str:
    """Return the generator of an engine that names none: `all`, or the first that is for the game."""
    if game.listed or not search.lists:
        return "all"
    fitting = [name for name, games in games_of("generator").items() if game.name in (games or ())]
    return fitting[0] if fitting else "all"

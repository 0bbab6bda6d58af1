"""Goes through the rules of conformance for a game, an engine or a view."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from joute.engines.engine import Engine, parse_engine, parse_game
from joute.engines.engine_text import is_file, names_game
from joute.engines.errors import RulesError
from joute.engines.game import Game
from joute.engines.view import View
from joute.engines.view_text import names_view, parse_view
from joute.harness.conformance.engine_rules import (
    DIFFER,
    ENGINE_RULES,
    keeps_its_words_up_to_date,
    keeps_to_its_words,
    opens_its_file,
    player_is_made,
    reproducible,
    values_are_the_movers,
    values_follow_keys,
    values_follow_own_parameters,
)
from joute.harness.conformance.findings import Checked, Fatal, Note, checked, guarded
from joute.harness.conformance.game_rules import GAME_RULES, rules_are_made
from joute.harness.conformance.guard import Watch
from joute.harness.conformance.option_rules import OPTION_RULES, introduces
from joute.harness.conformance.refereed_rules import REFEREED_FIRST, REFEREED_RULES
from joute.harness.conformance.timeouts import with_short_timeouts
from joute.harness.conformance.view_rules import VIEW_RULES, Seen, view_is_made

Asked = Mapping[str, Callable[[Any], str]]
NOBODY = Watch()
MADE = "its rules can be made"


def check_thing(thing: str, watch: Watch = NOBODY) -> list[Checked]:
    """Check a game, an engine or a view of a game by its text."""
    try:
        if names_view(thing):
            view, games = parse_view(thing)
            return [one for game in games for one in check_view(view, game, watch)]
        if names_game(thing) or is_file(thing):
            if (bot := parse_engine(thing)).game.refereed:
                return check(bot, bot.text, REFEREED_FIRST, REFEREED_RULES, watch)
            return check_engine(*with_short_timeouts(thing), watch=watch)
        return check_game(parse_game(thing), watch)
    except RulesError as error:
        watch.begin(thing, "it can be made")
        return [watch.done(Checked(thing, "it can be made", str(error)))]


def check_game(game: Game, watch: Watch = NOBODY) -> list[Checked]:
    """Check the rules of GAME_RULES on random games."""
    return check(game, game.label, {MADE: rules_are_made}, GAME_RULES, watch)


def check_engine(engine: Engine, times: str = "", watch: Watch = NOBODY) -> list[Checked]:
    """Check the rules of ENGINE_RULES; `times` is a note on the timeouts of a program."""
    timed = engine.timed
    evaluated = engine.evaluation is not None and engine.evaluation.compiled
    of_evaluation = [
        *(keeps_to_its_words, keeps_its_words_up_to_date, values_follow_keys),
        *(values_follow_own_parameters, values_are_the_movers),
    ]
    filed = engine.search.starts and "file" in engine.values
    left_out = [
        *([] if filed else [opens_its_file]),
        *([reproducible] if timed else []),
        *([] if evaluated else of_evaluation),
    ]
    rules = {name: rule for name, rule in ENGINE_RULES.items() if rule not in left_out}
    rules = {**(OPTION_RULES if introduces(engine) else {}), **rules}
    first: Asked = {
        MADE: lambda engine: rules_are_made(engine.game),
        "its player can be made": player_is_made,
        **({"its times in this check": lambda engine: Note(times)} if times else {}),
    }
    return check(engine, engine.text, first, rules, watch)


def check_view(view: View, game: Game, watch: Watch = NOBODY) -> list[Checked]:
    """Check the rules of VIEW_RULES on random games that a view shows."""
    seen = Seen(view, game)
    first: Asked = {
        MADE: lambda seen: rules_are_made(seen.game),
        "its kernels can be made": view_is_made,
    }
    return check(seen, seen.text, first, VIEW_RULES, watch)


def check(thing: Any, text: str, first: Asked, rules: Asked, watch: Watch) -> list[Checked]:
    """Check rules; all others need the first one. A fault is reported once, by the first rule that
    sees it. The check ends at something that cannot be made, or that leaves its arrays.
    """
    checks: list[Checked] = []
    reported: set[str] = set()
    game: Game = thing if isinstance(thing, Game) else thing.game
    for name, rule in {**first, **rules}.items():
        watch.begin(text, name)
        finding = guarded(rule, thing)
        if rule is reproducible and not thing.search.reproducible:  # reported, but no fault
            seen = {"": "yes", DIFFER: "no"}.get(finding, "not seen")
            name, finding = f"{name}: {seen}", Note(finding)
        if finding and any(before.endswith(finding) for before in reported):  # it may name a seat
            finding = Note("fails in the same way")
        reported |= {finding} - {""}
        checks.append(watch.done(checked(text, name, finding)))
        if isinstance(finding, Fatal) or (name in first and checks[-1].fault):
            break
        if name == MADE:
            watch.over(game)
    return checks

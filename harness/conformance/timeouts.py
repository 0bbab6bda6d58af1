"""Shorter timeouts while checking, so that a program that hangs costs one of them, not a game's clock."""

from __future__ import annotations

from joute.engines.engine import Engine, parse_engine, settings_of_text
from joute.engines.engine_text import is_file
from joute.engines.parameter import text_of
from joute.engines.protocol import Protocol
from joute.engines.registry import find


def with_short_timeouts(thing: str) -> tuple[Engine, str]:
    """Return the engine of a text and a note. A program gets its protocol's shorter timeouts for
    checks, unless the text sets them; the note lists those.
    """
    engine = parse_engine(thing)
    if is_file(thing) or not engine.search.starts:
        return engine, ""
    protocol: type[Protocol] = find("protocol", str(engine.values["protocol"]))
    given = settings_of_text(thing)[1]
    less = {name: value for name, value in protocol.when_checked.items() if name not in given}
    if not less:
        return engine, ""
    note = "; ".join(
        f"{name}={text_of(value)} instead of {text_of(engine.values[name])}, unless you write {name}="
        for name, value in less.items()
    )
    return Engine(engine.game, {**engine.settings, **less}), note

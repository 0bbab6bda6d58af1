"""How a file of C++ is asked: the code behind its player, by protocol."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from joute.engines.engine import Engine
from joute.engines.protocol import Dialogue
from joute.engines.protocol import protocols_of as protocols_of_game
from joute.reports.export.cpp.engine_file import number, part

CLOSED = "}  // namespace play\n"
SPOKEN = ("gtp", "uci")  # of the protocols of single games those that have a part in C++


def protocols_of(engine: Engine) -> list[str]:
    """Return the protocols that a file speaks beside positions as lines: those of its game, and
    json-lines, unless it speaks UCI.
    """
    own = [name for name in protocols_of_game(engine.game) if name in SPOKEN]
    return own if "uci" in own else ["json-lines", *own]


def asked_on_lines(engine: Engine, protocols: Sequence[str] = ()) -> str:
    """Return the code of a file that takes positions and speaks protocols, by default `protocols_of`."""
    protocols = protocols or protocols_of(engine)
    parts, choices = [part("command_line")], []
    if "json-lines" in protocols:
        parts.append(part("json_lines"))
        choices.append('    if (name == "json-lines") return play_json_lines(bot.player);')
    if "gtp" in protocols:
        parts += ["\n".join(gtp_lines(engine)), part("gtp")]
        choices.append('    if (name == "gtp") return play_gtp(bot);')
    if "uci" in protocols:
        parts.append(part("uci"))
        choices.append('    if (name == "uci") return play_uci(bot);')
    main = part("main").replace("    // PROTOCOLS", "\n".join(choices))
    return "\n".join([*parts, CLOSED, main.replace("ALLOWED", ", ".join(protocols))])


def gtp_lines(engine: Engine) -> list[str]:
    """Return what the Go Text Protocol asks of the game."""
    values = engine.game.values
    columns, rows = (int(values.get(name, values["size"])) for name in ("columns", "rows"))
    size = columns if columns == rows else 0
    return [
        f"constexpr i64 SIZE = {size};",
        f"constexpr double KOMI = {float(values['komi'])!r};",
        f'static const char* const ENGINE = "{engine.text}";',
        "",
    ]


def asked_by_codingame(
    dialogue: type[Dialogue], first_ms: float | None, turn_ms: float | None
) -> str:
    """Return the code of a file that reads and answers a game's lines at CodinGame; None: no end of
    time.
    """
    beside = Path(sys.modules[dialogue.__module__].__file__ or "").with_suffix(".cpp")
    times = f"constexpr double FIRST_MS = {number(first_ms)}, TURN_MS = {number(turn_ms)};"
    own = beside.read_text("utf-8").rstrip()
    main = "int main() { return play::able() ? play::play_codingame() : 2; }"
    return "\n".join([times, "", own, "", part("codingame"), CLOSED, main, ""])

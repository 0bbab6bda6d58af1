"""How a file of C++ is asked: the code behind its player, by protocol."""

from __future__ import annotations

import sys
from pathlib import Path

from joute.engines.engine import Engine
from joute.engines.protocol import Dialogue
from joute.engines.protocol import protocols_of as protocols_of_game
from joute.reports.export.cpp.engine_file import number, part

SPOKEN = ("gtp", "uci")  # of the protocols of single games those that have a part in C++


def protocols_of(engine: Engine) -> list[str]:
    """Return the protocols that a file speaks beside positions as lines."""
    own = [name for name in protocols_of_game(engine.game) if name in SPOKEN]
    return ["json-lines", *own]


def asked_on_lines(engine: Engine) -> str:
    """Return the code of a file that takes positions and speaks the protocols of its game."""
    parts = [part("command_line"), part("json_lines")]
    protocols = protocols_of(engine)
    choices = ['    if (name == "json-lines") return play_json_lines(bot.player);']
    if "gtp" in protocols:
        parts += ["\n".join(gtp_lines(engine)), part("gtp")]
        choices.append('    if (name == "gtp") return play_gtp(bot);')
    if "uci" in protocols:
        parts.append(part("uci"))
        choices.append('    if (name == "uci") return play_uci(bot);')
    main = part("main").replace("    // PROTOCOLS", "\n".join(choices))
    return "\n".join([*parts, main.replace("ALLOWED", ", ".join(protocols))])


def gtp_lines(engine: Engine) -> list[str]:
    """Return what the Go Text Protocol asks of the game."""
    values = engine.game.values
    columns, rows = (int(values.get(name, values["size"])) for name in ("columns", "rows"))
    size = columns if columns == rows else 0
    return [
        "namespace play {",
        f"constexpr i64 SIZE = {size};",
        f"constexpr double KOMI = {float(values['komi'])!r};",
        f'static const char* const ENGINE = "{engine.text}";',
        "}",
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
    return "\n".join(
        [
            "namespace play {",
            "",
            times,
            "",
            beside.read_text("utf-8").rstrip(),
            "",
            "}  // namespace play",
            "",
            part("codingame"),
            "int main() { return play::able() ? play::play_codingame() : 2; }",
            "",
        ]
    )

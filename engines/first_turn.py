"""A program is tried: it is started, and asked for one turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from joute.engines.engine import Engine
from joute.engines.errors import cut
from joute.engines.player import PlayerFailure
from joute.engines.position import Position
from joute.engines.programs.program_player import OutsidePlayer
from joute.engines.time_control import Clocks, TimeControl

LONG = 300  # characters of a failure


UNREAD = "did not open {file}: hand it the path, {{file}} in the command"

USUAL_CLOCK = TimeControl(10_000, 100)  # of a program that plays by one


@dataclass(frozen=True)
class FirstTurn:
    """What a program did: its action, or why it gave none; the parameters that it says it takes; and
    whether it read its parameter file (None: unknown, or it has none).
    """

    action: str = ""
    failure: str = ""
    announced: Mapping[str, Any] = field(default_factory=dict)
    opened: bool | None = None


def first_turn(engine: Engine) -> FirstTurn:
    """Ask an engine that is a program for a first turn, within the time of one, and end it."""
    player, position = engine.player(clocks=True), Position(engine.game)
    if engine.by_clock:
        player.clocks = Clocks(USUAL_CLOCK, engine.game.players)
    try:
        player.new_game(1, position.to_move)
        action = engine.game.action_text(player.choose(position).action)
        if not isinstance(player, OutsidePlayer):
            return FirstTurn(action)
        return FirstTurn(action, "", player.announced, player.opened_its_file())
    except PlayerFailure as failure:
        lines = [line.strip() for line in failure.text.splitlines() if line.strip()]
        text = " ".join(lines if len(lines) < 3 else [lines[0], lines[-1]])
        return FirstTurn(failure=cut(text, LONG))
    finally:
        player.close()

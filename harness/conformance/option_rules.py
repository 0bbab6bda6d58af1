"""What is checked of a program that says which options it takes."""

from __future__ import annotations

from contextlib import closing
from statistics import median

from joute.engines.engine import Engine
from joute.engines.kernels.random import stream
from joute.engines.player import PlayerFailure
from joute.engines.position import Position
from joute.engines.programs.conversing import ConversingPlayer
from joute.engines.programs.option import settings_in, unfair
from joute.engines.protocol import Protocol
from joute.engines.registry import make
from joute.harness.conformance.findings import Fatal, Note

POSITIONS = 8
MEETING_MS = 10_000.0  # for the greeting, options and `isready`
PATIENCE_MS, MS_A_NODE = 5_000.0, 0.1  # for a search of so many nodes, at least and a node
ROOM = 1.5  # times the nodes that were asked for, or the depth: then a limit is not kept


def introduces(engine: Engine) -> bool:
    """Whether an engine is a program that says which options it takes."""
    if not engine.search.starts or "protocol" not in engine.values:
        return False
    protocol: Protocol = make("protocol", str(engine.values["protocol"]))
    return protocol.introduces


def takes_its_options(engine: Engine) -> str:
    """It declares the options that are set; what a fair match sets and this one does not is a note."""
    first_ms = min(float(engine.values["first_ms"]), MEETING_MS)
    engine = Engine(engine.game, {**engine.settings, "first_ms": first_ms})
    player = engine.player(clocks=True)
    assert isinstance(player, ConversingPlayer)
    with closing(player):
        try:
            player.meet()
        except PlayerFailure as failure:
            return Fatal(failure.text.splitlines()[0])
        options = player.side.options
    unset = unfair(options, settings_in(str(engine.values.get("options", "")), engine.values))
    return Note(unset) if unset else ""


def keeps_its_limit(engine: Engine) -> str:
    """It searches about the nodes, or the depth, that it is asked for, and says so."""
    name = next((n for n in ("nodes", "depth") if engine.values.get(n)), "")
    if not name:
        return ""
    asked, S = int(engine.values[name]), stream(3)
    said: list[int] = []
    if name == "nodes":
        patience = max(PATIENCE_MS, asked * MS_A_NODE)
        times = {"turn_ms": patience, "first_ms": patience}
        engine = Engine(engine.game, {**engine.settings, **times})
    player = engine.player()
    with closing(player):
        player.new_game(1, 0)
        position = Position(engine.game)
        while len(said) < POSITIONS and not position.over:
            try:
                move = player.choose(position)
            except PlayerFailure as failure:
                if said:
                    break  # whole games tell
                if failure.kind == "timeout" and name == "nodes":
                    return Fatal(
                        f"nodes={asked} is asked, and no answer comes in {patience / 1e3:g} s: it may "
                        "ignore nodes; ask for depth or movetime"
                    )
                return f"ply {position.ply}: {failure.text.splitlines()[0]}"
            said.append(move.nodes if name == "nodes" else move.depth)
            for action in (move.action, None):
                if not position.over:
                    action = position.sample_action(S) if action is None else action
                    position.play(action, position.draw_outcome(action, position.ply + 1))
    if not any(said):
        return Note(f"it does not say how many {name} it searched")
    most = median(said)
    if most > ROOM * asked:
        return Note(
            f"{name}={asked} is asked, it says that it searched {most:g} (median of {len(said)})"
        )
    return ""


OPTION_RULES = {
    "takes its options": takes_its_options,
    "keeps its limit": keeps_its_limit,
}

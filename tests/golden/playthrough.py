"""A random game of every game as a person reads it: `python -m tests.golden.playthrough` writes them."""

from __future__ import annotations

from pathlib import Path

from joute.engines.colours import plain
from joute.engines.engine import parse_game
from joute.engines.game import games_with_rules
from joute.engines.kernels.random import next_word, stream
from joute.engines.position import Position

FOLDER = Path(__file__).parent
SMALL = {
    "connect4": "connect4[columns=5,rows=4]",
    "go": "go[size=3,rules=japanese,komi=0]",
    "tron": "tron[width=6,height=4,players=3]",
}
SHOWN, MOST = 12, 40  # legal actions that are listed, and plies that are played


def playthrough(name: str) -> str:
    """Return the text: each position with its texts, who moves, what is legal; the end's returns."""
    game = parse_game(SMALL.get(name, name))
    S = stream(7)
    position = Position(game)
    lines = [f"game: {game.label}", f"players: {game.players}", f"words: {game.words}", ""]
    while not position.over and position.ply < MOST:
        lines += [f"ply {position.ply}", plain(position.draw()), f"text: {position.text()}"]
        lines += [
            f"key: {position.key():016x}",
            f"to move: {position.to_move + 1}",
            legal(position),
        ]
        action = position.sample_action(S)
        outcome = position.draw_outcome(action, int(next_word(S)))
        lines.append(f"action: {game.action_text(action)}")
        lines += [f"outcome: {outcome}"] if game.chance else []
        lines.append("")
        position.play(action, outcome)
    lines += [f"after {position.ply} plies", plain(position.draw()), f"text: {position.text()}"]
    lines.append(f"returns: {position.returns()}" if position.over else "goes on")
    return "\n".join(line.rstrip() for text in lines for line in text.split("\n")) + "\n"


def legal(position: Position) -> str:
    """Return the line of the legal actions, or that they are too many to list."""
    if not position.game.listed:
        return "legal: not listed"
    texts = [position.game.action_text(action) for action in position.legal_actions()]
    more = f" ... ({len(texts)})" if len(texts) > SHOWN else ""
    return f"legal: {' '.join(texts[:SHOWN])}{more}"


if __name__ == "__main__":
    for each in games_with_rules():
        (FOLDER / f"{each}.txt").write_text(playthrough(each), "utf-8")

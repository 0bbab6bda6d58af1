"""The text of a view, `goban[history=3]`, and of a game that is seen so, `goban[history=3] of go[size=9]`."""

from __future__ import annotations

from joute.engines.engine import parse_game
from joute.engines.engine_text import GAME, split_options
from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.registry import make, names
from joute.engines.view import View

OF = " of "


def names_view(text: str) -> bool:
    """Whether a text begins with the name of a view."""
    return text.partition(OF)[0].partition("[")[0].strip() in names("view")


def parse_view(text: str) -> tuple[View, list[Game]]:
    """Return a view and the games that it is to show; by default all games that it can show, with
    their defaults.
    """
    label, of, game = text.partition(OF)
    match = GAME.match(label)
    if not match:
        raise Refused(f"{text!r} is not a view (name, or name[setting=value,...])")
    view: View = make("view", match[1], options=split_options(match[2] or "", text))
    games = [parse_game(game)] if of else [parse_game(one) for one in view.games]
    for one in games:
        view.check(one)
    return view, games


def seen_text(view: View, game: Game) -> str:
    """Return the text of a game that is seen by a view."""
    return f"{view.label}{OF}{game.label}"

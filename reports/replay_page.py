"""A stored game as a self-contained page that plays it."""

from __future__ import annotations

from pathlib import Path

from joute.reports.game_data import Marks, game_data, scene_data
from joute.reports.html import page as html_page
from joute.reports.replay import Replay
from joute.reports.values import share_of
from joute.results.tables import write_atomically

TEMPLATE = "replay.html.jinja"


def write_page(replay: Replay, path: Path | None = None) -> Path:
    """Write the game as one self-contained page; return its path."""
    path = path or Path(f"replay-{replay.record.id.replace(':', '-')}.html")
    assert replay.rules is not None
    marks, shares = Marks(), [share_of(spec) for spec in replay.specs]
    game = game_data(replay.rules, replay.record, replay.names, marks, shares)
    data = {"scene": scene_data(replay.rules), "game": game, "marks": marks.texts}
    write_atomically(path, html_page(TEMPLATE, game=replay.game, id=replay.record.id, data=data))
    return path

"""Ready-made settings: the best of a long study, by the word `tuned` in an engine's text.

`connect4/alphabeta:tuned,nodes=5000` is that search's engine in `tuned.toml` beside the game's
file; other settings in the text override its own.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joute.engines.check import COMPONENTS
from joute.engines.data import parse_toml
from joute.engines.engine_text import split_options, split_outside
from joute.engines.errors import Refused
from joute.engines.game import Game
from joute.engines.parameter import LIMITS

TUNED = "tuned"
FILE = "tuned.toml"


@dataclass(frozen=True)
class Tuned:
    """Settings of a search of a game that a study found, and their evidence.

    `games`: how many the study played; `score`: low end, mean and high end (95 %) against the study's
    default in a match of `blocks` blocks on openings that the study had not. Without a score it is that
    default itself: the study found nothing that is surely better. `best`: a sentence on the best opponent
    known, which the study need not have met.
    """

    game: str
    search: str
    settings: str
    study: str
    games: int
    blocks: int = 0
    score: tuple[float, ...] = ()
    best: str = "it has not met a better opponent"

    def described(self) -> str:
        """Return the settings and their evidence in a line."""
        gain = "its default: nothing was shown to be better"
        if self.score:
            low, mean, high = (100 * end for end in self.score)
            gain = (
                f"then {mean:.1f} %, {low:.1f} to {high:.1f}, against its default in {self.blocks} "
                "blocks on fresh openings"
            )
        return (
            f"{self.search}:{TUNED} is {self.settings} ({self.study}, {self.games:,} games on its "
            f"board; {gain}); {self.best}"
        )


def tuned_of(game: type[Game]) -> dict[str, Tuned]:
    """Return the ready-made settings of a game's class, by search; raise Refused for a wrong file."""
    file = Path(inspect.getfile(game)).with_name(FILE)
    if not file.is_file():
        return {}
    try:
        rows: list[dict[str, Any]] = parse_toml(file.read_text("utf-8"))[TUNED]
        tuned = [Tuned(**{**row, "score": tuple(row.get("score", ()))}) for row in rows]
    except (LookupError, TypeError, ValueError) as error:
        raise Refused(f"{file}: is no list of [[{TUNED}]] settings: {error!r}") from None
    return {one.search: one for one in tuned if one.game == game.name}


def settings_of(game: type[Game], search: str, arguments: str, text: str) -> dict[str, str]:
    """Return the settings that an engine's arguments give, those of `tuned` among them.

    `text`: the whole text of the engine, for errors; raises Refused.
    """
    parts = [part.strip() for part in split_outside(arguments, ",")]
    given = split_options(",".join(part for part in parts if part != TUNED), text)
    if TUNED not in parts:
        return given
    known = tuned_of(game)
    if search not in known:
        there = f"tuned are: {', '.join(known)}" if known else "nothing of this game is"
        raise Refused(f"{text}: no study has tuned {search} here; {there}")
    tuned = split_options(known[search].settings, FILE)
    for part in COMPONENTS:
        if part in given and given[part] != tuned.get(part):
            raise Refused(
                f"{text}: {TUNED} stands for {part}={tuned.get(part, 'none')}; "
                f"leave out {TUNED} or {part}"
            )
    if any(limit in given for limit in LIMITS):
        tuned = {name: value for name, value in tuned.items() if name not in LIMITS}
    return {**tuned, **given}

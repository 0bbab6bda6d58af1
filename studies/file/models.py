"""The pydantic models shared by all kinds of study file.

A field's `description` says what is allowed where type and range do not (`strict.py`); it ends the
line of an error. The first example of a required field replaces a faulty value, so that the rest of
the file is still checked.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field
from pydantic.config import JsonDict

from joute.engines.time_control import ALLOWED as CLOCKS
from joute.harness.match import MARGIN_MS
from joute.studies.file.adjudicate import Adjudicate
from joute.studies.file.declared import Declared
from joute.studies.file.strict import Strict as Strict

NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]*$"

Label = Annotated[str, Field(pattern=NAME, max_length=100)]
Line = Annotated[str, Field(pattern=r"^[^\r\n]*\S[^\r\n]*$")]
Count = Annotated[int, Field(ge=1, le=10**9)]
Positive = Annotated[float, Field(gt=0)]
A_NAME = "a name of letters, digits, '-', '_' and '.', 100 at most"
A_COUNT = "a whole number from 1 up"
NEEDED: JsonDict = {"needed": True}  # marks keys whose absence has its own message

MILLISECONDS = "a number of milliseconds above 0"
MOST_FILES = 1000  # that a study names


def as_text(value: Any) -> Any:
    """Return a whole number as text: as a budget it is refused with what it may mean."""
    return str(value) if type(value) is int else value


class Openings(Strict):
    """[openings]: random legal plies before each game, or those of records; how even they must be."""

    plies: int | None = Field(
        default=None,
        ge=0,
        le=40,
        description="a whole number from 0 to 40 (default: the game's)",
        title="random plies before each game (more if a search or an SPRT runs out of openings), "
        "or, with records, the first plies of each",
    )
    records: Line | None = Field(
        default=None,
        description="the path of a game record, or of a folder of them",
        title="openings are the beginnings of these games (.sgf, .pgn) or positions (.epd); "
        "relative to the study",
    )
    order: Literal["sequential", "random"] = Field(
        default="sequential",
        description="'sequential' or 'random'",
        title="in which order the records are played: as they stand (a folder's by name), or by lot",
    )
    start: Count = Field(
        default=1,
        title="the number of the first record that is played, in sequential order",
    )
    forced_ends: Literal["drop", "keep"] | None = Field(
        default=None,
        description="'drop' or 'keep' (default: drop random openings, keep records)",
        title="openings in which one side wins by force within 3 plies: games of two players in turn "
        "without chance",
    )
    balanced_by: Line | None = Field(
        default=None,
        description="an engine, search:name=value,...",
        title="a quick engine that must judge an opening to be even",
    )
    balanced_within: Positive | None = Field(
        default=None,
        title="how far from even its value may be; needs balanced_by",
    )


class Time(Strict):
    """[time]: what is slow, what is a failure, what may not win."""

    slow_after_ms: Positive | None = Field(
        default=None, description=MILLISECONDS, title="moves that take longer are counted as slow"
    )
    move_time_ms: Positive | None = Field(
        default=None, description=MILLISECONDS, title="a move that takes longer loses the game"
    )
    margin_ms: float | None = Field(
        default=None,
        ge=0,
        description=f"a number of milliseconds from 0 up (default: {MARGIN_MS:g})",
        title="an engine with a limit in milliseconds loses the game if a move exceeds it by more "
        "than this",
    )
    exclude_p99_over_ms: Positive | None = Field(
        default=None,
        description=MILLISECONDS,
        title="an engine that takes longer on more than 1 % of its moves cannot win",
    )
    clock: Line | None = Field(
        default=None,
        description=CLOCKS,
        title="each player's clock in a game; a player whose time runs out loses",
    )
    flag_draws: bool = Field(
        default=True,
        title="a game is drawn where time runs out and nobody else has the men to win",
    )


class Common(Strict):
    """The keys of every study file."""

    name: Label = Field(
        description=A_NAME,
        examples=["study"],
        title="the name of the study; its run folder is runs/NAME",
    )
    kind: str = Field(
        description="a kind of study",
        examples=["tournament"],
        title="the kind of study: match, tournament, scan, tune, train, train-search",
    )
    game: Line | None = Field(
        None,
        description="a game, name or name[option=value,...]",
        title="the game with its options",
        json_schema_extra=NEEDED,
    )
    seed: int = Field(
        ge=0,
        lt=2**63,
        examples=[0],
        title="the seed of everything random",
    )
    plugins: list[str] = Field(
        [],
        max_length=MOST_FILES,
        description=f"a list of paths of Python files, {MOST_FILES} at most",
        title="files with games, searches and other members; relative to the study",
    )
    files: list[str] = Field(
        [],
        max_length=MOST_FILES,
        description=f"a list of paths, {MOST_FILES} at most",
        title="files that the engines need, relative to the study; it is refused if one is missing",
    )
    budget: Annotated[str | None, BeforeValidator(as_text)] = Field(
        None,
        description="a text like '8h', '2h30m' or '500 games'",
        title="when the run stops; needed by scan and tune",
    )
    engine: dict[str, Any] = Field(
        {},
        description="a table of settings",
        title="settings that all engines of the study share",
    )
    parameters: dict[str, Declared] = Field(
        {},
        description="a table with kind and default",
        title="the parameters of an external program, by name",
    )
    openings: Openings = Field(Openings(), title="the openings")
    time: Time = Field(Time(), title="what counts as slow, as late, and as too slow to win")
    adjudicate: Adjudicate = Field(
        Adjudicate(draw=None, resign=None, tablebases=[]),
        title="when the referee ends a game by the values of both engines, or by tablebases",
    )
    target: str | None = Field(
        None,
        description="the name of an export target that plays",
        title="tune at the budget that the bot of this target can afford, such as kaggle",
    )
    report: dict[str, Any] = Field(
        {}, description="a table", title="your own notes, kept with the run"
    )

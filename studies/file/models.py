"""The pydantic models that all kinds of study file share.

A field's `description` says in words what is allowed: it is the end of the line that refuses
anything else. A required field's first example stands in for a faulty value, so that the rest of
the file can still be checked.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from studies.file.declared import Declared
from studies.file.strict import Strict as Strict

NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]*$"

Label = Annotated[str, Field(pattern=NAME)]
Line = Annotated[str, Field(pattern=r"^[^\r\n]*\S[^\r\n]*$")]
Count = Annotated[int, Field(ge=1, le=10**9)]
Positive = Annotated[float, Field(gt=0)]
A_NAME = "a name of letters, digits, '-', '_' and '.'"
A_COUNT = "a whole number from 1 up"
MILLISECONDS = "a number of milliseconds above 0"


class Openings(Strict):
    """[openings]: random legal plies before each game, and how even they must be."""

    plies: int | None = Field(
        default=None, ge=0, le=40, description="a whole number from 0 to 40 (default: the game's)"
    )
    balanced_by: Line | None = Field(default=None, description="the text of an engine")
    balanced_within: Positive | None = Field(default=None, description="a number above 0")


class Time(Strict):
    """[time]: what is slow, what is a failure, what may not win."""

    slow_after_ms: Positive | None = Field(default=None, description=MILLISECONDS)
    move_time_ms: Positive | None = Field(default=None, description=MILLISECONDS)
    exclude_p99_over_ms: Positive | None = Field(default=None, description=MILLISECONDS)


class Common(Strict):
    """What every study file may say."""

    name: Label = Field(description=A_NAME, examples=["study"])
    kind: str = Field(description="a kind of study", examples=["tournament"])
    game: Line | None = Field(None, description="a game, name or name[option=value,...]")
    seed: int = Field(ge=0, lt=2**63, description="a whole number from 0 up", examples=[0])
    plugins: list[str] = Field([], description="a list of paths of Python files")
    files: list[str] = Field([], description="a list of paths")
    budget: str | None = Field(None, description="a text like '8h', '2h30m' or '500 games'")
    engine: dict[str, Any] = Field({}, description="a table of settings")
    parameters: dict[str, Declared] = Field({}, description="a table with kind and default")
    openings: Openings = Field(Openings(), description="a table")
    time: Time = Field(Time(), description="a table")
    target: str | None = Field(None, description="the name of an export target that plays")
    report: dict[str, Any] = Field({}, description="a table")

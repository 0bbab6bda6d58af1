"""`tournament`: entrants or a grid, all against all, then stages among the best."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from joute.engines.errors import Refused, suggest
from joute.harness.schedule import check_tables
from joute.studies.file.entrants import draft_of_table, drafts_of_grid, groupings, named
from joute.studies.file.models import A_NAME, Common, Count, Label, Strict
from joute.studies.file.study_checker import StudyChecker
from joute.studies.file.validation import show
from joute.studies.kind import Kind
from joute.studies.study import ADAPTIVE, GAUNTLET, Entrant, Planned, StagePlan, Study

RULE = re.compile(r"^(all)$|^best:([1-9]\d*)$|^best-per:(\S+)$")
RULES = "'all', 'best:N' or 'best-per:PARAMETER'"
Type = Literal["round_robin", "gauntlet", "adaptive"]
WHO_MEETS = (
    "everyone against everyone, or against some, or where games tell most about who is first"
)
NAMES = "a list of entrants' names"
MOST_ADAPTIVE = 1000


class ScheduleTable(Strict):
    """[schedule]: the first stage."""

    blocks: Count = Field(
        examples=[1],
        title="openings per pairing, two games each; of 'adaptive' pairings per entrant, on average",
    )
    type: Type = Field("round_robin", title=WHO_MEETS)
    within: str | None = Field(
        None, description="a parameter of the grid", title="only entrants with the same value meet"
    )
    against: list[str] = Field([], description=NAMES, title="the opponents of a gauntlet")


class Stage(Strict):
    """[[stage]]: a later stage."""

    entrants: str = Field(
        description=RULES,
        examples=["all"],
        title="the entrants that advance, with those level with the last: all, the N best, or the "
        "best of each value of a parameter",
    )
    blocks: Count = Field(
        examples=[1], title="fresh openings per pairing, or per entrant of 'adaptive' pairings"
    )
    name: Label | None = Field(None, description=A_NAME, title="the name of the stage")
    type: Type = Field("round_robin", title=WHO_MEETS)
    against: list[str] = Field([], description=NAMES, title="the opponents of a gauntlet")


class TournamentModel(Common):
    """A tournament's study file."""

    grid: dict[str, Any] | None = Field(
        None,
        description="a table of parameters",
        title="entrants: all combinations of these values over the base engine",
    )
    entrants: list[dict[str, Any]] = Field(
        [], description="a list of tables, [[entrants]]", title="more entrants, one by one"
    )
    schedule: ScheduleTable = Field(
        description="a table with blocks", examples=[{"blocks": 1}], title="the first stage"
    )
    stage: list[Stage] = Field(
        [],
        description="a list of tables, [[stage]]",
        title="later stages, among the best of the previous one",
    )


class TournamentKind(Kind):
    """Entrants or a grid, everyone against everyone, then stages among the best."""

    name = "tournament"
    summary = "entrants or a grid, all against all, then stages among the best"
    entrants_leave = True
    model = TournamentModel

    def plan(self, model: TournamentModel, checker: StudyChecker) -> Planned:
        """Return the tournament's entrants and stages."""
        drafts = drafts_of_grid(model.grid, checker) if model.grid is not None else []
        if not check_size(model, len(drafts) + len(model.entrants), checker):
            return Planned((), ())
        for i, table in enumerate(model.entrants):
            drafts.append(draft_of_table(table, f"entrants.{i}", checker))
        entrants = named(drafts, checker)
        troubled = checker.errors.under("grid") or checker.errors.under("entrants")
        if len(drafts) < 2 and not troubled:
            given = "one entrant" if drafts else "no entrants"
            checker.error(
                "entrants", f"{given}; allowed: at least two, from [grid] or [[entrants]]"
            )
        complete = len(entrants) == len(drafts) and not troubled
        allowed = groupings(entrants) if complete else [*groupings(entrants), *(model.grid or {})]
        return Planned(entrants, stages(model, entrants if complete else None, allowed, checker))

    def resolve(self, study: Study) -> dict[str, Any]:
        """Return the tournament's part of the resolved study file."""
        first, *later = study.stages
        schedule = {"blocks": first.blocks, "type": first.type, "against": list(first.against)}
        if first.within is not None:
            schedule["within"] = first.within
        return {
            "schedule": schedule,
            "entrants": [{"name": e.name, "spec": e.engine.text} for e in study.entrants],
            "stage": [
                {
                    "name": stage.name,
                    "entrants": stage.entrants,
                    "blocks": stage.blocks,
                    "type": stage.type,
                    "against": list(stage.against),
                }
                for stage in later
            ],
        }


def stages(
    model: TournamentModel,
    entrants: Sequence[Entrant] | None,
    groups: Sequence[str],
    checker: StudyChecker,
) -> tuple[StagePlan, ...]:
    """Return all stages; `entrants` is None if some could not be made."""
    first, within = model.schedule, model.schedule.within
    if within is not None:
        check_group(within, "schedule.within", groups, checker)
        if first.type == GAUNTLET:
            checker.error("schedule.within", "cannot be combined with type = 'gauntlet'")
        values = [e.parameters.get(within) for e in entrants or ()]
        if within in groups and values and len(set(values)) == len(values):
            checker.error(
                "schedule.within",
                f"no two entrants have the same {within}, so no game would be played",
            )
    name = "groups" if within is not None else "main"
    plans = [StagePlan(name, "all", within, first.blocks, first.type, tuple(first.against))]
    check_gauntlet(first, "schedule", entrants, checker)
    taken = {name}
    for i, stage in enumerate(model.stage):
        path = f"stage.{i}"
        check_rule(stage.entrants, f"{path}.entrants", entrants, groups, checker)
        check_field(stage, path, checker)
        check_gauntlet(stage, path, entrants, checker)
        default = "champions" if stage.entrants.startswith("best-per:") else f"stage-{i + 2}"
        name = stage.name or (default if default not in taken else f"stage-{i + 2}")
        if name in taken:
            checker.error(f"{path}.name", f"the name {name!r} is taken by another stage")
        taken.add(name)
        plans.append(
            StagePlan(name, stage.entrants, None, stage.blocks, stage.type, tuple(stage.against))
        )
    return tuple(plans)


def check_size(model: TournamentModel, entrants: int, checker: StudyChecker) -> bool:
    """Whether the first stage can be listed, as far as the number of entrants says; note where not."""
    first = model.schedule
    if checker.game is None or first.within is not None:
        return True
    if first.type == ADAPTIVE:
        players = checker.game.players
        if not players <= entrants <= MOST_ADAPTIVE:
            checker.error(
                "schedule.type",
                f"'{ADAPTIVE}' pairings of {entrants} entrants; allowed: {players} to {MOST_ADAPTIVE}",
            )
        return entrants <= MOST_ADAPTIVE
    against = len({*first.against}) if first.type == GAUNTLET else 0
    try:
        check_tables(entrants, checker.game.players, against)
    except Refused as error:
        checker.error("entrants", f"{entrants} of them: {error}")
        return False
    return True


def check_group(name: str, path: str, groups: Sequence[str], checker: StudyChecker) -> None:
    """Note a parameter that cannot group the entrants."""
    if name not in groups:
        hint = suggest(name, groups)
        checker.error(path, f"{show(name)} is not a parameter in which the entrants differ{hint}")


def check_rule(
    rule: str,
    path: str,
    entrants: Sequence[Entrant] | None,
    groups: Sequence[str],
    checker: StudyChecker,
) -> None:
    """Note a rule of a later stage that is invalid or refers to something missing."""
    match = RULE.match(rule)
    if not match:
        checker.error(path, f"{show(rule)} is not {RULES}")
    elif match[3]:
        check_group(match[3], path, groups, checker)
    elif match[2] and int(match[2]) < 2:
        checker.error(path, f"{show(rule)}: no game would be played; allowed: at least best:2")
    elif match[2] and entrants is not None and int(match[2]) > len(entrants):
        checker.error(path, f"{show(rule)}: there are only {len(entrants)} entrants")


def check_field(stage: Stage, path: str, checker: StudyChecker) -> None:
    """Note a later stage with adaptive pairings and fewer entrants than seats."""
    match, game = RULE.match(stage.entrants), checker.game
    if stage.type == ADAPTIVE and match and match[2] and game and int(match[2]) < game.players:
        checker.error(
            f"{path}.entrants",
            f"{show(stage.entrants)}: too few for '{ADAPTIVE}' pairings; allowed: at least "
            f"best:{game.players}",
        )


def check_gauntlet(
    stage: ScheduleTable | Stage,
    path: str,
    entrants: Sequence[Entrant] | None,
    checker: StudyChecker,
) -> None:
    """Note `against` where it is missing, superfluous, or names no entrant."""
    path = f"{path}.against"
    if checker.errors.at(path):
        return
    if stage.type != GAUNTLET:
        if stage.against:
            checker.error(path, "needs type = 'gauntlet'")
        return
    if not stage.against:
        checker.error(path, f"is missing; allowed: {NAMES}")
    if entrants is None:
        return
    names = [entrant.name for entrant in entrants]
    for name in stage.against:
        if name not in names:
            checker.error(path, f"no entrant is named {show(name)}{suggest(name, names)}")
    if names and set(names) <= set(stage.against):
        checker.error(path, "names every entrant, so none is left to run the gauntlet")

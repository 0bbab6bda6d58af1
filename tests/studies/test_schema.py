from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joute.engines.registry import find, names
from joute.studies.file.budget import budget_of
from joute.studies.file.grid import range_of, values_of
from joute.studies.file.validation import TOLD, Errors
from joute.studies.load import StudyRefused, load_study
from joute.studies.ready_made import ready_made
from joute.studies.study import Budget

Write = Callable[[str], Path]

GOOD = """
name = "small"
kind = "tournament"
game = "connect4"
seed = 1
[engine]
search = "alphabeta"
evaluation = "lines"
[grid]
depth = [2, 3]
width = [0.5, 0.75]
[schedule]
blocks = 4
"""

MATCH = """
name = "small"
kind = "match"
game = "connect4"
seed = 1
blocks = 4
[engine]
search = "alphabeta"
depth = 2
[a]
evaluation = "lines"
[b]
evaluation = "static"
"""

MANY = """
name = "bad name"
kind = "tournament"
game = "connect4[columns=99,rows=6]"
seed = -1
budget = "8 hours"
color = 3
plugins = ["nope.py"]
[engine]
search = "alphabeta"
evaluation = "liness"
dpeth = 3
[grid]
depth = [4, 99]
width = { from = 0.7, to = 0.4, step = 0.05 }
[[entrants]]
spec = "connect4/alphabeta:evaluation=lines"
depth = 3
[schedule]
within = "dept"
blokcs = 10
blocks = 0
[openings]
plies = 41
balanced_by = "alphabeta:evaluation=static,depth=1"
[[stage]]
entrants = "best-per:widht"
blocks = 5
type = "roundrobin"
[[stage]]
entrants = "best"
"""

GOLDEN = """\
override 'foo': is not of the form path=value
override 'stage.4.blocks=3': stage has no member 4; known: 0 to 1
name: "bad name" is not a name of letters, digits, '-', '_' and '.', 100 at most
seed: -1 is not a whole number from 0 up
openings.plies: 41 is not a whole number from 0 to 40 (default: the game's)
schedule.blocks: 0 is not a whole number from 1 up
schedule.blokcs: unknown key; did you mean 'blocks'?
stage.0.type: "roundrobin" is not 'round_robin', 'gauntlet' or 'adaptive'; did you mean 'round_robin'?
stage.1.blocks: is missing; allowed: a whole number from 1 up
color: unknown key; known: adjudicate, budget, engine, entrants, files, game, grid, kind, name, openings, \
parameters, plugins, report, schedule, seed, stage, target, time
plugins.0: "nope.py" is not a file in FOLDER
game: connect4: columns = 99 is not a whole number from 4 to 16
openings.balanced_within: is missing: balanced_by and balanced_within go together
budget: "8 hours" is not a text like '8h', '2h30m' or '500 games'
grid.width: from = 0.7 is above to = 0.4
engine: unknown evaluation 'liness'; did you mean 'lines'?
engine: unknown parameter 'dpeth'; did you mean 'depth'?
grid: depth = 99 is not a whole number from 1 to 60
entrants.0.depth: cannot be combined with spec, which is the whole engine
schedule.within: "dept" is not a parameter in which the entrants differ; did you mean 'depth'?
stage.0.entrants: "widht" is not a parameter in which the entrants differ; did you mean 'width'?
stage.1.entrants: "best" is not 'all', 'best:N' or 'best-per:PARAMETER'
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(text: str) -> Path:
        path = tmp_path / "study.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return to_file


def faults_of(source: str | Path, *overrides: str) -> list[str]:
    with pytest.raises(StudyRefused) as caught:
        load_study(source, overrides)
    return caught.value.errors


def test_every_fault_is_told_at_once(write: Write) -> None:
    path = write(MANY)
    told = "".join(f"{line}\n" for line in faults_of(path, "foo", "stage.4.blocks=3"))
    assert told.replace(str(path.parent.resolve()), "FOLDER") == GOLDEN


REFUSALS = [
    ("grid.depth=[]", "grid.depth: an empty list; allowed: at least one value"),
    ("grid={}", "grid: is empty; allowed: parameters with a list or range of values"),
    ("grid.depth=4", "grid.depth: 4 is not a list of values, or { from, to, step }"),
    ("grid.depth=[2, 2]", "grid.depth: 2 is listed twice"),
    ("grid.depth=[2, [3]]", "grid.depth: [3] is not a value"),
    ("grid.width={from=0.7,to=0.4,step=0.1}", "grid.width: from = 0.7 is above to = 0.4"),
    ("grid.width={from=0.4,to=0.7,step=0}", "grid.width.step: 0 is not a number above 0"),
    ("grid.width={from=0.4,to=0.7}", "grid.width.step: is missing; allowed: a number"),
    ("grid.width={from=true,to=0.7,step=1}", "grid.width.from: true is not a number"),
    ("grid.width={from=0.4,to=inf,step=1}", "grid.width.to: Infinity is not a number"),
    ("grid.width={from=0,to=1,step=1e-9}", "grid.width: 1000000001 values; allowed: at most 10000"),
    (
        "grid.depth=[2, 2.5]",
        "grid: depth = 2.5 is not a whole number from 1 to 60",
    ),
    ("grid.dept=[2, 3]", "grid: unknown parameter 'dept'; did you mean 'depth'?"),
    ("engine.search=alphabet", "engine: unknown search 'alphabet'; did you mean 'alphabeta'?"),
    ("engine.reading=D", "engine: reading = 'D' is not one of A, B, C"),
    ("game=connect5", "game: unknown game 'connect5'; did you mean 'connect4'?"),
    ("game=connect4[rows=3]", "game: connect4: rows = 3 is not a whole number from 4 to 10"),
    ("game=7", "game: 7 is not a game, name or name[option=value,...]"),
    ("kind=tournment", "kind: \"tournment\" is not a kind of study; did you mean 'tournament'?"),
    ("seed=true", "seed: true is not a whole number from 0 up"),
    ("seed=1.0", "seed: 1.0 is not a whole number from 0 up"),
    ("seed.x=1", "override 'seed.x=1': seed = 1 is not a table"),
    (
        "budget='300'",
        "budget: \"300\" is not a text like '8h', '2h30m' or '500 games'; did you mean \"300 games\"?",
    ),
    ("budget=0s", "budget: \"0s\" is not a text like '8h', '2h30m' or '500 games'"),
    (
        "time.margin_ms=-1",
        "time.margin_ms: -1 is not a number of milliseconds from 0 up (default: 50)",
    ),
    ("time.move_time_ms=0", "time.move_time_ms: 0 is not a number of milliseconds above 0"),
    ("time.slow_after=1", "time.slow_after: unknown key; did you mean 'slow_after_ms'?"),
    ("schedule=5", "schedule: 5 is not a table with blocks"),
    (
        "schedule.within=ordering",
        'schedule.within: "ordering" is not a parameter in which the entrants differ; '
        "known: depth, width",
    ),
    ("schedule.type=gauntlet", "schedule.against: is missing; allowed: a list of entrants' names"),
    ('schedule.against=["x"]', "schedule.against: needs type = 'gauntlet'"),
    ("stage.0.blocks=8", "override 'stage.0.blocks=8': the file has no stage 0"),
    (
        'stage=[{entrants="best:9",blocks=1}]',
        'stage.0.entrants: "best:9": there are only 4 entrants',
    ),
    (
        'stage=[{entrants="best:1",blocks=1}]',
        'stage.0.entrants: "best:1": no game would be played; allowed: at least best:2',
    ),
    (
        'stage=[{entrants="all",blocks=1,name="main"}]',
        "stage.0.name: the name 'main' is taken by another stage",
    ),
    ('files=["nope"]', 'files.0: "nope" is not a file in FOLDER'),
    (
        "openings={balanced_by='uct:k=1',balanced_within=1}",
        "openings.balanced_by: uct:k=1: uct needs a limit: iterations or milliseconds",
    ),
    ("openings.balanced_within=1", "openings.balanced_by: is missing: balanced_by and "),
    (
        "engine.nodes=0",
        "engine: nodes = 0 is not a whole number from 1 to 1125899906842624",
    ),
    ('entrants=[{name="", depth=5}]', 'entrants.0.name: "" is not a name (one line of text)'),
    ("entrants=[{spec=3}]", "entrants.0.spec: 3 is not an engine"),
    (
        'entrants=[{spec="connect4[columns=8]/random"}]',
        "entrants.0.spec: connect4[columns=8]/random: plays connect4[columns=8,rows=6], "
        "the study plays connect4[columns=7,rows=6]; leave the game out",
    ),
    ('entrants=[{search="random"}]', "entrants.0: random uses no evaluation"),
]


@pytest.mark.parametrize(("override", "fault"), REFUSALS)
def test_one_refusal(write: Write, override: str, fault: str) -> None:
    path = write(GOOD)
    faults = faults_of(path, override)
    told = [line.replace(str(path.parent.resolve()), "FOLDER") for line in faults]
    assert len(told) == 1, told
    assert told[0].startswith(fault)


MATCH_REFUSALS = [
    ("sprt.elo1=10", "blocks: cannot be combined with [sprt], whose max_blocks ends the match"),
    ("a.depth=0", "a: depth = 0 is not a whole number from 1 to 60"),
    ("a=5", "a: 5 is not a table of settings, or with spec = '...'"),
    ("blocks=0", "blocks: 0 is not a whole number from 1 up"),
    ("grid.depth=[1]", "grid: unknown key; known: a, adjudicate, b, "),
]


@pytest.mark.parametrize(("override", "fault"), MATCH_REFUSALS)
def test_one_refusal_of_a_match(write: Write, override: str, fault: str) -> None:
    faults = faults_of(write(MATCH), override)
    assert len(faults) == 1, faults
    assert faults[0].startswith(fault)


def test_an_sprt_is_checked(write: Write) -> None:
    path = write(MATCH.replace("blocks = 4", ""))
    assert faults_of(path) == ["blocks: is missing; allowed: a whole number from 1 up, or [sprt]"]
    assert faults_of(path, "sprt.elo1=-1") == ["sprt.elo1: -1 is not above elo0 = 0"]
    assert faults_of(path, "sprt.elo1=5000") == [
        "sprt: elo0 < elo1 is needed, both within 1000: 0.0, 5000.0"
    ]
    assert faults_of(path, "sprt.elo0=5", "sprt.elo1=x") == [
        'sprt.elo1: "x" is not a number above elo0'
    ]
    assert faults_of(path, "sprt.elo1=5", "sprt.alpha=0.5") == [
        "sprt.alpha: 0.5 is not a number above 0 and below 0.5"
    ]
    faults = faults_of(path, "sprt.elo1=5", "sprt.model=normalised")
    assert faults[0].endswith("is not 'logistic' or 'normalized'; did you mean 'normalized'?")


def test_missing_things(write: Write) -> None:
    assert faults_of(write("")) == [
        "kind: is missing; known: match, scan, tournament, train, train-search, tune",
        "name: is missing; allowed: a name of letters, digits, '-', '_' and '.', 100 at most",
        "seed: is missing; allowed: a whole number from 0 up",
        "game: is missing; allowed: a game, name or name[option=value,...]",
    ]
    head = 'name = "x"\nkind = "tournament"\ngame = "connect4"\nseed = 1\n'
    few = "allowed: at least two, from [grid] or [[entrants]]"
    assert faults_of(write(head)) == [
        "schedule: is missing; allowed: a table with blocks",
        f"entrants: no entrants; {few}",
    ]
    one = write(f'{head}entrants = [{{spec = "random"}}]\nschedule.blocks = 1\n')
    assert faults_of(one) == [f"entrants: one entrant; {few}"]


def test_the_same_fault_of_many_entrants_is_one_line(write: Write) -> None:
    text = GOOD.replace('search = "alphabeta"', "")
    assert faults_of(write(text)) == ["grid: an engine needs a search"]
    tables = "\n".join(f'[[entrants]]\nname = "n{i}"\nevaluation = "lines"' for i in range(9))
    head = text.split("[engine]")[0] + "schedule.blocks = 1\n"
    assert faults_of(write(head + tables)) == [
        "entrants.0, entrants.1 and 7 more: an engine needs a search"
    ]


def test_names_and_meanings_are_unique(write: Write) -> None:
    same = '[[entrants]]\nname = "x"\ndepth = 2\nwidth = 0.5\n'
    faults = faults_of(write(GOOD + same))
    assert len(faults) == 1
    assert faults[0].startswith(
        "entrants.0: 'x' is the same engine as 'depth=2,width=0.5': connect4["
    )
    named = '[[entrants]]\nname = "x"\ndepth = 5\n[[entrants]]\nname = "x"\ndepth = 6\n'
    assert faults_of(write(GOOD + named)) == ["entrants.1: the name 'x' is taken by entrants.0"]
    idle = write(GOOD.replace("width = [0.5, 0.75]", 'ordering = ["canonical", "evaluation"]'))
    faults = faults_of(idle, "engine.width=0.5")
    assert faults[1:] == ["entrants: 2 entrants in all are the same as an earlier one"]


def test_gauntlets_name_entrants(write: Write) -> None:
    path = write(GOOD)
    gauntlet = ["schedule.type=gauntlet"]
    faults = faults_of(path, *gauntlet, 'schedule.against=["depth=2,width=0.6"]')
    assert len(faults) == 1
    assert faults[0].startswith('schedule.against: no entrant is named "depth=2,width=0.6"; did')
    good = load_study(path, [*gauntlet, 'schedule.against=["depth=2,width=0.5"]'])
    assert good.stages[0].against == ("depth=2,width=0.5",)


def test_too_many_tables_are_refused_before_an_engine_is_made(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("joute.studies.kinds.tournament.draft_of_table", None)
    head = GOOD.partition("[grid]")[0] + "[schedule]\nblocks = 4\n"
    path = write(head + "[[entrants]]\ndepth = 2\n" * 500)
    [fault] = faults_of(path)
    assert fault == "entrants: 500 of them: 124750 tables of 2 a round are too many; use groups"
    gauntlet = ["schedule.type=gauntlet", f"schedule.against={[*map(str, range(250))]}"]
    [fault] = faults_of(write(head + "[[entrants]]\ndepth = 2\n" * 1000), *gauntlet)
    assert fault.startswith("entrants: 1000 of them: 187500 tables of 2")


def test_very_many_errors_are_not_all_told() -> None:
    errors = Errors()
    for i in range(TOLD + 7):
        errors.add(f"grid.{i}.x", f"fault {i}")
    assert len(errors.lines()) == TOLD + 1 and errors.lines()[-1] == "7 more errors"
    assert errors.at("grid.3.x") and errors.under("grid.3.x") and errors.under("grid")
    assert not errors.at("grid.3") and not errors.under("gri") and not errors.under("grid.x")


def test_values_of_a_long_list_are_not_compared_with_each_other() -> None:
    compared = 0

    class Value(int):
        __hash__ = int.__hash__

        def __eq__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return int(self) == other

    assert len(values_of([Value(i) for i in range(1000)], "grid.depth", Errors())) == 1000
    assert compared < 2000
    errors = Errors()
    assert values_of([1, 1.0, True, "1", 1.0], "grid.depth", errors) == [1, 1.0, True, "1"]
    assert errors.lines() == ["grid.depth: 1.0 is listed twice"]


def test_files_that_cannot_be_read(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [fault] = faults_of(write("name = 'x'\nseed = = 3\n"))
    assert fault.startswith("is not TOML: ") and "line 2" in fault
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe")
    assert faults_of(binary) == ["is not UTF-8 text"]
    assert faults_of(tmp_path / "zzzz" / "x.toml") == ["no such file"]
    near = tmp_path / "binry.toml"
    assert faults_of(near) == [f"no such file; did you mean {str(binary)!r}?"]
    assert faults_of("connect4-quik.toml") == [
        "no such file; did you mean the ready-made study 'connect4-quick'?"
    ]
    [fault] = faults_of("connect4-quik")
    assert fault == "neither a file nor a ready-made study; did you mean 'connect4-quick'?"
    monkeypatch.chdir(tmp_path)
    assert faults_of("binry") == [
        "neither a file nor a ready-made study; did you mean 'binary.toml'?"
    ]


def test_the_message_names_the_file(write: Write) -> None:
    path = write(GOOD)
    with pytest.raises(StudyRefused, match=r"study\.toml: seed: -1 is not"):
        load_study(path, ["seed=-1"])


def test_overrides(write: Write) -> None:
    path = write(GOOD + '[[stage]]\nentrants = "best:2"\nblocks = 5\n')
    overrides = [
        "seed = 7",
        "schedule.blocks=9",
        "stage.0.blocks=8",
        "engine.evaluation=static",
        "grid.width={from=0.4,to=0.5,step=0.05}",
        "game=connect4[columns=8]",
        "time.slow_after_ms=20",
        "name=other",
    ]
    study = load_study(path, overrides)
    assert (study.seed, study.name) == (7, "other")
    assert [stage.blocks for stage in study.stages] == [9, 8]
    assert study.game.label == "connect4[columns=8,rows=6]"
    assert study.time.slow_after_ms == 20
    assert [e.name for e in study.entrants][:2] == ["depth=2,width=0.4", "depth=2,width=0.45"]
    assert {e.parameters["evaluation"] for e in study.entrants} == {"static"}


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("8h", Budget(seconds=28800)),
        ("30m", Budget(seconds=1800)),
        ("90s", Budget(seconds=90)),
        ("2h30m", Budget(seconds=9000)),
        ("500 games", Budget(games=500)),
        ("1 block", Budget(blocks=1)),
        *((bad, None) for bad in ("", "h", "8", "0h", "30m2h", "-3 games", "0 blocks", "8h games")),
    ],
)
def test_budgets(text: str, budget: Budget | None) -> None:
    assert budget_of(text) == budget
    if budget is not None:
        assert budget_of(budget.text) == budget


@given(st.integers(-500, 500), st.integers(1, 60), st.integers(0, 40), st.integers(0, 6))
def test_ranges_are_exact_in_decimal(low: int, step: int, count: int, places: int) -> None:
    def decimal(number: int) -> float:
        return float(f"{number}e-{places}")

    faults = Errors()
    given = {"from": decimal(low), "to": decimal(low + count * step), "step": decimal(step)}
    values = range_of(given, "grid.x", faults)
    assert not faults.lines()
    assert list(values) == [decimal(low + i * step) for i in range(count + 1)]
    assert all(isinstance(value, float) for value in values)


def test_ranges_of_whole_numbers_stay_whole() -> None:
    values = range_of({"from": 4, "to": 9, "step": 2}, "grid.x", Errors())
    assert [(type(value), value) for value in values] == [(int, 4), (int, 6), (int, 8)]
    assert list(range_of({"from": 4, "to": 6}, "grid.x", Errors())) == [4, 5, 6]


def test_kinds_are_found_by_their_files() -> None:
    assert {"match", "tournament"} <= set(names("kind"))
    assert all(name == find("kind", name).name for name in names("kind"))


def test_ready_made_studies_load() -> None:
    loaded = {name: load_study(name) for name in ready_made()}
    assert all(study.name == name for name, study in loaded.items())
    campaign = loaded["connect4-width-depth"]
    assert len(campaign.entrants) == 35
    assert campaign.entrants[8].name == "depth=5,width=0.45"
    assert [(s.name, s.entrants, s.within, s.blocks) for s in campaign.stages] == [
        ("groups", "all", "depth", 20),
        ("champions", "best-per:depth", None, 100),
    ]
    match = loaded["connect4-lines-vs-static"]
    assert [e.name for e in match.entrants] == ["evaluation=lines", "evaluation=static"]
    assert match.sprt is not None and (match.sprt.elo0, match.sprt.elo1) == (0, 30)
    assert [e.name for e in loaded["connect4-quick"].entrants][1] == "depth=2,width=1"


def test_a_wrong_kind_hides_no_other_mistake(tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text('name = "x"\nkind = "turnament"\nseed = 1\n[schedule]\nblcks = 3\n')
    faults = faults_of(path)
    assert "kind: \"turnament\" is not a kind of study; did you mean 'tournament'?" in faults
    assert "schedule.blcks: unknown key; did you mean 'blocks'?" in faults
    path.write_text('name = "x"\nkind = "?"\nseed = 1\ngame = "connect4"\n[sprt]\nelo2 = 3\n')
    assert any(fault.startswith("sprt.elo2: unknown key") for fault in faults_of(path))

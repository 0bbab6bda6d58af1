"""`joute export`: the same moves in a file of its own, its provenance, and every refusal."""

from __future__ import annotations

import ast
import json
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from joute import progress_bar
from joute.engines.engine import Engine, parse_engine, parse_game
from joute.engines.errors import Refused
from joute.engines.kernels.random import below, stream
from joute.engines.position import Position, parse_position
from joute.engines.registry import every
from joute.reports.export import fit
from joute.reports.export.bot_file import Kind, code, docstring, with_docstring
from joute.reports.export.export import ExportRequest, export
from joute.reports.export.proof import NotTheSame, prove
from joute.reports.export.target import Order, find_target
from joute.reports.export.targets.kaggle import BOARDS, game_there, shown
from joute.reports.export.targets.python import kind_of as python_kind
from joute.reports.export.work import answers, games
from joute.studies.load import load_study
from joute.studies.play.progress import Progress
from tests.support import synthetic_runs as runs
from tests.support.exports import BEST, GAME, refusal
from tests.support.marks import dear, slow
from tests.support.runs import ROOT, here, study_text

SHORT = {"CASES": 24, "SHOWN_CASES": 8, "REDUCED": 40}
WHOLE = {name: getattr(fit, name) for name in SHORT}
UNCOMPILED = "import sys; sys.modules['numba'] = None; exec(open(sys.argv.pop(1)).read())"


@pytest.fixture(autouse=True)
def aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder, with a short proof (one test wants the whole)."""
    monkeypatch.chdir(tmp_path)
    for name, number in SHORT.items():
        monkeypatch.setattr(fit, name, number)


def test_targets_are_found_by_their_files() -> None:
    files = {path.stem for path in (ROOT / "reports" / "export" / "targets").glob("[a-z]*.py")}
    assert {name: target.name for name, target in every("target").items()} == {n: n for n in files}
    assert {"json", "toml", "python", "kaggle"} <= files
    assert all(target.summary and "{path}" in target.use for target in every("target").values())


@pytest.mark.parametrize("target", [slow("json"), "toml"])
def test_an_exported_engine_is_an_engine(run: Path, target: str) -> None:
    done = here("export", run, "--to", target)
    file = f"s_winner.{target}"
    assert done.exit_code == 0 and file in done.stdout, done.stderr
    engine = parse_engine(file)
    assert engine.text == parse_engine(BEST).text
    assert here("bestmove", file, "startpos").stdout.startswith("move 4 ")
    assert here("play", file, "random", "--quiet").exit_code == 0
    assert here("play", "random", file, "--quiet").exit_code == 0
    study = load_study(study_of_file(file))
    assert [e.engine.text for e in study.entrants][1] == engine.text


def study_of_file(file: str) -> Path:
    Path("own.toml").write_text(study_text(["random", file], game=GAME))
    return Path("own.toml")


def test_provenance_is_inside(run: Path) -> None:
    here("export", run, "--to", "json")
    data = json.loads(Path("s_winner.json").read_text())
    assert set(data) == {"joute", "engine", "game", "settings", "provenance"}
    assert data["game"] == GAME and data["settings"]["width"] == 0.6
    origin = data["provenance"]
    assert origin["study"] == "s" and origin["seed"] == 5 and origin["kind"] == "tournament"
    assert origin["games"] == 16 and origin["blocks"] == 8
    assert origin["score"] > origin["score_low"] > 0.5 and origin["score_high"] <= 1.0
    assert origin["confirmed"] is True and "95 %" in origin["why"]
    assert {"numba", "numpy", "joute"} <= set(origin["versions"])
    assert origin["code"] == "as in the run"
    assert origin["command"] == "joute export run --to json"
    assert str(ROOT) not in json.dumps(data)


def unproved(file: str, text: str) -> None:
    """Write an engine's file without the proof that it plays the same."""
    engine = parse_engine(text)
    Path(file).write_text(code(engine, python_kind(engine.game, None)))


def uncompiled(file: str, lines: list[str]) -> list[str]:
    """Return the answers of a file to positions on its stdin, where numba cannot be imported."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", UNCOMPILED, file],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("proof", [pytest.param("short", marks=dear), slow("whole")])
def test_a_python_file_plays_the_same_moves(
    run: Path, monkeypatch: pytest.MonkeyPatch, proof: str
) -> None:
    for name, number in (WHOLE if proof == "whole" else SHORT).items():
        monkeypatch.setattr(fit, name, number)
    done = here("export", run, "--to", "python")
    assert done.exit_code == 0, done.stderr
    text = Path("s_bot.py").read_text()
    said = ast.get_docstring(ast.parse(text)) or ""
    told = " ".join(said.split())
    cases = rf"in {fit.CASES} positions \(depth = \d; with numba and without\), and in 5 at the"
    assert re.search(cases, told)
    assert (
        "Study: s (tournament, seed 5), entrant e1" in told and "Confirmed: stronger than" in told
    )
    assert "16 games in 8 blocks" in told and "joute export run --to python" in told
    engine = parse_engine(BEST)
    lines = games(engine, 30, seed=99)
    expected = [engine.game.action_text(choice.action) for choice in answers(engine, lines)]
    assert uncompiled("s_bot.py", [case for line in lines for case in line]) == expected
    one = subprocess.run(
        [sys.executable, "s_bot.py", lines[0][0]], capture_output=True, text=True, check=False
    )
    assert one.stdout.split() == expected[:1] and not one.stderr


def test_a_python_file_says_what_is_wrong_with_a_position() -> None:
    unproved("bot.py", f"{GAME}/random")
    done = subprocess.run(
        [sys.executable, "bot.py"],
        input="startpos moves 9\nstartpos moves 1 2 1 2 1 2 1\nstartpos\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2 and len(done.stdout.split()) == 1
    first, second = done.stderr.splitlines()
    assert "'9' is not a column; allowed: 1 to 7" in first
    assert "the game is over" in second


def test_a_file_follows_its_game_and_begins_another() -> None:
    """UCT keeps its tree along a game, and forgets it where the line of play is another."""
    text = f"{GAME}/uct:iterations=60"
    unproved("bot.py", text)
    line = [
        "startpos",
        "startpos moves 3 3",
        "startpos moves 3 3 4 5",
        "startpos moves 3 3 4 5 1 1",
    ]
    other = ["startpos moves 7 7", "startpos moves 7 7 6 6", "startpos"]
    engine = parse_engine(text)
    cases = [tuple(line), tuple(other[:2]), (other[2],)]
    expected = [engine.game.action_text(choice.action) for choice in answers(engine, cases)]
    assert uncompiled("bot.py", line + other) == expected


@pytest.mark.slow
def test_the_clock_ends_a_search() -> None:
    """Compiled these take milliseconds, uncompiled many seconds."""
    text = "connect4[columns=12,rows=6]/{}"
    for name, spec, least in (
        ("deep", text.format("alphabeta:evaluation=lines,depth=8,width=0.5"), 1),
        ("long", text.format("uct:evaluation=lines,iterations=30000"), 0),
    ):
        Path(f"{name}.py").write_text(code(parse_engine(spec), Kind("python", lambda bot: {}, "")))
        program = (
            "import sys, time; sys.modules['numba'] = None\n"
            f"import {name} as file\nbegun = time.perf_counter()\n"
            "choice = file.bot.choose('startpos moves 6 6', 150)\n"
            "print(choice.action, choice.depth, (time.perf_counter() - begun) * 1e3)"
        )
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        )
        action, depth, ms = done.stdout.split()
        assert int(action) in range(12) and int(depth) >= least
        assert float(ms) < 1500


def test_a_guard_that_is_not_needed_changes_nothing() -> None:
    for spec in (
        "alphabeta:evaluation=lines,depth=4,width=0.6",
        "alphabeta:evaluation=static,depth=4,deepening=on",
        "alphabeta:evaluation=static,depth=20,nodes=2000",
        "uct:iterations=500",
    ):
        engine = parse_engine(f"{GAME}/{spec}")
        plain, guarded = engine.player(), engine.player()
        guarded.guard_ms = 60_000.0
        for player in (plain, guarded):
            player.new_game(3, 0)
        position = parse_position(engine.game, "startpos moves 3 3 4")
        assert plain.choose(position) == guarded.choose(position)


def test_a_file_that_plays_otherwise_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = parse_engine(f"{GAME}/alphabeta:evaluation=static,depth=2")
    taken: list[str] = []
    monkeypatch.setattr(
        fit,
        "prove",
        lambda text, *more, **options: prove(
            taken.append(text) or text.replace("if v > best", "if v >= best"), *more, **options
        ),
    )
    with pytest.raises(NotTheSame, match=r"answers \[.*without numba where .* startpos"):
        export(ExportRequest("python", engine=engine.text, path=Path("bot.py")))
    done = here("export", "--engine", engine.text, "--to", "python", "-o", "bot.py")
    assert done.exit_code == 1 and "a bug of Joute" in done.stderr
    assert taken and not list(Path().iterdir())


def test_a_proof_tells_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    begun: list[tuple[Any, ...]] = []
    told: list[int] = []

    def end() -> None:
        assert len(told) == begun[-1][1], "not every position was told"
        told.clear()

    engine = f"{GAME}/alphabeta:evaluation=static,depth=2"
    progress = Progress(lambda *what: begun.append(what), told.append, end=end)
    export(ExportRequest("python", engine=engine, path=Path("bot.py")), print, progress)
    both = 2 * SHORT["CASES"]  # the engine's answers, then the file's
    assert begun[-2:] == [("proof", both, 0, "position")] * 2  # without numba, and with it
    assert not told and "proof" not in capsys.readouterr().err


def test_an_export_shows_no_bar_where_stderr_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[bool] = []
    shown_as_before = progress_bar.shown
    monkeypatch.setattr(
        progress_bar,
        "shown",
        lambda wanted, passing: asked.append(wanted) or shown_as_before(wanted, passing),
    )
    engine = f"{GAME}/alphabeta:evaluation=static,depth=1"
    done = here("export", "--engine", engine, "--to", "python", "-o", "bot.py")
    assert done.exit_code == 0 and asked == [False] and "positions/s" not in done.stderr


@pytest.mark.parametrize("wait", [0.0, 1.1])
def test_a_passing_bar_is_for_what_takes_long(
    capsys: pytest.CaptureFixture[str], wait: float
) -> None:
    with progress_bar.shown(passing=True) as progress:
        progress.begin("proof", 2, 0, "position")
        time.sleep(wait)
        progress.advance(1)
        progress.end()
    assert ("1/2" in capsys.readouterr().err) is (wait > 1)


# --- Kaggle

SITE = "connect4[columns=7,rows=6]"
ON_SITE = parse_engine(BEST).on(parse_game(SITE)).text


def last_callable(text: str) -> Callable[[Any, Any], int]:
    """Return what kaggle_environments takes for the agent: the last callable of a fresh namespace."""
    space: dict[str, Any] = {}
    exec(compile(text, "agent.py", "exec"), space)
    return [thing for thing in space.values() if callable(thing)][-1]  # type: ignore[no-any-return]


class Struct(dict[str, Any]):
    """A dictionary with attributes, as Kaggle gives it."""

    def __getattr__(self, name: str) -> Any:
        return self[name]


def seen(position: Position) -> list[Struct]:
    """Return what Kaggle shows of a position."""
    moves = " ".join(str(move + 1) for move in position.moves)
    text = f"startpos moves {moves}" if moves else "startpos"
    return [Struct(part) for part in shown(engine_of(position), text)]


def engine_of(position: Position) -> Any:
    return parse_engine(f"{position.game.label}/random")


@pytest.fixture(scope="module")
def agent(run: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The text of the file for Kaggle."""
    path = tmp_path_factory.mktemp("kaggle") / "agent.py"
    export(ExportRequest("kaggle", run=run, path=path))
    return path.read_text()


@pytest.mark.slow
def test_kaggles_file_needs_only_python_and_numpy(agent: str) -> None:
    names = {
        alias.name.partition(".")[0]
        for node in ast.walk(ast.parse(agent))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert names <= {*sys.stdlib_module_names, "numpy"}
    assert "After 1.5 s the file answers with what it has" in " ".join(agent.split())


def test_kaggles_agent_plays_the_engines_moves(agent: str) -> None:
    """Games in both seats against random moves, by the loader's rules, on the site's board."""
    follow_games(last_callable(agent), ON_SITE)


@pytest.mark.parametrize("seat", [0, 1])
def test_what_was_tuned_on_another_board_wins_on_kaggles(agent: str, seat: int) -> None:
    """Against what the site calls negamax, which looks 4 plies ahead."""
    play_one, position, S = last_callable(agent), Position(parse_game(SITE)), stream(seat)
    while not position.over:
        column = play_one(*seen(position)) if position.to_move == seat else negamax(position, S)
        position.play(column)
    assert position.returns()[seat] == 1.0


def negamax(position: Position, S: Any) -> int:
    """Return the column of kaggle_environments' negamax: 4 plies, what wins soonest, else any."""
    worth = {column: -valued(position, column, 4) for column in position.legal_actions()}
    best = [column for column, value in worth.items() if value == max(worth.values())]
    return best[int(below(S, len(best)))]


def valued(position: Position, column: int, plies: int) -> float:
    """Return what playing a column is worth to who moves then, at most some plies on."""
    child = position.copy()
    child.play(column)
    if child.over:
        return (child.returns()[child.to_move] - 0.5) * (1 + plies)
    if plies == 1:
        return 0.0
    return max(-valued(child, one, plies - 1) for one in child.legal_actions())


def test_kaggles_board_is_told(agent: str) -> None:
    told = " ".join(agent.split())
    assert f"Plays {SITE}/alphabeta" in told
    assert f"Plays on Kaggle's board, {SITE}; the engine was made for {GAME}, and its" in told


def test_what_a_bot_can_afford_is_asked_on_kaggles_board(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[str]()

    def affordable(engine: Engine, *rest: object) -> Engine:
        asked.append(engine.game.label)
        return engine

    monkeypatch.setattr("joute.reports.export.targets.kaggle.bot_file.affordable", affordable)
    engine = parse_engine(BEST)
    assert find_target("kaggle").affordable(engine, print).text == engine.text
    assert asked == [SITE]


@pytest.mark.slow
def test_kaggles_agent_keeps_its_tree() -> None:
    text = f"{GAME}/uct:iterations=60"
    export(ExportRequest("kaggle", engine=text, path=Path("agent.py")))
    follow_games(last_callable(Path("agent.py").read_text()), f"{SITE}/uct:iterations=60")


def follow_games(play_one: Callable[[Any, Any], int], text: str) -> None:
    assert play_one.__name__ == "agent" and play_one.__code__.co_argcount == 2  # type: ignore[attr-defined]
    engine, S = parse_engine(text), stream(4)
    for seat in (0, 1, 0):
        position, player = Position(engine.game), engine.player()
        player.new_game(0, seat)
        while not position.over:
            if position.to_move != seat:
                position.play(position.sample_action(S))
                continue
            column = play_one(*seen(position))
            assert type(column) is int and position.is_legal(column)
            assert column == player.choose(position).action
            position.play(column)


def test_kaggles_agent_never_fails(agent: str, capsys: pytest.CaptureFixture[str]) -> None:
    play_one = last_callable(agent)
    size = {"columns": 7, "rows": 6, "inarow": 4, "actTimeout": 2}
    floating = [1] + [0] * 41
    assert play_one({"board": floating, "mark": 2}, size) == 1  # the first column that is free
    assert "hangs in the air" in capsys.readouterr().err
    assert play_one({"board": [0] * 35, "mark": 1}, {**size, "rows": 5}) == 0
    assert "rows = 5, but this file plays with 6" in capsys.readouterr().err
    assert play_one({"board": [0] * 42, "mark": 1}, {**size, "inarow": 3}) == 0
    assert play_one({}, {}) == 0
    assert play_one(None, None) == 0


@pytest.mark.usefixtures("toys")
def test_kaggle_is_for_games_that_kaggle_has() -> None:
    assert refusal("--to", "kaggle", "--engine", "race/random") == (
        "game = race[goal=10]: Kaggle has no environment for it; --to kaggle writes players of: "
        "connect4"
    )


def test_kaggle_is_for_options_that_kaggle_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BOARDS, "connectx", {"columns": 7})
    assert game_there(parse_game("connect4[columns=9]")).label == SITE
    with pytest.raises(Refused, match=r"rows=5\]: Kaggle plays it with rows = 6 only, not 5$"):
        game_there(parse_game("connect4[columns=9,rows=5]"))


def test_kaggle_environments_plays_it(agent: str) -> None:
    """A game against its negamax, in both seats, of an engine that was given for another board.

    The package is heavy and no part of the environment for tests. With it beside that environment,
    in one of its own for the same Python,

        python3 -m venv kaggle && kaggle/bin/pip install kaggle-environments==1.33.2
        PYTHONPATH=$(echo kaggle/lib/*/site-packages) .venv/bin/python -m pytest -k kaggle_environments

    runs this test. Without it the tests above hold the loader's rules.
    """
    kaggle = pytest.importorskip("kaggle_environments")
    text = "connect4[columns=12,rows=6]/alphabeta:evaluation=lines,depth=8,width=0.6"
    export(ExportRequest("kaggle", engine=text, path=Path("agent.py")))
    for seat in (0, 1):
        env = kaggle.make("connectx", debug=False)
        agents = ["agent.py", "negamax"] if seat == 0 else ["negamax", "agent.py"]
        last = env.run(agents)[-1]
        assert [one.status for one in last] == ["DONE", "DONE"]
        assert last[seat].reward == 1
        assert last[seat].observation.remainingOverageTime == 60


# --- what does not fit


@pytest.mark.slow
@dear
def test_too_slow_is_refused_with_what_would_fit() -> None:
    slow = "connect4[columns=4,rows=4]/uct:iterations=50000,max_nodes=2000"
    said = refusal("--engine", slow, "--to", "kaggle")
    assert "iterations=50000: without numba a move takes about" in said
    assert "of the 2.0 s for a move it may use 1.0 s" in said
    assert "the largest iterations that fits is" in said and "--limit writes" in said


@pytest.mark.slow
@dear
def test_limit_writes_the_largest_that_fits() -> None:
    slow = "connect4[columns=5,rows=4]/alphabeta:evaluation=lines,depth=18"
    done = here("export", "--engine", slow, "--to", "kaggle", "--limit", "-o", "bot.py")
    assert done.exit_code == 0, done.stderr
    told = " ".join(Path("bot.py").read_text().split())
    assert "Reduced to fit the time per move: depth = " in told
    assert "This weaker engine is not the one that was measured." in told
    assert "depth=18" not in done.stdout.splitlines()[0]


@pytest.mark.slow
def test_an_own_limit_of_time_is_kept() -> None:
    said = refusal(
        *("--engine", f"{GAME}/alphabeta:evaluation=lines,depth=6"),
        *("--to", "python", "--move-ms", 2),
    )
    assert "of the 2 ms for a move it may use 1 ms" in said


# --- refusals


@pytest.fixture(scope="module")
def even(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which nobody was shown to be stronger."""
    return with_engines(tmp_path_factory.mktemp("even"), "uct:iterations={number}")


def with_engines(folder: Path, search: str) -> Path:
    """Return a run in which nobody was shown to be stronger, between two engines of a search."""
    run = runs.match(folder / "run", elo=0.0, blocks=20)
    database = sqlite3.connect(run / "run.db")
    for number, (name,) in enumerate(database.execute("SELECT id FROM engines").fetchall(), 60):
        spec = f"connect4[columns=7,rows=6]/{search.format(number=number)}"
        database.execute("UPDATE engines SET spec = ? WHERE id = ?", (spec, name))
    database.commit()
    database.close()
    return run


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run without a game."""
    return runs.match(tmp_path_factory.mktemp("empty") / "run", blocks=0)


def test_no_game_no_export(empty: Path) -> None:
    assert refusal(empty, "--to", "json") == (
        f"{empty}: no game was played yet, so there is nothing to export"
    )


def test_what_can_never_be_exported_is_said_before_what_a_word_would_allow(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    even = with_engines(
        tmp_path_factory.mktemp("programs"), 'process:command="./mybot {{k}}",k={number}'
    )
    for target in ("codingame", "python", "kaggle", "cpp"):
        said = refusal(even, "--to", target)
        assert "is not confirmed" not in said
        assert ("no CodinGame protocol" if target == "codingame" else "player of") in said
    assert "is not confirmed" in refusal(even, "--to", "header")


def test_an_unconfirmed_winner_needs_a_word(even: Path, run: Path) -> None:
    said = refusal(even, "--to", "json")
    assert "is not confirmed: " in said and "it can be exported anyway (--anyway)" in said
    done = here("export", run, "--to", "json", "--anyway")
    assert done.exit_code == 0 and Path("s_winner.json").is_file()


@pytest.mark.parametrize("target", ["json", "kaggle"])
def test_nothing_is_written_over(run: Path, target: str) -> None:
    Path("mine").write_text("precious")
    assert refusal(run, "--to", target, "-o", "mine") == (
        "mine exists already and is no earlier export; take another path, or replace it (--force)"
    )
    assert Path("mine").read_text() == "precious"
    Path("link").symlink_to("mine")
    assert "is no plain file" in refusal(run, "--to", target, "-o", "link", "--force")


def test_an_earlier_export_is_replaced_and_with_force_any_file(run: Path) -> None:
    """After a longer run the same file is made again."""
    for target, name in (("json", "a.json"), ("toml", "a.toml"), ("header", "a.h")):
        words = ("export", run, "--to", target, "-o", name, "--anyway")
        for again in (False, True):
            done = here(*words)
            assert done.exit_code == 0, (again, done.stderr)
        Path(name).write_text("mine")
        assert here(*words).exit_code == 2 and here(*words, "--force").exit_code == 0
        assert Path(name).read_text() != "mine"


def test_a_path_that_cannot_be_written(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "nowhere is not a folder" in refusal(run, "--to", "json", "-o", "nowhere/bot.json")

    def full(path: Path, text: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("joute.reports.export.export.write_atomically", full)
    said = refusal(run, "--to", "json", "-o", "bot.json")
    assert said == "bot.json: cannot be written: No space left on device"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--to", "jsn"], "export: unknown target 'jsn'; did you mean 'json'?"),
        (["--to", "json"], "export: give either a RUN or --engine SPEC"),
        (["nowhere", "--to", "json"], "there is no run in nowhere (no run.db)"),
        (
            ["--engine", f"{GAME}/human", "--to", "python"],
            "search = human: --to python cannot write a player of human; it can write: alphabeta, ",
        ),
        (
            ["--engine", f"{GAME}/random", "--to", "toml", "--limit"],
            "export to toml: limit (--limit) and time (--move-ms) are for files that play",
        ),
        (["--engine", "connect5/random", "--to", "json"], "unknown game 'connect5'"),
    ],
)
def test_what_is_refused(words: list[str], said: str) -> None:
    assert said in refusal(*words)


DAMAGED = [
    ("gone.json", "", "no such file"),
    ("cut.json", '{"joute": "0.1.0", "eng', "is damaged, not JSON"),
    ("cut.toml", "joute = ", "is damaged, not TOML"),
    ("other.json", "[1, 2]", "is not an engine that joute export wrote"),
    ("other.toml", 'name = "a study"', "is not an engine that joute export wrote"),
    (
        "study.toml",
        'kind = "tune"',
        "(it is a study: joute run study.toml plays it, joute check study",
    ),
    ("self.toml", 'joute = "1"\nengine = "self.toml"', "is not an engine that joute export"),
    (
        "bot.py",
        "print('e2e4')",
        "a file that does not describe an engine; joute export as toml or json",
    ),
    ("old.toml", f'joute = "1"\nengine = "{GAME}/alphabta"', "unknown search 'alphabta'"),
]


@pytest.mark.parametrize(("name", "text", "said"), DAMAGED)
def test_a_file_that_holds_no_engine(name: str, text: str, said: str) -> None:
    if text:
        Path(name).write_text(text)
    done = here("bestmove", name, "startpos")
    assert (done.exit_code, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    assert line.startswith(f"joute: {name}: ") and said in line


def test_an_engine_by_its_text_says_so() -> None:
    done = here("export", "--engine", BEST, "--to", "json", "--json")
    found_ = json.loads(done.stdout)
    origin = json.loads(Path(found_["path"]).read_text())["provenance"]
    assert origin["confirmed"] is False and "no run measured it" in origin["why"]
    assert found_["engine"] == parse_engine(BEST).text


NAMES = [
    'a"""; import os; os._exit(3); """',
    "a\\",
    'a\\"""\nboom()\n"""',
    'line\r\n"""\x0cboom()',
    "\u2028# -*- coding: utf-7 -*-\x00\udcff",
    '""""""',
]


@pytest.mark.parametrize("name", NAMES)
def test_no_name_in_a_file_is_anything_but_text(name: str) -> None:
    engine: Any = SimpleNamespace(text=f"game[map={name}]/search:x=1")
    head = docstring(engine, ["", f"Study: {name}", name * 40])
    trial: Any = SimpleNamespace(engine=engine, text='x = "of the code"\nprint(x)\n')
    first, *rest = ast.parse(with_docstring(head, trial).encode()).body
    assert isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    assert str(first.value.value).startswith(f"Plays {engine.text}"[:20])
    assert [ast.unparse(node) for node in rest] == ["x = 'of the code'", "print(x)"]


def test_the_bytes_that_are_written_are_those_that_were_proved() -> None:
    trial: Any = SimpleNamespace(engine=SimpleNamespace(text="e"), text="x = 1\n")
    for head in ('"""Plays"""; boom()\n', "boom()\n", '"""Plays', ""):
        with pytest.raises(NotTheSame, match="nothing was written"):
            with_docstring(head, trial)


def test_the_options_of_a_uci_engine_are_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    engine = 'chess/process:command=x,protocol=uci,depth=2,options="Hash=1; King Safety={k}",k=30'
    assert here("export", "--engine", engine, "--to", "uci", "-o", "o.txt").exit_code == 0
    assert Path("o.txt").read_text() == (
        "setoption name King Safety value 30\nsetoption name Hash value 1\n"
    )
    text = f"{engine.replace(';', '; Book={b};')},b=7"
    order = Order(parse_engine(text), {}, None, False, print, searched=("k",))
    assert find_target("uci").write(order).text.splitlines() == [
        "setoption name King Safety value 30",
        "",
        "setoption name Book value 7",
        "setoption name Hash value 1",
    ]
    done = here("export", "--engine", "chess/random", "--to", "uci", "-o", "p.txt")
    assert done.exit_code == 2 and "is no UCI engine with options" in done.stderr
    assert not Path("p.txt").exists()

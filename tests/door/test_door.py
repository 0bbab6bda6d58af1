"""The door for Python: what `docs/python.md` promises, on small runs."""

from __future__ import annotations

import json
import math
import random
import re
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.figure import Figure

import joute
from joute.runs import typed
from tests.support.dask_hosts import needs_dask
from tests.support.runs import ROOT, here

GAME = "connect4[columns=5,rows=4]"
STUDY: dict[str, Any] = {
    "name": "depths",
    "kind": "tournament",
    "game": GAME,
    "seed": 1,
    "engine": {"search": "alphabeta", "evaluation": "static"},
    "grid": {"depth": [1, 2, 3]},
    "schedule": {"blocks": 4},
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> joute.Run:
    """A tournament of three, played once for all tests of this file."""
    out = tmp_path_factory.mktemp("door") / "run"
    return joute.run(STUDY, out=out, workers=1, progress=False)


def test_tables_are_those_of_the_csv_files(run: joute.Run) -> None:
    run.report()
    for name in ("games", "seats", "engines", "times"):
        written = pd.read_csv(run.folder / f"{name}.csv", dtype=object, keep_default_na=False)
        table = getattr(run, name)
        assert list(table.columns) == list(written.columns) and len(table) == len(written), name
    assert run.games["id"].tolist() == pd.read_csv(run.folder / "games.csv")["id"].tolist()
    for table, name in ((run.standings(), "standings"), (run.crosstable("main"), "crosstable")):
        assert list(table.columns) == list(pd.read_csv(run.folder / f"{name}.csv").columns)
    assert not len(run.trials) and not len(run.failures) and not len(run.parameters)
    assert json.loads((run.folder / "winner.json").read_text())["name"] in set(run.engines["name"])


def test_numbers_of_tables_are_numbers(run: joute.Run) -> None:
    """So that frames sort, compute and plot; and the files stay as they are."""
    run.report()
    before = (run.folder / "standings.csv").read_bytes()
    table = run.standings()
    assert table.nlargest(2, "score")["rank"].tolist() == [1, 2]
    kinds = table.dtypes.astype(str)
    floats, whole = ["score", "score_low", "elo", "nodes_per_move"], ["games", "wins", "depth"]
    assert set(kinds[floats]) == {"float64"} and set(kinds[whole]) == {"int64"}
    assert set(run.times[["moves", "mean_ms"]].dtypes.astype(str)) == {"int64", "float64"}
    assert run.crosstable()["score_percent"].mean() == 50 and run.engines["depth"].sum() == 6
    assert {str(run.engines["depth"].dtype), str(run.crosstable()["games"].dtype)} == {"int64"}
    run.report()
    assert (run.folder / "standings.csv").read_bytes() == before


def test_unknown_values_keep_the_type_of_a_column() -> None:
    mixed = {"whole": [1, None], "share": [0.5, None], "yes": [True, None], "none": [None, None]}
    table = pd.DataFrame({**mixed, "word": ["a", 1]}, dtype=object)
    kinds = [str(kind) for kind in typed(table).dtypes]
    assert kinds == ["Int64", "float64", "boolean", "float64", "object"]


def test_moves_are_the_plies_that_were_played(run: joute.Run) -> None:
    moves, games = run.moves, run.games.set_index("id")
    assert len(moves) == games["plies"].sum()
    counted = moves.groupby("game").size()
    assert (counted == games["plies"][counted.index]).all()
    assert moves["depth"].notna().all() and (moves["nodes"] > 0).all() and (moves["ms"] > 0).all()
    nodes = moves.groupby(["game", "seat"])["nodes"].sum()
    stored = run.seats.set_index(["game", "seat"])["nodes"]
    assert (nodes == stored[nodes.index]).all()
    game = moves["game"].iloc[0]
    one = moves[moves["game"] == game]
    opening = games.loc[game, "opening"].split("moves ")[1]
    position = joute.game(GAME).position(f"startpos moves {opening}")
    for row in one.itertuples():
        assert (position.to_move, len(position.moves)) == (row.seat, row.ply)
        position = position.play(str(row.action))
    assert position.over


def test_a_run_shows_itself(run: joute.Run) -> None:
    assert str(run) == "\n".join(run.answer.lines) and "24 games" in repr(run)
    assert "<table" in run._repr_html_() and run.answer.lines[0] in run._repr_html_()
    assert "nan" not in run._repr_html_().lower() and "interrupted" not in repr(run)
    heads = re.findall("<th>(.*?)</th>", run._repr_html_())
    assert heads[:4] == ["stage", "rank", "engine", "games"] and "depth" in heads
    assert {"group", "timeout", "crash"} <= {*run.standings().columns} - {*heads}
    assert run.outcome is not None
    stopped = joute.Run(run.folder, replace(run.outcome, stopped="interrupted"))
    for shown in (repr(stopped), stopped._repr_html_()):
        assert "interrupted before its end: the same call plays what is missing" in shown


def test_plots_are_figures_and_fit_into_axes(run: joute.Run) -> None:
    assert "ladder" in run.plots()
    for name in run.plots():
        figure = run.plot(name)
        assert isinstance(figure, Figure) and figure._repr_png_()[:4] == b"\x89PNG"  # type: ignore[attr-defined]
        assert len(run.plot_data(name))
    mine, axes = plt.subplots(1, 2)
    assert run.plot("ladder", ax=axes[0]) is mine
    assert "Rating ladder" in axes[0].get_title(loc="left") and not axes[1].has_data()
    plt.close(mine)


def test_the_same_run_goes_on_and_settings_override(run: joute.Run) -> None:
    again = joute.run(STUDY, out=run.folder, workers=1, progress=False)
    assert again.outcome is not None and again.outcome.played == 0
    more = joute.run(
        STUDY, out=run.folder.parent / "more", workers=1, progress=False,
        settings={"schedule.blocks": 1, "grid.depth": [1, 2]},
    )  # fmt: skip
    assert len(more.games) == 2
    assert len(more.reload().games) == 2


def test_files_are_made_of_a_run(run: joute.Run, tmp_path: Path) -> None:
    path = run.export("toml", tmp_path / "w.toml", anyway=True)
    with joute.engine(str(path)) as engine:
        assert engine.game.name == GAME
    replay = run.replay(run.games["id"].iloc[0])
    assert len(replay.steps) == run.games["plies"].iloc[0] + 1
    assert run.export("toml", path, anyway=True) == path  # an earlier export is replaced
    path.write_text("mine")
    with pytest.raises(joute.Refused, match="exists already"):
        run.export("toml", path, anyway=True)
    assert run.export("toml", path, anyway=True, force=True) == path


def test_a_match_is_that_of_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = (f"{GAME}/alphabeta:evaluation=static,depth=2", "random")
    run = joute.match(*words, blocks=3, workers=1, progress=False)
    assert len(run.games) == 6
    done = here("match", *words, "--blocks", 3, "-j", 1, "--json", "--no-report")
    told = json.loads(done.stdout)
    assert Path(told["folder"]).absolute() == run.folder and told["played"] == 0
    assert told["answer"] == run.answer.lines


def test_engines_and_positions() -> None:
    with joute.engine(f"{GAME}/alphabeta:evaluation=static,depth=3") as engine:
        position = engine.game.position("startpos moves 3 3")
        best = engine.choose(position)
        again = engine.choose("startpos moves 3 3")
        assert replace(again, time_ms=best.time_ms) == best
        assert best.move in position.legal_actions() and best.depth == 3 and best.nodes > 0
        with pytest.raises(joute.Refused, match="plays another game"):
            engine.choose(joute.game("dodo").position())
    after = position.play(best.move)
    assert after.moves == [*position.moves, best.move] and position.to_move == 0
    assert after.to_move == 1 and not after.over and not after.is_legal("9")
    seed = 0
    while not after.over:
        seed += 1
        after = after.play(after.random_action(seed))
    assert sum(after.returns()) == 1 and after.legal_actions() == []
    with pytest.raises(joute.Refused, match="no returns yet"):
        position.returns()
    assert joute.game(GAME).opening(3).line == joute.game(GAME).opening(3).line
    mirrored = joute.game(GAME).position("startpos moves 1")
    assert mirrored.key == joute.game(GAME).position("startpos moves 5").key


def test_positions_are_equal_if_all_that_can_follow_is_the_same() -> None:
    game = joute.game(GAME)
    one, two = (game.position(f"startpos moves {m}") for m in ("1 2 3", "3 2 1"))
    assert one == two == game.position(one.text) and hash(one) == hash(two) and len({one, two}) == 1
    assert one == game.position("startpos moves 1 2").play("3")
    assert one != game.position("startpos moves 1 2 4") and one != one.text
    assert one != joute.game("connect4[columns=5,rows=5]").position("startpos moves 1 2 3")
    chess = joute.game("chess")
    back = "e2e4 e7e5 g1f3 g8f6 f3g1 f6g8"  # e5 again: a third time would be a draw
    assert chess.position(f"startpos moves {back}") == chess.position(f"startpos moves {back}")
    assert chess.position(f"startpos moves {back}") != chess.position("startpos moves e2e4 e7e5")
    python = joute.game("hexapawn", plugins=[ROOT / "examples" / "hexapawn.py"])
    first = python.position().legal_actions()[0]
    assert python.position().play(first) == python.position(f"startpos moves {first}")
    assert python.position().play(first) != python.position()


def test_chance_is_drawn_by_the_seed() -> None:
    position = joute.game("vampires").position()
    action = position.random_action(1)
    assert position.play(action, seed=5).text == position.play(action, seed=5).text


def test_no_more_games_are_played_than_were_asked_for() -> None:
    space = {"width": joute.Float(0.0, 2.0)}  # plans of four games: 600 are no multiple of the last
    found = joute.tune(lambda point, games: (games, 0, 0), space, games=600, progress=False)
    assert found.games == 600


def test_an_objective_is_tuned() -> None:
    asked: list[int] = []
    dice = random.Random(1)

    def objective(point: dict[str, Any], games: int) -> tuple[int, int, int]:
        asked.append(games)
        chance = 0.9 - 2.0 * (point["width"] - 0.7) ** 2
        wins = sum(dice.random() < chance for _ in range(games))
        return wins, 0, games - wins

    space = {"width": joute.Float(0.0, 1.0)}
    found = joute.tune(objective, space, games=600, default={"width": 0.1}, progress=False)
    assert found.games == sum(asked) <= 600 and abs(float(found.point["width"]) - 0.7) < 0.2
    assert found.verdict == "better" and found.low < found.score < found.high
    assert "better than the default" in str(found) and found.best == found.point
    assert sum(games for _, games in found.tuner.ask(20)) == 20  # it goes on
    with pytest.raises(joute.Refused, match="wins, draws and losses that make"):
        joute.tune(lambda point, games: (games, 1, 0), space, games=10, progress=False)


def test_points_that_play_each_other_are_tuned_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("joute.tuning.EVERY", 0.0)
    kinds: list[str] = []
    dice = random.Random(2)

    def strength(point: dict[str, Any]) -> float:
        return float(4 * point["width"] * (1.4 - point["width"]))  # best at 0.7

    def won(chance: float, games: int) -> tuple[int, int, int]:
        wins = sum(dice.random() < chance for _ in range(games))
        return wins, 0, games - wins

    def objective(point: dict[str, Any], games: int) -> tuple[int, int, int]:
        kinds.append("pool")
        return won(1 / (1 + math.exp(-strength(point))), games)

    def duel(point: dict[str, Any], other: dict[str, Any], games: int) -> tuple[int, int, int]:
        assert point != other
        kinds.append("duel")
        if len(kinds) == 30:
            kinds.append("interrupted")
            raise KeyboardInterrupt
        return won(1 / (1 + math.exp(strength(other) - strength(point))), games)

    space, file = {"width": joute.Float(0.0, 1.0)}, tmp_path / "search.json"
    asked: dict[str, Any] = {"default": {"width": 0.1}, "progress": False, "duel": duel}
    with pytest.raises(KeyboardInterrupt):
        joute.tune(objective, space, games=600, save=file, **asked)
    found = joute.tune(objective, space, games=600, save=file, **asked)
    assert kinds[28:32] == ["pool", "duel", "interrupted", "duel"]
    del kinds[29:31]
    assert kinds == [("pool", "duel")[n % 2] for n in range(len(kinds))]
    assert found.games == found.tuner.told == 600 and found.report.against == "pool"
    assert abs(float(found.point["width"]) - 0.7) < 0.2 and found.verdict == "better"
    kinds[:] = ["pool"] * 30  # past the interruption
    alone = joute.tune(None, space, games=200, **asked)
    assert set(kinds[30:]) == {"duel"} and alone.report.against == "default"
    assert alone.games == 200 and "better than the default" in str(alone)
    with pytest.raises(joute.Refused, match="objective = None; allowed: a function"):
        joute.tune(None, space, games=10)
    with pytest.raises(joute.Refused, match="duel = 3; allowed: a function of two points"):
        joute.tune(objective, space, games=10, duel=3)  # type: ignore[arg-type]
    with pytest.raises(joute.Refused, match=r"the duel returned .*; allowed: "):
        joute.tune(None, space, games=10, duel=lambda a, b, games: (games, 1, 0), progress=False)


def test_calculators_say_what_the_commands_say() -> None:
    assert dict(joute.elo(60, 20, 40)) == json.loads(here("elo", 60, 20, 40, "--json").stdout)
    assert f"{joute.elo(60, 20, 40)}\n" == here("elo", 60, 20, 40).stdout
    pairs = (3, 10, 20, 14, 5)
    done = here("sprt", 0, 10, "--pairs", *pairs, "--json")
    assert dict(joute.sprt(0, 10, pairs=pairs)) == json.loads(done.stdout)


def test_a_run_is_read_from_wherever_python_is(
    run: joute.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(run.folder.parent)
    found = joute.load(run.folder.name)
    monkeypatch.chdir(tmp_path)
    assert found.folder == run.folder and found.folder.is_absolute()
    played = joute.match(f"{GAME}/random", "random", 1, out="m", workers=1, progress=False)
    assert len(found.games) == len(run.games) and found.reload().folder == run.folder
    assert found.replay(1).record.id == run.games["id"][0]
    monkeypatch.chdir("/")
    assert played.folder == tmp_path / "m" and played.report() == tmp_path / "m" / "report.html"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("joute.load('nowhere')", "there is no run in nowhere (no run.db)"),
        ("joute.game('conect4')", "unknown game 'conect4'; did you mean 'connect4'?"),
        ("joute.run('connect4-quik')", "did you mean 'connect4-quick'?"),
        ("joute.run('connect4-quick', settings={'schedule.blcks': 3})", "schedule.blcks"),
        ("joute.run({'name': 'x', 'kind': 'tune'})", "game: is missing"),
        ("joute.run('connect4-quick', settings={'seed': None})", "seed = None"),
        ("joute.match('connect4/random', 'dodo/random')", "plays another game"),
        ("joute.match('connect4/random', 'random', plugins=[dict])", "dict is no file"),
        ("joute.match('connect4/random', 'random', blocks=0)", "blocks: 0 is not a whole number"),
        (
            "joute.match('connect4/random', 'random', blocks=0, sprt=(0, 9))",
            "0 is not a whole number from 1 up",
        ),
        (
            "joute.match('connect4/random', 'random', names='ab')",
            "names = 'ab'; allowed: a list of texts",
        ),
        (
            "joute.match('connect4/random', 'random', more='uct')",
            "more = 'uct'; allowed: a list of",
        ),
        ("joute.match('connect4/random', 'random', more=[3])", "3 is no engine"),
        ("joute.match('connect4/random', 'random', names=('a', 3))", "allowed: a list of texts"),
        ("joute.match('connect4/random', 'random', workers=0)", "workers = 0; allowed: whole"),
        ("joute.run('connect4-quick', workers=-3)", "workers = -3; allowed: whole"),
        ("joute.engine('connect4/uct:k=-7')", "k = -7 is not a number from 0 to 10"),
        (
            "joute.game('connect4').position().play(4)",
            "4 is no action: actions are texts, such as '",
        ),
        ("joute.game('connect4').position().is_legal(4)", "4 is no action: actions are texts"),
        (
            "joute.tune(print, {'x': joute.Float(0, 1)}, games=1)",
            "games = 1; allowed: whole numbers from 2",
        ),
        ("joute.Tuner({'x': joute.Float(0, 1)}, budget=5, block=6)", "from 6 up"),
        ("joute.elo()", "no games"),
        ("joute.elo(pairs=[1, 2])", "pairs have five counts"),
        ("joute.elo(1, 2, 3, pairs=[1, 2, 3, 4, 5])", "allowed: one of them"),
        ("joute.sprt(0, 5, wins=1, pairs=[1, 2, 3, 4, 5])", "allowed: one of them"),
        ("joute.tune(None, {'x': joute.Float(0, 1)})", "or None beside duel"),
    ],
)
def test_what_cannot_be_is_refused(call: str, said: str, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    with pytest.raises(joute.Refused) as error:
        eval(call, {"joute": joute})
    assert said in str(error.value)
    assert sorted(tmp_path.iterdir()) == before


def test_an_unknown_plot_or_stage_is_refused(run: joute.Run) -> None:
    with pytest.raises(joute.Refused, match="did you mean 'ladder'"):
        run.plot("laddr")
    with pytest.raises(joute.Refused, match="unknown stage 'final'; known: main"):
        run.standings("final")


SCRIPT = """
import joute

class Mine(joute.PythonGame):
    name = "mine"

try:
    joute.match("mine/plain-uct:iterations=2", "random")
except joute.Refused as error:
    print(error)
run = joute.match("connect4[columns=4,rows=4]/random", "random", blocks=4, workers=2, progress=False)
print(len(run.games))
"""


def test_a_script_needs_no_main_guard(tmp_path: Path) -> None:
    """Nor does a class of the script, which no worker could load, end in a riddle."""
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    refused, games = done.stdout.splitlines()
    assert "the game mine is the class Mine of a notebook or script" in refused
    assert 'plugins=["mine.py"]' in refused and games == "8"


@pytest.mark.slow
@needs_dask
def test_a_script_with_a_cluster_needs_none_either(tmp_path: Path) -> None:
    words = '"connect4[columns=4,rows=4]/random", "random", blocks=4, cluster="local:2"'
    (tmp_path / "script.py").write_text(f"import joute\nprint(len(joute.match({words}).games))")
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout) == (0, "8\n"), done.stderr


def test_the_surface_is_lazy_and_whole() -> None:
    code = "import sys, joute; print([m for m in sys.modules if m.startswith('joute.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "[]\n"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in dir(joute):
            assert getattr(joute, name) is not None
    with pytest.raises(AttributeError, match="joute has no 'mach'"):
        _ = joute.mach  # type: ignore[attr-defined]


def test_a_function_is_no_engine_and_the_refusal_says_what_is() -> None:
    with pytest.raises(joute.Refused, match=r"is no engine; .* joute examples careful.py"):
        joute.match(f"{GAME}/random", lambda position: position, blocks=1)  # type: ignore[arg-type]


def test_an_interrupted_search_goes_on_from_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("joute.tuning.EVERY", 0.0)
    space, file = {"x": joute.Float(0.0, 1.0)}, tmp_path / "search.json"
    calls: list[float] = []

    def objective(point: dict[str, Any], games: int) -> tuple[float, float, float]:
        calls.append(point["x"])
        if len(calls) == 30:
            raise KeyboardInterrupt
        wins = games if int(1e4 * point["x"]) % 3 else 0
        return wins, 0, games - wins

    def tuned(games: int, **kept: Any) -> Any:
        asked = {"default": {"x": 0.5}, "progress": False} | kept
        return joute.tune(objective, space, games=games, **asked)

    with pytest.raises(KeyboardInterrupt):
        tuned(100, save=file)
    found, begun = tuned(100, save=file), calls[:29] + calls[30:]
    assert found.games == 100 and found.tuner.told == 100
    calls[:] = [-1.0] * 30  # past the interruption
    whole = tuned(100)
    assert calls[30:] == begun and str(whole) == str(found)
    count = len(calls)
    assert (
        str(tuned(100, save=file)) == str(found) and len(calls) == count
    )  # nothing is played again
    assert tuned(120, save=str(file)).tuner.told == 120
    with pytest.raises(joute.Refused, match="its search has seed = 0, this one 1"):
        tuned(100, save=file, seed=1)
    with pytest.raises(joute.Refused, match=r"save = .*search.json: "):
        joute.tune(objective, {"y": joute.Float(0.0, 1.0)}, games=10, progress=False, save=file)
    for damaged in ("{", "[" * 100_000):
        file.write_text(damaged)
        with pytest.raises(joute.Refused, match="no stored search"):
            tuned(100, save=file)


def test_a_tuner_says_what_it_was_told() -> None:
    tuner = joute.Tuner({"x": joute.Float(0, 1)}, budget=40)
    tuner.tell({"x": 0.5}, wins=1, draws=0, losses=1)
    assert repr(tuner) == "<Tuner of x: 2 of 40 games told>"

"""`joute moves`: the positions of stored games, each once, and what engines play in them."""

from __future__ import annotations

import csv
import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from joute.engines.engine import parse_engine, parse_game
from joute.engines.errors import Refused
from joute.engines.game import games_with_rules
from joute.engines.kernels.random import seed_of
from joute.engines.position import parse_position
from joute.reports.asked_positions import positions_of
from joute.reports.moves import parts_of
from joute.results.store import Store
from joute.studies.suites.answers import ask, engines_of
from tests.support.plugins import plugged
from tests.support.random_game import store_random_game
from tests.support.runs import TOYS, here

pytestmark = pytest.mark.usefixtures("toys")
GAME = "connect4[columns=5,rows=4]"
FIRST, SECOND = f"{GAME}/alphabeta:evaluation=lines,depth=4", "alphabeta:evaluation=lines,depth=2"
with plugged(TOYS):
    GAMES = games_with_rules()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("moves") / "run"
    done = here("match", FIRST, SECOND, "--blocks", 12, "--out", folder, "-j", 1)
    assert done.exit_code == 0, done.stderr
    return folder


@pytest.mark.parametrize("name", GAMES)
def test_every_position_with_a_choice_comes_once_by_a_text_that_names_it(
    name: str, tmp_path: Path
) -> None:
    game = parse_game(name)
    end = store_random_game(tmp_path / "run", game)
    if game.chance and game.fen(end.W, end.at) is None:
        with pytest.raises(Refused, match="moves alone do not describe a position"):
            positions_of(str(tmp_path / "run"), 10_000, 0)
        return
    asked = positions_of(str(tmp_path / "run"), 10_000, 0)
    keys = [parse_position(game, p.case.position).key() for p in asked.positions]
    assert len(set(keys)) == len(keys) > 0
    position, wanted = parse_position(game, end.start), set()
    for number, (action, outcome) in enumerate(zip(end.moves, end.outcomes, strict=True)):
        if number >= 2 and (not game.listed or len(position.legal_actions()) > 1):
            wanted.add(position.key())
        position.play(action, outcome)
    assert set(keys) == wanted


def test_positions_are_drawn_by_the_seed(run: Path) -> None:
    ten, again, other = (positions_of(str(run), 10, seed) for seed in (1, 1, 2))
    assert len(ten.positions) == 10 and ten == again
    assert ten.positions != other.positions


def test_moves_and_nodes_are_those_of_the_engines_asked_one_by_one(
    run: Path, tmp_path: Path
) -> None:
    table = tmp_path / "moves.csv"
    words = ["moves", run, FIRST, SECOND, "random", "--positions", 60, "--csv", table, "--json"]
    done = here(*words, "-j", 1)
    assert done.exit_code == 0, done.stderr
    found, rows = json.loads(done.stdout), list(csv.DictReader(table.open()))
    game = parse_game(GAME)
    moves: dict[str, dict[str, tuple[str, int]]] = {}
    for row in rows:
        position = parse_position(game, row["text"])
        player = parse_engine(row["spec"], game).player()
        player.new_game(seed_of(0, row["position"]), position.to_move)
        choice = player.choose(position)
        text = game.action_text(choice.action)
        assert (row["action"], int(row["nodes"] or 0)) == (text, choice.nodes or 0)
        moves.setdefault(row["engine"], {})[row["position"]] = (text, choice.nodes or 0)
    first = moves[found["first"]["name"]]
    for engine in found["engines"]:
        own = moves[engine["name"]]
        others = sum(own[name][0] != first[name][0] for name in first)
        assert engine["other_moves"]["mean"] == pytest.approx(others / len(first))
        parts = engine["by_ply"]
        assert sum(part["number"] for part in parts) == len(first) == found["positions"]
        assert sum(p["number"] * p["mean"] for p in parts) == pytest.approx(others)
        if engine["nodes"]:
            sums = [sum(nodes for _, nodes in each.values()) for each in (own, first)]
            assert engine["nodes"]["value"] == pytest.approx(sums[0] / sums[1])
    told = {row["position"]: row["other"] for row in rows if row["engine"] == "random"}
    assert told == {n: "yes" if moves["random"][n][0] != first[n][0] else "no" for n in first}


def test_any_number_of_workers_finds_the_same(run: Path) -> None:
    asked = positions_of(str(run), 40, 3)
    engines = engines_of(asked.game, [FIRST, "uct:iterations=30"], [])

    def moves(workers: int) -> list[list[tuple[str, int]]]:
        columns = ask(asked.suite, engines, 3, workers)
        return [[(answer.action, answer.nodes) for answer in c.answers] for c in columns]

    assert moves(1) == moves(2)


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_a_plot_and_a_table_of_a_run_and_of_a_suite(kind: str, run: Path, tmp_path: Path) -> None:
    begins = {"png": b"\x89PNG", "svg": b"<?xml"}[kind]
    for source, spec in ((run, FIRST), ("connect4-tactics", "alphabeta:evaluation=lines,depth=4")):
        picture = tmp_path / f"p.{kind}"
        done = here("moves", source, spec, "--grid", "depth=1,2", "--positions", 30,
                    "--plot", picture)  # fmt: skip
        assert done.exit_code == 0, done.stderr
        assert "depth=2 " in done.stdout and "beside depth=1" in done.stdout
        assert ("plies" in done.stdout) == (source == run)
        assert picture.read_bytes().startswith(begins)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([FIRST], "one engine has nothing to be compared with"),
        ([FIRST, FIRST], "one engine has nothing to be compared with"),
        ([FIRST, "uct:milliseconds=5"], "its moves depend on the clock"),
        ([FIRST, "dodo/random"], "plays another game than"),
        ([FIRST, "random", "--plot", "p.pdf"], "allowed: a file ending in .png or .svg"),
        ([FIRST, "random", "--csv", "nowhere/m.csv"], "nowhere"),
    ],
)
def test_what_cannot_be_compared_is_refused(words: list[str], told: str, run: Path) -> None:
    done = here("moves", run, *words)
    assert (done.exit_code, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    assert told in line


def test_a_run_without_a_choice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "there is no run in" in here("moves", tmp_path / "empty", FIRST, "random").stderr
    assert "there is no run in" in here("moves", tmp_path / "no" / "run", FIRST, "random").stderr
    with Store.create(tmp_path / "run") as store:
        store.set_meta({"game": GAME})
    done = here("moves", tmp_path / "run", FIRST, "random")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "no position of a stored game in which a player has a choice" in done.stderr


def test_parts_hold_all_plies_once() -> None:
    plies = np.array([3, 3, 4, 9, 9, 9, 10, 30])
    parts = parts_of(plies)
    assert parts[0][0] == 3 and parts[-1][1] == 30
    assert all(b + 1 == c for (_, b), (c, _) in pairwise(parts))
    assert parts_of(np.array([5, 5])) == []

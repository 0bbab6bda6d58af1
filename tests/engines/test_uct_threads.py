"""Threads of UCT: trees side by side, their roots added, and as many cores taken."""

from __future__ import annotations

from pathlib import Path

import pytest

from joute.engines.engine import parse_engine, parse_game
from joute.engines.errors import Refused
from joute.engines.kernels.random import seed_of
from joute.engines.position import Position, parse_position
from joute.engines.searches.mcts.tree_player import TreePlayer
from joute.engines.searches.mcts.trees_player import TreesPlayer
from joute.harness.loky import Loky
from joute.reports.export.export import ExportRequest, export
from joute.studies.play.cores import cores_of, games_on
from joute.studies.play.study_run import run_study
from tests.support.runs import study_of

BOARD = "connect4[columns=7,rows=6]"


def player_of(threads: int, limit: str = "iterations=400") -> TreesPlayer:
    player = parse_engine(f"{BOARD}/uct:{limit},threads={threads}").player()
    assert isinstance(player, TreesPlayer)
    return player


def test_the_roots_of_trees_that_grew_alone_are_added() -> None:
    together, position = player_of(3), Position(parse_game(BOARD))
    together.new_game(7, 0)
    alone = [parse_engine(f"{BOARD}/uct:iterations=400").player() for _ in range(3)]
    for number, player in enumerate(alone):
        player.new_game(seed_of(7, "tree", number) if number else 7, 0)
    while len(position.moves) < 6:
        for player in alone:
            player.choose(position)
        visits, totals = [0] * 7, [0.0] * 7
        for player in alone:
            assert isinstance(player, TreePlayer)
            tree, first = player.tree, int(player.tree.first[0])
            for child in range(first, first + 7):
                visits[int(tree.action[child])] += int(tree.visits[child])
                totals[int(tree.action[child])] += float(tree.total[child])
        best = max(range(7), key=lambda a: (visits[a], totals[a] / visits[a]))
        move = together.choose(position)
        assert (move.action, move.nodes) == (best, 1200)
        assert move.value == pytest.approx(totals[best] / visits[best], abs=0)
        position.play(move.action)
    together.close()


def test_the_trees_differ_and_the_moves_repeat() -> None:
    position, moves = Position(parse_game(BOARD)), []
    for _ in range(2):
        player = player_of(2)
        player.new_game(3, 0)
        moves.append(player.choose(position))
        one, two = (each.tree.visits[1:8].tolist() for each in player.players)
        assert one != two
        player.close()
    assert moves[0] == moves[1]


def test_a_win_that_one_tree_has_proved_is_played() -> None:
    player = player_of(2, "iterations=2000")
    player.new_game(1, 0)
    move = player.choose(parse_position(parse_game(BOARD), "startpos moves 4 4 5 5"))
    assert move.action + 1 in (3, 6)
    assert move.value == 1.0
    player.close()


def test_a_time_ends_all_trees_and_so_does_a_stop() -> None:
    player = player_of(2, "milliseconds=5")
    player.new_game(1, 0)
    assert player.choose(Position(parse_game(BOARD))).nodes > 2
    player.stop()
    player.close()


def test_without_playouts_there_is_one_tree() -> None:
    with pytest.raises(Refused, match="threads = 2 needs playouts"):
        parse_engine(f"{BOARD}/uct:iterations=50,evaluation=lines,threads=2")
    engine = parse_engine(f"{BOARD}/uct:iterations=50,evaluation=lines,threads=1")
    assert engine.search.cores(engine.setup) == 1
    assert "threads" not in engine.text
    assert isinstance(engine.player(), TreePlayer)
    playouts = parse_engine(f"{BOARD}/uct:iterations=50,evaluation=lines,leaf=playout,threads=2")
    assert playouts.search.cores(playouts.setup) == 2


STUDY = f"""
name = "threads"
kind = "tournament"
seed = 1
game = "{BOARD}"
[engine]
[[entrants]]
name = "three"
search = "uct"
iterations = 20
threads = 3
[[entrants]]
name = "one"
search = "random"
[schedule]
blocks = 2
"""

SPACE = f"""
name = "threads"
kind = "tune"
seed = 1
game = "{BOARD}"
budget = "300 games"
[engine]
search = "uct"
iterations = 20
[space]
threads = {{ from = 1, to = 4 }}
[[opponents]]
name = "one"
search = "uct"
"""


def test_a_game_takes_as_many_cores_as_its_engines_have_threads(tmp_path: Path) -> None:
    study = study_of(tmp_path, STUDY)
    assert (cores_of(study), games_on(study, 2), games_on(study, 7)) == (3, 1, 2)
    assert cores_of(study_of(tmp_path, SPACE)) == 4


def test_a_cluster_and_an_export_refuse_threads(tmp_path: Path) -> None:
    class Elsewhere(Loky):
        elsewhere = True

    with pytest.raises(Refused, match="threads = 3 is played on this machine alone"):
        run_study(study_of(tmp_path, STUDY), tmp_path / "run", 1, executor=Elsewhere(1))
    assert not (tmp_path / "run").exists()
    engine = f"{BOARD}/uct:iterations=20,threads=2"
    path = tmp_path / "bot.py"
    with pytest.raises(Refused, match="an exported player has one thread"):
        export(ExportRequest("python", engine=engine, path=path))
    assert not path.exists()
    export(ExportRequest("toml", engine=engine, path=tmp_path / "bot.toml"))

"""Tables say what the games say: the same files for the same games, and never a nan."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from joute.engines.record import GameRecord, SeatRecord
from joute.results.manifest import noting
from joute.results.standings import groups_of
from joute.results.store import Store
from joute.results.tables import (
    Results,
    cell_text,
    crosstable,
    engines_table,
    games_table,
    load,
    standings_table,
    times_table,
    write_atomically,
    write_tables,
)
from tests.support import synthetic_runs as runs

FILES = ("games.csv", "seats.csv", "engines.csv", "times.csv", "standings.csv", "crosstable.csv")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return runs.campaign(tmp_path_factory.mktemp("campaign"), depths=(4, 5), blocks=6)


@pytest.fixture(scope="module")
def results(folder: Path) -> Results:
    return load(folder)


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_standings_count_every_game_and_rank_inside_each_group(results: Results) -> None:
    for stage in results.stages:
        table = standings_table(results, stage)
        games = len(results.of_stage(results.games, stage))
        assert table["games"].sum() == 2 * games
        assert table["wins"].sum() == table["losses"].sum()
        assert table["games_first"].sum() == games
        assert (table["wins"] + table["draws"] + table["losses"] == table["games"]).all()
        assert (table["wins_first"] + table["wins_second"] == table["wins"]).all()
        for _, group in table.groupby("group"):
            assert list(group["rank"]) == list(range(1, len(group) + 1))
            assert list(group["elo"]) == sorted(group["elo"], reverse=True)
            assert abs(group["elo"].sum()) < 1e-6
            assert group["tied_with_best"].iloc[0]
            assert group["los_vs_best"].iloc[0] is None
            assert ((group["score_low"] < group["score"]).all()
                    and (group["score"] < group["score_high"]).all())  # fmt: skip


def test_grid_parameters_are_columns_and_a_fixed_one_is_not(results: Results) -> None:
    assert results.grid == ["depth", "width"]
    table = standings_table(results, "widths")
    assert set(table["depth"]) == {4, 5}
    assert list(table.columns)[:4] == ["stage", "group", "rank", "engine"]
    assert list(table.columns)[-2:] == results.grid  # after all that is said of strength
    assert "evaluation" not in table
    assert set(engines_table(results)["evaluation"]) == {"lines"}


def test_planted_strengths_are_found(tmp_path: Path) -> None:
    table = standings_table(load(runs.match(tmp_path, elo=150, blocks=300)), "match")
    assert list(table["engine"]) == ["new", "old"]
    assert list(table["tied_with_best"]) == [True, False]
    assert table["los_vs_best"].iloc[1] < 0.001


def test_crosstable_is_antisymmetric(results: Results) -> None:
    table = crosstable(results, "champions")
    score = {(r["engine"], r["opponent"]): r["score_percent"] for r in table.to_dict("records")}
    assert len(score) == 4 * 3
    for (one, other), percent in score.items():
        assert percent + score[other, one] == pytest.approx(100)


def test_games_name_their_winner(results: Results) -> None:
    for row in games_table(results).to_dict("records"):
        expected = {1.0: row["first"], 0.0: row["second"], 0.5: "draw"}
        assert row["winner"] == expected[row["score_first"]]
        assert (row["termination"] == "failure") == (row["failure"] != "")


def test_failures_are_counted_by_seat(results: Results) -> None:
    table = standings_table(results, "widths").set_index("engine")
    assert table["timeout"].sum() == len(results.failures) > 0
    assert table.loc["d5-w0.70", "timeout"] == len(results.failures)


def test_times_count_the_slow_moves(results: Results) -> None:
    slow = replace(results, meta={**results.meta, "slow_after_ms": "0"})
    times, table = times_table(slow), standings_table(slow, "widths").set_index("engine")
    for row in times.to_dict("records"):
        assert row["slow_moves"] == row["moves"]
        assert row["median_ms"] <= row["p95_ms"] <= row["p99_ms"] <= row["max_ms"]
        if row["stage"] == "widths":
            assert table.loc[row["engine"], "slow"] == row["slow_moves"]


def stored_again(source: Path, target: Path, slower: float) -> None:
    """Store the same games in another order, in other batches, with other wall times."""
    with Store.open(source) as old, Store.create(target) as new:
        games = [
            game._replace(seats=tuple(
                seat._replace(move_ms=tuple(slower * ms for ms in seat.move_ms))
                for seat in game.seats
            ))
            for game in old.games()
        ]  # fmt: skip
        results = load(source)
        engines = [
            runs.EngineRecord(
                e["id"], e["name"], e["spec"], {p: e[p] for p in results.parameters}, e["digest"]
            )
            for e in results.engines.to_dict("records")
        ]
        new.add_engines(reversed(engines))
        new.set_meta(old.meta())
        games.sort(key=lambda game: game.digest)
        for i in range(0, len(games), 97):
            new.add_games(games[i : i + 97])


def test_equal_games_give_equal_files_but_for_the_times(folder: Path, tmp_path: Path) -> None:
    stored_again(folder, tmp_path, slower=1.01)  # no move crosses slow_after_ms
    for where in (folder, tmp_path):
        write_tables(where)
    for name in FILES:
        same = (folder / name).read_bytes() == (tmp_path / name).read_bytes()
        assert same == (name != "times.csv"), name
    assert not list(tmp_path.glob(".*")), "temporary files left"


def test_files_are_in_schedule_order_without_nan(folder: Path) -> None:
    write_tables(folder)
    for name in FILES:
        assert "nan" not in (folder / name).read_text().lower()
    with Store.open(folder) as store:
        games = {game.id: game for game in store.games()}
    listed = [games[row["id"]] for row in rows_of(folder / "games.csv")]
    places = [(["widths", "champions"].index(g.stage), g.order, g.seating) for g in listed]
    assert places == sorted(places)
    assert len(listed) == len(games)


def test_surplus_blocks_are_left_out_and_counted(tmp_path: Path) -> None:
    runs.match(tmp_path, blocks=20)
    with Store.open(tmp_path, write=True) as store:
        [stage] = {game.stage for game in store.games()}
        store.count_first(stage, 19)
    results = load(tmp_path)
    assert (len(results.games), results.surplus) == (38, 2)
    assert len(results.seats) == 76


def one_pair(folder: Path, returns: float, blocks: int) -> Results:
    """Store blocks in which the first engine always gets the same return."""
    a, b = runs.engine("a", depth=1), runs.engine("b", depth=2)
    players = runs.Players({a.id: 0, b.id: 0})
    with Store.create(folder) as store:
        store.add_engines([a, b])
        store.set_meta({**runs.META, "stages": '["s"]'})
        for number in range(blocks):
            games = []
            for game in players.pair(a.id, b.id, "s", number, number):
                seats = tuple(
                    s._replace(returns=r, rank=2 - r)
                    for s in game.seats
                    for r in [returns if s.engine == a.id else 1 - returns]
                )
                games.append(game._replace(seats=seats, termination="normal"))
            store.add_games(games)
    return load(folder)


@pytest.mark.parametrize("returns", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("blocks", [1, 40])
def test_blocks_that_are_all_alike(tmp_path: Path, returns: float, blocks: int) -> None:
    results = one_pair(tmp_path, returns, blocks)
    table = standings_table(results, "s")
    assert set(table["score"]) == {returns, 1 - returns}
    write_tables(tmp_path)
    assert "nan" not in (tmp_path / "standings.csv").read_text()


def test_an_empty_run(tmp_path: Path) -> None:
    Store.create(tmp_path).close()
    write_tables(tmp_path)
    for name in FILES:
        assert len((tmp_path / name).read_text().splitlines()) == 1, name
    results = load(tmp_path)
    assert results.stages == []
    assert len(standings_table(results, "nothing")) == 0


def test_a_single_game(tmp_path: Path) -> None:
    a, b = runs.engine("a", depth=1), runs.engine("b", depth=2)
    players = runs.Players({a.id: 0, b.id: 0})
    with Store.create(tmp_path) as store:
        store.add_engines([a, b])
        store.add_games(players.pair(a.id, b.id, "s", 0, 0)[:1])
    write_tables(tmp_path)
    assert len(rows_of(tmp_path / "standings.csv")) == 2


def test_three_players(tmp_path: Path) -> None:
    engines = [runs.engine(name, depth=depth) for depth, name in enumerate("abc", 1)]
    orders = [(0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2)]
    with Store.create(tmp_path) as store:
        store.add_engines(engines)
        store.set_meta({**runs.META, "stages": json.dumps(["s"])})
        for block in range(4):
            store.add_games([
                GameRecord(
                    f"g{block}-{i}", "s", block, block, f"b{block}", i, "", str(block), "", "",
                    f"{block}{i}", "normal", 9,
                    tuple(
                        SeatRecord(engines[e].id, (1, 2.5, 2.5)[e], (1.0, 0.25, 0.25)[e], plies=3)
                        for e in order
                    ),
                )
                for i, order in enumerate(orders)
            ])  # fmt: skip
    table = standings_table(load(tmp_path), "s")
    assert list(table["engine"]) == ["a", "b", "c"]
    assert list(table["score"]) == [1.0, 0.25, 0.25]
    assert list(table["place_1"]) == [24, 0, 0]
    assert list(table["place_2"]) == [0, 12, 12]
    assert list(table["mean_rank"]) == [1.0, 2.5, 2.5]
    assert not {"wins", "draws", "games_first"} & set(table.columns)
    assert table["elo"].iloc[1] == pytest.approx(table["elo"].iloc[2])
    write_tables(tmp_path)
    first = rows_of(tmp_path / "games.csv")[0]
    assert (first["first"], first["third"], first["winner"]) == ("a", "c", "a")
    score = {(r["engine"], r["opponent"]): r["score_percent"] for r in
             rows_of(tmp_path / "crosstable.csv")}  # fmt: skip
    assert (score["a", "b"], score["b", "c"]) == ("100.0", "50.0")


@pytest.mark.parametrize("seats", [3, 4])
def test_standings_of_many_players(tmp_path: Path, seats: int) -> None:
    results = load(runs.many(tmp_path, seats))
    table = standings_table(results, "tables")
    games = len(results.games)
    places = [f"place_{k}" for k in range(1, seats + 1)]
    assert list(table["engine"]) == ["e1", "e2", "e3", "e4", "e5"]
    assert (table[places].sum(axis=1) == table["games"]).all()
    assert all(table[name].sum() == pytest.approx(games) for name in places)
    by_count = sum(table[name] * k for k, name in enumerate(places, 1)) / table["games"]
    assert list(by_count.astype(float)) == pytest.approx(list(table["mean_rank"]))
    ends = table[["mean_rank_low", "mean_rank", "mean_rank_high"]].astype(float)
    assert (ends.diff(axis=1).iloc[:, 1:] > 0).all(axis=None)
    assert list(table["elo"]) == sorted(table["elo"], reverse=True)
    crossed = crosstable(results, "tables").to_dict("records")
    score = {(row["engine"], row["opponent"]): row["score_percent"] for row in crossed}
    assert len(score) == 20 and score["e1", "e5"] > 50
    assert score["e1", "e5"] + score["e5", "e1"] == pytest.approx(100)


def test_a_match_at_tables_of_copies_counts_who_finishes_before_whom(tmp_path: Path) -> None:
    results = load(runs.many_match(tmp_path, 4))
    [group] = groups_of(results, "main")
    one, other = group.versus("new", "old"), group.versus("old", "new")
    assert one.score > 0.5 and one.score + other.score == pytest.approx(1)
    assert one.blocks == results.games["block"].nunique()
    gap = group.ratings.difference(group.engines.index("new"), group.engines.index("old"))
    assert gap.low < 120 < gap.high


def test_cells() -> None:
    assert cell_text(float("nan"), "elo") == cell_text(None, "elo") == ""
    assert cell_text(-0.04, "elo") == "0.0"
    assert (cell_text(True), cell_text(0.1 + 0.2), cell_text(6)) == ("yes", "0.3", "6")


def test_a_parameter_hides_no_column_of_ours(tmp_path: Path) -> None:
    engines = [runs.engine(name, score=value, name=name) for name, value in (("a", 1), ("b", 2))]
    players = runs.Players({engine.id: 0 for engine in engines})
    with Store.create(tmp_path) as store:
        store.add_engines(engines)
        store.add_games(players.pair(engines[0].id, engines[1].id, "s", 0, 0))
    table = standings_table(load(tmp_path), "s")
    assert set(table["parameter_score"]) == {1, 2}
    assert (table["score"] <= 1).all()


def test_tables_are_written_in_parts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_tables(folder)
    whole = {name: (folder / name).read_bytes() for name in FILES}
    monkeypatch.setattr("joute.results.tables.PART", 7)
    monkeypatch.setattr("joute.results.store.CHUNK", 5)
    write_tables(folder)
    assert {name: (folder / name).read_bytes() for name in FILES} == whole


def test_a_file_that_cannot_be_written_is_named_and_no_other(tmp_path: Path) -> None:
    with noting(tmp_path), pytest.raises(OSError, match=r"games\.csv") as caught:
        write_atomically(tmp_path / "nowhere" / "games.csv", "")
    assert caught.value.filename == str(tmp_path / "nowhere" / "games.csv")

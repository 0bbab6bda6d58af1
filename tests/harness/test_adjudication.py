"""Games that the referee ends by the values of both engines."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from joute.engines.engine import parse_game
from joute.engines.errors import Refused
from joute.engines.player import Move, Player
from joute.engines.position import Position
from joute.engines.transcript import Played
from joute.harness.adjudication import Adjudication, Adjudicator
from joute.harness.match import Rules, Tally, play_game, returns_of
from joute.results.store import Store
from joute.studies.adhoc import match_study
from joute.studies.load import StudyRefused, load_study
from joute.studies.play.study_run import run_study
from tests.support.syzygy import TABLES, needs_tables

SMALL = parse_game("connect4[columns=4,rows=4]")


def verdicts(rules: Adjudication, values: Sequence[float | None]) -> list[str]:
    """Return the verdict after each move; seats alternate, values are the mover's own."""
    judge, position, said = Adjudicator(rules, SMALL), Position(SMALL), list[str]()
    for n, value in enumerate(values):
        position.moves = [0] * (n + 1)
        said.append(judge.after(n % 2, value, position))
    return said


@pytest.mark.parametrize(
    ("values", "ends"),
    [
        ([5, -5, 0, 10, 3], 5),
        ([5, -5, 11, 10, 3, 9, 9, 9], 7),
        ([5, -5, None, 10, 3, 9, 9], 7),
        ([5, -50, 5, -50, 5, -50], None),
    ],
)
def test_a_draw_needs_both_and_a_move_number(values: list[float | None], ends: int | None) -> None:
    """Two moves each within 10, not before the second move of both (4 plies)."""
    rules = Adjudication(draw_moves=2, draw_within=10, draw_from=2)
    said = verdicts(rules, values)
    first = next((n for n, word in enumerate(said, 1) if word), None)
    assert first == (ends if ends != 5 else 4)
    assert {*said} <= {"", "draw"}


def test_a_loss_needs_both_unless_told_otherwise() -> None:
    both = Adjudication(resign_moves=2, resign_beyond=600)
    alone = Adjudication(resign_moves=2, resign_beyond=600, resign_one_sided=True)
    agree = [700.0, -650.0, 800.0, -900.0]
    assert verdicts(both, agree) == ["", "", "", "loss"]
    assert verdicts(both, [*agree[1:], 900.0]) == ["", "", "", "win"]
    doubt = [100.0, -650.0, 100.0, -900.0]
    assert verdicts(both, doubt) == [""] * 4
    assert verdicts(alone, doubt) == ["", "", "", "loss"]
    assert verdicts(both, [700.0, -650.0, 800.0, -100.0, 800.0, -700.0]) == [""] * 6


class Telling(Player):
    """Plays the first action, and tells a value."""

    def __init__(self, value: float) -> None:
        self.value = value

    def choose(self, position: Position) -> Move:
        return Move(position.legal_actions()[0], self.value)


@pytest.mark.parametrize(
    ("values", "returns"),
    [((0.0, 5.0), [0.5, 0.5]), ((900.0, -900.0), [1.0, 0.0]), ((-900.0, 900.0), [0.0, 1.0])],
)
def test_a_game_ends_by_values(values: tuple[float, float], returns: list[float]) -> None:
    rules = Rules(
        adjudication=Adjudication(draw_moves=2, draw_within=10, resign_moves=2, resign_beyond=600)
    )
    position, tallies = Position(SMALL), [Tally(), Tally()]
    failures = play_game(position, [Telling(v) for v in values], lambda ply: 0, rules, tallies)
    assert len(position.moves) == 4
    assert returns_of(position, failures) == (returns, "adjudicated")


def test_a_run_of_adjudicated_games(tmp_path: Path) -> None:
    """They end early, are no failures, and resume."""
    text = "chess/alphabeta:evaluation=material,depth=1"
    ways = {"draw": {"moves": 2, "within": 1e6, "from_move": 6}}
    study = match_study(text, text, 2, adjudicate=ways)
    for _ in range(2):
        run_study(study, tmp_path / "run", workers=1)
    with Store.open(tmp_path / "run") as store:
        games = list(store.games())
    assert len(games) == 4
    for game in games:
        assert game.termination == "adjudicated"
        assert [seat.returns for seat in game.seats] == [0.5, 0.5]
        assert not any(seat.failure for seat in game.seats)
        assert game.plies < 40


def test_pgn_says_so() -> None:
    from joute.engines.games.chess.pgn import Pgn

    chess = parse_game("chess")
    moves = tuple(chess.action_of(text) for text in ("e2e4", "e7e5"))
    played = Played(chess, "x", "startpos", moves, ("a", "b"), (0.5, 0.5), "adjudicated")
    assert '[Termination "adjudication"]' in Pgn().write(played)


def study_of(game: str = SMALL.label, b: str = "random", **adjudicate: object) -> dict[str, object]:
    return {
        "name": "early", "kind": "match", "game": game, "seed": 1, "blocks": 1,
        "a": {"spec": "random"}, "b": {"spec": b}, "adjudicate": adjudicate,
    }  # fmt: skip


def test_a_study_says_when() -> None:
    full = study_of(
        b="alphabeta:evaluation=lines,depth=1",
        draw={"moves": 8, "within": 10},
        resign={"moves": 4, "beyond": 600, "one_sided": True},
    )
    study = load_study(full)
    assert study.resolved()["adjudicate"] == full["adjudicate"]
    assert load_study(study.resolved()) == study
    plain = load_study(study_of(b="alphabeta:evaluation=lines,depth=1"))
    assert "adjudicate" not in plain.resolved()
    assert plain.identity() != study.identity()
    draw = {"moves": 8, "within": 10}
    for wrong, said in [
        (study_of(b="alphabeta:depth=1,evaluation=lines", draw={"moves": 0, "within": 10}), r"draw\.moves"),
        (study_of(b="alphabeta:depth=1,evaluation=lines", draw={"moves": 3}), r"adjudicate\.draw\.within: is missing"),
        (study_of(b="uct:iterations=9", draw=draw), "adjudicate: uct tells expected returns"),
    ]:  # fmt: skip
        with pytest.raises(StudyRefused, match=said):
            load_study(wrong)
    many = study_of("tron[players=3]", draw=draw)
    with pytest.raises(StudyRefused, match="only games of two players"):
        load_study(many)


@needs_tables
def test_a_run_by_tablebases(tmp_path: Path) -> None:
    """A game ends where the tables know it, with their result, wherever they lie; with others it is
    another study.
    """
    book = tmp_path / "book.epd"
    book.write_text("k7/8/8/8/3q4/3Q4/8/3K4 w - -\n8/8/8/2bk4/8/8/4P3/3K2R1 w - -\n")
    text, tables = "chess/alphabeta:evaluation=material,depth=2", tmp_path / "tables"
    shutil.copytree(TABLES, tables)
    for folder in (TABLES, tables):
        study = match_study(
            text, text, 2, plies=0, records=str(book), adjudicate={"tablebases": [str(folder)]}
        )
        assert load_study(study.resolved()) == study
        run_study(study, tmp_path / "run", workers=1)
    with Store.open(tmp_path / "run") as store:
        games = list(store.games())
    assert len(games) == 4
    for game in games:
        assert game.termination == "adjudicated"
        assert not any(seat.failure for seat in game.seats)
    taken = [game for game in games if game.plies == 1]  # White takes the queen
    assert [game.seats[0].returns for game in taken] == [1.0, 1.0]
    some = tmp_path / "some"
    some.mkdir()
    shutil.copy(TABLES / "KQvK.rtbw", some)
    fewer = match_study(
        text, text, 2, plies=0, records=str(book), adjudicate={"tablebases": [str(some)]}
    )
    with pytest.raises(Refused, match=r"adjudicate: was tablebases \d+ tables, up to 4 men"):
        run_study(fewer, tmp_path / "run", workers=1)


def test_tablebases_that_a_game_does_not_have() -> None:
    with pytest.raises(StudyRefused, match=r"adjudicate\.tablebases: connect4 has no tablebases"):
        load_study(study_of(tablebases=["."]))
    with pytest.raises(StudyRefused, match=r"tablebases: .* holds no tables of wins, draws"):
        load_study(study_of("chess", tablebases=["."]))

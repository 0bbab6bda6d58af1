"""Openings from records of games: which there are, in what order, and files that are no use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from joute.engines.engine import parse_game
from joute.engines.errors import Refused
from joute.engines.position import Position
from joute.harness.match import set_up
from joute.harness.openings import NoMoreOpenings, Opening, OpeningRules, Openings
from joute.harness.schedule import Block, Schedule
from joute.studies.file.records import MOST, openings_in
from joute.studies.file.validation import StudyRefused
from joute.studies.load import load_study
from joute.studies.study import Study
from tests.support.runs import here

GAME = "go[columns=4,rows=2,komi=0.5]"
HEAD = "(;GM[1]SZ[4:2]KM[7.5]RU[Japanese]"
FILES = {
    "b.sgf": ";B[ca];W[bb];B[])",
    "a.SGF": ";B[aa];W[bb];B[db])",
    "c.sgf": ";B[da];W[cb];B[db])",  # a.SGF in the mirror, as far as two plies go
    "d.sgf": "AB[aa][ba]AW[db]PL[W];W[cb];B[ca];W[])",  # stones that were set up
    "e.sgf": ";B[ba](;W[bb];B[])(;W[ca];B[]))",  # a branching
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = tmp_path / "games"
    (found / "more.sgf").mkdir(parents=True)  # a folder, which is passed over
    for name, text in FILES.items():
        (found / name).write_text(HEAD + text)
    (found / "notes.txt").write_text("nothing")
    return found


def dealt(lines: tuple[str, ...], rounds: int, game: str = GAME) -> list[Opening]:
    found = parse_game(game)
    openings = Openings(found, 3, OpeningRules(2, records="games", lines=lines), growing=True)
    tables = [("", ("a", "b"))]
    return [openings.of(block) for block in Schedule(3, game, "main", lambda n: tables, rounds)]


@pytest.mark.slow
def test_first_plies_of_each_file_by_name_and_once(folder: Path) -> None:
    lines = openings_in(folder, parse_game(GAME), 2)
    assert lines == (
        "startpos moves A2 B1",  # a.SGF; c.sgf is the same
        "startpos moves C2 B1",
        "XX2/3O O 1 moves C1 C2",
        "startpos moves B2 B1",
    )
    assert openings_in(folder / "b.sgf", parse_game(GAME), 1) == ("startpos moves C2",)
    assert len(openings_in(folder, parse_game(GAME), 3)) == 5  # a and c part
    assert openings_in(folder / "d.sgf", parse_game(GAME), 0) == ("XX2/3O O 1",)


def test_openings_are_dealt_in_this_order_until_there_are_no_more(folder: Path) -> None:
    game = parse_game(GAME)
    lines = openings_in(folder, game, 2)
    found = dealt(lines, 4)
    assert [set_up(game, one).line() for one in found] == list(lines)
    assert [one.draw for one in found] == [0, 1, 2, 3]
    assert found[2].start == "XX2/3O O 1" and len(found[2].actions) == 2
    assert all(one.key == signed(Position.key(set_up(game, one))) for one in found)
    with pytest.raises(
        NoMoreOpenings,
        match="only 4 distinct openings are in games, and each block takes another one: play 4",
    ):
        dealt(lines, 5)
    assert len(dealt((*lines, lines[0]), 4)) == 4


def test_each_stage_begins_elsewhere_and_goes_round(folder: Path) -> None:
    lines = openings_in(folder, parse_game(GAME), 2)
    rules = OpeningRules(2, records="games", lines=lines, stages=("search", "final"))
    openings = Openings(parse_game(GAME), 3, rules)
    draws = {
        stage: [openings.of(Block("", stage, "", number, 0, ())).draw for number in range(4)]
        for stage in ("search", "final")
    }
    assert draws == {"search": [0, 1, 2, 3], "final": [2, 3, 0, 1]}
    with pytest.raises(NoMoreOpenings):
        openings.of(Block("", "final", "", 4, 0, ()))


def signed(key: int) -> int:
    return (key & (1 << 64) - 1) - (1 << 64 if key >> 63 & 1 else 0)


@pytest.mark.parametrize(
    ("text", "plies", "said"),
    [
        (";B[aa];W[aa])", 2, "move 2 on A2 is illegal; there is a stone on A2"),
        (";B[aa])", 2, "it has 1 plies, but openings of 2 are wanted ("),
        (";B[];W[])", 2, "startpos moves pass pass: the game is over there"),
        (";B[aa];W[", 1, "SGF, character"),
        (";B[zz];W[])", 1, "SGF: move 1 at 'zz', which is no point of a board 4 x 2"),
        ("AB[aa][ba][ca][da][ab][bb][cb][db])", 0, "has no liberty"),
        (";B[aa];W[ba]" + ";C[" + "x" * 4_000_000 + "])", 1, "more than 4000000 characters"),
    ],
)
def test_a_file_that_is_no_use_is_named(folder: Path, text: str, plies: int, said: str) -> None:
    (folder / "bb.sgf").write_text(HEAD + text)
    with pytest.raises(Refused) as refused:
        openings_in(folder, parse_game(GAME), plies)
    assert str(refused.value).startswith(f"{folder / 'bb.sgf'}: ") and said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_what_is_wrong_later_than_the_plies_taken_is_no_matter(folder: Path) -> None:
    (folder / "bb.sgf").write_text(HEAD + ";B[aa];W[ab];B[aa];B[aa])")
    assert len(openings_in(folder, parse_game(GAME), 2)) == 5


def test_places_that_hold_no_records(folder: Path, tmp_path: Path) -> None:
    game = parse_game(GAME)
    for path, said in (
        (tmp_path, "holds no file .sgf"),
        (tmp_path / "nowhere", "is neither a file nor a folder"),
        (folder / "notes.txt", "is no game record of go; allowed: .sgf, or a folder of them"),
    ):
        with pytest.raises(Refused, match=said):
            openings_in(path, game, 2)
    os.mkfifo(folder / "pipe.sgf")
    assert len(openings_in(folder, game, 2)) == 4  # and waits for nobody
    with pytest.raises(Refused, match="is neither a file nor a folder"):
        openings_in(folder / "pipe.sgf", game, 2)
    with pytest.raises(Refused, match=r"of a board 4 x 2, go.* is another"):
        openings_in(folder, parse_game("go[size=3]"), 2)
    with pytest.raises(Refused, match="connect4 has no record format"):
        openings_in(folder, parse_game("connect4"), 2)
    crowd = tmp_path / "crowd"
    crowd.mkdir()
    for number in range(MOST + 1):
        os.link(folder / "b.sgf", crowd / f"{number}.sgf")
    with pytest.raises(Refused, match=rf"holds {MOST + 1} files .sgf; allowed: at most {MOST}"):
        openings_in(crowd, game, 2)


STUDY = f"""
name = "s"
kind = "match"
game = "{GAME}"
seed = 1
blocks = BLOCKS
[openings]
records = "games"
plies = 2
[a]
spec = "random"
[b]
spec = "uct:iterations=2"
"""


def study(tmp_path: Path, blocks: int) -> Study:
    (tmp_path / "s.toml").write_text(STUDY.replace("BLOCKS", str(blocks)))
    return load_study(tmp_path / "s.toml")


def test_a_study_says_its_records_and_is_known_by_what_they_hold(
    folder: Path, tmp_path: Path
) -> None:
    one = study(tmp_path, 2)
    assert one.resolved()["openings"] == {"plies": 2, "records": str(folder.resolve())}
    assert one.openings.stages == ("main",)
    known = one.identity()
    folder.rename(tmp_path / "moved")
    (tmp_path / "games").symlink_to(tmp_path / "moved")
    assert study(tmp_path, 2).identity() == known
    (folder / "b.sgf").write_text(HEAD + ";B[cb];W[bb];B[])")
    changed = study(tmp_path, 2).identity()["openings"]["records"]
    assert changed.startswith("4 positions (") and changed != known["openings"]["records"]
    (folder / "b.sgf").write_text("nothing")
    with pytest.raises(StudyRefused, match=r"openings.records: .*b\.sgf: no game is in this SGF"):
        study(tmp_path, 2)


@pytest.mark.slow
def test_a_match_is_played_from_records_and_goes_on(folder: Path, tmp_path: Path) -> None:
    words = ["match", f"{GAME}/random", f"{GAME}/uct:iterations=2", "--openings", str(folder)]
    words += ["--plies", "2", "--no-report", "-j", "1", "--out", str(tmp_path / "run"), "--blocks"]
    assert here(*words, "5").exit_code == 2
    assert not (tmp_path / "run" / "games.csv").exists()
    assert here(*words, "2").exit_code == 0
    assert here(*words, "4").exit_code == 0
    assert here("report", str(tmp_path / "run")).exit_code == 0
    rows = (tmp_path / "run" / "games.csv").read_text().splitlines()[1:]
    assert [row.split(",")[4] for row in rows[::2]] == list(
        openings_in(folder, parse_game(GAME), 2)
    )
    (folder / "b.sgf").write_text(HEAD + ";B[cb];W[bb];B[])")
    again = here(*words, "4")
    assert again.exit_code == 2 and "openings.records: was 4 positions" in again.output

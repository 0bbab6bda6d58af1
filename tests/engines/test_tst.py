"""Regression suites of Go programs: reading them, and what good and bad programs make of them."""

from __future__ import annotations

import csv
import os
import sys
from pathlib import Path

import pytest

from joute.engines.engine import Engine, parse_engine
from joute.engines.errors import Refused
from joute.engines.games.go.gtp import tst
from joute.engines.games.go.gtp.tst import Tst, passes
from joute.engines.script import (
    FAILED,
    IGNORED,
    KNOWN,
    PASSED,
    UNEXPECTED,
    Wanted,
    script_of,
    verdict,
)
from tests.support.processes import left_behind
from tests.support.runs import ROOT, here

BOT = ROOT / "tests" / "support" / "tst_bot.py"
SGF = "(;GM[1]SZ[5]KM[7.5];B[cc];W[bb];B[aa])"


def bot(more: str = "") -> Engine:
    return parse_engine(f'go/process:protocol=gtp,command="{sys.executable} {BOT}"{more}')


def found(folder: Path, text: str, engine: Engine) -> tuple[list[tuple[str, str, str]], list[str]]:
    """Put a script to an engine; return (verdict, answer, failure) of each test, and other errors."""
    file = folder / "a.tst"
    file.write_text(text)
    script = script_of(str(file))
    assert isinstance(script, Tst)
    steps = script.read(file)
    replies, errors = script.run(steps, engine)
    wanted = [step.wanted for step in steps if step.wanted]
    rows = [(verdict(w, r), r.got, r.failure) for w, r in zip(wanted, replies, strict=True)]
    return rows, list(errors)


def test_patterns_are_for_the_whole_answer() -> None:
    assert passes("D4|E5", "E5") and not passes("D4|E5", "E55") and not passes("D4", "d4")
    assert passes("!D4|E5", "E6") and not passes("!D4|E5", "D4") and passes("! D4", "E4")
    assert passes("[1-3] (E5|PASS)", "2 PASS") and passes(".*", "")


def test_a_pattern_that_is_compared_without_end_fails_its_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tst, "PATTERN_SECONDS", 0.3)
    text = f"1 echo {'a' * 60}!\n#? [(a+)+b]\n2 echo b\n#? [b]\n"
    rows, errors = found(tmp_path, text, bot())
    assert rows == [
        (FAILED, "", "its pattern takes more than 0.3 s to compare"),
        (PASSED, "b", ""),
    ]
    assert not errors


def test_a_pattern_of_any_length_is_not_compiled(tmp_path: Path) -> None:
    (tmp_path / "a.tst").write_text(f"1 name\n#? [{'|'.join(map(str, range(200_000)))}]\n")
    with pytest.raises(Refused, match="line 2: a pattern of 1288889 characters; allowed: 5000"):
        Tst().read(tmp_path / "a.tst")


def test_answers_are_compared_and_counted(tmp_path: Path) -> None:
    text = """
# a comment
boardsize 9 # so large
1 echo D4
#? [D4|E5]
2 echo D4
# in between
#? [!D4]
3 echo D4
#? [E5]*
4 echo D4
#? [D.]*
5 echo D4
#? [E5]&
6 lines one two
#? [one two]
told
#? [boardsize]
8 no
#? [.*]
9 no
#? [.*]*
no
"""
    rows, errors = found(tmp_path, text, bot())
    assert [row[0] for row in rows] == [
        PASSED, FAILED, KNOWN, UNEXPECTED, IGNORED, PASSED, PASSED, FAILED, FAILED,
    ]  # fmt: skip
    assert rows[1] == (FAILED, "D4", "") and rows[6][1] == "boardsize"
    assert rows[7][2] == "8 no is answered by ? I do not want to"
    assert errors == ["line 23, no: no is answered by ? I do not want to"]
    assert not left_behind(str(BOT))


def test_the_path_of_a_game_is_seen_from_the_script(tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "a.sgf").write_text(SGF)
    text = "loadsgf games/a.sgf 3\n1 final_score\n#? [W\\+7.5]\n2 reg_genmove black\n#? [[A-E][1-5]|PASS]"
    rows, errors = found(tmp_path, text, parse_engine("go/random"))
    assert [row[0] for row in rows] == [PASSED, PASSED] and not errors
    (step,) = [s for s in Tst().read(tmp_path / "a.tst") if s.command.startswith("loadsgf")]
    assert step.said == f"loadsgf {tmp_path.resolve()}/games/a.sgf 3"


def test_a_board_that_is_not_there_is_not_asked_about(tmp_path: Path) -> None:
    text = """
level 3
clear_board
play black E5
1 echo a
#? [a]
clear_board
2 echo a
#? [a]
"""
    rows, errors = found(tmp_path, text, bot())
    why = "line 4, play black E5: play black E5 is answered by ? I do not want to"
    assert rows == [(FAILED, "", f"not asked: {why}"), (PASSED, "a", "")] and errors == [why]


def test_the_tests_of_a_missing_game_fail_and_the_others_are_asked(tmp_path: Path) -> None:
    (tmp_path / "a.sgf").write_text(SGF)
    text = """
1 final_score
#? [W.*]
loadsgf b.sgf 3
2 final_score
#? [W.*]
3 loadsgf c.sgf
#? [!x]*
4 final_score
#? [W.*]*
loadsgf a.sgf 3
5 final_score
#? [W.*]
"""
    rows, errors = found(tmp_path, text, parse_engine("go/random"))
    why = f"line 4, loadsgf b.sgf 3: no such file in {tmp_path}"
    assert errors == [why]
    assert [row[0] for row in rows] == [PASSED, FAILED, FAILED, FAILED, PASSED]
    assert rows[1][2] == f"not asked: {why}" and rows[2][2] == f"no such file in {tmp_path}"
    assert rows[3][2] == f"not asked: line 7, loadsgf c.sgf: no such file in {tmp_path}"
    asked = here("suite", str(tmp_path / "a.tst"), "--no-start")
    assert asked.exit_code == 0 and f"5 tests of go; nothing was asked\n{why}\n" in asked.output


def test_latin_1_and_a_missing_bracket_are_read(tmp_path: Path) -> None:
    file = tmp_path / "a.tst"
    file.write_bytes("# de Jürgen\n1 echo é\n#? [é\n2 echo D4\n#? [!E5 \n".encode("latin-1"))
    assert [step.wanted for step in Tst().read(file)] == [Wanted("é"), Wanted("!E5")]
    rows, errors = found(tmp_path, "1 echo D4\n#? [D4\n2 echo D4\n#? [E5", bot())
    assert [row[0] for row in rows] == [PASSED, FAILED] and not errors


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("die", "ended with exit status 3"),
        ("hang", "no answer in 400 ms"),
        ("babble", "is answered by 'certainly', not by = or ?"),
    ],
)
def test_a_program_that_ends_is_started_anew_with_the_next_board(
    tmp_path: Path, command: str, why: str
) -> None:
    text = f"""
level 3
clear_board
1 echo a
#? [a]
2 {command}
#? [a]
3 echo a
#? [a]
boardsize 9
4 told
#? [level boardsize]
"""
    rows, errors = found(tmp_path, text, bot(",turn_ms=400,first_ms=20000"))
    assert [row[0] for row in rows] == [PASSED, FAILED, FAILED, PASSED] and not errors
    assert why in rows[1][2] and rows[2][2].startswith("not asked: line 6") and why in rows[2][2]
    assert not left_behind(str(BOT))


def test_a_program_that_always_ends_is_given_up(tmp_path: Path) -> None:
    rows, _ = found(tmp_path, "clear_board\n1 die\n#? [x]\n" * 5, bot())
    assert [row[2].startswith("not asked: given up after 3 ends") for row in rows] == [
        False, False, False, True, True,
    ]  # fmt: skip
    absent = parse_engine('go/process:protocol=gtp,command="no-such-program-anywhere"')
    rows, errors = found(tmp_path, "clear_board\n1 name\n#? [x]\n", absent)
    assert "cannot be started" in errors[0] and rows[0][2].startswith("not asked")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 name\n#? D4", "line 2: '#? D4' is not of the form #? [PATTERN]"),
        ("1 name\n#? []", "line 2: '#? []' is not of the form"),
        ("1 name\n#? [(D4]", "line 2: [(D4] is no regular expression"),
        ("#? [D4]", "line 1: #? stands behind no command"),
        ("1 name\n#? [x]\n#? [y]", "line 3: #? stands behind no command"),
        ("1 name", "has no test"),
        ("1 name\n#? [", "line 2: '#? [' is not of the form"),
        ("1 name\n#? [D4] E5", "line 2: '#? [D4] E5' is not of the form"),
        ("", "has no test"),
    ],
)
def test_a_broken_file_is_refused_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "a.tst"
    file.write_text(text)
    with pytest.raises(Refused, match=r"a\.tst") as refused:
        Tst().read(file)
    assert said in str(refused.value) and "\n" not in str(refused.value)


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.tst"
    with pytest.raises(Refused, match="No such file"):
        Tst().read(file)
    os.mkfifo(file)
    with pytest.raises(Refused, match="not a plain file"):
        Tst().read(file)


def test_the_command_tells_counts_and_writes_them(tmp_path: Path) -> None:
    file, table = tmp_path / "a.tst", tmp_path / "a.csv"
    file.write_text(
        "1 echo D4\n#? [D4]\n2 echo D4\n#? [E5]\n3 echo D4\n#? [E5]*\n4 echo D4\n#? [D4]*\n"
    )
    spec = f'process:protocol=gtp,command="{sys.executable} {BOT}"'
    done = here("suite", str(file), spec, "--csv", str(table), "-j", "1")
    assert done.exit_code == 0, done.output
    assert "4 tests" in done.output and "unexpected pass" in done.output
    (row,) = [line for line in done.output.splitlines() if line.startswith("process  ")]
    assert row.split()[1:6] == ["1", "1", "1", "1", "0"]
    rows = list(csv.DictReader(table.open()))
    assert [row["verdict"] for row in rows] == [PASSED, FAILED, KNOWN, UNEXPECTED]
    file.write_text("1 die\n#? [D4]\n")
    assert here("suite", str(file), spec, "-j", "1").exit_code == 1
    asked = here("suite", str(file), spec, "--no-start")
    assert asked.exit_code == 0 and "1 tests of go; nothing was asked" in asked.output
    wrong = here("suite", str(file), "connect4/random")
    assert wrong.exit_code == 2 and "plays another game than go" in wrong.output
    assert not left_behind(str(BOT))

"""`joute export --to cpp`: kernels and whole engines in C++ do the same, byte for byte."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joute.engines.engine import parse_engine
from joute.engines.errors import Refused
from joute.engines.kernels.compile import U, kernel
from joute.engines.kernels.random import stream
from joute.engines.position import Position, parse_position
from joute.engines.protocol import dialogue_of
from joute.reports.export.cpp import bot_file, compiler
from joute.reports.export.cpp.compiler import Library, build
from joute.reports.export.cpp.engine_file import engine_text, parameters
from joute.reports.export.cpp.fronts import asked_on_lines
from joute.reports.export.cpp.proof import SANITIZED, built, compare, compare_kernels
from joute.reports.export.export import ExportRequest, export
from joute.reports.export.transcripts import game_of
from joute.reports.export.work import games
from tests.support.exports import refusal
from tests.support.marks import dear, dear_case, slow

SHORT = {"CASES": 24, "REDUCED": 50, "CHECKED": 4}
CONNECT4 = "connect4[columns=7,rows=5]/alphabeta:evaluation=static,depth=3"
DUEL = "tron[width=9,height=7]/uct:evaluation=zones,iterations=12,ending=fill,fill_nodes=200"


@pytest.fixture(autouse=True)
def aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder, with a short proof."""
    monkeypatch.chdir(tmp_path)
    for name, number in SHORT.items():
        monkeypatch.setattr(bot_file, name, number)


@kernel("i8(i8, i8)")
def divided(a, b):
    return a // b


@kernel("i8(i8, i8)")
def rest(a, b):
    return a % b


@kernel("u8(u8, u8)")
def words(a, b):
    return (a // b) ^ (a % b) ^ (a * b) ^ (a - b) ^ (a << (b & U(63))) ^ (a >> (b & U(63))) ^ ~a


@kernel("i8(u8, i8)")
def compared(a, b):
    found = 0
    if a < b:
        found += 1
    if a <= b:
        found += 2
    if a == b:
        found += 4
    if a > b:
        found += 8
    if b >= a:
        found += 16
    return found


@kernel("f8(f8, f8)")
def floats(a, b):
    best = max(a, b) - min(a, b)
    if a == b and not a < b:
        best = -best
    return best * 3.0 + a / b + abs(a)


@kernel("f8(u8, i8)")
def converted(a, b):
    return float(a) + np.float64(b) / 3.0


@kernel("i8(i8[::1], i8)")
def far(new, double):
    """Reserved names of C++ and its headers as ours."""
    int_, this = new[U(0)], double
    for near in range(len(new)):
        new[U(near)], new[U(0)] = new[U(0)] + this, new[U(near)]
        if near > 2:
            continue
        int_ += new[U(near)] if near % 2 else -new[U(near)]
    while True:
        this -= 7
        if this < 0 or int_ in (3, 5):
            break
    return int_ * this


@kernel("Tuple((i8, f8))(i8)")
def both(n):
    total, share = 0, 0.0
    for k in range(n, 0, -1):
        total, share = total + k, share + 1.0 / k
    return total, share


@kernel("i8(i8)")
def unpacked(n):
    total, share = both(n)
    for step in (1, 2, 3):
        total += step
    return total + np.int64(share * 1000.0)


FEW = (np.arange(1200, dtype=np.uint64) % U(90)) * U(0x0123456789ABCDEF)
MANY = (np.arange(2000, dtype=np.int64) % 700) ** 5 * (np.arange(2000) % 2 * 2 - 1)
PARTS = np.tile(np.array([0.0, -0.0, 1 / 3, np.inf, -np.inf, 5e-324, -1e300]), 300)
BYTES = (np.arange(900) ** 2 * 37 // 11 % 251).astype(np.uint8)
RISING = np.cumsum(np.arange(700, dtype=np.int64) % 3 - 2) << 40
SHIFTED = U(1) << (np.arange(64, dtype=np.uint64) // U(2))


@kernel("u8(u8)")
def few(i):
    return FEW[i]


@kernel("i8(u8)")
def many(i):
    return MANY[i]


@kernel("f8(u8)")
def parts(i):
    return PARTS[i]


@kernel("u8(u8)")
def bytes_(i):
    return U(BYTES[i])


@kernel("i8(u8)")
def rising(i):
    return RISING[i]


@kernel("u8(u8)")
def shifted(i):
    return SHIFTED[i]


TABLES = {
    few: FEW, many: MANY, parts: PARTS, bytes_: BYTES, rising: RISING, shifted: SHIFTED
}  # fmt: skip
KERNELS: dict[str, Any] = {
    one.__name__: one
    for one in (divided, rest, words, compared, floats, converted, far, both, unpacked, *TABLES)
}
NUMBERS = st.integers(-(1 << 63) + 1, (1 << 63) - 1) | st.integers(-9, 9)
WORDS = st.integers(0, (1 << 64) - 1) | st.integers(0, 9)
FLOATS = st.floats(width=64)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The kernels of this file in C++."""
    return Library(KERNELS, tmp_path_factory.mktemp("library"))


def same(library: Library, name: str, *arguments: Any) -> None:
    """Call a kernel here and in C++."""
    with np.errstate(all="ignore"):
        ours = KERNELS[name](*arguments)
    theirs = library.call(name, *arguments)
    assert np.array(ours).tobytes() == np.array(theirs).tobytes() or (
        ours != ours and theirs != theirs
    )


@settings(max_examples=150)
@given(a=NUMBERS, b=NUMBERS, c=WORDS, d=WORDS, x=FLOATS, y=FLOATS)
def test_arithmetic(library: Library, a: int, b: int, c: int, d: int, x: float, y: float) -> None:
    """Division goes down, 0 divides, words wrap, a word and a signed number have values to compare."""
    same(library, "divided", a, b)
    same(library, "rest", a, b)
    same(library, "words", U(c), U(d))
    same(library, "compared", U(c), a)
    same(library, "compared", U(c), c >> 1)
    same(library, "floats", x, y)
    same(library, "converted", U(c), a)


@given(values=st.lists(st.integers(-99, 99), min_size=1, max_size=6), n=st.integers(-3, 40))
def test_arrays_lengths_and_tuples(library: Library, values: list[int], n: int) -> None:
    ours, theirs = np.array(values), np.array(values)
    assert far(ours, n) == library.call("far", theirs, n)
    assert ours.tobytes() == theirs.tobytes()
    same(library, "both", n)
    same(library, "unpacked", n)


def test_long_tables_are_filled_from_their_different_numbers(library: Library) -> None:
    """One sign a number, two signs, floating point with its zeros, numbers that differ little from
    earlier ones; and bytes, of which too many differ.
    """
    for one, table in TABLES.items():
        found = [library.call(one.__name__, U(i)) for i in range(len(table))]
        assert np.array(found, table.dtype).tobytes() == table.tobytes(), one.__name__
    filled = {"FEW": 1, "MANY": 2, "PARTS": 1}
    for name, signs in filled.items():
        begin = library.text.index(f" {name}_FILLED = filled<")
        end = library.text.index("_FILLED.of", begin)
        assert re.search(rf'", {signs}, \d+, \d+\);', library.text[begin:end])
    assert '", 1, 3, 0);\nconstexpr auto& RISING' in library.text
    assert '", 1, 2, 1);\nconstexpr auto& SHIFTED' in library.text
    assert "BYTES_FILLED" not in library.text and "BYTES[900] = {0, 3, 13," in library.text


def test_the_least_number_by_minus_one(library: Library) -> None:
    """Numba's own division would stop the process here."""
    least = -(1 << 63)
    assert (library.call("divided", least, -1), library.call("rest", least, -1)) == (least, 0)


@pytest.mark.parametrize(
    "spec",
    [
        CONNECT4,
        slow("connect4/alphabeta:evaluation=lines,depth=4,table=1,killers=2,pvs=on,width=1"),
        slow("connect4/alphabeta:evaluation=lines,generator=threats,depth=4,table=1,mtd=on"),
        slow("connect4/uct:iterations=60,rave=on,bandit=tuned"),
        slow("dodo/uct:iterations=40"),
        slow("gopher/alphabeta:evaluation=mobility,depth=2,width=0.5"),
        slow(DUEL),
        dear_case("go[size=7]/uct:tuned,iterations=30"),
        dear_case("vampires/expectiminimax:evaluation=langorou,depth=2"),
        dear_case("tron[players=3]/maxn:evaluation=zones,depth=2"),
    ],
)
def test_kernels_leave_the_same_bytes(spec: str) -> None:
    engine = parse_engine(spec)
    assert compare_kernels(engine, games(engine, 24, seed=5), calls=20) >= 20


@pytest.mark.slow
@pytest.mark.parametrize("flags", ["-O3 -march=native", "-O2 -march=native -DPORTABLE"])
@pytest.mark.parametrize("tool", ["g++", "g++-11", "clang++"])
def test_no_compiler_fuses_a_product_and_a_sum(tool: str, flags: str) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"there is no {tool} here")
    engine = parse_engine("chess/alphabeta:evaluation=tapered,depth=1")
    every = ["-std=gnu++17", *flags.split()]
    assert compare_kernels(engine, games(engine, 24, seed=5), 20, every, tool) >= 20


@pytest.mark.parametrize("spec", [dear_case("vampires[map=thetrap]/random"), slow("dodo/random")])
def test_a_file_that_plays_at_random_draws_the_same_turns(spec: str) -> None:
    engine = parse_engine(spec)
    text = engine_text(engine, "", None, asked_on_lines(engine))
    with built(text, SANITIZED) as program:
        answers = compare(program, engine, games(engine, 40, seed=5)).answers
    assert len({answer["action"] for answer in answers}) > 10


@pytest.mark.slow
def test_a_generator_that_shifts_what_is_below_zero_passes_the_sanitizers() -> None:
    engine = parse_engine("connect4/alphabeta:evaluation=lines,generator=threats,depth=4")
    text = engine_text(engine, "", None, asked_on_lines(engine))
    with built(text, SANITIZED) as program:
        answers = compare(program, engine, games(engine, 40, seed=5)).answers
    assert len({answer["action"] for answer in answers}) > 3


@pytest.fixture(scope="module")
def bot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A compiled file, and its source beside it."""
    folder = tmp_path_factory.mktemp("bot")
    with pytest.MonkeyPatch.context() as patch:
        for name, number in SHORT.items():
            patch.setattr(bot_file, name, number)
        said: list[str] = []
        export(ExportRequest("cpp", engine=CONNECT4, path=folder / "bot.cpp"), said.append)
    assert any("byte for byte after" in text for text in said)
    build(folder / "bot.cpp", folder / "bot")
    return folder / "bot"


def ask(bot: Path, *words: str, lines: str = "") -> tuple[int, str, str]:
    """Run a file; return its exit status, stdout and stderr."""
    done = subprocess.run([str(bot), *words], input=lines, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def test_a_file_says_what_it_is(bot: Path) -> None:
    text = bot.with_suffix(".cpp").read_text("utf-8")
    head = " ".join(line.lstrip("/ ") for line in text.partition("constexpr double")[0].split("\n"))
    assert (
        "Proved: compiled by" in head and "24 positions" in head and "Exported with joute" in head
    )
    assert "constexpr double\n  depth = 3.0,\n" in text
    assert len(text) < 60_000 and "// The game goes on" not in text


def test_each_parameter_stands_under_its_own_name() -> None:
    """Also those that the kernels read behind all others; and P has them in the kernels' order. Choices
    and what is off are decided in the file, and nothing is left of them.
    """
    engine = parse_engine(
        "chess/alphabeta:evaluation=material,depth=3,quiescence=on,null_move=2,pawn=90"
    )
    lines = parameters(engine)
    found = dict(
        line.strip(" ,;").split(" = ") for line in lines if re.fullmatch(r"  \w+ = .*[,;]", line)
    )
    wanted = {"depth": 3.0, "null_move": 2.0, "pawn": 90.0, "queen": 900.0}
    assert {name: float(found[name]) for name in wanted} == wanted
    told = " ".join(line.lstrip("/ ") for line in lines if line.startswith("//"))
    assert "quiescence = on" in told and "killers = 0" in told and "killers" not in found
    text = engine_text(engine, "", None, asked_on_lines(engine))
    given = re.search(r"P\[\] = \{(.*?)\};", text, re.DOTALL)
    assert given is not None
    values = [found.get(word, word) for word in given[1].replace(",", " ").split()]
    assert [float(value) for value in values] == engine.vector.tolist()
    assert "INLINE bool passes(" in text
    without = parse_engine("chess/alphabeta:evaluation=material,depth=3,quiescence=on")
    assert "INLINE bool passes(" not in engine_text(without, "", None, asked_on_lines(without))


def test_positions_as_arguments_and_lines(bot: Path) -> None:
    engine = parse_engine(CONNECT4)
    lines = [text for line in games(engine, 8, seed=3) for text in line]
    code, out, err = ask(bot, lines=f"{lines[0]}\nstartpos moves 9\n{lines[1]}\n")
    assert code == 2 and len(out.split()) == 2 and err == "move 1: '9' is not an action\n"
    assert ask(bot, *lines[0].split())[1] == out.split()[0] + "\n"
    assert ask(bot, "startpos moves 1 1 1 1 1 1")[2] == "move 6: '1' is illegal here\n"
    assert ask(bot, "X/X/X")[2] == "no position: 'X/X/X'\n"
    assert ask(bot, "--protocol", "uci")[::2] == (2, "--protocol uci; allowed: json-lines\n")


def test_a_parameter_edited_by_hand(bot: Path, tmp_path: Path) -> None:
    """Deeper by one: the numbers at the top are the engine's."""
    text = bot.with_suffix(".cpp").read_text("utf-8").replace("  depth = 3.0", "  depth = 4.0")
    (tmp_path / "deeper.cpp").write_text(text, "utf-8")
    build(tmp_path / "deeper.cpp", tmp_path / "deeper")
    turns = '{"type":"turn","start":"startpos","moves":["4"]}\n'
    answers = [
        json.loads(ask(one, "--protocol", "json-lines", lines=turns)[1])
        for one in (bot, tmp_path / "deeper")
    ]
    assert [answer["depth"] for answer in answers] == [3, 4]


def test_messages_that_make_no_sense(bot: Path) -> None:
    def told(line: str) -> str:
        code, _, err = ask(bot, "--protocol", "json-lines", lines=line + "\n")
        assert code == 2
        return err

    assert told('{"type":"new","game":"go"}').startswith("this file plays connect4[")
    assert told('{"type":"turn","moves":["x"]}') == "'x' is not an action\n"
    assert "known: new, turn, over, quit" in told('{"kind":"turn"}')
    escaped = '{"type":"turn","start":"startpos","note":"a \\"b\\" [","moves":["4"],"deep":{"x":[1,{}]}}\n'
    assert '"action":' in ask(bot, "--protocol", "json-lines", lines=escaped)[1]


@pytest.mark.slow
def test_go_by_gtp(tmp_path: Path) -> None:
    """Two files play a whole game by GTP, and so does the engine."""
    spec = "go[size=5]/uct:iterations=20"
    export(ExportRequest("cpp", engine=spec, path=Path("go.cpp")))
    build(Path("go.cpp"), Path("go"))
    engine = parse_engine(spec)
    position, player = Position(engine.game), engine.player()
    player.new_game(0, 0)
    moves: list[str] = []
    for turn in range(20):
        ours = turn % 2 == 0
        action = player.choose(position).action if ours else position.legal_actions()[0]
        moves.append(engine.game.action_text(action))
        position.play(action)
    lines = "boardsize 5\nclear_board\n"
    for turn, move in enumerate(moves):
        lines += f"play w {move}\n" if turn % 2 else "genmove b\n"
    _, out, _ = ask(
        Path("go").resolve(), "--protocol", "gtp", lines=lines + "7 komi 3\ngenmove w\nquit\n"
    )
    answers = out.split("\n\n")
    assert [a.removeprefix("= ") for a in answers[2:-1]][0:20:2] == moves[::2]
    assert "?7 this file plays with another komi" in answers
    assert "? it is the other colour's turn" in answers


@pytest.mark.slow
@dear
def test_turns_of_many_moves() -> None:
    """Boards, turns and battles of Vampires are read, refused and drawn as here."""
    spec = "vampires[map=thetrap,plies=40]/expectiminimax:evaluation=langorou,depth=1"
    export(ExportRequest("cpp", engine=spec, path=Path("own.cpp")))
    build(Path("own.cpp"), Path("own"))
    engine, S = parse_engine(spec), stream(1)
    lines = [text for line in games(engine, 40, seed=9, asked=3) for text in line]
    boards = (
        "5x6 V3@4,3 W3@3,2 H1@2,2 turn V", "16x16 W255@0,0 V255@15,15 H9@1,0 turn W",
        "3x1 V4@0,0 W4@2,0", "2x1 V4@0,0 V1@0,0 W1@1,0", "2x1 V4@0,0 W1@0,0", "99x1 V1@0,0 W1@1,0",
        "2x1 V256@0,0 W1@1,0", "2x1 V1@0,0 W1@2,0", "2x1 V1@0,0", "2x1 V1@0,0 W1@1,0 turn X", "2x1",
        "2x1 V1@0,0 W1@1,0 turn V W1@1,0", "V1@0,0", "1x0 V1@0,0",
    )  # fmt: skip
    turns = (
        "(4,3)>(3,2):3", "(4,3)>(4,3):1", "(4,3)>(3,2):2+(4,3)>(5,3):1", "(4,3)>(3,2):4", "skip",
        "(4,3)>(3,2):3+", "(4,3)>(2,2):1", "(3,2)>(3,1):1", "(4,3)>(4,2):0", "(4,3)>(3,3):1+(3,3)>(3,4):1",
    )  # fmt: skip
    lines += [*boards, *(f"{boards[0]} moves {turn}" for turn in turns)]
    for text in lines[:12]:  # one unit more than there is, or one that is not there
        position = parse_position(engine.game, text)
        action = engine.game.action_text(position.sample_action(S))
        lines += [
            f"{text}{'' if ' moves ' in text else ' moves'} {action}{more}" for more in ("", "0")
        ]
    refused = 0
    for text in lines:
        code, out, err = ask(Path("own").resolve(), text)
        try:
            position = parse_position(engine.game, text)
            if position.over:
                raise Refused("over")
        except Refused:
            refused += 1
            assert (code, out) == (2, "") and err, text
            continue
        expected = engine.game.action_text(engine.player().choose(position).action)
        assert (code, out) == (0, f"{expected}\n"), text
    assert 15 < refused < len(lines) / 2


@pytest.mark.slow
@dear
def test_chess_by_uci(tmp_path: Path) -> None:
    """A client of somebody else's plays with the file, gives limits, and stops it."""
    import chess
    import chess.engine

    spec = "chess/alphabeta:evaluation=material,depth=3,table=1"
    export(ExportRequest("cpp", engine=spec, path=Path("own.cpp")))
    build(Path("own.cpp"), Path("own"))
    client = chess.engine.SimpleEngine.popen_uci([str(Path("own").resolve()), "--protocol", "uci"])
    try:
        board = chess.Board("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
        for _ in range(8):
            board.push(client.play(board, chess.engine.Limit(time=0.02)).move)
        mate = chess.Board("6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1")
        found = client.analyse(mate, chess.engine.Limit(depth=2))
        assert found["pv"][0].uci() == "a1a8" and found["score"].white().mate() == 1
        passant = chess.Board("8/8/8/KPp4r/1R3p1k/8/4P1P1/8 w - c6 0 2")
        assert client.play(passant, chess.engine.Limit(nodes=300)).move in passant.legal_moves
        with client.analysis(board) as analysis:
            analysis.stop()
            assert analysis.wait().move in board.legal_moves
    finally:
        client.quit()


@pytest.mark.slow
def test_codingame_plays_whole_games(tmp_path: Path) -> None:
    """A site's referee is on the other side of the pipe; the flags are the site's."""
    done = export(ExportRequest("codingame", engine=DUEL, path=Path("tron.cpp")))
    assert done.size < 100_000
    build(Path("tron.cpp"), Path("tron"), ("-std=gnu++17", "-Werror=return-type", "-g", "-pthread"))
    engine = parse_engine(DUEL)
    for transcript in game_of(engine, dialogue_of(engine.game, "codingame"), 11):
        lines = "".join(f"{line}\n" for line in transcript.lines)
        assert ask(Path("tron").resolve(), lines=lines)[1].split() == transcript.answers
    nonsense = "2 0\n1 1 1 1\n5 5 5 5\n2 0\n1 1 1 1\n5 5 9 9\nx"
    answers = ask(Path("tron").resolve(), lines=nonsense)[1].split()
    assert len(answers) == 2 and {*answers} <= {"UP", "DOWN", "LEFT", "RIGHT"}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        slow(
            ["--to", "cpp", "--engine", "dodo/puct:network=dodo-zero,iterations=9"],
            "C++ has no player of it",
        ),
        (
            ["--to", "codingame", "--language", "pyton", "--engine", DUEL],
            "writes: cpp, python; did you mean",
        ),
        (
            ["--to", "codingame", "--engine", 'tron/process:command="bot {k}",k=1'],
            "C++ has no player of it; it has those of compiled games by alphabeta, expectiminimax, maxn, "
            "paranoid, uct; its parameters alone: --to header, json, params, toml",
        ),
        (
            ["--to", "python", "--engine", "tron/process:command=bot"],
            "; its parameters alone: --to json, toml",
        ),
        (["--to", "toml", "--language", "cpp", "--engine", DUEL], "--to toml has one language"),
        (["--to", "toml", "--evaluation", "--engine", DUEL], "--to toml writes none; allowed: cpp"),
        (["--to", "cpp", "--evaluation", "--engine", "dodo/uct:iterations=9"], "has no evaluation"),
    ],
)
def test_refusals(words: list[str], told: str) -> None:
    assert told in refusal(*words)


@pytest.mark.slow
def test_a_file_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("joute.reports.export.targets.codingame.LARGEST", 9_000)
    said = refusal("--to", "codingame", "--engine", DUEL)
    assert "at most 9,000 are allowed; it holds uct, zones, fill: leave out one" in said


def test_no_compiler_and_an_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without one the file is written, and said to be unproved; one that refuses it is named."""
    monkeypatch.setattr(compiler.shutil, "which", lambda name: None)
    said: list[str] = []
    export(ExportRequest("cpp", engine=CONNECT4, path=Path("unproved.cpp")), said.append)
    assert said == [
        "Not proved: there is no g++ and no clang++ here. Nobody has compiled this file, nor measured "
        "how long a move takes."
    ]
    assert "Not proved" in Path("unproved.cpp").read_text("utf-8")
    old = tmp_path / "g++"
    old.write_text("#!/bin/sh\necho \"error: unrecognized option '-std=gnu++17'\" >&2\nexit 1\n")
    old.chmod(0o755)
    monkeypatch.setattr(compiler.shutil, "which", lambda name: str(old))
    with pytest.raises(Refused, match=r"refuses the file: .*gnu\+\+17.*; it must know C\+\+17"):
        export(ExportRequest("cpp", engine=CONNECT4, path=Path("old.cpp")))
    assert not Path("old.cpp").exists()


def test_an_evaluation_as_a_header() -> None:
    """It stands in an engine of somebody else's."""
    spec = "connect4/alphabeta:evaluation=lines,depth=2,reading=C"
    done = export(ExportRequest("cpp", engine=spec, evaluation=True))
    assert done.path.name == "alphabeta_evaluation.hpp"
    Path("own.cpp").write_text(
        f'#include "{done.path}"\nusing namespace joute;\n'
        "int main() {\n  u64 W[2 * STATE_WORDS + SCRATCH] = {0};\n  start(W, SCRATCH);\n  init(W, SCRATCH, P);\n"
        "  apply(W, SCRATCH, SCRATCH + STATE_WORDS, 3, 0);\n"
        "  update(W, SCRATCH, SCRATCH + STATE_WORDS, 3, P);\n"
        '  std::printf("%.17g\\n", value(W, SCRATCH + STATE_WORDS, P));\n}\n'
    )
    build(Path("own.cpp"), Path("own"))
    printed = float(ask(Path("own").resolve())[1])
    position = Position(parse_engine(spec).game)
    position.play(3)
    engine = parse_engine(spec)
    kernels = engine.evaluation.kernels(engine.game, 0)  # type: ignore[union-attr]
    W = np.zeros(engine.game.words + kernels.words, np.uint64)
    W[: engine.game.words] = position.words()
    P = np.array([2.0])  # the reading C
    kernels.init(W, U(0), P)
    assert printed == kernels.value(W, U(0), P)

"""The text of an engine: canonical, read back, or refused with one clear line."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joute.engines.engine import parse_engine, parse_game
from joute.engines.engine_text import shortened
from joute.engines.errors import Refused
from joute.engines.parameter import text_of

C4 = "connect4[columns=12,rows=6]"


@settings(max_examples=300)
@given(
    columns=st.integers(4, 16),
    rows=st.integers(4, 10),
    depth=st.integers(1, 60),
    width=st.floats(0.01, 1.0),
    ordering=st.sampled_from(["canonical", "evaluation", "history"]),
    deepening=st.sampled_from(["off", "on"]),
    evaluation=st.sampled_from(["static", "lines,reading=A", "lines,reading=B", "lines"]),
    limit=st.one_of(
        st.none(),
        st.integers(1, 1 << 50).map(lambda n: f"nodes={n}"),
        st.floats(1.0, 1e7).map(lambda ms: f"milliseconds={ms!r}"),
    ),
)
def test_texts_read_back(
    columns: int,
    rows: int,
    depth: int,
    width: float,
    ordering: str,
    deepening: str,
    evaluation: str,
    limit: str | None,
) -> None:
    text = (
        f"connect4[columns={columns},rows={rows}]/alphabeta:evaluation={evaluation},depth={depth},"
        f"width={width!r},ordering={ordering},deepening={deepening}"
    )
    engine = parse_engine(text + (f",{limit}" if limit else ""))
    again = parse_engine(engine.text)
    assert again.text == engine.text
    assert again.settings == engine.settings
    assert again.id == engine.id
    assert again.vector.tolist() == engine.vector.tolist()
    assert again.limit == engine.limit
    assert engine.values["width"] == width
    numbers = re.findall(r"(?:width|depth|nodes|milliseconds)=([^,]*)", engine.text)
    assert all(re.fullmatch(r"\d+(\.\d*[1-9])?", number) for number in numbers), engine.text
    assert ("ordering" in engine.text) == (width == 1.0)
    assert ("deepening" in engine.text) == (limit is None)
    assert ("reading" in engine.text) == evaluation.startswith("lines")


@settings(max_examples=500)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_decimal_and_exact(number: float) -> None:
    text = text_of(number)
    assert float(text) == number
    assert re.fullmatch(r"-?\d+(\.\d+)?", text)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        (
            f"{C4}/alphabeta:evaluation=static",
            f"{C4}/alphabeta:evaluation=static,depth=6,width=1,ordering=canonical,deepening=off",
        ),
        (
            f"{C4}/alphabeta:evaluation=static,killers=0,table=16,pvs=off",
            f"{C4}/alphabeta:evaluation=static,depth=6,width=1,ordering=canonical,deepening=off,"
            "table=16",
        ),
        (
            " connect4 / alphabeta : width = 0.60 , evaluation = lines, depth=6.0,",
            "connect4[columns=7,rows=6]/alphabeta:evaluation=lines,depth=6,width=0.6,deepening=off,"
            "reading=B",
        ),
        (
            f"{C4}/alphabeta:evaluation=static,nodes=1e4,deepening=on,width=5e-1,ordering=evaluation",
            f"{C4}/alphabeta:evaluation=static,depth=60,width=0.5,nodes=10000",
        ),
        (
            f"{C4}/alphabeta:evaluation=static,milliseconds=2.50,width=.1",
            f"{C4}/alphabeta:evaluation=static,depth=60,width=0.1,milliseconds=2.5",
        ),
        ("connect4[rows=6,columns=12]/random", f"{C4}/random"),
    ],
)
def test_the_canonical_text(text: str, canonical: str) -> None:
    assert parse_engine(text).text == canonical


def test_the_game_may_be_given_apart() -> None:
    game = parse_game(C4)
    engine = parse_engine("alphabeta:evaluation=static,depth=3", game)
    assert engine.game is game
    assert engine.text.startswith(f"{C4}/alphabeta:")
    assert parse_engine(engine.text, game).game is game
    assert parse_engine("connect4/random", game).game is not game


def test_the_order_of_settings_does_not_matter() -> None:
    one = parse_engine(f"{C4}/alphabeta:evaluation=lines,depth=5,width=0.5,reading=A")
    two = parse_engine("connect4[rows=6,columns=12]/alphabeta:reading=A,width=0.50,depth=5,"
                       "evaluation=lines")  # fmt: skip
    other = parse_engine(f"{C4}/alphabeta:evaluation=lines,depth=5,width=0.5,reading=B")
    assert one.text == two.text
    assert one.id == two.id != other.id
    assert one.digest == two.digest == other.digest
    assert one.digest != parse_engine(f"{C4}/alphabeta:evaluation=static,width=0.5").digest


def test_settings_without_effect_do_not_make_another_engine() -> None:
    base = f"{C4}/alphabeta:evaluation=static"
    assert (
        parse_engine(f"{base},width=0.5,ordering=evaluation").id
        == parse_engine(f"{base},width=0.5").id
    )
    assert parse_engine(f"{base},nodes=100,deepening=on").id == parse_engine(f"{base},nodes=100").id


def test_the_vector_holds_the_parameters_in_their_order() -> None:
    engine = parse_engine(f"{C4}/alphabeta:evaluation=lines,depth=5,width=0.5,reading=C")
    assert [p.name for p in engine.parameters] == [
        "depth",
        "width",
        "ordering",
        "deepening",
        "table",
        "pvs",
        "killers",
        "aspiration",
        "mtd",
        "probing",
        "quiescence",
        "null_move",
        "late_moves",
        "reading",
    ]
    assert engine.vector.dtype == np.float64
    assert engine.vector.tolist() == [
        5.0,
        0.5,
        *[0.0] * 8,
        2.0,
        0.0,
        0.0,
        0.0,
    ]  # three stand behind


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{C4}/alphabeta:evaluation=static,dept=3", "unknown parameter 'dept'; did you mean 'd"),
        (f"{C4}/alphabeta:evaluation=static,zzz=3", "unknown parameter 'zzz'; known: aspiration"),
        (f"{C4}/alphabeta:evaluation=static,reading=A", "unknown parameter 'reading'"),
        (
            f"{C4}/alphabeta:evaluation=static,depth=61",
            "depth = 61 is not a whole number from 1 to 60",
        ),
        (f"{C4}/alphabeta:evaluation=static,depth=2.5", "depth = '2.5' is not a whole number"),
        (f"{C4}/alphabeta:evaluation=static,depth=x", "depth = 'x' is not a whole number from 1"),
        (f"{C4}/alphabeta:evaluation=static,width=0", "width = 0 is not a number from 0.01"),
        (f"{C4}/alphabeta:evaluation=static,width=nan", "width = 'nan' is not a number"),
        (f"{C4}/alphabeta:evaluation=static,width=inf", "width = 'inf' is not a number"),
        (
            f"{C4}/alphabeta:evaluation=static,ordering=evaluaton",
            "is not one of canonical, evaluation, history; did you mean 'evaluation'?",
        ),
        (
            f"{C4}/alphabeta:evaluation=static,nodes=5,milliseconds=5",
            "at most one limit, not nodes and milliseconds",
        ),
        (
            f"{C4}/alphabeta:evaluation=static,iterations=5",
            "alphabeta takes no limit iterations; allowed: nodes, milliseconds",
        ),
        (f"{C4}/random:nodes=5", "random takes no limit nodes; allowed: none"),
        (f"{C4}/alphabeta:evaluation=static,nodes=0", "nodes = 0 is not a whole number"),
        (
            f"{C4}/alphabeta:evaluation=static,milliseconds=0.5",
            "milliseconds = 0.5 is not a number",
        ),
        (f"{C4}/alphabet:evaluation=static", "unknown search 'alphabet'; did you mean 'alphabeta'"),
        (f"{C4}/:evaluation=static", "unknown search ''"),
        (f"{C4}/alphabeta:evaluation=statics", "unknown evaluation 'statics'; did you mean"),
        (f"{C4}/alphabeta", "alphabeta needs an evaluation"),
        (f"{C4}/random:evaluation=static", "random uses no evaluation"),
        (f"{C4}/alphabeta:evaluation=static,depth=3,depth=4", "depth is given twice"),
        (f"{C4}/alphabeta:evaluation=static,depth", "'depth' is not of the form name=value"),
        (f"{C4}/alphabeta:evaluation=static,depth=", "'depth=' is not of the form name=value"),
        (f"{C4}/alphabeta:evaluation=static,search=random", "the search is 'alphabeta' already"),
        (f"{C4}/alphabeta:evaluation=static,generator=al", "unknown generator 'al'"),
        ("alphabeta:evaluation=static", "its game is missing: GAME/alphabeta"),
        ("alphabet:evaluation=static", "is not an engine (game/search:name=value,...)"),
        ("draughts/alphabeta:evaluation=static", "unknown game 'draughts'"),
        ("connect4[columns=99]/random", "columns = 99 is not a whole number from 4 to 16"),
    ],
)
def test_refusals(text: str, message: str) -> None:
    with pytest.raises(Refused) as caught:
        parse_engine(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_evaluation_of_another_game_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from joute.engines.games.connect4.static import Static

    monkeypatch.setattr(Static, "games", ("go", "tron"))
    with pytest.raises(Refused, match="evaluation static is for go, tron, not for connect4"):
        parse_engine(f"{C4}/alphabeta:evaluation=static,depth=17")


def test_games_that_alphabeta_cannot_play_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from joute.engines.games.connect4.connect4 import Connect4

    monkeypatch.setattr(Connect4, "players", 3)
    with pytest.raises(Refused, match=r"alphabeta is for two players.*connect4 has 3 players"):
        parse_engine(f"{C4}/alphabeta:evaluation=static,depth=18")
    monkeypatch.setattr(Connect4, "players", 2)
    monkeypatch.setattr(Connect4, "chance", True)
    with pytest.raises(Refused, match="connect4 has chance"):
        parse_engine(f"{C4}/alphabeta:evaluation=static,depth=18")


def test_a_limit_ends_a_search_unless_a_depth_is_given() -> None:
    for text, depth in (
        ("alphabeta:evaluation=lines", 6),
        ("alphabeta:evaluation=lines,milliseconds=5", 60),
        ("alphabeta:evaluation=lines,nodes=5", 60),
        ("alphabeta:evaluation=lines,depth=4,nodes=5", 4),
    ):
        engine = parse_engine(f"{C4}/{text}")
        assert engine.values["depth"] == depth and f"depth={depth}," in engine.text
        assert parse_engine(engine.text).text == engine.text


def test_a_program_in_place_of_an_engine_is_told_how_it_takes_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its name or as a file; with the protocol of the game, where that is known."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "programs"))
    for name in ("programs/stockfish", "my bot", "bot", "programs/chess", "programs/random"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("#!/bin/sh\n")
        Path(name).chmod(0o755)
    Path("bot.py").write_text("")
    chess = parse_game("chess")
    for text, game, said in [
        (
            "stockfish",
            None,
            "; a program takes part as GAME/process:command=stockfish (for go add ",
        ),
        ("stockfish", None, "for chess add ,protocol=uci"),
        (
            "stockfish",
            chess,
            "; a program takes part as chess/process:command=stockfish,protocol=uci",
        ),
        ("bot", parse_game(C4), "; a program takes part as connect4/process:command=./bot"),
        ("./my bot", chess, "as chess/process:command=\"'./my bot'\",protocol=uci"),
        ("bot.py", None, "a file that does not describe an engine; joute export as toml or json"),
        ("stockfsh", None, "nor a .toml or .json file of joute export"),
        ("stockfsh", chess, "unknown search 'stockfsh'"),
    ]:
        with pytest.raises(Refused) as caught:
            parse_engine(text, game)
        assert said in str(caught.value), text
        assert ("takes part" in str(caught.value)) == ("process" in said or "add" in said)
    for text, said in (("chess", "export"), ("random", "its game is missing: GAME/random")):
        with pytest.raises(Refused) as caught:
            parse_engine(text)
        assert str(caught.value).endswith(said)
    hinted = "chess/process:command=\"'./my bot'\",protocol=uci,depth=1"
    assert parse_engine(hinted).values["command"] == "'./my bot'"


def test_a_long_text_is_shortened_for_a_heading() -> None:
    text = f"{C4}/alphabeta:evaluation=static,depth=8"
    assert shortened(text) == text and shortened("connect4") == "connect4"
    options = ",".join(f"option{i}={i}" for i in range(200))
    command = f'command="{"./engine --words " * 40}"'
    told = shortened(f"chess/process:{command},{options},depth=5")
    assert len(told) < 230 and told.startswith('chess/process:command="./engine')
    assert re.search(
        r",option0=0,option1=1,.*,option(\d+)=\1,\.\.\. 188 more \.\.\.,depth=5$", told
    ), told
    referee = shortened(f'referee[command="{"x" * 3000}"]/bot:command="./bot"')
    assert len(referee) < 230 and referee.endswith('/bot:command="./bot"')

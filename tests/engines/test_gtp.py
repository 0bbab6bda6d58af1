"""GTP both ways: programs good and bad as engines, and our engines under a client."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from joute.engines.engine import Engine, parse_engine, parse_game
from joute.engines.errors import Refused
from joute.engines.games.go.go import Go
from joute.engines.games.go.gtp.controller import Controller
from joute.engines.position import Position, parse_position
from joute.engines.record import Claim
from joute.harness.match import Failed, Rules, Tally, claims_of, play_game, record, returns_of
from joute.harness.openings import Opening
from joute.harness.schedule import Block
from tests.support.marks import dear
from tests.support.processes import left_behind
from tests.support.runs import JOUTE, ROOT

BOT = ROOT / "tests" / "support" / "gtp_bot.py"
GAME = "go[columns=4,rows=1]"  # as few kernels as can be
SQUARE = "go[size=5]"


def bot(fault: str, more: str = "") -> Engine:
    """Return a faulty program as an engine."""
    return parse_engine(
        f'{SQUARE}/process:protocol=gtp,command="{sys.executable} {BOT} {fault}"{more}'
    )


def against(fault: str, more: str = "", start: str = "startpos") -> tuple[Position, list[Failed]]:
    """Play a game of a faulty program, which moves first, against a player that passes."""
    engine = bot(fault, more)
    players = [engine.player(), parse_engine(f"{SQUARE}/random").player()]
    position = parse_position(engine.game, start)
    try:
        for seat, player in enumerate(players):
            player.new_game(seat, seat)
        failures = play_game(position, players, lambda p: 0, Rules(), [Tally(), Tally()])
        for player in players:
            player.game_over(position)
    finally:
        for player in players:
            player.close()
    assert not left_behind(f"gtp_bot.py {fault}")
    return position, failures


@pytest.mark.parametrize(
    ("fault", "more", "kind", "said"),
    [
        ("dies", "", "crash", "exit status 3"),
        ("refuses", "", "illegal", "genmove B is answered by ? I do not want to"),
        ("silent", ",turn_ms=300,first_ms=300", "timeout", "no answer in 300 ms"),
        ("nonsense", "", "illegal", "not by = or ?"),
        ("illegal", "", "illegal", "is no vertex; allowed: A1 to E5"),
        ("suicide", "", "illegal", "is no vertex"),
        ("resigns", "", "resigned", "resigns"),
        ("early", "", "illegal", "chatty program"),
        ("poor", "", "illegal", "list_commands lacks clear_board, play, genmove"),
        ("unasked", "", "illegal", "unasked"),
        ("endless", ",turn_ms=800,first_ms=800", "illegal", "is no vertex"),
    ],
)
def test_bad_programs_lose_and_say_why(fault: str, more: str, kind: str, said: str) -> None:
    _, failures = against(fault, more)
    assert [(one.seat, one.kind) for one in failures] == [(0, kind)] and said in failures[0].text


def test_one_that_passes_for_ever_plays_a_game_to_its_end() -> None:
    position, failures = against("passes", start="startpos moves C3 pass")
    assert position.over and not failures


@pytest.mark.parametrize(
    ("fault", "verdict", "said"),
    [
        ("right", "agrees", "W+7.5"),
        ("wrong", "differs", "B+24.5"),
        ("even", "differs", "0"),
        ("babbles", "silent", "'about even' is no score"),
        ("refuses", "silent", "final_score is answered by ? cannot score"),
        ("nonsense", "silent", "final_score is answered by 'certainly', not by = or ?"),
        ("dies", "silent", "ended with exit status 3"),
        ("hangs", "silent", "no answer in 400 ms"),
    ],
)
def test_a_program_is_asked_for_the_score_and_ours_counts(
    fault: str, verdict: str, said: str
) -> None:
    engine = bot(f"score-{fault}", ",turn_ms=400,first_ms=20000" if fault == "hangs" else "")
    player = engine.player()
    other = bot("passes").player()
    try:
        for number in range(2):  # what happened over the score of one game is nothing to the next
            players = [player, other]
            position = Position(engine.game)
            for seat, one in enumerate(players):
                one.new_game(number, seat)
            failures = play_game(position, players, lambda p: 0, Rules(), [Tally(), Tally()])
            first, second = claims_of(position, players, failures)
            for one in players:
                one.game_over(position)
            assert not failures and returns_of(position, failures) == ([0.0, 1.0], "normal")
            assert second is None and first is not None  # the other does not know the command
            assert first.verdict == verdict and said in first.said
            assert first.ours == ("W+7.5" if fault in ("right", "wrong", "even") else first.ours)
    finally:
        player.close()
        other.close()
    assert not left_behind(f"gtp_bot.py score-{fault}")


STONES = "5/1X3/2X1O/5/5 O 1"  # B4 and C3 are Black's, E3 White's; Black is ahead without E3


@pytest.mark.parametrize(
    ("first", "second", "taken", "winner", "said"),
    [
        ("dead-C3/E3-B4", "dead-B4-c3", "B4 C3", 1, ""),
        ("dead-E3", "dead-E3", "E3", 0, ""),
        ("dead-B4-C3", "dead-", "", 1, ""),
        ("dead-E3", "passes", "", 1, ""),
        ("dead-refuses", "dead-E3", "", 1, "answered by ? cannot tell"),
        ("dead-D4", "dead-D4", "", 1, "dead names D4, where no stone is"),
        ("dead-Z9", "dead-E3", "", 1, "'Z9' is no vertex"),
        ("dead-dies", "dead-E3", "", 1, "ended with exit status 3"),
    ],
)
def test_stones_that_both_programs_call_dead_are_taken_off(
    first: str, second: str, taken: str, winner: int, said: str
) -> None:
    players = [bot(name, ",dead=agreed").player() for name in (first, second)]
    position = parse_position(parse_game(SQUARE), STONES)
    tallies = [Tally(), Tally()]
    try:
        for seat, player in enumerate(players):
            player.new_game(0, seat)
        failures = play_game(position, players, lambda p: 0, Rules(), tallies)
        claims = claims_of(position, players, failures)
    finally:
        for player in players:
            player.close()
    found = record(
        position, Opening((), (), STONES), Block("b", "s", "", 0, 0, ("a", "b")), 0, tallies,
        failures, claims,
    )  # fmt: skip
    assert " ".join(found.conceded) == taken and found.termination == "normal"
    assert [seat.returns for seat in found.seats] == [float(seat == winner) for seat in (0, 1)]
    assert said in (claims[0].said if claims[0] else "") and bool(said) == any(
        one is not None and one.verdict == "silent" for one in claims
    )
    assert not left_behind(f"gtp_bot.py {first}") and not left_behind(f"gtp_bot.py {second}")


def test_dead_stones_are_prisoners_where_these_count() -> None:
    # Black: two stones and the 23 points around them; those points and a prisoner
    for rules, lead, without in (("chinese", -6.5, 17.5), ("japanese", -7.5, 16.5)):
        game = parse_game(f"go[size=5,rules={rules},komi=7.5]")
        assert isinstance(game, Go)
        position, dead = parse_position(game, STONES), [game.action_of("E3")]
        assert game.lead(position.W, position.at) == lead
        assert game.lead(position.W, position.at, dead) == without
        assert game.returns_without(position.W, position.at, ["E3"]) == [1.0, 0.0]


def test_nobody_gives_up_stones_unless_told_to() -> None:
    assert (
        "dead" not in bot("dead-E3").settings
        and bot("dead-E3").id == bot("dead-E3", ",dead=stay").id
    )
    with pytest.raises(Refused, match="dead = 'maybe' is not one of stay, agreed"):
        bot("dead-E3", ",dead=maybe")
    player, position = bot("dead-E3").player(), parse_position(parse_game(SQUARE), STONES)
    try:
        player.new_game(0, 1)
        position.play(player.choose(position).action)
        assert player.concede(position) == ()
    finally:
        player.close()


def test_nobody_is_asked_for_the_score_of_a_game_that_did_not_end() -> None:
    engine = bot("score-right")
    player, position = engine.player(), Position(engine.game)
    player.new_game(0, 0)
    failed = Failed(1, 0, "resigned", "")
    assert claims_of(position, [player, player], [failed]) == [None, None]
    assert claims_of(position, [player, player], []) == [None, None]
    assert player.claim(position) is None  # it does not know of the game
    player.close()


@pytest.mark.slow
def test_a_board_that_it_cannot_play_is_told() -> None:
    spec = f'{GAME}/process:protocol=gtp,command="{sys.executable} {BOT} passes"'
    player, position = parse_engine(spec).player(), Position(parse_game(GAME))
    player.new_game(0, 0)
    try:
        (failed,) = play_game(position, [player, player], lambda p: 0, Rules(), [Tally(), Tally()])
    finally:
        player.close()
    assert failed.kind == "illegal" and "knows no board of 4 x 1" in failed.text
    with pytest.raises(Refused, match="protocol gtp is for go, not for connect4"):
        parse_engine('connect4/process:protocol=gtp,command="x"')


def answers(controller: Controller, *lines: str) -> list[str]:
    """Return the answers to lines, without their ends."""
    found = [controller.answer(line) for line in lines]
    return ["" if one is None else one.removesuffix("\n") for one in found]


@pytest.fixture
def controller() -> Controller:
    return Controller(parse_engine(f"{SQUARE}/random"))


def test_commands_are_answered_as_the_specification_says(controller: Controller) -> None:
    assert answers(controller, "", "# nothing", "7 protocol_version", "name#x", "\x01name") == [
        "", "", "=7 2", "= Joute", "= Joute",
    ]  # fmt: skip
    assert answers(controller, "3 fly", "fly", "3", "known_command play", "known_command fly") == [
        "?3 unknown command", "? unknown command", "?3 no command", "= true", "= false",
    ]  # fmt: skip
    assert answers(controller, "play b C3", "play b c3", "play W C3", "play x C3", "play b") == [
        "=", "? illegal move", "? illegal move", "? syntax error: a colour is black, white, b or w",
        "? syntax error: play COLOUR VERTEX",
    ]  # fmt: skip
    assert answers(controller, "play w A0", "play w pass", "final_score", "komi 0") == [
        "? syntax error: no vertex", "=", "= B+17.5", "=",
    ]  # fmt: skip
    assert answers(controller, "final_score", "final_status_list alive", "undo", "undo", "undo") == [
        "= B+25", "= C3", "=", "=", "? cannot undo",
    ]  # fmt: skip
    assert answers(controller, "boardsize 1", "boardsize 20", "boardsize x", "komi 0.3") == [
        "? unacceptable size", "? unacceptable size",
        "? syntax error: boardsize takes a whole number",
        "? komi is a whole or half number up to 361",
    ]  # fmt: skip
    assert "final_status_list" in (controller.answer("list_commands") or "")
    assert "5 . . . . ." in (controller.answer("showboard") or "")
    assert not controller.ended and answers(controller, "1 quit") == ["=1"] and controller.ended


def test_a_colour_out_of_turn_means_that_the_other_has_passed(controller: Controller) -> None:
    assert answers(controller, "play b C3", "play b C4", "play w A1", "play w A2") == ["="] * 4
    assert controller._position.line() == "startpos moves C3 pass C4 A1 pass A2"
    assert answers(controller, "undo", "undo", "undo") == ["="] * 3
    assert controller._position.line() == "startpos moves C3"
    controller.answer("play w pass")
    controller.answer("play b pass")
    assert answers(controller, "genmove w") == ["? the game is over: two passes"]


def test_moves_are_chosen_and_clocks_run(controller: Controller) -> None:
    first = controller.answer("reg_genmove b")
    assert first and controller._position.ply == 0
    assert answers(controller, "genmove b")[0].startswith("= ") and controller._position.ply == 1
    assert controller._limit_ms(0) is None
    assert answers(controller, "time_settings 0 5 1") == ["="]
    assert controller._limit_ms(1) == 4500.0
    assert answers(controller, "time_left w 20 4") == ["="] and controller._limit_ms(1) == 4500.0
    assert answers(controller, "time_settings 60 0 0") == ["="]
    assert 4400 < (controller._limit_ms(0) or 0) <= 4500  # 60 s for 12 moves
    assert answers(controller, "time_settings 0 5 0") == ["="] and controller._limit_ms(0) is None
    assert answers(controller, "time_settings 1 x 2", "time_left b 1") == [
        "? syntax error: time_settings takes a number",
        "? syntax error: time_left COLOUR SECONDS STONES",
    ]


def test_a_game_is_taken_from_sgf(controller: Controller, tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_text("(;GM[1]SZ[5]KM[7.5];B[cc];W[bb];B[aa])")
    assert answers(controller, f"loadsgf {file} 3", "final_score") == ["=", "= W+7.5"]
    assert controller._position.line() == "startpos moves C3 B4"
    file.write_text("(;GM[1]SZ[5];B[cc];W[bb];B[aa];W[aa])")  # move 4 is illegal
    assert answers(controller, f"loadsgf {file} 4", f"loadsgf {file}") == [
        "=",
        "? move 4 on A5 is illegal; there is a stone on A5",
    ]
    assert controller._position.line() == "startpos moves C3 B4 A5"
    file.write_text("(;GM[1]SZ[5];B[cc];W[];B[];W[];B[bb];B[aa];AE[cc]PL[2])")
    assert answers(controller, f"loadsgf {file}", "play w C3", "undo", "undo") == [
        "=", "=", "=", "? cannot undo",
    ]  # fmt: skip
    assert controller._position.line() == "X4/1X3/5/5/5 O 1"
    assert (controller.answer("loadsgf nowhere.sgf") or "").startswith(
        "? nowhere.sgf: No such file"
    )


@pytest.mark.slow
def test_our_engine_over_gtp_plays_the_game_that_it_plays_inside() -> None:
    spec = f"{SQUARE}/uct:iterations=30"
    command = " ".join([*JOUTE, "bot", spec, "--protocol", "gtp"])
    outside = parse_engine(f'{SQUARE}/process:protocol=gtp,command="{command}"').player()
    inside, position = parse_engine(spec).player(), Position(parse_game(SQUARE))
    twin = parse_engine(spec).player()
    inside.new_game(0, 0)
    outside.new_game(0, 0)
    twin.new_game(0, 0)
    try:
        while not position.over and position.ply < 20:
            found = outside.choose(position).action
            assert found == twin.choose(position).action
            position.play(found)
            if not position.over:
                position.play(position.legal_actions()[0])
    finally:
        outside.close()


def gnu_go(flags: str) -> str:
    """Return the text of GNU Go as an engine."""
    program = shutil.which("gnugo") or "/usr/games/gnugo"
    return f'go[size=7]/process:protocol=gtp,command="{program} --mode gtp {flags} --level 1"'


@pytest.mark.slow
@dear
@pytest.mark.skipif(
    not (shutil.which("gnugo") or Path("/usr/games/gnugo").exists()), reason="no gnugo here"
)
def test_flags_that_make_ladders_false_are_seen_by_the_score() -> None:
    right = "--chinese-rules --positional-superko --capture-all-dead"
    for flags, verdict in ((right, "agrees"), ("--japanese-rules", "differs")):
        engine = parse_engine(gnu_go(flags))
        players = [engine.player(), parse_engine("go[size=7]/random").player()]
        try:
            position = parse_position(engine.game, "startpos moves D4 C3 pass")
            for seat, one in enumerate(players):
                one.new_game(seat, seat)
            failures = play_game(position, players, lambda p: 0, Rules(), [Tally(), Tally()])
            first, second = claims_of(position, players, failures)
        finally:
            players[0].close()
        assert not failures and second is None
        assert isinstance(first, Claim) and first.verdict == verdict


@pytest.mark.slow
@pytest.mark.skipif(
    not (shutil.which("gnugo") or Path("/usr/games/gnugo").exists()), reason="no gnugo here"
)
def test_gnu_go_plays_a_whole_game() -> None:
    program = shutil.which("gnugo") or "/usr/games/gnugo"
    command = f"{program} --mode gtp --chinese-rules --positional-superko --capture-all-dead --level {{level}}"
    engine = parse_engine(f'{SQUARE}/process:protocol=gtp,command="{command}",level=1')
    player, other = engine.player(), parse_engine(f"{SQUARE}/random").player()
    position = Position(engine.game)
    try:
        for seat, one in enumerate((player, other)):
            one.new_game(seat, seat)
        assert not play_game(position, [player, other], lambda p: 0, Rules(), [Tally(), Tally()])
        assert position.over and position.returns() == [1.0, 0.0]
    finally:
        player.close()

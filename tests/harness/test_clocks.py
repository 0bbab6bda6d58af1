"""Games with clocks: what is charged, what is told, whose flag falls."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joute.engines.engine import Engine, parse_engine, parse_game
from joute.engines.errors import Refused
from joute.engines.games.chess.mating import may_mate
from joute.engines.games.go.gtp.side import settings_of
from joute.engines.player import Move, Player
from joute.engines.position import Position, parse_position
from joute.engines.protocols.json_lines import share_in
from joute.engines.time_control import Clocks, TimeControl, share_of, time_control
from joute.harness.conformance.check import check_engine
from joute.harness.match import Failed, Rules, Tally, play_game, returns_of
from joute.results.store import Store
from joute.studies.adhoc import match_study
from joute.studies.file.differences import changes
from joute.studies.load import StudyRefused, load_study
from joute.studies.play.study_run import run_study
from tests.support.runs import ROOT

SMALL = parse_game("connect4[columns=4,rows=4]")
PROGRAM = ROOT / "tests" / "support" / "uci_engine.py"


# --- texts and arithmetic


@pytest.mark.parametrize(
    ("text", "control", "again"),
    [
        ("10+0.1", TimeControl(10_000, 100), "10+0.1"),
        ("40/60+0.6", TimeControl(60_000, 600, 40), "40/60+0.6"),
        ("1:30", TimeControl(90_000), "90"),
        ("40/1:30+1", TimeControl(90_000, 1000, 40), "40/90+1"),
        (" 0.5 ", TimeControl(500), "0.5"),
    ],
)
def test_a_clock_is_written_as_chess_tools_do(text: str, control: TimeControl, again: str) -> None:
    assert time_control(text) == control
    assert control.text == again
    assert time_control(again) == control


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("10s", "is no clock"),
        ("", "is no clock"),
        ("-1", "is no clock"),
        ("0+1", "no time"),
        ("0/60", "0 moves"),
        ("1e3", "is no clock"),
    ],
)
def test_what_is_no_clock(text: str, said: str) -> None:
    with pytest.raises(Refused, match=f"{said}.*allowed: SECONDS") as refused:
        time_control(text)
    assert "\n" not in str(refused.value)


@given(
    st.floats(1, 1e6), st.floats(0, 1e4), st.integers(0, 5),
    st.lists(st.floats(0, 2e3), max_size=40),
)  # fmt: skip
def test_a_clock_is_base_less_used_and_increments(
    base: float, increment: float, moves: int, used: list[float]
) -> None:
    clocks = Clocks(TimeControl(base, increment, moves), 2)
    for number, ms in enumerate(used, 1):
        before = clocks.charge(1, ms)
        clocks.add(1)
        sessions = number // moves if moves else 0
        left = base * (1 + sessions) + increment * number - sum(used[:number])
        assert clocks.left_ms == [base, pytest.approx(left, abs=1e-6 * (base + sum(used) + 1e5))]
        assert before <= clocks.left_ms[1]
        assert clocks.to_go == [moves, moves - number % moves if moves else 0]


@given(st.floats(0.1, 1e6), st.floats(0, 1e4), st.integers(0, 50), st.floats(1, 100))
def test_a_share_never_takes_more_than_half(
    left: float, increment: float, to_go: int, moves: float
) -> None:
    share = share_of(left, increment, to_go, moves)
    assert share == 1.0 or share <= left / 2


def test_shares_by_hand() -> None:
    """A 30th of 60 s and .8 of the increment, 20 ms kept; a fifth of it with 5 moves to go."""
    assert share_of(60_000, 1000, 0) == pytest.approx(2000 + 800 - 20)
    assert share_of(60_000, 0, 5) == pytest.approx(12_000 - 20)
    assert share_of(60_000, 0, 200) == pytest.approx(2000 - 20)
    assert share_of(1000, 10_000, 0) == pytest.approx(500 - 20)
    assert share_in({"left_ms": [9, 60_000], "increment_ms": 1000}, 1, 30) == pytest.approx(2780)
    assert share_in(None, 0, 30) is None
    with pytest.raises(Refused, match="left_ms"):
        share_in({"left_ms": []}, 0, 30)


def test_gtp_knows_no_increment() -> None:
    assert settings_of(TimeControl(60_500, 1000)) == "60 0 0"
    assert settings_of(TimeControl(60_000, 0, 25)) == "0 60 25"


# --- at the board


class Pausing(Player):
    """Plays the first action after so many milliseconds, or says that it took so many."""

    def __init__(self, ms: Sequence[float], told: bool = False) -> None:
        self.ms, self.told, self.seen = list(ms), told, list[list[float]]()

    def choose(self, position: Position) -> Move:
        assert self.clocks is not None
        self.seen.append(list(self.clocks.left_ms))
        ms = self.ms.pop(0) if self.ms else 0.0
        if self.told:
            self.used_ms = ms
        else:
            time.sleep(ms / 1e3)
        return Move(position.legal_actions()[0])


def played(
    players: Sequence[Player], control: TimeControl, margin_ms: float = 0.0, start: str = ""
) -> tuple[Position, list[Failed], list[Tally]]:
    position = parse_position(SMALL, start) if start else Position(SMALL)
    tallies = [Tally(), Tally()]
    rules = Rules(margin_ms=margin_ms, clock=control)
    return position, play_game(position, players, lambda ply: 0, rules, tallies), tallies


def test_both_clocks_are_known_to_both() -> None:
    one, two = Pausing([100, 200], told=True), Pausing([50], told=True)
    _, failures, tallies = played([one, two], TimeControl(1000, 10))
    assert not failures
    assert one.seen[:3] == [[1000, 1000], [910, 960], [720, 970]]
    assert two.seen[:2] == [[910, 1000], [720, 960]]
    assert tallies[0].move_ms[:2] == [100, 200]


def test_openings_cost_nothing() -> None:
    one, two = Pausing([], told=True), Pausing([], told=True)
    played([one, two], TimeControl(1000, 0, 2), start="startpos moves 1 1 2 2")
    assert one.seen[0] == [1000, 1000]
    assert one.seen[2] == [2000, 2000]  # a session of two moves is over for both


@pytest.mark.parametrize(("margin", "flags"), [(0.0, True), (60.0, False)])
def test_a_flag_loses_with_a_move_in_hand(margin: float, flags: bool) -> None:
    one, two = Pausing([70, 60], told=True), Pausing([], told=True)
    position, failures, _ = played([one, two], TimeControl(100), margin)
    assert bool(failures) == flags
    if flags:
        assert failures[0] == Failed(
            0, 2, "timeout", "-30.0 ms are on its clock after a move of 60.0 ms (margin 0 ms)"
        )  # fmt: skip
        assert returns_of(position, failures) == ([0.0, 1.0], "failure")


def test_time_is_measured_where_a_player_says_nothing() -> None:
    one, two = Pausing([30]), Pausing([])
    _, failures, _ = played([one, two], TimeControl(10))
    assert failures[0].seat == 0 and failures[0].kind == "timeout"
    assert one.used_ms is None


def test_a_lone_king_draws_against_a_flag() -> None:
    chess = parse_game("chess")
    for text, returns in [
        ("8/8/8/8/8/4k3/8/4K2R w - - 0 1", [0.5, 0.5]),
        ("8/8/8/8/8/4k3/4p3/4K2R w - - 0 1", [0.0, 1.0]),
    ]:
        position = parse_position(chess, text)
        failures = play_game(
            *(position, [Pausing([50], told=True), Pausing([])], lambda ply: 0),
            Rules(margin_ms=0, clock=TimeControl(10)),
            [Tally(), Tally()],
        )
        assert returns_of(position, failures)[0] == returns
        strict = play_game(
            *(parse_position(chess, text), [Pausing([50], told=True), Pausing([])], lambda ply: 0),
            Rules(margin_ms=0, clock=TimeControl(10), flag_draws=False),
            [Tally(), Tally()],
        )
        assert not strict[-1].drawn


MEN = st.lists(st.sampled_from("KQRBNPqrbnp"), max_size=4)


@settings(max_examples=400)
@given(MEN, st.permutations(range(8, 56)))
def test_who_may_mate_is_as_python_chess_says(men: list[str], squares: list[int]) -> None:
    chess = pytest.importorskip("chess")
    board = chess.Board(None)
    on = [""] * 64
    for man, square in zip(["K", "k", *(m for m in men if m != "K")], squares, strict=False):
        on[square] = man
        board.set_piece_at(square, chess.Piece.from_symbol(man))
    for side, colour in enumerate((chess.WHITE, chess.BLACK)):
        assert may_mate(on, side) == (not board.has_insufficient_material(colour)), board.fen()


# --- our own searches


def test_a_search_plays_by_the_clock(tmp_path: Path) -> None:
    """Both keep to their clocks, and think longer where they share them among fewer moves."""
    one = "connect4/alphabeta:evaluation=lines,depth=40,clock=10"
    study = match_study(one, one.replace("clock=10", "clock=40"), 1, plies=4, clock="0.6")
    run_study(study, tmp_path / "run", workers=1)
    with Store.open(tmp_path / "run") as store:
        seats = [seat for game in store.games() for seat in game.seats]
    assert len(seats) == 4 and not any(seat.failure for seat in seats)
    assert all(sum(seat.move_ms) < 600 for seat in seats)
    assert max(max(seat.move_ms) for seat in seats) < 330  # half of what is left, and a hiccup


def test_who_plays_by_a_clock_needs_one() -> None:
    text = "connect4/alphabeta:evaluation=lines,depth=40,clock=30"
    engine = parse_engine(text)
    assert engine.by_clock and engine.timed and engine.settings["clock"] == 30
    with pytest.raises(Refused, match=r"plays by the clock of its game.*--clock 10\+0\.1"):
        engine.player()
    with pytest.raises(StudyRefused, match="plays by the clock"):
        match_study(text, "random", 1)
    assert match_study(text, "random", 1, clock="1").timed
    with pytest.raises(Refused, match="takes no limit clock"):
        parse_engine("connect4/random:clock=30")
    with pytest.raises(Refused, match="at most one limit"):
        parse_engine(f"{text},nodes=5")


def study_of(**time: object) -> dict[str, object]:
    return {
        "name": "clocks", "kind": "match", "game": SMALL.label, "seed": 1, "blocks": 1,
        "a": {"search": "alphabeta", "evaluation": "lines", "depth": 1},
        "b": {"search": "random"}, "time": time,
    }  # fmt: skip


def test_a_study_says_its_clock() -> None:
    study = load_study(study_of(clock="1:00+1", flag_draws=False))
    assert study.time.rules().clock == TimeControl(60_000, 1000)
    assert study.resolved()["time"] == {"clock": "60+1", "flag_draws": False}
    assert load_study(study.resolved()) == study
    plain = load_study(study_of())
    assert "time" not in plain.resolved() and "clock" not in plain.identity()
    found = [change.what for change in changes(plain.identity(), study.identity())]
    assert found == ["time.clock", "time.flag_draws"]
    with pytest.raises(StudyRefused, match=r"time\.clock: '5 min' is no clock"):
        load_study(study_of(clock="5 min"))
    with pytest.raises(StudyRefused, match=r"time\.flag_draws: needs a clock"):
        load_study(study_of(flag_draws=False))


# --- programs


def faulty(*faults: str, **settings: object) -> Engine:
    command = shlex.join([sys.executable, str(PROGRAM), *faults])
    game = parse_game("chess")
    return Engine(
        game, {"search": "process", "command": command, "protocol": "uci", **settings}
    )  # fmt: skip


def test_a_uci_engine_is_told_both_clocks(tmp_path: Path) -> None:
    log = tmp_path / "log"
    engine = faulty(f"log={log}", depth=4)
    player = engine.player(clocks=True)
    player.clocks = Clocks(TimeControl(60_000, 100, 40), 2)
    player.clocks.left_ms = [1234.9, -3.0]
    player.new_game(1, 0)
    player.choose(Position(engine.game))
    player.close()
    lines = log.read_text().splitlines()
    assert "go depth 4 wtime 1234 btime 1 winc 100 binc 100 movestogo 40" in lines
    assert player.used_ms is not None and 0 < player.used_ms < 500


def test_a_uci_engine_without_a_limit_plays_by_the_clock() -> None:
    engine = faulty()
    assert engine.by_clock
    with pytest.raises(Refused, match="plays by the clock"):
        engine.player()
    assert not faulty(depth=4).by_clock


def test_an_engine_over_its_time_is_stopped_and_lives() -> None:
    """It loses, and its process plays the next game; one that does not stop is killed."""
    engine = faulty("waits")
    player = engine.player(clocks=True)
    for _ in range(2):
        position, tallies = Position(engine.game), [Tally(), Tally()]
        player.new_game(1, 0)
        rules = Rules(margin_ms=20, clock=TimeControl(100))
        failures = play_game(position, [player, Pausing([])], lambda ply: 0, rules, tallies)
        assert failures[0].kind == "timeout" and "no answer in 120 ms" in failures[0].text
        player.game_over(position)
        assert player._program is not None and player._program.alive  # type: ignore[attr-defined]
    player.close()


def test_joute_check_gives_it_a_clock() -> None:
    engine = parse_engine("connect4[columns=4,rows=4]/alphabeta:evaluation=lines,depth=9,clock=500")
    found = {checked.rule: checked for checked in check_engine(engine)}
    assert not any(checked.fault for checked in found.values()), found
    assert "plays whole games legally" in found
    assert not any("reproducible" in rule for rule in found)

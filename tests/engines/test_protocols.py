"""Protocols: both sides of each understand each other, and the documents say what is said."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from joute.commands._bot import playing
from joute.engines.engine import parse_engine, parse_game
from joute.engines.errors import Refused
from joute.engines.kernels import compile
from joute.engines.kernels.random import stream
from joute.engines.position import Position, parse_position
from joute.engines.protocol import Dialogue, Protocol, dialogue_of
from joute.engines.protocols.json_lines import Follower, JsonSession
from joute.engines.registry import find, names
from tests.support.runs import JOUTE, ROOT, here

FIELD = "tron[width=9,height=7]"


def reader(lines: list[str]) -> Callable[[], str]:
    left = iter(lines)

    def read() -> str:
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    return read


def test_every_protocol_can_be_shown_and_plays_some_game() -> None:
    assert {"codingame", "json-lines"} <= set(names("protocol"))
    for name in names("protocol"):
        protocol: Protocol = find("protocol", name)()
        assert protocol.summary and 0 < protocol.turn_ms <= protocol.first_ms
        assert json.loads(here("show", name, "--json").stdout)["games"]


def test_a_game_without_lines_is_refused() -> None:
    with pytest.raises(Refused, match="connect4 has no lines for the protocol codingame"):
        dialogue_of(parse_game("connect4"), "codingame")


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seed", range(6))
def test_a_codingame_bot_knows_the_position_from_its_lines(players: int, seed: int) -> None:
    """Bots of a game with fewer players learn their number, ribbons and deaths from the lines."""
    game, S = parse_game(f"tron[width=9,height=7,players={players}]"), stream(seed)
    kind = dialogue_of(game, "codingame")
    referee, position = kind(game), Position(game, game.start_text(seed))
    bots: list[Dialogue] = [kind(parse_game(FIELD)) for _ in range(players)]
    while not position.over:
        seat = position.to_move
        if seed == 5 and position.ply == 1:  # somebody dies before others had a turn
            position.play(game.on_failure["crash"])
            continue
        known = bots[seat].read(reader(referee.lines(position, seat).splitlines()))
        assert game.draw(known.W, known.at) == position.draw()
        assert known.to_move == seat
        text = bots[seat].answer(position.sample_action(S))
        position.play(referee.action(position, text))


def test_what_codingame_prints_for_tron() -> None:
    game = parse_game("tron[width=4,height=3,players=3]")
    position = Position(game, "A2B/4/C3 1 0,0;3,0;0,2")
    talk = find("protocol", "codingame")().talk(game, {})
    talk.new_game(1, 0)
    assert talk.turn(position, 100) == "3 0\n0 0 0 0\n3 0 3 0\n0 2 0 2\n"
    position.play(game.parse_action("RIGHT"))
    position.play(game.on_failure["crash"])
    talk.new_game(1, 2)
    assert talk.turn(position, 100) == "3 2\n0 0 1 0\n-1 -1 -1 -1\n0 2 0 2\n"
    assert talk.choice(position, "UP").action == 0
    for text in ("up", "DIES", "", "UP UP"):
        with pytest.raises(Refused, match="UP, DOWN, LEFT, RIGHT"):
            talk.choice(position, text)


@pytest.mark.parametrize(
    "lines", [["x"], ["2"], ["2 0", "1 1 1 1", "5 5"], ["2 0", "1 1 1 1", "90 5 90 5"]]
)
def test_lines_that_make_no_sense_are_refused(lines: list[str]) -> None:
    game = parse_game(FIELD)
    with pytest.raises(Refused):
        dialogue_of(game, "codingame")(game).read(reader(lines))


@pytest.mark.parametrize("label", ["connect4", "tron[width=6,height=5,players=3]"])
@pytest.mark.parametrize("seed", range(3))
def test_json_lines_tells_a_guest_the_position(label: str, seed: int) -> None:
    game, S = parse_game(label), stream(seed)
    followers = [Follower(parse_engine(f"{label}/random")) for _ in range(game.players)]
    talks = [JsonSession(game, {"k": 0.5}) for _ in followers]
    for number in range(2):
        for seat, talk in enumerate(talks):
            talk.new_game(seed, seat)
        position = Position(game, game.start_text(number))
        while not position.over:
            seat = position.to_move
            lines = talks[seat].turn(position, 100).splitlines()
            assert lines == [compact(json.loads(line)) for line in lines]
            answer = [followers[seat].hear(json.loads(line)) for line in lines][-1]
            assert followers[seat]._position.line() == position.line()
            choice = talks[seat].choice(position, json.dumps(answer))
            assert position.is_legal(choice.action)
            position.play(position.sample_action(S))
        for seat, talk in enumerate(talks):
            for line in talk.over(position):
                assert json.loads(line)["returns"] == position.returns()
                assert followers[seat].hear(json.loads(line)) is None


def compact(message: object) -> str:
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False)


def test_an_answer_means_the_same_whenever_it_comes() -> None:
    """Answers are remembered; what is wrong with one is told each time, in every position."""
    talk, position = JsonSession(parse_game("connect4"), {}), Position(parse_game("connect4"))
    said = '{"action":"4","value":0.5,"depth":3,"nodes":7}'
    for _ in range(6):
        choice = talk.choice(position, said)
        assert (choice.action, choice.value, choice.depth, choice.nodes) == (3, 0.5, 3, 7)
        position.play(choice.action)
    for _ in range(2):
        with pytest.raises(Refused, match="not legal"):  # the column is full
            talk.choice(position, said)
        with pytest.raises(Refused, match='no "action"'):
            talk.choice(position, '{"value":0.5}')


def test_a_turn_of_a_long_game_is_a_short_message() -> None:
    game, S = parse_game("tron[width=31,height=40]"), stream(1)
    talk, position = JsonSession(game, {}), Position(game)
    talk.new_game(1, 0)
    sizes = []
    while not position.over:
        if position.to_move == 0:
            sizes.append(len(talk.turn(position, 100)) - len(position.text() or ""))
        position.play(min(position.legal_actions(), key=lambda a: position.sample_action(S)))
    assert max(sizes[1:]) < 150


def test_the_document_tells_the_truth() -> None:
    """The game in docs/json-lines.md is what our referee says, and our bot understands it."""
    text = (ROOT / "docs" / "json-lines.md").read_text()
    said = re.findall(r"^> (.*)$", text, re.MULTILINE)
    game = parse_game("connect4")
    talk, follower = JsonSession(game, {"k": 0.08}), Follower(parse_engine("connect4/random"))
    talk.new_game(8120 << 11, 1)
    turns = ["startpos moves 4", "startpos moves 4 4 3"]
    ours = "".join(talk.turn(parse_position(game, turn), 1000) for turn in turns).splitlines()
    assert [json.loads(line) for line in ours] == [json.loads(line) for line in said]
    for line in said:
        follower.hear({**json.loads(line), "moves": json.loads(line).get("moves", [])})
    for line in re.findall(r"^< (.*)$", text, re.MULTILINE):
        assert talk.choice(parse_position(game, turns[0]), line).action >= 0


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("4", "not a JSON object"),
        ("{", "not JSON"),
        ('{"action": 4}', '"action": 4 is a number; put it in quotes'),
        ('{"action": "9"}', "not a column"),
    ],
)
def test_answers_that_are_none(answer: str, reason: str) -> None:
    game = parse_game("connect4")
    with pytest.raises(Refused, match=reason):
        JsonSession(game, {}).choice(Position(game), answer)


def ask(spec: str, protocol: str, lines: list[str]) -> subprocess.CompletedProcess[str]:
    asked = [*JOUTE, "bot", spec, "--protocol", protocol]
    said = "".join(f"{line}\n" for line in lines)
    return subprocess.run(
        asked, input=said, capture_output=True, text=True, cwd=ROOT, timeout=60, check=False
    )


def test_joute_bot_answers_a_foreign_referee(tmp_path: Path) -> None:
    """stdout carries the protocol alone; a wrong line ends it in one line of stderr."""
    turn = '{"type":"turn","position":"startpos moves 4 1 4 1 4 1"}'
    done = ask("connect4/alphabeta:evaluation=lines,depth=3", "json-lines", [turn, turn])
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["action"] for one in answers] == ["4", "4"] and done.returncode == 0
    assert answers[0]["nodes"] > 0
    done = ask("connect4/random", "json-lines", ["hello"])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("joute: not JSON") and done.stderr.count("\n") == 1
    turn = "2 1\n0 3 1 3\n8 3 8 3"
    done = ask(f"{FIELD}/random", "codingame", [turn])
    assert done.stdout.strip() in ("UP", "DOWN", "LEFT", "RIGHT") and done.returncode == 0


def test_joute_bot_plays_under_joute() -> None:
    """Both sides of codingame as processes: the bot is ours, and so is the referee."""
    bot = f"{JOUTE[0]} {JOUTE[1]} bot {FIELD}/random --protocol codingame"
    spec = f'{FIELD}/process:command="{bot}",first_ms=20000,turn_ms=2000'
    done = here("play", spec, "random", "--json", "--quiet")
    assert json.loads(done.output.splitlines()[-1])["termination"] == "normal"


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3])
def test_a_bot_loads_its_kernels_before_it_reads_a_line(players: int) -> None:
    """The referee's clock runs from its first line on; that says how many players there are."""
    engine = parse_engine(f"{FIELD}/uct:evaluation=zones,milliseconds=5,ending=fill")
    cells = ["0 3 1 3", "8 3 8 3", "4 0 4 0"]
    lines, loaded, said = [f"{players} 0", *cells[:players]], list[int](), list[str]()

    def read() -> str:
        loaded.append(compile.hits + compile.misses)
        if not lines:
            raise EOFError
        return lines.pop(0)

    find("protocol", "codingame")().serve(engine, read, said.append)
    assert len(said) == 1 and loaded[0] == loaded[-1]


def test_a_margin_leaves_some_of_the_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """It holds for the players of every variant, and whatever the limit of the engine."""
    talk = find("protocol", "codingame")()
    slow = f"{FIELD}/uct:evaluation=zones,milliseconds=60000"
    engine = playing(slow, talk, turn_ms=100, margin_ms=60)
    assert engine.player().guard_ms == engine.on(engine.game).player().guard_ms == 40
    assert playing(slow, talk, None, 30).player().guard_ms == talk.turn_ms - 30
    with pytest.raises(Refused, match="--margin-ms 120 leaves no time in a turn of 100 ms"):
        playing(slow, talk, None, 120)

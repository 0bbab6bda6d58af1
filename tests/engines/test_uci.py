"""UCI from both sides: engines in processes of their own, and ours under a program."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from threading import Thread
from time import sleep

import chess
import pytest

from joute.engines.engine import Engine, parse_engine, parse_game
from joute.engines.errors import Refused
from joute.engines.games.chess.uci.controller import (
    guard_of,
    kept,
    limited,
    limits_in,
    score_of,
)
from joute.engines.games.chess.uci.options import checked, option_of, options_in
from joute.engines.games.chess.uci.side import told
from joute.engines.player import Move, Player, PlayerFailure
from joute.engines.position import Position, parse_position
from joute.engines.programs.option import Option, settings_in
from joute.engines.protocol import Protocol
from joute.engines.record import WIN
from joute.engines.registry import find, make
from joute.harness.conformance.check import check_engine
from joute.harness.conformance.option_rules import keeps_its_limit, takes_its_options
from joute.studies.file.uci_template import by_name, write_uci_study
from joute.studies.load import load_study
from tests.support.runs import ROOT, here

GAME = parse_game("chess")
PROGRAM = ROOT / "tests" / "support" / "uci_engine.py"
MOBILITY = Option("Mobility (Middle Game)", "spin", "100", 0, 200)


# --- options


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("option name Mobility (Middle Game) type spin default 100 min 0 max 200", MOBILITY),
        ("option  name  OwnBook type check default true", Option("OwnBook", "check", "true")),
        (
            "option name Style type combo default Very Wild var Calm var Very Wild",
            Option("Style", "combo", "Very Wild", choices=("Calm", "Very Wild")),
        ),
        ("option name Clear Hash type button", Option("Clear Hash", "button")),
        ("option name Book type string default <empty>", Option("Book", "string")),
        ("option name min type spin min -5 max 5", Option("min", "spin", "", -5, 5)),
        ("option name Odd type spin default x min y max", Option("Odd", "spin", "x")),
        ("option name New type slider default 3", None),
        ("id name Engine", None),
    ],
)
def test_a_line_declares_an_option(line: str, option: Option | None) -> None:
    assert option_of(line) == option


def test_settings_of_options() -> None:
    text = "Threads=1; mobility (middle game)={mobility};;Book=a = b"
    found = settings_in(text, {"mobility": 120})
    assert found == {"Threads": "1", "mobility (middle game)": "120", "Book": "a = b"}
    assert settings_in(r"Style=Solid\; slow; Hash=16", {}) == {"Style": "Solid; slow", "Hash": "16"}
    known = {
        "Mobility (Middle Game)": MOBILITY,
        **options_in(["option name Threads type spin min 1 max 4"]),
    }
    assert checked({"threads": "2", "MOBILITY (middle game)": "0"}, known) == [
        ("Threads", "2"),
        ("Mobility (Middle Game)", "0"),
    ]
    for name, value, said in [
        ("Thread", "1", "no option 'Thread'; did you mean 'Threads'"),
        ("Threads", "5", "Threads = 5; the engine allows: a whole number from 1 to 4"),
        ("Threads", "1.5", "a whole number from 1 to 4"),
    ]:
        with pytest.raises(Refused, match=said):
            checked({name: value}, known)
    with pytest.raises(Refused, match="'Threads' sets nothing"):
        settings_in("Threads", {})


# --- an engine as a player


def engine(*faults: str, **settings: object) -> Engine:
    """Return an engine that is the program with faults."""
    command = shlex.join([sys.executable, str(PROGRAM), *faults])
    given = {"search": "process", "command": command, "protocol": "uci", "depth": 4}
    return Engine(GAME, {**given, "turn_ms": 3000.0, "first_ms": 3000.0, **settings})


@pytest.fixture
def playing() -> Iterator[list[Player]]:
    """Players that are closed in the end."""
    players: list[Player] = []
    yield players
    for player in players:
        player.close()


def answer(playing: list[Player], one: Engine, text: str = "startpos") -> Move:
    """Return the first move of an engine."""
    player = one.player()
    playing.append(player)
    player.new_game(1, 0)
    return player.choose(parse_position(one.game, text))


@pytest.mark.parametrize("faults", [(), ("banner",), ("ponder",), ("late",), ("flood",), ("nul",)])
def test_what_an_engine_may_do(playing: list[Player], faults: tuple[str, ...]) -> None:
    """Its value and depth are of its last line that bounds nothing and is its first choice."""
    move = answer(playing, engine(*faults))
    assert (GAME.action_text(move.action), move.value, move.nodes) == ("e2e4", 13.0, 900)
    assert move.depth == 5
    after = playing[0].choose(parse_position(GAME, "startpos moves e2e4"))
    assert GAME.action_text(after.action) == "e7e5"


@pytest.mark.parametrize(
    ("faults", "kind", "said"),
    [
        (("no-uciok",), "timeout", "no answer in"),
        (("no-readyok",), "timeout", "no answer in"),
        (("dies",), "crash", "exit"),
        (("dies-in-new-game",), "crash", "exit"),
        (("says=(none)",), "illegal", "it says that it has no move; there are: "),
        (("says=0000",), "illegal", "it says that it has no move"),
        (("says=a1a1",), "illegal", "legal: "),
        (("says=E2E4",), "illegal", "is no move; allowed: two squares"),
        (("says=",), "illegal", "it says that it has no move"),
        (("sleeps",), "timeout", "no answer in"),
    ],
)
def test_what_an_engine_may_not_do(
    playing: list[Player], faults: tuple[str, ...], kind: str, said: str
) -> None:
    with pytest.raises(PlayerFailure, match=said) as failure:
        answer(playing, engine(*faults, turn_ms=400.0, first_ms=400.0))
    assert failure.value.kind == kind


def test_an_engine_that_dies_is_quoted(tmp_path: Path, playing: list[Player]) -> None:
    """Its last lines on stdout, where UCI has no other place for an error; its stderr, if there is any."""
    for stream, said in (("stdout", "its last lines:"), ("stderr", "its stderr ends:")):
        program = tmp_path / f"{stream}.py"
        program.write_text(
            "import sys\nfor line in sys.stdin:\n    word = line.split()[0]\n"
            "    if word in ('uci', 'isready'): print({'uci': 'uciok'}.get(word, 'readyok'), flush=True)\n"
            f"    if word == 'go': print('info string no network', file=sys.{stream}); sys.exit(1)\n"
        )
        command = shlex.join([sys.executable, str(program)])
        with pytest.raises(PlayerFailure, match="exit status 1") as failure:
            answer(playing, engine(command=command))
        words, _, tail = failure.value.text.partition(said)
        assert tail.endswith("info string no network") and str(program) in words


def test_the_check_ends_with_a_program_that_is_never_ready() -> None:
    checks = check_engine(engine("no-uciok", first_ms=300.0))
    assert [c.rule for c in checks if c.fault] == ["takes its options"]
    assert checks[-1].rule == "takes its options"


def test_what_is_sent(playing: list[Player], tmp_path: Path) -> None:
    """Options, the line of play, and the limit of a move, as the engine heard them."""
    options = "threads=1; Style=Very Wild; Clear=now; Mobility (Middle Game)={m}"
    heard = tmp_path / "heard"
    one = engine(f"log={heard}", options=options, m=7, depth=0, nodes=900)
    assert one.settings["nodes"] == 900 and "depth" not in one.settings
    with pytest.raises(PlayerFailure, match=r"not legal|legal: "):
        answer(playing, one, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves e1g1")
    assert heard.read_text("utf-8").splitlines() == [
        "uci", "setoption name Threads value 1", "setoption name Style value Very Wild",
        "setoption name Clear", "setoption name Mobility (Middle Game) value 7", "isready",
        "ucinewgame", "isready",
        "position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves e1g1", "go nodes 900",
    ]  # fmt: skip


def test_time_of_a_move(playing: list[Player]) -> None:
    with pytest.raises(PlayerFailure, match="no answer in 90 ms"):
        answer(playing, engine("sleeps", depth=0, movetime=40))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"nodes": 5}, "not depth and nodes"),
        ({"options": "Threads"}, "'Threads' sets nothing"),
        ({"options": "Threads={t}"}, r"\{t\} has no value"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, object], said: str) -> None:
    with pytest.raises(Refused, match=said):
        engine(**settings)


def test_options_are_tried_before_any_game() -> None:
    given = engine(options="Threads=2; OwnBook=false")
    assert given.search.check_here(given.setup) == ("Faulty 1.0", "")
    for options, said in [
        ("Thread=2", "no option 'Thread'; did you mean 'Threads'"),
        ("Style=Wild", "Style = Wild; the engine allows: Calm, Very Wild"),
    ]:
        one = engine(options=options)
        with pytest.raises(Refused, match=said):
            one.search.check_here(one.setup)


def test_a_run_says_which_defaults_of_its_programs_are_unfair(tmp_path: Path) -> None:
    one, two = (engine("says=a1a1", options=options).text for options in ("", "Threads=1"))
    done = here("match", one, two, "--blocks", 1, "-j", 1, "--out", tmp_path / "m", "--no-report")
    notes = [line for line in done.stderr.splitlines() if "makes it fair" in line]
    assert len(notes) == 2 and done.exit_code == 1  # both lose by illegal moves
    threads, both = "Threads is 4 by default, Threads=1 makes it fair", "OwnBook is true by default"
    assert threads in notes[0] and both in notes[0]
    assert threads not in notes[1] and both in notes[1]


def test_check_tells_what_no_tool_says() -> None:
    """An unfair default, and a limit that is not kept."""
    checks = {c.rule: c for c in check_engine(engine("banner"))}
    assert "Threads is 4 by default, Threads=1 makes it fair" in checks["takes its options"].note
    assert "OwnBook is true" in checks["takes its options"].note
    fair = engine(options="Threads=1; OwnBook=false", depth=0, nodes=100)
    assert takes_its_options(fair) == ""
    assert "nodes=100 is asked, it says that it searched 900" in keeps_its_limit(fair)
    assert keeps_its_limit(engine(depth=5)) == "" == keeps_its_limit(engine(depth=0, movetime=50))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("joute.harness.conformance.option_rules.PATIENCE_MS", 300.0)
        ignores = keeps_its_limit(engine("sleeps", depth=0, nodes=100))
    assert "no answer comes in 0.3 s: it may ignore nodes" in ignores
    assert "no option 'Thread'" in takes_its_options(engine(options="Thread=1"))


@pytest.mark.slow
def test_chess960_needs_its_option(playing: list[Player]) -> None:
    game = parse_game("chess[chess960=on]")
    with pytest.raises(PlayerFailure, match="it has no option UCI_Chess960"):
        answer(playing, engine().on(game))


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("info depth 9 score cp -31 nodes 5", -31.0),
        ("info depth 9 score mate 2 nodes 5", WIN - 3),
        ("info depth 9 score mate -2 nodes 5", 4 - WIN),
        ("info depth 9 score cp 7 upperbound nodes 5", None),
        ("info string score cp 900", 900.0),
    ],
)
def test_values(line: str, value: float | None) -> None:
    assert told(3, [line, "bestmove a2a3"]).value == value


def test_a_study_of_an_engine(tmp_path: Path) -> None:
    """`joute init --uci`: every number with its range; the first are searched."""
    command = shlex.join([sys.executable, str(PROGRAM)])
    sketch = write_uci_study(command, tmp_path / "study.toml")
    assert sketch.parameters == {"mobility_middle_game": "100 (0 to 200): Mobility (Middle Game)"}
    study = load_study(tmp_path / "study.toml")
    text = study.entrants[0].engine.text
    assert (
        'options="Threads=1; OwnBook=false; Mobility (Middle Game)={mobility_middle_game}; Style={style}"'
        in text
    )
    judge = study.openings.balanced_by
    assert judge is not None and judge.settings["evaluation"] == "tapered"
    assert study.openings.balanced_within == 80
    with pytest.raises(Refused, match="already exists"):
        write_uci_study(command, tmp_path / "study.toml")
    with pytest.raises(Refused, match=r"nothing cannot be started: No such file"):
        write_uci_study("./nothing", tmp_path / "other.toml")


def test_options_of_like_names_get_names_of_their_own() -> None:
    texts = "King+", "King-", "Depth", "King 2", "depth option"
    named = by_name([Option(text, "spin", "", 0, 9) for text in texts], {"depth"})
    assert [(name, option.name) for name, option in named.items()] == [
        ("king", "King+"), ("king_2", "King-"), ("depth_option", "Depth"),
        ("king_2_2", "King 2"), ("depth_option_2", "depth option"),
    ]  # fmt: skip


def test_a_study_of_an_engine_is_tried_with_a_game(tmp_path: Path) -> None:
    """An engine that cannot play is told before the study is run; an option may be named as a setting."""
    command = shlex.join([sys.executable, str(PROGRAM), "dies", "depth-option"])
    sketch = write_uci_study(command, tmp_path / "study.toml")
    assert sketch.mend == "the engine" and "failed at turn 1: crash" in sketch.notes[-1]
    assert sketch.parameters["depth_option"] == "3 (1 to 9): Depth"
    study = load_study(tmp_path / "study.toml")
    assert study.entrants[0].engine.settings["depth"] == 4
    untried = write_uci_study(command, tmp_path / "other.toml", start=False)
    assert not untried.mend and len(untried.notes) == 1


@pytest.mark.parametrize(
    ("row", "space", "said"),
    [
        ('kind = "int", low = 0, high = 300, default = 100', "from = 0, to = 300",
         "parameters.m: option Mobility (Middle Game) = 300; the engine allows: a whole number from 0 "
         "to 200 (engine default)"),
        ('kind = "int", low = -1, default = 100', "from = 0, to = 200",
         "parameters.m: option Mobility (Middle Game) = -1; the engine allows: a whole number from 0 to "
         "200 (engine default)"),
        ('kind = "int", default = 100', "from = 0, to = 201",
         "space.m: option Mobility (Middle Game) = 201; the engine allows: a whole number from 0 to 200 "
         "(engine default)"),
        ('kind = "float", low = 0, high = 200, default = 100', "from = 0, to = 200",
         "space.m: option Mobility (Middle Game) = 66.66666666666667; the engine allows: a whole number "
         "from 0 to 200 (engine default)"),
        ('kind = "choice", choices = ["Calm", "Wild"], default = "Calm", option = "Style"',
         '"Calm", "Wild"', "parameters.m: option Style = Wild; the engine allows: Calm, Very Wild (engine "
         "default)"),
        ('kind = "int", low = 0, high = 200, default = 100', "from = 0, to = 200", ""),
    ],
)  # fmt: skip
def test_ranges_of_a_study_are_checked_against_the_engines_own_before_any_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: str, space: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    option = "" if "option" in row else ', option = "Mobility (Middle Game)"'
    axis = f"[{space}]" if "choice" in row else f"{{ {space} }}"
    Path("s.toml").write_text(
        'name = "s"\nkind = "tune"\ngame = "chess"\nseed = 1\nbudget = "400 games"\n[engine]\n'
        f"search = 'process'\ncommand = '{shlex.join([sys.executable, '-S', str(PROGRAM)])}'\n"
        f"protocol = 'uci'\ndepth = 1\n[parameters]\nm = {{ {row}{option} }}\n[space]\nm = {axis}\n"
        "[[opponents]]\nname = 'r'\nspec = 'random'\n"
    )
    study = load_study("s.toml")
    kind = make("kind", study.kind)
    if not said:
        unfair = "OwnBook is true by default, OwnBook=false makes it fair"
        said = {
            "default": ("Faulty 1.0", f"Threads is 4 by default, Threads=1 makes it fair; {unfair}")
        }
        assert kind.check_here(study) == said
        return
    with pytest.raises(Refused) as refused:
        kind.check_here(study)
    assert str(refused.value) == said
    done = here("run", "s.toml", "--out", "out")
    assert done.exit_code == 2 and done.stderr.splitlines()[-1] == f"joute: {said}"
    assert not Path("out").exists()


# --- ours under a program


class Client:
    """A program that asks an engine of ours, in this process."""

    def __init__(self, spec: str) -> None:
        self.sent: Queue[str] = Queue()
        self.heard: Queue[str] = Queue()
        protocol: Protocol = find("protocol", "uci")()

        def read() -> str:
            return self.sent.get(timeout=60)

        self.thread = Thread(
            target=lambda: protocol.serve(parse_engine(spec), read, self.heard.put), daemon=True
        )
        self.thread.start()

    def ask(self, *lines: str, until: str) -> list[str]:
        """Send lines; return what is said up to a line that begins so."""
        for line in lines:
            self.sent.put(line)
        said: list[str] = []
        while not said or not said[-1].startswith(until):
            said.append(self.heard.get(timeout=60))
        return said

    def quit(self) -> None:
        """End it."""
        self.sent.put("quit")
        self.thread.join(10)
        assert not self.thread.is_alive()


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """One engine of ours for all tests."""
    one = Client("chess/alphabeta:evaluation=material,table=1,milliseconds=50")
    yield one
    one.quit()


def test_it_introduces_itself(client: Client) -> None:
    said = client.ask("uci", until="uciok")
    assert said[0].startswith("id name Joute") and any(
        "option name Hash type spin" in s for s in said
    )
    assert client.ask("isready", until="readyok") == ["readyok"]


def test_depths_and_scores(client: Client) -> None:
    mate = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"
    said = client.ask(f"position fen {mate}", "go depth 3", until="bestmove")
    assert said[-1] == "bestmove a1a8" and "score mate 1" in said[-2]
    said = client.ask("position startpos moves e2e4", "go nodes 400", until="bestmove")
    assert [int(s.split()[2]) for s in said[:-1]] == [*range(1, len(said))]
    assert all("score cp" in s and " pv " in s for s in said[:-1])
    said = client.ask("go depth 2 searchmoves a7a6", until="bestmove")
    assert said[-1] == "bestmove a7a6"


def test_it_is_stopped(client: Client) -> None:
    client.ask("position startpos", "go infinite", until="info depth 2")
    assert client.ask("stop", until="bestmove")[-1].startswith("bestmove")
    client.ask("position startpos", "go infinite", until="info depth 1")
    answers = client.ask("position startpos moves e2e4", "go movetime 20", until="bestmove")
    assert client.ask(until="bestmove")[-1] != answers[-1]


def test_its_own_limit_is_stopped_too() -> None:
    """A plain `go` of an engine of a fixed depth that takes for ever: what a moment shows is played."""
    one = Client("chess/alphabeta:evaluation=material,depth=40")
    one.ask("isready", until="readyok")
    mate = "position fen 7k/8/5QK1/8/8/8/8/n6n w - - 0 1"
    for place in (mate, "position startpos"):
        one.sent.put(place)
        one.sent.put("go")
        sleep(0.5)
        said = one.ask("stop", until="bestmove")
        assert any(line.startswith("info depth") for line in said)
    one.quit()


BEGINNINGS = {f"bestmove {move.uci()}" for move in chess.Board().legal_moves}


def test_a_draw_that_nobody_claimed_is_played_on_from(client: Client) -> None:
    board = chess.Board()
    knights = ["g1f3", "g8f6", "f3g1", "f6g8"]
    thrice = f"startpos moves {' '.join(2 * knights)}"
    for place, fen in [
        (thrice, board.fen()),
        (f"{thrice} {' '.join(knights)} e2e4", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"),
        ("fen 7k/8/8/8/8/8/4R3/4K3 w - - 100 90", "7k/8/8/8/8/8/4R3/4K3 w - - 0 90"),
        ("fen 7k/8/8/8/8/8/8/4KB2 w - - 3 90", "7k/8/8/8/8/8/8/4KB2 w - - 3 90"),
    ]:  # fmt: skip
        said = client.ask(f"position {place}", "go depth 2", until="bestmove")
        move = chess.Move.from_uci(said[-1].split()[1])
        assert move in chess.Board(fen).legal_moves, place
    said = client.ask(f"position {thrice} e2e5", until="info string")
    assert "move 9 of the position, 'e2e5', is illegal" in said[-1]


def test_what_makes_no_sense(client: Client) -> None:
    for line, said in [
        ("position startpos moves e2e5", "is illegal"),
        ("setoption name Hash value 3.5", "Hash is a whole number of megabytes, not '3.5'"),
        ("setoption name Style value Wild", "no option Style"),
        ("hello", "unknown command hello"),
    ]:
        assert said in client.ask("position startpos", line, until="info string")[-1]
    for line, said in [
        ("go depth", "go depth needs a number, and is left out"),
        ("go depth 1 searchmoves e2e5 zz", "zz is not legal, and is left out"),
    ]:
        answer = client.ask("position startpos", line, until="bestmove")
        assert any(said in one for one in answer) and answer[-1] in BEGINNINGS
    over = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
    assert client.ask(f"position fen {over}", "go depth 1", until="bestmove") == ["bestmove (none)"]


@pytest.mark.parametrize(
    ("own", "words", "settings"),
    [
        ("depth=4", "mate 2", {"depth": 3, "milliseconds": 1e6}),
        ("depth=4", "mate 9", {"depth": 4, "milliseconds": 1e6}),
        ("nodes=900", "mate 2", {"depth": 3, "nodes": 900}),
        ("clock=30", "mate 2", {"depth": 3, "milliseconds": 1e6}),
        ("depth=4", "mate 2 nodes 50", {"depth": 3, "nodes": 50}),
        ("depth=4", "perft 3", {"depth": 4}),
        ("depth=4", "ponder", {"depth": 4}),
        ("depth=4", "btime 1000 winc 5 movestogo 3", {"depth": 4}),
        ("depth=4", "wtime 1000", {"depth": 60, "milliseconds": 1e6}),
    ],
)
def test_the_own_limit_holds_unless_another_is_asked_for(
    own: str, words: str, settings: dict[str, float]
) -> None:
    one = parse_engine(f"chess/alphabeta:evaluation=material,{own}")
    asked = kept(limits_in(words.split(), Position(GAME))[0], one, 0)
    found = limited(one, asked).settings
    names = ("depth", "nodes", "milliseconds", "clock")
    assert {name: found[name] for name in names if name in found} == settings


def test_a_limit_that_a_search_cannot_keep_leaves_its_own() -> None:
    one = parse_engine("chess/uct:iterations=40")
    for words in ("nodes 5", "depth 3", "mate 2"):
        asked = kept(limits_in(words.split(), Position(GAME))[0], one, 0)
        assert limited(one, asked) is one and guard_of(asked, 0) is None


def test_a_mate_is_found(client: Client) -> None:
    """A mate in two moves within three plies, and no depth beyond where there is none."""
    said = client.ask(
        "position fen k7/8/8/2K5/8/8/8/7R w - - 0 1", "go mate 2 nodes 100000", until="bestmove"
    )
    assert "score mate 2" in said[-2] and said[-2].startswith("info depth 3 ")
    said = client.ask("position startpos", "go mate 1 nodes 100000", until="bestmove")
    assert [line.split()[2] for line in said[:-1]] == ["1"]


def test_what_comes_while_it_searches_waits_for_the_answer(client: Client) -> None:
    """All but `isready` and `stop`, which ends what waits, too."""
    lines = ("position startpos", "go movetime 400", "position startpos moves e2e4")
    said = client.ask(*lines, "go depth 2 searchmoves e7e5", "isready", until="bestmove")
    assert "readyok" in said and said[-1] != "bestmove e7e5"
    assert client.ask(until="bestmove")[-1] == "bestmove e7e5"
    client.ask("go movetime 60000", "go infinite searchmoves e7e5", "isready", until="readyok")
    assert client.ask("stop", until="bestmove")[-1].startswith("bestmove")
    assert client.ask(until="bestmove")[-1] == "bestmove e7e5"
    assert client.ask("isready", until="readyok") == ["readyok"]


def test_a_table_can_be_had_where_the_spec_names_none() -> None:
    """`Hash` is offered as it is, 0, and taken: a line of play comes from the table."""
    ours = Client("chess/alphabeta:evaluation=material,depth=3")
    assert "option name Hash type spin default 0 min 0 max 4096" in ours.ask("uci", until="uciok")
    said = ours.ask("setoption name Hash value 1", "position startpos", "go", until="bestmove")
    assert len(said[-2].partition(" pv ")[2].split()) > 1
    ours.quit()


@pytest.mark.slow
def test_chess960(client: Client) -> None:
    said = client.ask(
        "setoption name UCI_Chess960 value true",
        "position fen r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1 moves e1h1",
        "go depth 1", "setoption name UCI_Chess960 value false",
        until="bestmove",
    )  # fmt: skip
    assert not any("illegal" in line for line in said)


def test_clocks() -> None:
    """A share of the time left and most of the increment, never more than half."""

    def ms(words: str, mover: int = 0) -> float | None:
        return guard_of(limits_in(words.split(), Position(GAME))[0], mover)

    assert ms("wtime 60000 btime 1000") == 60000 / 30 - 20
    assert ms("wtime 60000 btime 1000 binc 500", 1) == pytest.approx(1000 / 30 + 400 - 20)
    assert ms("wtime 10000 movestogo 1") == 5000 - 20
    assert ms("wtime 10") == 1.0 and ms("movetime 100") == 80.0
    assert ms("depth 3") == ms("nodes 3") and ms("") is None


def test_scores() -> None:
    assert [score_of(v, "evaluation") for v in (12.4, WIN - 1, WIN - 3, 2 - WIN, 4 - WIN)] == [
        "cp 12", "mate 1", "mate 2", "mate -1", "mate -2",
    ]  # fmt: skip
    assert score_of(0.5, "return") == "cp 0" and score_of(1.0, "return") == "cp 1600"


def test_the_line_comes_from_the_table() -> None:
    """Each depth tells a line that can be played, no longer than itself; without a table one move."""
    start = "e2e4 e7e5"
    for spec, most in (
        ("chess/alphabeta:evaluation=tapered,pvs=on,table=8,depth=4", 4),
        ("chess/alphabeta:evaluation=tapered,quiescence=on,pvs=on,table=8,depth=4", 4),
        ("chess/alphabeta:evaluation=material,depth=3,deepening=on", 1),
    ):
        ours = Client(spec)
        said = ours.ask(f"position startpos moves {start}", "go infinite", until="info depth 4")
        said += ours.ask("stop", until="bestmove")
        ours.quit()
        lengths = []
        for line in (text for text in said if text.startswith("info depth")):
            moves = line.partition(" pv ")[2].split()
            parse_position(
                GAME, f"startpos moves {start} {' '.join(moves)}"
            )  # refuses illegal ones
            assert len(moves) <= int(line.split()[2])
            lengths.append(len(moves))
        assert (max(lengths) >= 2) == (most > 1), (spec, said)

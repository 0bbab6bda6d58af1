"""Games in plain Python are games like all others, but for the compiled searches."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from joute.cli import main
from joute.commands._perft import perft
from joute.engines.engine import parse_engine, parse_game
from joute.engines.errors import Refused, RulesError
from joute.engines.position import Position, parse_position
from joute.engines.python_game import code_of, text_of_code
from joute.harness.conformance.check import check_engine, check_game
from joute.harness.conformance.subjects import engines_of
from joute.studies.adhoc import match_study
from tests.support.plugins import plugged
from tests.support.runs import JOUTE, ROOT, TOYS, csv_bytes, play, study_of

PLAIN = ROOT / "tests" / "support" / "python_toys.py"
FAULTY = ROOT / "tests" / "support" / "faulty_games.py"
HEXAPAWN = ROOT / "examples" / "hexapawn.py"
GAMES = ["plain-heap", "plain-race", "hexapawn"]


@pytest.fixture(autouse=True, scope="module")
def games(own_plugins: None):  # type: ignore[no-untyped-def]
    with plugged(PLAIN, HEXAPAWN, TOYS):
        yield


@pytest.mark.parametrize("game", GAMES)
def test_game_and_engines_conform(game: str) -> None:
    assert [c for c in check_game(parse_game(game)) if c.fault] == []
    texts = engines_of(parse_game(game))
    assert any("plain-uct" in text for text in texts) and any("/random" in text for text in texts)
    for text in texts:
        assert [c for c in check_engine(parse_engine(text)) if c.fault] == [], text


def test_the_rules_are_those_of_the_compiled_twin() -> None:
    plain, twin = parse_game("plain-heap"), parse_game("heap")
    for depth in range(8):
        assert perft(Position(plain), depth) == perft(Position(twin), depth)
    assert perft(Position(plain), 3, plain.parse_action("2")) == 2**3
    line = "startpos moves 1 3 3 2 3"
    one, other = parse_position(plain, line), parse_position(twin, line)
    assert one.over and other.over and one.returns() == other.returns()
    assert parse_position(plain, "3 2 moves 3").returns() == [1.0, 0.0, 0.5][-1:] + [0.5, 1.0][
        :0
    ] or (parse_position(plain, "3 2 moves 3").over)


def test_plain_searches_find_what_there_is() -> None:
    # One stone short of losing: who leaves 1 to the next player does not come last.
    position = parse_position(parse_game("plain-heap"), "2 0")
    player = parse_engine("plain-heap/plain-uct:iterations=400").player()
    player.new_game(1, 0)
    assert position.game.action_text(player.choose(position).action) == "1"
    engine = parse_engine("hexapawn/plain-alphabeta:depth=9")
    searched = engine.player().choose(Position(engine.game))
    assert searched.value is not None and searched.value < 0  # 3 x 3 is lost for who begins
    known = parse_engine("hexapawn/plain-alphabeta:evaluation=pawns,depth=2").player()
    assert known.choose(Position(engine.game)).nodes > 3


def test_compiled_searches_name_what_serves() -> None:
    for search in (
        "uct:iterations=9",
        "alphabeta:evaluation=pawns",
        "maxn:evaluation=pawns,depth=2",
    ):
        with pytest.raises(Refused, match=r"plain Python: take plain-alphabeta, plain-uct"):
            parse_engine(f"hexapawn/{search}")
    with pytest.raises(Refused, match=r"takes evaluations in plain Python; lines is compiled"):
        parse_engine("connect4/plain-uct:evaluation=lines,iterations=5")


def test_actions_have_the_same_numbers_everywhere() -> None:
    for text in ("", "a", "12-3", "Zug é ∞", "x" * 200):
        assert text_of_code(code_of(text)) == text
    assert text_of_code(-1) == "-1" and text_of_code(5) == "5"
    with pytest.raises(Refused, match="is not an action"):
        parse_game("hexapawn").parse_action("x" * 201)


def study(specs: list[str], game: str, blocks: int = 6) -> str:
    entrants = "\n".join(f'[[entrants]]\nname = "e{i}"\nspec = "{s}"' for i, s in enumerate(specs))
    plugins = json.dumps([str(PLAIN), str(HEXAPAWN)])
    return (
        f'name = "s"\nkind = "tournament"\ngame = "{game}"\nseed = 5\nplugins = {plugins}\n'
        f"[openings]\nplies = 4\n{entrants}\n[schedule]\nblocks = {blocks}\n"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "specs"),
    [
        ("plain-race[goal=20]", ["random", "plain-uct:iterations=20"]),
        ("plain-heap[stones=40]", ["random", "plain-uct:iterations=20"]),
    ],
)
def test_the_number_of_workers_changes_no_byte(tmp_path: Path, game: str, specs: list[str]) -> None:
    one = study_of(tmp_path, study(specs, game))
    play(one, tmp_path / "a")
    play(one, tmp_path / "b", workers=2)
    for folder in ("a", "b"):
        done = CliRunner().invoke(main, ["report", str(tmp_path / folder)])
        assert done.exit_code == 0, done.output
    assert csv_bytes(tmp_path / "a") == csv_bytes(tmp_path / "b")
    found = CliRunner().invoke(
        main, ["replay", str(tmp_path / "a"), "--json", game_id(tmp_path / "a")]
    )
    assert found.exit_code == 0 and json.loads(found.stdout)


def game_id(folder: Path) -> str:
    return (folder / "games.csv").read_text().splitlines()[1].split(",")[0]


@pytest.mark.slow
def test_a_search_over_an_evaluation_in_python(tmp_path: Path) -> None:
    text = (
        f'name = "t"\nkind = "tune"\ngame = "hexapawn[columns=6]"\nseed = 2\nbudget = "150 games"\n'
        f'plugins = ["{HEXAPAWN}"]\n[engine]\nsearch = "plain-alphabeta"\nevaluation = "pawns"\n'
        "depth = 2\n[space]\nahead = { from = 0.0, to = 3.0 }\n[openings]\nplies = 4\n"
        '[tune]\nsampler = "random"\ntrial_blocks = 2\ncandidates = 1\n'
        '[[opponents]]\nname = "plain"\nspec = "random"\n'
    )
    play(study_of(tmp_path, text), tmp_path / "run")
    done = CliRunner().invoke(main, ["report", str(tmp_path / "run")])
    assert done.exit_code == 0 and "ahead" in (tmp_path / "run" / "trials.csv").read_text()


def test_an_outside_program_plays_it(tmp_path: Path) -> None:
    bot = shlex.join([*JOUTE, "--plugin", str(HEXAPAWN), "bot", "hexapawn/plain-uct:iterations=20"])
    spec = f'hexapawn/process:command="{bot} --protocol json-lines",first_ms=60000,turn_ms=20000'
    done = CliRunner().invoke(
        main, ["--plugin", str(HEXAPAWN), "play", spec, "hexapawn/random", "--quiet", "--json"]
    )
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["termination"] == "normal"


def test_the_digest_covers_file_and_options(tmp_path: Path) -> None:
    copy = tmp_path / "copied.py"
    copy.write_text(PLAIN.read_text().replace('name = "', 'name = "copied-'))
    with plugged(copy):
        before = parse_engine("copied-plain-heap/random").digest
    assert before != parse_engine("plain-heap/random").digest
    assert (
        parse_engine("plain-heap/random").digest
        != parse_engine("plain-heap[stones=13]/random").digest
    )


def test_rules_that_fail_are_one_line(tmp_path: Path) -> None:
    words = ["--plugin", str(PLAIN), "play", *["broken-heap/random"] * 3]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 1
    assert (
        "joute: the rules of broken-heap[stones=12] failed: legal_actions: IndexError"
        in done.stderr
    )
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    ("method", "said"),
    [
        ("returns", "returns returned [2.0, -1.0]; allowed: 2 numbers from 0 to 1, or None"),
        ("share", "returns returned [nan, 0.0]; allowed: 2 numbers from 0 to 1, or None"),
        ("legal_actions", "legal_actions returned [1, 2]; allowed: a list of texts"),
        ("nothing", "legal_actions returned []; allowed: one text or more while the game goes on"),
        ("to_move", "to_move returned 2; allowed: a player, 0 to 1"),
    ],
)
def test_rules_that_answer_nonsense_are_one_line(method: str, said: str, tmp_path: Path) -> None:
    with plugged(FAULTY):
        study = match_study(f"careless[method={method}]/plain-uct:iterations=5", "random", 1)
        with pytest.raises(RulesError) as error:
            play(study, tmp_path / "run")
    assert str(error.value) == f"the rules of careless[method={method}] failed: {said}"


@pytest.mark.slow
def test_a_suite_asks_about_it(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(
        'game = "plain-heap"\n[[case]]\nname = "two"\nposition = "2 0"\nbest = ["1"]\n'
    )
    words = ["--plugin", str(PLAIN), "suite", str(tmp_path / "s.toml")]
    done = CliRunner().invoke(main, [*words, "plain-uct:iterations=400", "--json"])
    assert done.exit_code == 0, done.output
    assert (sys.version_info and '"passed": true' in done.stdout.lower()) or "two" in done.stdout

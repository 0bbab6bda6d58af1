"""The forms of referees: how each is started, what it takes for a result, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from joute.engines.engine import parse_engine, parse_game
from joute.engines.errors import Refused
from joute.engines.referees.form import Form, NoResult, Result
from joute.engines.registry import make
from tests.support.plugins import plugged

BOTS = ["./a --k 1", "./b"]
LOG = Path("game.log")


def form(name: str) -> Form:
    made: Form = make("form", name)
    return made


@pytest.mark.parametrize(
    ("name", "command", "words"),
    [
        (
            "brutaltester",
            ["java", "-jar", "r.jar"],
            ["java", "-jar", "r.jar", "-p1", "./a --k 1", "-p2", "./b", "-d", "seed=7", "-l", "game.log"],
        ),
        ("psyleague", ["py", "g.py", "%ALL_PLAYERS%"], ["py", "g.py", "./a --k 1", "./b"]),
        ("psyleague", ["g", "-s%SEED%", "%P2%", "%P1%"], ["g", "-s7", "./b", "./a --k 1"]),
        ("json-line", ["./r"], ["./r", "--seed", "7", "./a --k 1", "./b"]),
        ("json-line", ["./r", "{bots}", "--log={log}"], ["./r", "./a --k 1", "./b", "--log=game.log"]),
        ("json-line", ["./r", "{bot2}", "{seed}", "{bot1}"], ["./r", "./b", "7", "./a --k 1"]),
    ],
)  # fmt: skip
def test_a_form_starts_its_referee(name: str, command: list[str], words: list[str]) -> None:
    one = form(name)
    one.check(command, 2)
    assert one.words(command, BOTS, 7, LOG) == words
    assert one.has_seed(command) == any("7" in word for word in words)


@pytest.mark.parametrize(
    ("name", "printed", "points", "failed"),
    [
        ("brutaltester", "12\n7\n", (12, 7), ("", "")),
        ("brutaltester", "loading\nturn 3\n-1\n7\nseed=5\nmap=9 9\n", (-1, 7), ("score -1", "")),
        (
            "psyleague",
            '{"ranks": [1, 0], "errors": [true, 0], "test_data": {"seed": 5}, "player_data": [{}, {}]}',
            (-1, 0),
            ("error", ""),
        ),
        ("json-line", 'turn\n{"a": 1}\n{"scores": [1.5, -2], "seed": 5}\nbye', (1.5, -2), ("", "")),
        ("json-line", '{"ranks": [1, 1], "failed": [null, "timeout"]}', (-1, -1), ("", "timeout")),
    ],
)
def test_a_result_is_read(
    name: str, printed: str, points: tuple[float, ...], failed: tuple[str, ...]
) -> None:
    result = form(name).result(printed, 2, 5)
    assert (result.points, result.failed) == (points, failed)
    assert result.ranked == ("ranks" in printed)


NOTHING = {
    "brutaltester": [
        ("", "no line with a whole number: nothing"),
        ("over\n1.5\n2\n", "1 scores for 2 players"),
        ("1\n2\n3\n", "3 scores for 2 players"),
        ("1\n2\n1\n2\n", "4 scores for 2 players"),
        ("1\nand\n2\n", "other lines stand between the scores"),
        ("nan\n2\n", "1 scores"),
        ("1\n2\nseed=6\n", "it played the seed 6, and was told 5"),
    ],
    "psyleague": [
        ("", "not one JSON object"),
        ('{"ranks": [0, 1], "errors": [0, 0]}\n{"ranks": [0, 1]}', "not one JSON object"),
        ("[1, 2]", "not one JSON object"),
        ('{"ranks": [0, 1]}', "errors is missing"),
        ('{"ranks": [0], "errors": [0, 0]}', "1 ranks for 2 players"),
        ('{"ranks": [0, NaN], "errors": [0, 0]}', "nan"),
        ('{"ranks": [0, 1], "errors": [0]}', "allowed: a list of 2"),
        ('{"ranks": [0, 1], "errors": [0, 0], "test_data": {"seed": 6}}', "the seed 6"),
    ],
    "json-line": [
        ("", 'no line like {"scores": [3, 1]}: nothing'),
        ('{"score": [1, 2]}', "no line like"),
        ('{"scores": [1, 2]}\n{"scores": [2, 1]}', "2 results"),
        ('{"scores": [NaN, 1]}', "nan is not a finite number"),
        ('{"scores": [1, Infinity]}', "inf is not a finite number"),
        ('{"scores": [1, 2, 3]}', "3 scores for 2 players"),
        ('{"scores": [1, true]}', "True is not a finite number"),
        ('{"scores": "12"}', "allowed: a list of 2 numbers"),
        ('{"scores": [1, 2], "ranks": [2, 1]}', "scores and ranks"),
        ('{"scores": [1, 2], "failed": [1]}', "allowed: a list of 2, null or a text each"),
        ('{"scores": [1, 2], "seed": 6}', "it played the seed 6, and was told 5"),
        ('{"scores": [1, 2], "log": 3}', "log = 3"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "printed", "why"), [(n, *case) for n, cases in NOTHING.items() for case in cases]
)
def test_what_is_no_result_is_named(name: str, printed: str, why: str) -> None:
    with pytest.raises(NoResult) as none:
        form(name).result(printed, 2, 5)
    assert why in str(none.value)


@pytest.mark.parametrize("line", ["###Input 0", "###Start 2", "###Error 1 Timeout"])
def test_brutaltesters_older_protocol_is_refused_by_name(line: str) -> None:
    with pytest.raises(Refused, match="brutaltester's older protocol"):
        form("brutaltester").result(f"{line}\n3 4\n", 2, 5)


@pytest.mark.parametrize(
    ("game", "why"),
    [
        ('form=json-lien,command="./r"', "did you mean 'json-line'"),
        ('command="./r {bot}"', "{bot} is no placeholder here; allowed: {bots}, {bot1}"),
        ('command="./r {bot1} {seed}"', "{bot2} is missing"),
        ('command="./r x{bots}"', "it stands alone"),
        ('command="./r {bots"', "a lone '{'"),
        ('command="./r \'open"', "no closing quotation"),
        ('form=psyleague,command="g"', "%P1% is missing"),
        ('form=psyleague,command="g %P1% %P2%",players=3', "%P3% is missing"),
        ('form=psyleague,command="g %DIR%/%ALL_PLAYERS%"', "%DIR% is no keyword here"),
        ('form=psyleague,command="g ./%ALL_PLAYERS%"', "stands for a bot's whole command line"),
        ('command="./r",players=5', "players = 5 is not a whole number from 2 to 4"),
    ],
)
def test_a_referee_that_cannot_be_is_refused(game: str, why: str) -> None:
    with pytest.raises(Refused) as refused:
        parse_game(f"referee[{game}]")
    assert why in str(refused.value)


def test_returns_follow_from_ranks_with_ties_averaged() -> None:
    def returns(*points: float) -> list[float]:
        return Result(points, ("",) * len(points)).returns()

    assert returns(5, 3) == [1.0, 0.0]
    assert returns(4, 4) == [0.5, 0.5]
    assert returns(9, 1, 5, 3) == pytest.approx([1, 0, 2 / 3, 1 / 3])
    assert returns(2, 2, 7) == [0.25, 0.25, 1.0]
    assert returns(2, 2, 2, 1) == pytest.approx([2 / 3, 2 / 3, 2 / 3, 0])


def test_margins_are_over_the_best_of_the_others_and_ranks_have_none() -> None:
    assert Result((9.0, 4.0, 6.0), ("",) * 3).margins() == [3.0, -5.0, -3.0]
    assert Result((-1.0, -2.0), ("",) * 2, ranked=True).margins() == [None, None]


def test_the_label_says_what_is_not_as_usual_and_reads_back() -> None:
    text = 'referee[command="./r -x, \\"{seed}\\" {bots}",players=3,timeout_s=5]'
    game = parse_game(text)
    assert game.label == text
    assert parse_game(game.label) is game
    engine = parse_engine(f'{text}/bot:command="./bot --k {{k}}",k=0.50')
    assert engine.text == f'{text}/bot:command="./bot --k {{k}}",k=0.5'
    assert parse_engine(engine.text).id == engine.id


def test_identity_is_of_the_command_and_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.txt").write_text("a")

    def digest() -> str:
        parse_game.cache_clear()
        from joute.engines import engine

        engine._games.clear()
        engine._parsed.cache_clear()
        return parse_engine('referee[command="true rules.txt"]/bot:command="echo 1"').digest

    first = digest()
    assert digest() == first
    (tmp_path / "rules.txt").write_text("other rules")
    assert digest() != first


PLUGIN = """
from joute import Form, Result
class Plain(Form):
    name = "plain"
    def words(self, command, bots, seed, log):
        return [*command, str(seed), *bots]
    def result(self, output, players, seed):
        return Result(tuple(map(float, output.split())), ("",) * players)
"""


def test_a_plugin_may_bring_a_form(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text(PLUGIN)
    with plugged(tmp_path / "plain.py"):
        assert form("plain").result("3 4", 2, 1).points == (3, 4)
        assert parse_game('referee[command="./r",form=plain]').label.endswith("form=plain]")

"""Replaying a stored game: the positions of its line, who played what, as text and as a page."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from pathlib import Path

import pytest

from joute.engines.colours import PLAYERS, html, paint, plain
from joute.engines.engine import parse_game
from joute.engines.game import games_with_rules
from joute.engines.position import parse_position
from joute.engines.record import WIN, EngineRecord
from joute.reports.replay import full_id, line_of, moved, replay, transcripts
from joute.reports.replay_page import write_page
from joute.reports.values import curve
from joute.results.meta import BEGUN
from joute.results.store import Store
from joute.results.tables import games_table, load
from tests.support.pages import Checker
from tests.support.plugins import plugged
from tests.support.random_game import store_random_game
from tests.support.records import game
from tests.support.runs import ROOT, TOYS, here, play, study_of, study_text

pytestmark = pytest.mark.usefixtures("toys")
SMALL = "connect4[columns=4,rows=4]"
with plugged(TOYS):
    GAMES = games_with_rules()


@pytest.mark.parametrize("name", GAMES)
def test_every_game_is_replayed_to_its_end_and_has_a_page(name: str, tmp_path: Path) -> None:
    game = parse_game(name)
    end = store_random_game(tmp_path / "run", game)
    found = replay(tmp_path / "run", "0a1b")
    assert len(found.steps) == end.ply - 1
    assert found.steps[-1].drawing == end.draw()
    assert plain(end.draw()) in repr(found) and "\x1b" not in repr(found)  # as a notebook shows it
    assert [step.number for step in found.steps] == list(range(len(found.steps)))
    assert {step.seat for step in found.steps[1:]} <= set(range(game.players))
    assert all(step.ms == 1.5 for step in found.steps[1:])
    page = write_page(found, tmp_path / "page.html").read_text("utf-8")
    assert "\\u003ce0\\u003e" in page and "<e0>" not in page
    loads = re.findall(r'(?:src|href)="([^"]*)"|url\(([^)]*)\)|@import|fetch\(', page)
    assert loads == []
    checker = Checker()
    checker.feed(page)
    assert checker.open == []


def test_hexagons_are_drawn_as_such_and_the_last_move_is_marked(tmp_path: Path) -> None:
    game = parse_game("dodo[side=3]")
    store_random_game(tmp_path / "run", game)
    found = replay(tmp_path / "run", "0a1b")
    (one, _), (two, _) = islice(((p.words(), a) for p, a in line_of(game, found.record)), 2)
    first, second = game.picture(one, 0), game.picture(two, 0, one)
    assert first.count("<polygon") == 19 and first.count("<circle") == 16
    assert first.count('class="name on"') == 16 and first.count('class="name"') == 3
    assert ">a1</text>" in first and ">e5</text>" in first
    assert "moved" not in first
    assert second.count("moved") == second.count('class="left"') == 1


def test_the_moves_are_told_with_seat_name_and_time(tmp_path: Path) -> None:
    store_random_game(tmp_path, parse_game("heap[stones=12]"))
    found = replay(tmp_path, "0a")
    assert plain(found.heading(found.steps[0])) == "0. the opening"
    head = plain(found.heading(found.steps[1]))
    assert re.fullmatch(r"1\. third, <e2>: [123]  1\.5 ms", head)
    assert [plain(line).split(":")[0] for line in found.seats()] == ["first", "second", "third"]
    assert "win" not in " ".join(found.result()) and "draw" not in " ".join(found.result())


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    study = folder / "s.toml"
    specs = ["random", "bad:how=illegal"]
    study.write_text(study_text(specs, blocks=2, game=SMALL, more="[openings]\nplies = 2"))
    here("run", study, "--out", folder / "run", "-j", 1)
    return folder / "run"


def test_without_a_terminal_all_positions_are_printed_without_colours(run: Path) -> None:
    with Store.open(run) as store:
        game = next(game for game in store.games())
    done = here("replay", run, game.id[:10])
    assert done.exit_code == 0, done.stderr
    assert "\x1b" not in done.stdout
    position = parse_position(parse_game(SMALL), f"{game.opening} ")
    assert plain(position.draw()) in done.stdout
    assert done.stdout.count("\n1 2 3 4\n") == game.plies + 1
    told = json.loads(here("replay", run, game.id, "--json").stdout)
    assert told["steps"][-1]["number"] == game.plies
    assert told["opening"] == game.opening


def test_a_failure_is_told_with_its_move_and_text(run: Path) -> None:
    with Store.open(run) as store:
        game = next(g for g in store.games() if any(seat.failure for seat in g.seats))
    text = here("replay", run, game.id).stdout
    assert re.search(r"e1 failed at move \d+: illegal\n", text)
    assert "(by failure)" in text


def test_the_page_is_written_where_it_is_wanted(run: Path, tmp_path: Path) -> None:
    with Store.open(run) as store:
        game = next(store.games())
    done = here("replay", run, game.id, "--html", tmp_path / "x.html")
    assert done.stdout == f"page: {tmp_path / 'x.html'}\n"
    assert "<script" in (tmp_path / "x.html").read_text("utf-8")


def test_ids(run: Path) -> None:
    known = ["aa11", "aa22", "bb33", "01aa", "02aa"]
    assert full_id(known, "aa2") == "aa22"
    assert full_id(known, "BB") == "bb33"
    for name, said in (
        ("aa", "2 games begin with 'aa': aa11, aa22"),
        ("bb32", "no game of this run has an id that begins with 'bb32'; did you mean 'bb33'?"),
        (
            "zz",
            "no game of this run has an id that begins with 'zz'; allowed: a number from 1 to 5, "
            "the game's row in games.csv, or an id or its beginning, such as aa11",
        ),
        (
            "400",
            "no game of this run has the number 400, or an id that begins with '400'; allowed: ",
        ),
    ):
        with pytest.raises(ValueError, match=re.escape(said)):
            full_id(known, name)
    done = here("replay", run, "nothing")
    assert (done.exit_code, done.stdout) == (2, "")


def test_numbers_and_rounds_are_those_of_games_csv(tmp_path: Path) -> None:
    """The stages are in the order of the study, which is not that of the alphabet."""
    with Store.create(tmp_path) as store:
        store.add_engines(EngineRecord(name, name, "", {}, "") for name in ("a", "b"))
        store.add_games(
            [
                game(
                    2 * i + j,
                    stage=stage,
                    order=j // 2,
                    round=j // 2,
                    seating=j % 2,
                    opening="startpos",
                )
                for j in range(2)
                for i, stage in enumerate(("final", "search"))
            ]
        )
        store.set_meta({"game": SMALL, "stages": json.dumps(["search", "final"])})
    rows = games_table(load(tmp_path))
    assert rows["stage"].tolist() == ["search"] * 2 + ["final"] * 2
    listed = json.loads(here("replay", tmp_path, "--json").stdout)["games"]
    assert [(g["number"], g["id"]) for g in listed] == [*enumerate(rows["id"], 1)]
    for number, name in enumerate(rows["id"], 1):
        found = replay(tmp_path, str(number))
        assert found.record.id == name
        assert f"stage {found.record.stage}, round {rows['round'][number - 1]}; " in found.title()
    said = here("replay", tmp_path, 5).stderr
    assert "no game of this run has the number 5, " in said
    assert "allowed: a number from 1 to 4, the game's row in games.csv, or an id" in said


@pytest.mark.parametrize(
    ("at", "answer", "there"),
    [(0, "", 1), (5, "", None), (3, "b", 2), (0, "b", 0), (2, "4", 4), (2, "99", 5), (2, "q", None),
     (2, "what", 2), (2, " Q ", None)],
)  # fmt: skip
def test_answers_at_the_prompt(at: int, answer: str, there: int | None) -> None:
    assert moved(at, answer, 5) == there


def test_colours_come_and_go() -> None:
    for player in range(len(PLAYERS)):
        assert plain(paint("<X>", player)) == "<X>"
        assert html(paint("<X>", player)) == f'<span class="p{player}">&lt;X&gt;</span>'
    assert html("a\x1b[31mb\x1b[0mc" + paint("d", 1)) == 'abc<span class="p1">d</span>'
    row = f"{paint('a', 2)} {paint('a', 2)}  {paint('A', 2)} {paint('b', 1)}\n{paint('b', 1)}"
    assert html(row) == ('<span class="p2">a a  A</span> <span class="p1">b\nb</span>')
    assert html("\x1b[1;38;5;32mopen") == '<span class="p0">open</span>'


def test_a_game_may_be_named_by_its_number_in_the_list(tmp_path: Path) -> None:
    play(study_of(tmp_path, study_text(["random", "uct:iterations=5"], 2)), tmp_path / "run")
    listed = here("replay", tmp_path / "run").output.splitlines()
    number, name = listed[3].split()[:2]
    assert number == "2" and f"game {name} of" in here("replay", tmp_path / "run", "2").output


@pytest.mark.parametrize(
    ("game", "first", "second", "head"),
    [
        ("go[size=3]", "Black", "White", "Black – White"),
        ("chess", "White", "Black", "White – Black"),
        (SMALL, "first", "second", "who, by seat"),
    ],
)
def test_players_are_called_what_the_rules_call_them(
    game: str, first: str, second: str, head: str, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    play(study_of(tmp_path, study_text(["random", "uct:iterations=5"], 1, game)), folder)
    text = repr(replay(folder, "1"))
    assert f"\n{first}: " in text and f"\n{second}: " in text
    page = write_page(replay(folder, "1"), tmp_path / "page.html").read_text("utf-8")
    assert f'"called":["{first}","{second}"]' in page.replace(" ", "")
    assert here("report", folder).exit_code == 0
    assert f"<th>{head}</th>" in (folder / "report.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("game", "written", "tag", "without"),
    [
        ("chess", "pgn", '[Date "2020.02.03"]', '[Date "????.??.??"]'),
        ("go[size=3]", "sgf", "DT[2020-02-03]", "GN["),
    ],
)
def test_a_game_is_of_the_day_on_which_its_run_was_begun(
    game: str, written: str, tag: str, without: str, tmp_path: Path
) -> None:
    """A run that goes on keeps it, so that its games are written as before."""
    folder = tmp_path / "run"
    play(study_of(tmp_path, study_text(["random", "bad:how=illegal"], 1, game)), folder)
    with Store.open(folder, write=True) as store:
        assert datetime.now(UTC).date() - date.fromisoformat(store.meta().begun) < timedelta(2)
        store.set_meta({BEGUN: "2020-02-03"})
    first = next(transcripts(folder, written))
    assert tag in first
    play(study_of(tmp_path, study_text(["random", "bad:how=illegal"], 2, game)), folder)
    assert first == next(transcripts(folder, written))
    with Store.open(folder, write=True) as store:
        store.set_meta({BEGUN: ""})  # of an older version
    earlier = next(transcripts(folder, written))
    assert tag not in earlier and without in earlier and "DT[" not in earlier


@pytest.mark.parametrize(
    ("values", "bound"),
    [
        ([12.0, -35.0, None, 180.0, -410.0], 410),
        ([12.0, -35.0, 48.0, 180.0, 640.0, 30000.0, 29999.0, 29998.0], 640),
        ([12.0, 40.0, -410.0, 1 - WIN, WIN - 3], 410),
        ([0.02, -0.3, 0.4, 1e9], 0.4),
        ([*[20.0] * 30, *[400.0] * 8, 1403.0, 8191.0, 9316.0], 1600),
        ([*[20.0] * 30, 30000.0], 20),
        ([0.0, 0.0, 3.0], 3),
        ([30000.0], 30000),
        ([30000.0, 1.0, 30000.0, 29999.0, 29998.0, 29997.0, 29996.0], 30000),
        ([WIN - 3], 1),
        ([None, 0.0], 1),
    ],
)
def test_a_mate_does_not_set_the_scale_of_values_in_units_of_their_own(
    values: list[float | None], bound: float
) -> None:
    told = curve(values, None)
    assert (told.shares, told.bound) == (False, bound)
    assert curve([WIN - 3, 0.123456], None).values == (WIN - 3, 0.1235)


def test_the_chart_says_what_its_values_are(tmp_path: Path) -> None:
    """In a browser: scores, or an engine's own units with an axis of their own."""
    if (node := shutil.which("node")) is None:
        pytest.skip("node is not here")
    script = (ROOT / "reports/templates/parts/viewer.js.jinja").read_text("utf-8")
    (tmp_path / "v.js").write_text(
        f"{script}\nconst part = () => ({{ replaceChildren() {{}}, firstChild: {{ addEventListener() {{}} }} }});\n"
        "for (const curves of JSON.parse(process.argv[2])) {\n"
        "  const one = Object.create(Viewer.prototype);\n"
        "  one.part = { values: part(), legend: part() };\n"
        "  one.game = { names: ['ours', 'theirs'], curves,\n"
        "    turns: [null, 0, 1, 0, 1].map(seat => [seat, '', 1, '', '', []]) };\n"
        "  one.values();\n"
        "  console.log(JSON.stringify([one.part.legend.textContent, one.part.values.innerHTML, one.value(3)]));\n"
        "}\n"
    )
    score, own = [1, [0.5, 0.75], 1], [0, [20.0, 30000.0], 25.0]
    won = [0, [20.0, WIN - 3], 20.0]
    asked = json.dumps([[score, score], [score, own], [won, own]])
    done = subprocess.run(
        [node, tmp_path / "v.js", asked], capture_output=True, text=True, check=True
    )
    both, mixed, foreign = map(json.loads, done.stdout.splitlines())
    assert both[0].endswith(
        "it moved: the score that it expects (first player solid, second dashed)."
    )
    assert "ours: the score that it expects." in mixed[0] and "50 %" in mixed[1]
    assert (
        "theirs: in its own units, axis from \u221225 to 25, what is beyond at its edge."
        in mixed[0]
    )
    assert ">25</text>" in mixed[1] and "expects" not in foreign[0] and "%" not in foreign[1]
    assert ">20</text>" in foreign[1] and foreign[2] == "win in 3 plies"

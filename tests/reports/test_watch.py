"""The page of a run: what it says while the run grows, whom it answers, and what it survives."""

from __future__ import annotations

import html
import json
import os
import shutil
import socket
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from joute.engines.record import EngineRecord
from joute.reports.telling import answer
from joute.reports.watch.pace import Pace
from joute.reports.watch.parts import pace_columns
from joute.reports.watch.server import HOST, Server
from joute.results.frames import load
from joute.results.store import Store
from tests.support.pages import Checker
from tests.support.runs import (
    BAD,
    here,
    kill_group,
    play,
    rows,
    started,
    study_of,
    study_text,
    wait_for_games,
)
from tests.support.searches import scan_text, tune_text
from tests.support.synthetic_runs import META, Players, campaign, engine, many, match
from tests.support.watching import ask, measured, now, served, shown, with_browser

OLD = Path(__file__).parents[1] / "frozen" / "run_of_0_1"
EVIL = "<img src=x onerror=alert(1)>&\"'"
PART = '<section id="part-'


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real run of two engines, of which one fails."""
    folder = tmp_path_factory.mktemp("watch")
    specs = [
        "alphabeta:evaluation=static,depth=2",
        "alphabeta:evaluation=static,depth=1",
        "bad:how=illegal",
    ]
    text = study_text(
        specs, blocks=2, game="connect4[columns=5,rows=5]", more="[openings]\nplies = 2"
    )
    here(
        "run",
        study_of(folder, text) and folder / "s.toml",
        "--out",
        folder / "run",
        "-j",
        1,
        "--no-report",
    )
    return folder / "run"


@pytest.fixture(scope="module")
def page(run: Path) -> Iterator[Server]:
    with served(run) as server:
        yield server


def plain(part: str) -> str:
    return html.unescape(part)


def test_the_page_says_what_the_report_says(tmp_path: Path) -> None:
    for folder in (
        campaign(tmp_path / "c", blocks=4),
        match(tmp_path / "m"),
        many(tmp_path / "t", 3),
    ):
        with served(folder) as server:
            found = now(server)["parts"]
            for line in answer(load(folder)).lines:
                assert line in plain(found["answer"])
            assert "What would still change it" in found["answer"]
            assert 'class="ci"' in found["standings"] and "nan" not in " ".join(found.values())
            whole = ask(server, "/").text
            checker = Checker()
            checker.feed(whole)
            assert checker.open == [] and len(set(checker.ids)) == len(checker.ids)
            assert all(part.strip() in whole for part in found.values())


def test_parameters_are_shown_by_stage_but_for_what_a_stage_is_played_within(
    tmp_path: Path,
) -> None:
    with served(campaign(tmp_path, blocks=3)) as server:
        charts = now(server)["parts"]["charts"]
    last, first = charts.split("Stage “widths”")
    assert last.count('class="chart"') == 2 and first.count('class="chart"') == 1
    assert "Score against width" in first and "Score against depth" not in first


def test_an_update_has_the_new_games_and_nothing_else(tmp_path: Path) -> None:
    new, old = engine("new", depth=6), engine("old", depth=4)
    players = Players({new.id: 300.0, old.id: 0.0})
    with Store.create(tmp_path) as store:
        store.add_engines([new, old])
        noted = {
            "begun": time.time() - 10,
            "had": 0,
            "workers": 2,
            "games": {"main": 400},
            "ended": "",
        }
        store.set_meta(
            {**META, "kind": "match", "stages": '["main"]', "progress": json.dumps(noted)}
        )
        with served(tmp_path) as server:
            first = now(server)
            assert "No game was played" in first["parts"]["answer"]
            assert "0 of 400 games" in first["parts"]["progress"]
            assert "playing" in first["parts"]["progress"]
            for number in range(40):
                store.add_games(players.pair(new.id, old.id, "main", number, number))
            second = now(server)
            assert second["number"] > first["number"]
            assert "80 of 400 games" in second["parts"]["progress"]
            assert (
                "left" in second["parts"]["progress"] and "games/s" in second["parts"]["progress"]
            )
            assert "new beats old" in second["parts"]["answer"]
            assert "At most" not in second["parts"]["answer"]
            assert "320 games of 400 are to come" in second["parts"]["answer"]
    with served(tmp_path) as server:
        last = now(server)
        assert "stopped before its end" in last["parts"]["progress"]
        again = ask(server, f"/state?since={last['number']}&now=1").data
        assert "parts" not in again and again["number"] == last["number"]


def fitted(server: Server) -> dict[str, str]:
    """Return the parts of a search's page when its model is there; no verdict is told before."""
    limit = time.monotonic() + 60
    while "being fitted" in (found := now(server)["parts"])["answer"]:
        assert 'class="card' not in found["answer"]
        assert time.monotonic() < limit
        time.sleep(0.1)
    parts: dict[str, str] = found
    return parts


@pytest.mark.parametrize("text", [scan_text("60 games"), tune_text("200 games")])
def test_a_search_says_what_its_model_says(text: str, tmp_path: Path) -> None:
    play(study_of(tmp_path, text), tmp_path / "run")
    with served(tmp_path / "run") as server:
        found = fitted(server)
        for line in answer(load(tmp_path / "run")).lines:
            assert line in plain(found["answer"])
        assert 'class="chart"' in found["charts"] and 'class="band"' in found["charts"]
        assert "trials" in found["trials"] and "luckiest" in found["trials"]
        assert "done" in found["progress"]


def test_a_search_that_went_on_is_not_answered_by_its_earlier_model(tmp_path: Path) -> None:
    play(study_of(tmp_path, tune_text("200 games")), tmp_path / "run")
    with served(tmp_path / "run") as server:
        assert fitted(server)["answer"]
        play(study_of(tmp_path, tune_text("240 games")), tmp_path / "run")
        at_once = now(server)["parts"]["answer"]
        assert "being fitted" in at_once and 'class="card' not in at_once
        later = plain(fitted(server)["answer"])
    assert all(line in later for line in answer(load(tmp_path / "run")).lines)


def test_the_test_of_a_match_says_how_far_it_is(tmp_path: Path) -> None:
    sprt = json.dumps({"elo0": 0, "elo1": 30, "alpha": 0.05, "beta": 0.05, "model": "logistic"})
    match(tmp_path, elo=20, blocks=60, sprt=sprt)
    with served(tmp_path) as server:
        said = now(server)["parts"]["answer"]
    assert "The test ends when its ratio," in said and "leaves -2." in said


@pytest.mark.slow
def test_games_are_listed_page_by_page(page: Server, run: Path) -> None:
    with Store.open(run) as store:
        games = {game.id: game for game in store.games()}
    found = ask(page, "/games?kind=latest&page=0").data
    assert {row["id"] for row in found["rows"]} == set(games) and found["total"] == 12
    assert {value for value, _ in found["kinds"]} >= {"latest", "failures", "engine:e2"}
    assert ask(page, "/games?kind=failures").data["total"] == 8
    assert ask(page, "/games?kind=nothing").data["rows"] == []
    assert ask(page, "/games?kind=latest&page=99999999").data["number"] == 0
    longest = ask(page, "/games?kind=longest").data["rows"][0]
    one = ask(page, f"/game?key={longest['key']}").data
    game = games[longest["id"]]
    assert one["game"]["id"] == game.id and len(one["game"]["turns"]) == game.plies + 1
    assert ask(page, f"/game?key={game.id}").data == one
    mine = next(i for i, name in enumerate(one["game"]["names"]) if name == "e0")
    shares, values, _ = one["game"]["curves"][mine]
    assert shares == 1 and all(0 <= value <= 1 for value in values)
    failed = ask(page, "/games?kind=failures").data["rows"][0]
    assert "e2: illegal" in failed["note"]
    told = ask(page, f"/game?key={failed['key']}").data["game"]
    assert "e2 failed at move" in " ".join(told["result"])
    for key in ("", "0", "99999999", "x", "../../etc/passwd", "1;drop", "%00", "-1"):
        assert ask(page, f"/game?key={key}").status == 404


def test_a_stranger_is_sent_away(page: Server) -> None:
    port = page.server_port
    for host in (
        f"evil.example:{port}",
        "evil.example",
        HOST,
        f"{HOST}:{port + 1}",
        "",
        f"[::1]:{port}",
        f"{HOST}.evil.example:{port}",
    ):
        reply = ask(page, "/state?since=0", Host=host)
        assert reply.status == 421 and "parts" not in reply.text
    assert ask(page, "/", Host=f"localhost:{port}").status == 200
    for path in (
        "/run.db",
        "/../run.db",
        "/%2e%2e/run.db",
        "//etc/passwd",
        "/static/x",
        "/state/",
        "/http://[x",
    ):
        assert ask(page, path).status == 404
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        assert ask(page, "/", method).status == 501
    headers = ask(page, "/").headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe-eval" not in policy and "http" not in policy
    assert headers["X-Frame-Options"] == "DENY" and headers["Cache-Control"] == "no-store"
    assert ask(page, "/", "HEAD").text == ""


def test_names_and_stderr_are_texts(tmp_path: Path) -> None:
    bad = engine("bad")
    one = EngineRecord(bad.id, EVIL, bad.spec, {"k": EVIL}, bad.digest)
    two = EngineRecord("other", "other</script><script>alert(1)</script>", "x/y", {"k": 1}, "d")
    players = Players({one.id: 0.0, two.id: 0.0})
    players.failing = {one.id: "crash"}
    with Store.create(tmp_path) as store:
        store.add_engines([one, two])
        store.set_meta(
            {**META, "name": EVIL, "game": EVIL, "stages": json.dumps([EVIL]), "machine": EVIL}
        )
        for number in range(30):
            store.add_games(players.pair(one.id, two.id, EVIL, number, number, EVIL))
    with served(tmp_path) as server:
        text = ask(server, "/").text
        parts = " ".join(now(server)["parts"].values())
        for said in (text, parts):
            assert "<img" not in said and "<script>alert" not in said and "<b>no move" not in said
            assert "&lt;img src=x" in said and "&lt;b&gt;no move" in said
        row = ask(server, "/games?kind=failures").data["rows"][0]
        assert "crash" in row["note"]
        game = ask(server, f"/game?key={row['key']}").data["game"]
        assert game["turns"] == [] and "is not a game" in game["fault"]


def test_a_folder_that_is_deleted_is_told_and_may_come_back(tmp_path: Path) -> None:
    folder = match(tmp_path / "run", blocks=5)
    with served(folder) as server:
        first = now(server)
        assert first["fault"] == ""
        shutil.move(folder, tmp_path / "away")
        gone = now(server)
        assert "there is no run in" in gone["fault"] and gone["parts"] == first["parts"]
        assert ask(server, "/games?kind=latest").status == 409
        assert ask(server, "/game?key=1").status == 409
        page = ask(server, "/").text
        assert "there is no run in" in page
        shutil.move(tmp_path / "away", folder)
        assert now(server)["fault"] == ""
        data = (folder / "run.db").read_bytes()
        (folder / "run.db").write_bytes(data[: len(data) // 3])
        assert "run.db" in now(server)["fault"]
        (folder / "run.db").write_bytes(b"")
        assert "not an SQLite database" in now(server)["fault"]
        (folder / "run.db").write_bytes(data)
        assert now(server)["fault"] == ""
        with sqlite3.connect(folder / "run.db") as db:
            db.execute("UPDATE meta SET value = '[[' WHERE key = 'versions'")
            db.execute("INSERT OR REPLACE INTO meta VALUES ('progress', '[1]')")
        db.close()
        assert "is damaged" in now(server)["fault"]


@pytest.fixture
def written(run: Path, tmp_path: Path) -> Iterator[tuple[Server, Path]]:
    """A server of a run into which somebody is going to write, and its folder."""
    folder = tmp_path / "run"
    shutil.copytree(run, folder)
    with served(folder) as server:
        yield server, folder


def write(folder: Path, statement: str, *values: object) -> None:
    """Write into a run."""
    with sqlite3.connect(folder / "run.db") as db:
        assert db.execute(statement, values).rowcount > 0
    db.close()


def test_numbers_that_are_none_are_told_and_the_answer_comes(written: tuple[Server, Path]) -> None:
    server, folder = written
    write(folder, "UPDATE seats SET ms = x'0000807f', plies = 1")
    reply = ask(server, "/game?key=1")
    assert reply.status == 500 and "cannot be shown" in reply.text


def test_a_pipe_in_place_of_the_run_keeps_nobody_waiting(written: tuple[Server, Path]) -> None:
    server, folder = written
    for make in (os.mkfifo, Path.mkdir):
        path = folder / "run.db"
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        make(path)
        assert "is not a plain file" in now(server)["fault"]
        for address in ("/games?kind=latest", "/game?key=1"):
            assert ask(server, address).status == 409
        path.unlink() if path.is_fifo() else None
        path.touch()


def test_a_game_without_end_is_refused_at_once(written: tuple[Server, Path]) -> None:
    server, folder = written
    write(folder, "UPDATE games SET actions = ? WHERE number = 1", "1 " * 3_000_000)
    begun = time.monotonic()
    game = ask(server, "/game?key=1").data["game"]
    assert "has 3,000,000 plies; shown are" in game["fault"] and game["turns"] == []
    assert ask(server, "/game?key=2").data["game"]["turns"]
    [(key,)] = rows(folder, "SELECT id FROM games WHERE number = 1")
    done = here("replay", folder, str(key))
    assert done.exit_code == 2 and "has 3,000,000 plies" in done.stderr
    assert time.monotonic() - begun < 20


def test_long_names_are_shortened_in_lists(written: tuple[Server, Path]) -> None:
    server, folder = written
    write(folder, "UPDATE engines SET name = id || ?", "n" * 2_000_000)
    now(server)
    assert len(ask(server, "/games?kind=latest").text) < 100_000
    assert len(ask(server, "/game?key=1").text) < 100_000


def test_what_cannot_be_watched_is_refused_in_one_line(tmp_path: Path) -> None:
    def refusal(*words: object) -> str:
        done = here("watch", *words)
        assert (done.exit_code, done.stdout) == (2, "")
        [line] = done.stderr.splitlines()
        return line

    assert "there is no run in" in refusal(tmp_path)
    assert "there is no run in" in refusal(tmp_path / "nowhere")
    folder = match(tmp_path / "run", blocks=5)
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert f"cannot listen on {HOST}:{port}" in refusal(folder, "--port", port)
    with sqlite3.connect(folder / "run.db") as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    done = here("watch", folder)
    assert done.exit_code == 1 and "a newer version of Joute" in done.stderr
    with sqlite3.connect(folder / "run.db") as db:
        db.execute("PRAGMA user_version = 6")
        db.execute("INSERT OR REPLACE INTO meta VALUES ('stages', ?)", ("[" * 9000,))
    db.close()
    assert "damaged" in refusal(folder)
    (folder / "run.db").write_bytes(b"SQLite format 3\0 and then nothing")
    assert "damaged" in refusal(folder)


def test_runs_of_older_versions_are_shown(tmp_path: Path) -> None:
    shutil.copytree(OLD / "league", tmp_path / "run")
    with served(tmp_path / "run") as server:
        found = now(server)["parts"]
        assert answer(load(tmp_path / "run")).lines[0] in plain(found["answer"])
        assert "no process is playing this run" in found["progress"]
        key = ask(server, "/games").data["rows"][0]["key"]
        game = ask(server, f"/game?key={key}").data["game"]
        assert len(game["turns"]) > 1 and "curves" not in game


def test_a_browser_that_goes_away_is_no_fault(
    page: Server, capfd: pytest.CaptureFixture[str]
) -> None:
    for said in (b"GET / HTTP/1.1\r\nHo", b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % page.server_port, b"\0\xff" * 300):  # fmt: skip
        for _ in range(5):
            link = socket.create_connection((HOST, page.server_port))
            link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # reset
            link.sendall(said)
            link.close()
    assert ask(page, "/").status == 200
    assert capfd.readouterr().err == ""


@pytest.mark.slow
def test_a_run_is_watched_from_another_terminal(tmp_path: Path) -> None:
    text = study_text(["sleepy:ms=3,salt=1", "sleepy:ms=3,salt=2"], blocks=400)
    study = study_of(tmp_path, text)
    run = started("run", tmp_path / "s.toml", "--out", tmp_path / "run", "-j", 1, "--no-report")
    watch = None
    try:
        wait_for_games(tmp_path / "run", 4, run)
        watch = started("watch", tmp_path / "run", "--json")
        assert watch.stdout is not None
        url = json.loads(watch.stdout.readline())["url"]
        import urllib.request

        with urllib.request.urlopen(f"{url}state?since=0&now=1") as reply:
            first = json.loads(reply.read())
        assert (
            "playing" in first["parts"]["progress"]
            and " of 800 games" in first["parts"]["progress"]
        )
        assert "games/s" in first["parts"]["progress"]
        shutil.rmtree(tmp_path / "run")
        with urllib.request.urlopen(f"{url}state?since=0&now=1") as reply:
            assert "there is no run in" in json.loads(reply.read())["fault"]
        assert study.name == "s" and BAD.exists()
    finally:
        kill_group(run)
        run.communicate()
        if watch is not None:
            watch.terminate()
            watch.communicate()


def test_every_worker_has_its_speed(tmp_path: Path) -> None:
    study = study_of(tmp_path, study_text(["sleepy:ms=1,salt=1", "sleepy:ms=1,salt=2"], blocks=40))
    play(study, tmp_path / "run", 2)
    with Store.open(tmp_path / "run") as store:
        paces = json.loads(store.meta()["paces"])
    assert len(paces) == 2 and sum(games for games, _ in paces.values()) == 80
    assert all(worker.startswith("process ") and spent > 0 for worker, (_, spent) in paces.items())
    with served(tmp_path / "run") as server:
        shown = now(server)["parts"]["speed"]
    assert "Workers, the slowest first" in shown and all(worker in shown for worker in paces)
    rates = [columns.cells for columns in pace_columns(paces)]
    slowest = min(paces, key=lambda worker: (paces[worker][0] / paces[worker][1], worker))
    assert rates[0][0] == slowest and pace_columns({slowest: paces[slowest]}) == []


def test_pace() -> None:
    clock = [100.0]
    pace = Pace(now=lambda: clock[0])
    noted = {
        "begun": 90.0,
        "had": 50,
        "games": {"main": 1000},
        "workers": 2,
        "ended": "",
        "end": None,
    }
    meta = {"progress": json.dumps(noted)}
    first = pace.progress(meta, 150, True)
    assert (first.rate, first.left) == (10.0, 85.0)  # since it began
    clock[0] += 10
    second = pace.progress(meta, 350, True)
    assert (second.rate, second.left) == (20.0, 32.5)  # lately
    assert pace.progress({}, 350, False).state == "unknown"
    done = {**noted, "ended": "done", "end": 110.0}
    found = pace.progress({"progress": json.dumps(done)}, 450, False)
    assert (found.state, found.rate, found.left, found.share) == ("done", 20.0, None, 0.45)
    budget = {**noted, "games": None, "seconds": 60}
    assert pace.progress({"progress": json.dumps(budget)}, 450, True).left == 40.0
    left = pace.progress(meta, 550, True, surplus=200)  # those of entrants that have left
    assert (left.games, left.share, left.left) == (
        350,
        0.35,
        650 / left.rate if left.rate else None,
    )
    games = {**noted, "budget": 600}  # which counts whatever is stored
    assert pace.progress({"progress": json.dumps(games)}, 550, True, surplus=200).games == 550


@with_browser
def test_a_browser_shows_the_page_and_plays_a_game(page: Server) -> None:
    key = ask(page, "/games?kind=longest").data["rows"][0]["key"]
    dom = shown(f"{page.url}#game={key}&move=2")
    assert dom.count('class="row"') == 12
    assert '<svg class="board discs"' in dom and dom.count('class="moved"') == 1
    assert "expects " in dom or "opening" in dom
    assert 'aria-label="Value that each engine gives' in dom and "<polyline" in dom
    assert '<p class="warn" id="fault" role="status" hidden="">' in dom


@with_browser
def test_the_page_fits_a_phone(page: Server, tmp_path: Path) -> None:
    fits = "[innerWidth, document.documentElement.scrollWidth]"
    assert measured(ask(page, "/").text, tmp_path, fits) == [400, 400]


@with_browser
def test_the_page_moves_while_games_come_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new, old = engine("new", depth=6), engine("old", depth=4)
    strong, weak = (Players({new.id: elo, old.id: 0.0}) for elo in (600.0, -600.0))
    with Store.create(tmp_path) as store:
        store.add_engines([new, old])
        store.set_meta({**META, "kind": "match", "stages": '["main"]'})
        for number in range(10):
            store.add_games(strong.pair(new.id, old.id, "main", number, number))
    with served(tmp_path) as server:
        update, live, first = server.live.update, server.live, []

        def later(since: int, at_once: bool = False) -> dict[str, object]:
            if not first:  # the page stands in the browser
                first.append(since)
                with Store.open(tmp_path, write=True) as store:
                    for number in range(10, 50):
                        store.add_games(weak.pair(new.id, old.id, "main", number, number))
            return update(since, True)

        assert "new beats old" in live.state().parts["answer"]
        monkeypatch.setattr(live, "update", later)
        dom = shown(server.url)
    assert "100 games" in dom and "old beats new" in dom and "new beats old" not in dom
    table = dom[dom.index("Standings") : dom.index("Failures")]
    assert table.index(">old<") < table.index(">new<") and table.count("<tr data-key") == 2
    assert (
        "page 1 of 2, 100 games" in dom and '<p class="warn" id="fault" role="status" hidden' in dom
    )

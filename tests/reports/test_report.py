"""The page: whole, alone, and safe to open whatever an engine printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from joute.reports.html import environment
from joute.reports.page.html_table import Column
from joute.reports.page.page import report
from joute.reports.page.standings import settings_columns
from joute.results.store import Store
from tests.support import synthetic_runs as runs
from tests.support.pages import Checker


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("campaign")
    path = report(runs.campaign(folder, depths=(4, 5), blocks=4)).page
    assert path == folder / "report.html"
    assert (folder / "standings.csv").exists()
    assert (folder / "plots" / "ladder.png").exists()
    return path.read_text("utf-8")


def test_the_page_is_well_formed(page: str) -> None:
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    assert len(checker.ids) == len(set(checker.ids))


def test_the_page_needs_no_network(page: str) -> None:
    loads = re.findall(r'(?:src|href)="([^"]*)"|url\(([^)]*)\)|@import', page)
    assert loads
    assert all((a or b).startswith(("#", "data:image/png;base64,")) for a, b in loads)
    assert (
        "fetch(" not in page
        and "XMLHttpRequest" not in page
        and "http:" not in re.sub(r"http://www.w3.org/\S+", "", page)
    )


def test_the_page_says_what_matters(page: str) -> None:
    for text in ("is first with", "Standings", "Failures", "joute run study.toml", "Versions"):
        assert text in page
    for text in ("prefers-color-scheme", "@media print", "width=device-width"):
        assert text in page
    assert "nan" not in re.sub(r"<svg.*?</svg>", "", page, flags=re.DOTALL).lower()


def test_the_score_stands_beside_the_engine_and_its_settings_come_next(page: str) -> None:
    heads = re.findall(r"<thead><tr>(.*?)</tr>", page)
    titles = [re.findall(r"<th[^>]*>(.*?)</th>", head) for head in heads]
    [standings, *_] = [found for found in titles if "verdict" in found]
    begin = standings.index("engine")
    assert re.fullmatch(r"\d+ to \d+ %", standings.pop(begin + 5))  # the same as a bar
    assert standings[begin : begin + 8] == [
        "engine", "score", "95 % interval", "depth", "width", "verdict", "Elo", "95 % interval",
    ]  # fmt: skip


def test_the_plots_have_the_colours_of_the_page(page: str) -> None:
    drawings = re.findall(r"<figure[^>]*><svg.*?</svg>", page, flags=re.DOTALL)
    assert drawings
    for drawing in drawings:
        named = set(re.findall(r"var\(--(\w+)\)", drawing))
        assert {"card", "ink", "dim"} <= named <= {"card", "ink", "dim", "line", "blue"}
        assert not re.search(r"#(ffffff|1a1a1a|000000|666666|444444|ebebeb)\b", drawing, re.I)
    style = page[page.index("<style>") : page.index("</style>")]
    for name in ("card", "ink", "dim", "line", "blue"):
        assert style.count(f"--{name}:") == 3  # light, dark and print


def test_standings_name_only_the_settings_that_differ(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"engine": "e0", "depth": 4, "width": 0.5, "killers": None, "table": 20},
        {"engine": "e1", "depth": 6, "width": 0.5, "killers": 2, "table": 20},
    ]
    names = ["depth", "width", "killers", "table"]
    assert [c.title for c in settings_columns(rows, names)] == ["depth"]
    named = [row | {"engine": f"depth={row['depth']}"} for row in rows]
    assert settings_columns(named, names) == []  # their names tell it
    commands = [{"engine": e, "command": f"./bot --of {e}"} for e in ("e0", "e1")]
    assert [c.below for c in settings_columns(commands, ["command"])] == [True]
    many = [
        {"engine": "e0", "a": 1, "b": 2.5, "c": "x"},
        {"engine": "e1", "a": 2, "b": 3.5, "c": None},
        {"engine": "e2", "a": 2, "b": 3.5, "c": "y"},
    ]
    [one] = settings_columns(many, ["a", "b", "c"])
    assert one.below and one.cells == ["a 1, b 2.5, c x", "a 2, b 3.5", "a 2, b 3.5, c y"]
    table = environment().get_template("table.html.jinja").module.table  # type: ignore[attr-defined]
    engines = Column("engine", ["e0", "e1", "e2"], False)
    html = str(table([engines, Column("score", ["1", "2", "3"]), one], ["engine"]))
    assert html.count("<tr") == 2 * 4 and html.count('colspan="2"') == 4  # under head and engines
    assert '<tr class="below" data-key="e1 below"><td colspan="2">a 2, b 3.5</td>' in html


def test_what_engines_print_is_only_text(page: str) -> None:
    assert "&lt;b&gt;no move&lt;/b&gt;" in page
    assert "<b>no move" not in page


def test_an_empty_run_has_a_page(tmp_path: Path) -> None:
    Store.create(tmp_path).close()
    assert "No game was played" in report(tmp_path).page.read_text("utf-8")


def test_a_match_has_a_page_without_machine_paths(tmp_path: Path) -> None:
    text = report(runs.match(tmp_path, blocks=3)).page.read_text("utf-8")
    assert str(tmp_path) not in text
    assert "Cannot tell" in text or "beats" in text


def test_letters_are_of_one_size_in_all_plots_and_readable_on_a_phone(page: str) -> None:
    widths = [float(width) for width in re.findall(r'<svg[^>]* width="([\d.]+)pt"', page)]
    styled = re.findall(r'<svg style="max-width:(\d+)px;width:([\d.]+)%;--least:(\d+)px"', page)
    shown = [int(width) for width, _, _ in styled]
    assert shown == [round(width * 110 / 72) for width in widths]
    assert max(shown) == 880 and min(shown) < 700  # who beats whom is narrower, not larger
    scale = [float(share) / width for (_, share, _), width in zip(styled, shown, strict=True)]
    assert max(scale) == pytest.approx(min(scale), rel=0.002)
    for least, width in zip((int(least) for _, _, least in styled), shown, strict=True):
        assert least == pytest.approx(0.75 * width, abs=1)  # its box scrolls there
    css = page[page.index("<style>") : page.index("</style>")]
    assert (
        "@media screen and (max-width: 800px) { figure svg { min-width: var(--least, 0); } }" in css
    )
    assert page.count('<figure tabindex="0"') == len(widths)


def test_what_scrolls_on_a_phone_shows_it_and_words_stay_whole(page: str) -> None:
    css = page[page.index("<style>") : page.index("</style>")]
    (edges,) = re.findall(r"\n\.wide, figure \{ background: ([^;]*);", css)
    assert edges.count("local") == 2 and edges.count("var(--shade)") == 2
    (rule,) = re.findall(r"\ntable \{([^}]*)\}", css)
    assert "background" not in rule  # it would hide the shadow of its box
    for svg in re.findall(r"<figure[^>]*>(<svg.*?</svg>)", page, flags=re.DOTALL):
        paper = re.search(r'patch_1">\s*<path d="[^"]*" style="fill: ([^";]*)', svg)
        assert paper and paper[1] == "none"  # so does the paper of a plot
    assert "anywhere" not in "".join(re.findall(r"\.games td[^}]*\}", css))
    assert 'cell(row.note, "words")' in page


def test_a_title_of_several_words_is_two_lines_high(page: str) -> None:
    titles = re.findall(r'<th[^>]* style="min-width:(\d+)ch">([^<]*)<', page)
    assert dict((title, int(width)) for width, title in titles)["won drawn lost"] == 9


def test_below_the_card_the_whole_answer_is_folded_away(page: str) -> None:
    (box,) = re.findall(r'<section class="beyond">.*?</section>', page, flags=re.DOTALL)
    first, folded = box.split("<details")
    assert " of the points" not in first and " per move (median" not in first
    assert "The whole answer, as in the terminal" in folded and " of the points" in folded
    assert '<section class="answer">' not in page

"""The page: whole, alone, and safe to open whatever an engine printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from joute.reports.page.page import report
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


def test_the_score_stands_beside_the_engine_and_its_settings_come_last(page: str) -> None:
    heads = re.findall(r"<thead><tr>(.*?)</tr>", page)
    titles = [re.findall(r"<th[^>]*>(.*?)</th>", head) for head in heads]
    [standings, *_] = [found for found in titles if "verdict" in found]
    begin = standings.index("engine")
    assert re.fullmatch(r"\d+ to \d+ %", standings.pop(begin + 2))  # the same as a bar
    assert standings[begin : begin + 6] == [
        "engine", "verdict", "score", "95 % interval", "Elo", "95 % interval",
    ]  # fmt: skip
    assert standings.index("games") < standings.index("depth")
    assert standings[-2:] == ["depth", "width"]


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


def test_letters_are_of_one_size_in_all_plots_and_all_is_in_sight_on_a_phone(page: str) -> None:
    widths = [float(width) for width in re.findall(r'<svg[^>]* width="([\d.]+)pt"', page)]
    styled = re.findall(r'<svg style="max-width:(\d+)px;width:([\d.]+)%"', page)
    shown = [int(width) for width, _ in styled]
    assert shown == [round(width * 110 / 72) for width in widths]
    assert max(shown) == 880 and min(shown) < 700  # who beats whom is narrower, not larger
    scale = [float(share) / width for (_, share), width in zip(styled, shown, strict=True)]
    assert max(scale) == pytest.approx(min(scale), rel=0.002)  # as wide as a phone has room for
    css = page[page.index("<style>") : page.index("</style>")]
    assert re.findall(r"[^{}]*\{[^{}]*min-width: 620px", css) == [
        " figure:focus svg { min-width: 620px"
    ]
    assert page.count('<figure tabindex="0"') == len(widths)

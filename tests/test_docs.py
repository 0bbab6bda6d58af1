"""README and docs: links lead somewhere, commands exist and print what is shown, pages are current."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import shlex
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from joute.cli import main
from joute.engines.registry import names
from joute.studies.load import load_study
from joute.studies.ready_made import STUDIES
from tests.support.marks import ASKED, dear
from tests.support.runs import ROOT, here

DOCS = ROOT / "docs"
README = ROOT / "README.md"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *ROOT.glob("examples/*/*.md")])
BLOCK = re.compile(r"^ *```(\w+)\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
PLAIN = (  # English that readers stumbled over, and words of ours
    *("stands in", "is spoken", "are spoken", "one a pairing", "without more ado", "as ever"),
    *(r"seed 00\d", "is there already", "what became of", "knob"),
)


def page_name(page: Path) -> str:
    return str(page.relative_to(ROOT))


each_page = pytest.mark.parametrize("page", PAGES, ids=page_name)


def blocks(page: Path, *languages: str) -> list[str]:
    """The blocks of code of a page that are in one of the languages."""
    found = BLOCK.findall(page.read_text("utf-8"))
    return [textwrap.dedent(code) for language, code in found if language in languages]


def headings(page: Path) -> set[str]:
    """The anchors of a page's headings."""
    text = BLOCK.sub("", page.read_text("utf-8"))
    titles = re.findall(r"^#+ (.*)", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@each_page
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        if link.startswith(("http://", "https://")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in headings(target), link


def test_every_page_is_on_one_shelf() -> None:
    index = (DOCS / "README.md").read_text()
    shelves = re.split(r"^## ", index, flags=re.MULTILINE)[1:]
    assert [shelf.split("\n")[0] for shelf in shelves] == ["Learn", "Do", "Look up", "Measured"]
    listed = [link for shelf in shelves for link in re.findall(r"\]\(([^)#]+)\)", shelf)]
    pages = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")} - {"README.md"}
    assert sorted(listed) == sorted(pages)
    assert all(link.startswith("measured/") for link in re.findall(r"\]\(([^)]+)\)", shelves[3]))


def test_the_readme_fits_its_reader() -> None:
    text = re.sub(r"```.*?```|\|", " ", README.read_text(), flags=re.DOTALL)
    assert len(text.split()) < 850


@each_page
def test_the_english_is_plain(page: Path) -> None:
    text = page.read_text("utf-8").lower()
    allowed = ("connect4-knobs",)
    for word in allowed:
        text = text.replace(word, "")
    assert stiff(text) == []


def stiff(text: str) -> list[str]:
    """The phrases of a text that make a reader stumble."""
    return [phrase for phrase in PLAIN if re.search(rf"\b{phrase}s?\b", text)]


def test_the_english_of_the_help_is_plain() -> None:
    context = click.Context(main)
    for name in main.list_commands(context):
        text = main.get_command(context, name).get_help(click.Context(main)).lower()  # type: ignore[union-attr]
        assert stiff(text) == [], name


def commands(page: Path) -> Iterator[list[str]]:
    """Every command that a page names, as words: lines of blocks, and code within a line."""
    text = page.read_text("utf-8")
    code = "".join(blocks(page, "sh", "console")).replace("\\\n", " ")
    lines = [line.removeprefix("$ ") for line in code.splitlines()]
    lines += re.findall(r"(?<!`)`((?:joute|make|python -m) [^`\n]*)`", BLOCK.sub("", text))
    for line in lines:
        for part in re.split(r" && | \| ", line):
            if part.startswith(("joute ", "make ", "python -m ")):
                yield shlex.split(part, comments=True)


@each_page
def test_commands_exist(page: Path) -> None:
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for words in commands(page):
        if words[0] == "make":
            assert words[1] in targets, words
        elif words[0] == "python":
            assert importlib.util.find_spec(words[2]) or words[2].startswith("joute."), words
        else:
            check_command(words[1:])


def check_command(words: list[str]) -> None:
    """Refuse a command of joute, an option, a ready-made study or a member that is not there."""
    while words and words[0].startswith("--"):
        words = words[1 if words[0] == "--no-config" else 2 :]
    if not words or words[0].isupper():
        return
    context = click.Context(main)
    command = main.get_command(context, words[0])
    assert command is not None, words
    inner = click.Context(command, info_name=words[0])
    if words[0] in ("elo", "sprt"):
        inner.ignore_unknown_options = True
    try:
        command.make_parser(inner).parse_args([*words[1:]])
    except click.BadOptionUsage as error:  # only named, without its value
        assert words[-1] == error.option_name, words
    thing = words[1] if len(words) > 1 else ""
    if words[0] == "run" and re.fullmatch(r"[a-z0-9-]+", thing):
        assert (STUDIES / f"{thing}.toml").is_file(), words
    if words[0] == "show" and re.fullmatch(r"[a-z0-9-]+", thing):
        assert here("show", thing).exit_code == 0, words


@each_page
def test_code_can_be_read(page: Path, tmp_path: Path) -> None:
    for code in blocks(page, "python"):
        ast.parse(code)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for text in blocks(page, "toml"):
        table = tomllib.loads(text)
        if ".onnx" in text or "network" in text:
            pytest.importorskip("onnxruntime")
        if {"name", "kind", "game", "seed"} <= {*table} and "..." not in text:
            folder = ROOT / "examples" if "plugins" in table else tmp_path
            file = tmp_path / "study.toml"
            file.write_text(re.sub(r'"(\w+\.py)"', rf'"{folder}/\1"', text))
            load_study(file)


def made_pages() -> dict[Path, str]:
    spec = importlib.util.spec_from_file_location("docs_pages", DOCS / "pages.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {page: made() for page, made in module.PAGES.items()}


def test_pages_made_from_the_program_are_current() -> None:
    for page, text in made_pages().items():
        assert page.read_text() == text, f"{page.name}: make pages"


def test_every_column_is_explained() -> None:
    parts = re.split(r"^## ", (DOCS / "tables.md").read_text(), flags=re.MULTILINE)
    explained = {part.split("\n")[0]: {*re.findall(r"`(\w+)`", part)} for part in parts}
    seen = set()
    for file in (ROOT / "tests" / "frozen" / "tables").glob("*/*.csv"):
        columns = file.read_text().split("\n")[0].split(",")
        settings = (file.parent / "engines.csv").read_text().split("\n")[0].split(",")[4:]
        missing = {*columns} - explained[file.name] - {*settings}
        assert not missing, (file, missing)
        seen.add(file.name)
    assert {"games.csv", "seats.csv", "standings.csv", "trials.csv", "parameters.csv"} <= seen


def test_every_plot_is_explained() -> None:
    page = (DOCS / "plots.md").read_text()
    assert {*re.findall(r"^\| `(\w+)`", page, re.MULTILINE)} == {*names("plot")}


def test_the_glossary_is_in_order() -> None:
    words = re.findall(r"^\| (\w.*?) \|", (DOCS / "glossary.md").read_text(), re.MULTILINE)[1:]
    assert words == sorted(words, key=str.lower) and len({*words}) == len(words) > 40


def session(page: Path) -> list[tuple[str, list[str]]]:
    """Every command of a page's console blocks with the lines that it is said to print."""
    found: list[tuple[str, list[str]]] = []
    for line in "".join(blocks(page, "console")).splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line:
            found[-1][1].append(line)
    return found


FOREIGN = {"referees.md"}  # what they show was played with programs of others
RUN = [
    page
    for page in [README, *sorted(DOCS.glob("*.md"))]
    if blocks(page, "console") and page.name not in FOREIGN
]
SHORT = [README, DOCS / "suites.md"]  # of the others `make test-long` runs all, whole
FEW = ["--set", 'budget="250 games"']


def play(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, whole: bool) -> None:
    """Run the commands of a page one after the other; with `whole` as long as they say, else searches
    play few games, and what they print is not compared.
    """
    (folder / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(folder)
    monkeypatch.setenv(
        "PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    )
    for line, printed in session(page):
        short = False
        output = ""
        for part in line.split(" && "):
            words = shlex.split(part)
            if words[0] == "cd":
                monkeypatch.chdir(words[1])
                continue
            if words[0] == "g++" or words[0].startswith("./"):
                done = subprocess.run(words, check=True, capture_output=True, text=True)
                output += done.stdout
                continue
            assert words[0] == "joute", line
            if not whole and words[1] == "run" and not {"--dry-run", "tron-four"} & {*words}:
                words, short = [*words, *FEW], True
            if not whole and words[1] == "export" and "--engine" not in words:
                words = [*words, *([] if "--anyway" in words else ["--anyway"])]
            said = here(*words[1:])
            assert said.exit_code == 0, (line, said.output)
            assert "no answer" not in said.stderr and "did not open" not in said.stderr, line
            output += said.stdout
        for shown in printed if not short else []:
            pattern = re.escape(shown).replace(r"\.\.\.", ".*")
            assert shown == "..." or re.search(rf"^{pattern}$", output, re.MULTILINE), (
                line,
                output,
            )


@pytest.mark.slow
@pytest.mark.skipif(ASKED, reason="make test-long runs them whole")
@pytest.mark.parametrize("page", SHORT, ids=page_name)
def test_the_commands_of_a_page_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(page, tmp_path, monkeypatch, whole=False)


@dear
@pytest.mark.parametrize("page", RUN, ids=page_name)
def test_the_commands_of_a_page_print_what_it_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(page, tmp_path, monkeypatch, whole=True)


@pytest.mark.slow
def test_the_python_of_the_readme_runs(tmp_path: Path) -> None:
    [code] = blocks(README, "python")
    [shown] = blocks(README, "text")
    (tmp_path / "script.py").write_text(code)

    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and shown in done.stdout, (done.stdout, done.stderr)
    assert (tmp_path / "strength.png").is_file()

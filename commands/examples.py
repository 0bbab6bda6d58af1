"""`joute examples`: list the examples that come with Joute, or copy one here by its NAME."""

from __future__ import annotations

import ast
import json
import re
import shutil
import tomllib
from pathlib import Path

import click

from joute.commands._terminal import as_json, json_option


@click.command()
@click.argument("name", required=False)
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), help="Where to copy it (default: its name)."
)
@json_option
def command(name: str | None, out: Path | None, machine: bool) -> None:
    """List the examples that come with Joute, or copy one here by its NAME.

    A study is copied with the plugins that it names.
    """
    from joute.engines.errors import JouteError, Refused, unknown

    known = examples()
    if name is None:
        if machine:
            as_json({one: summary_of(path) for one, path in known.items()})
            return
        for one, path in known.items():
            click.echo(f"  {one:20} {summary_of(path)}")
        click.echo("joute examples NAME copies one here")
        return
    if name not in known:
        raise unknown("example", name, known)
    place = out or Path(name)
    if place.exists():
        raise Refused(f"{place} exists already; name another place with -o")
    beside = {plugin: place.parent / plugin.name for plugin in plugins_of(known[name])}
    for plugin, copy in beside.items():
        if copy.exists() and copy.read_bytes() != plugin.read_bytes():
            raise Refused(
                f"{copy} exists already, and is not the one that {name} needs; copy it to another "
                f"folder: -o FOLDER/{name}"
            )
    try:
        copied(known[name], place)
        for plugin, copy in beside.items():
            copied(plugin, copy)
    except OSError as error:  # half a copy would be taken for a whole one
        remove(place)
        first = error.args[0][0][2] if isinstance(error, shutil.Error) else error.strerror
        raise JouteError(f"{place} cannot be written: {first}") from None
    if machine:
        as_json({"path": str(place), "plugins": [str(copy) for copy in beside.values()]})
    else:
        click.echo("\n".join(map(str, [place, *beside.values()])))


def copied(example: Path, place: Path) -> None:
    """Copy a file or a folder."""
    if not example.is_dir():
        shutil.copyfile(example, place)
        return
    shutil.copytree(example, place, ignore=shutil.ignore_patterns(*LEFT_OUT))
    if (page := place / "README.md").is_file():
        page.write_text(alone(page.read_text("utf-8")), "utf-8")


def remove(place: Path) -> None:
    """Remove a copy that is not whole."""
    if place.is_dir():
        shutil.rmtree(place, ignore_errors=True)
    else:
        place.unlink(missing_ok=True)


def plugins_of(example: Path) -> list[Path]:
    """Return the files of the plugins that an example names, if it is a study."""
    if example.suffix != ".toml":
        return []
    named = tomllib.loads(example.read_text("utf-8")).get("plugins", [])
    return [example.parent / one for one in named]


def alone(text: str) -> str:
    """Return a page in which links to Joute's own pages, which are not beside a copy, are words."""

    def words(link: re.Match[str]) -> str:
        page = f"`{link[2]}` of Joute"
        return page if link[1] == link[2] else f"{link[1]} ({page})"

    return re.sub(r"\[([^\]]+)\]\(\.\./\.\./(docs/[^)]+)\)", words, text)


LEFT_OUT = ("__pycache__", ".*", "bot", "referee")


def examples() -> dict[str, Path]:
    """Return the files and folders of the examples, by their names."""
    from joute.engines.syntax import ROOT

    paths = sorted((ROOT / "examples").iterdir())
    return {path.name: path for path in paths if not path.name.startswith(("_", "."))}


def summary_of(path: Path) -> str:
    """Return the first line of an example's docstring."""
    if path.is_dir():
        path = path / "README.md"
    text = path.read_text("utf-8") if path.is_file() else ""
    if path.suffix == ".py":
        text = ast.get_docstring(ast.parse(text)) or ""
    elif path.suffix == ".ipynb":
        text = "".join(json.loads(text)["cells"][0]["source"])
    return text.lstrip("# ").partition("\n")[0]

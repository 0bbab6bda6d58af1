"""`joute examples`: list the examples that come with Joute, or copy one here by its NAME."""

from __future__ import annotations

import ast
import json
import shutil
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
    """List the examples that come with Joute, or copy one here by its NAME."""
    from joute.engines.errors import Refused, unknown

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
    if known[name].is_dir():
        shutil.copytree(known[name], place, ignore=shutil.ignore_patterns(*LEFT_OUT))
    else:
        shutil.copyfile(known[name], place)
    as_json({"path": str(place)}) if machine else click.echo(str(place))


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

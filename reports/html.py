"""HTML pages from templates: one environment for all of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

FOLDER = Path(__file__).parent / "templates"


def page(template: str, filters: dict[str, Callable[..., Any]] | None = None, **values: Any) -> str:
    """Return a page, or a part of one: a filled template of `templates/`; an unknown name in it is
    an error.
    """
    jinja = environment()
    if filters:
        jinja = jinja.overlay()
        jinja.filters = {**jinja.filters, **filters}
    return jinja.get_template(template).render(**values)


@cache
def environment() -> Environment:
    """Return the environment of all templates; they are read once."""
    return Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )

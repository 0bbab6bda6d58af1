"""HTML pages from templates: one environment for all of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

FOLDER = Path(__file__).parent / "templates"


def page(template: str, filters: dict[str, Callable[..., Any]] | None = None, **values: Any) -> str:
    """Return a page: a template of `templates/`, filled; an unknown name in it is an error."""
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= filters or {}
    return environment.get_template(template).render(**values)

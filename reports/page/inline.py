"""A plot's SVG as part of the page: in the page's colours, light and dark, with ids of its own."""

from __future__ import annotations

import re
from pathlib import Path

from markupsafe import Markup

from joute.reports.plots.style import BLUE, DPI, INK, NOTE, PALE, PAPER, RULE, WIDTH

POINTS = re.compile(r'<svg[^>]*? width="([\d.]+)pt"')
PIXELS = DPI / 72  # of a point
LEAST = 0.75  # of a plot's own width: the least on a narrow screen, where its box scrolls
PAPER_OF_ALL = re.compile(
    rf'(<g id="patch_1">\s*<path d="[^"]*" style="fill: ){PAPER}', re.IGNORECASE
)
COLOURS = {PAPER: "card", INK: "ink", NOTE: "dim", RULE: "dim", PALE: "line", BLUE: "blue"}
"""The colours of a plot's frame and first line, and their names in the page's style."""


def inline(path: Path) -> Markup:
    """Return a stored SVG without what only a file of its own needs."""
    svg, name = path.read_text("utf-8"), path.stem
    svg = svg[svg.index("<svg") :]
    if wide := POINTS.search(svg):  # letters of one size in all plots, however wide they are
        pixels = float(wide[1]) * PIXELS
        share = min(100, 100 * pixels / (WIDTH * DPI))  # and on a page narrower than the usual plot
        size = f"max-width:{pixels:.0f}px;width:{share:.1f}%;--least:{LEAST * pixels:.0f}px"
        svg = svg.replace("<svg", f'<svg style="{size}"', 1)
    svg = PAPER_OF_ALL.sub(r"\1none", svg, count=1)
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'xlink:href="#', f'xlink:href="#{name}-', svg)
    svg = re.sub(r"url\(#", f"url(#{name}-", svg)
    for colour, ours in COLOURS.items():
        svg = re.sub(rf"(?<=: ){colour}\b", f"var(--{ours})", svg, flags=re.IGNORECASE)
    return Markup(svg)  # our own drawing, text escaped in it

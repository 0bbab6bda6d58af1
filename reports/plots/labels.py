"""Names beside points, placed so that they cover neither each other nor the frame of the axes."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

from joute.reports.plots.style import INK, PAPER, shortened, with_plain_texts

SIDES = (
    *((-6, 4, "right"), (6, 4, "left"), (6, -12, "left"), (-6, -12, "right")),
    *((6, 14, "left"), (-6, 14, "right"), (6, -22, "left"), (-6, -22, "right")),
)
POINT = 5.0  # half the size of a point, in pixels


def name_points(
    made: Figure, axes: Axes, points: Sequence[tuple[float, float, str]], size: float = 8.5
) -> None:
    """Write a name beside each point (x, y, name), on the first side where it covers nothing, else
    where it covers least. Call it last: the axes must not change afterwards.
    """
    with_plain_texts(made)
    made.draw_without_rendering()  # settles where the axes are
    assert isinstance(made.canvas, FigureCanvasAgg)
    renderer = made.canvas.get_renderer()  # type: ignore[no-untyped-call]
    frame = axes.get_window_extent(renderer)
    legend = axes.get_legend()
    taken = [legend.get_window_extent(renderer)] if legend is not None else []
    for x, y, _ in points:
        px, py = axes.transData.transform((x, y))
        taken.append(Bbox.from_extents(px - POINT, py - POINT, px + POINT, py + POINT))
    for x, y, name in ((x, y, shortened(name)) for x, y, name in points):
        best: tuple[float, int] | None = None
        for number in range(len(SIDES)):
            note = _written(axes, x, y, name, size, number)
            cost = _covered(note.get_window_extent(renderer), taken, frame)
            note.remove()
            if best is None or cost < best[0]:
                best = cost, number
            if not cost:
                break
        assert best is not None
        note = _written(axes, x, y, name, size, best[1])
        taken.append(note.get_window_extent(renderer))


def _written(axes: Axes, x: float, y: float, name: str, size: float, side: int) -> Annotation:
    dx, dy, ha = SIDES[side]
    return axes.annotate(
        name, (x, y), xytext=(dx, dy), ha=ha, textcoords="offset points", fontsize=size, color=INK,
        parse_math=False, path_effects=[withStroke(linewidth=2.5, foreground=PAPER)],
    )  # fmt: skip


def _covered(box: Bbox, taken: Sequence[Bbox], frame: Bbox) -> float:
    """Return how much of a box is outside the frame or over other things, in square pixels."""
    inside = Bbox.intersection(box, frame)
    area = box.width * box.height
    outside = area - (inside.width * inside.height if inside is not None else 0.0)
    over = (Bbox.intersection(box, other) for other in taken)
    covered = sum(box.width * box.height for box in over if box is not None)
    return covered + (outside if outside > 0.5 else 0.0)

"""Small scan and tune studies, shared by tests."""

from __future__ import annotations

TUNE = """
name = "small-tune"
kind = "tune"
game = "connect4"
seed = 3
budget = "{budget}"
[engine]
search = "alphabeta"
evaluation = "static"
depth = 2
width = 0.5
[space]
depth = {{ from = 1, to = 4 }}
width = {{ from = 0.3, to = 1.0 }}
evaluation = ["static", "lines"]
reading = ["A", "B"]
[[opponents]]
name = "strong"
depth = 3
width = 1.0
[[opponents]]
name = "weak"
depth = 1
[tune]
trial_blocks = 6
rung_blocks = 2
parallel_trials = 3
prune_risk = 0.3
candidates = 2
"""

SCAN = """
name = "small-scan"
kind = "scan"
game = "connect4"
seed = 3
budget = "{budget}"
[engine]
search = "alphabeta"
evaluation = "static"
depth = 2
width = 0.5
[space]
width = {{ from = 0.2, to = 1.0 }}
[scan]
openings = 20
"""

ONE = """
name = "{name}"
kind = "{kind}"
game = "connect4[columns=5,rows=4]"
seed = 4
budget = "{budget}"
[engine]
search = "alphabeta"
evaluation = "static"
depth = 2
[space]
width = {{ from = 0.3, to = 1.0 }}
[[opponents]]
name = "r"
width = 0.5
"""


def one_axis(kind: str, budget: str, more: str, name: str = "one") -> str:
    """Return the text of a search of one parameter on a small board; `more` is its kind's own table."""
    return ONE.format(name=name, kind=kind, budget=budget) + more


def tune_text(budget: str = "500 games", more: str = "") -> str:
    """Return the text of a small tune study."""
    return TUNE.format(budget=budget) + more


def scan_text(budget: str = "120 games", more: str = "") -> str:
    """Return the text of a small scan study."""
    return SCAN.format(budget=budget) + more

"""The origin of an exported engine, as data and in words."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import Any

from joute.engines.engine import Engine
from joute.reports.reading.winner import Winner
from joute.results.quantity import elo_text, percent


def by_run(best: Winner, engine: Engine, digest: str, command: str) -> dict[str, Any]:
    """Return the provenance of a run's winner; `digest`: of the code that played it."""
    same = digest == engine.digest
    return {
        **{k: v for k, v in best.data().items() if k not in ("engine", "parameters")},
        "code": "as in the run" if same else f"{engine.digest}, not the run's {digest}",
        **made(command),
    }


def by_hand(command: str) -> dict[str, Any]:
    """Return the provenance of an engine named by the user."""
    return {
        "confirmed": False,
        "why": "no run measured it: it was exported directly by its SPEC",
        **made(command),
    }


def made(command: str) -> dict[str, Any]:
    """Return the versions and the command that made a file."""
    tools = {"joute": version("joute"), "python": platform.python_version()}
    return {"exported_with": {**tools, "numpy": version("numpy")}, "command": command}


def provenance_lines(provenance: dict[str, Any]) -> list[str]:
    """Return the provenance in lines of text."""
    p, lines = provenance, list[str]()
    if "study" in p:
        lines += [
            f"Study: {p['study']} ({p['kind']}, seed {p['seed']}), entrant {p['name']}",
            f"Measured in stage {p['stage']}: {p['games']} games in {p['blocks']} blocks",
            f"Score: {percent(p['score'])}{interval(p, 'score', percent)}",
        ]
        if p["elo"] is not None:
            lines.append(
                f"Elo above {p['elo_above']}: {elo_text(p['elo'])}{interval(p, 'elo', elo_text)}"
            )
    lines.append(f"{'Confirmed' if p['confirmed'] else 'Not confirmed'}: {p['why']}")
    if "study" in p:
        lines.append(
            f"Code: {p['code']}; commit {p['commit'] or 'unknown'}; run with {tools(p['versions'])}"
        )
    lines.append(f"Exported with {tools(p['exported_with'])}: {p['command']}")
    return lines


def tools(versions: dict[str, str]) -> str:
    """Return versions in words."""
    return ", ".join(f"{name} {number}" for name, number in versions.items()) or "unknown versions"


def interval(p: dict[str, Any], name: str, text: Any) -> str:
    """Return the 95 % interval of a number, nothing where there is none."""
    low, high = p[f"{name}_low"], p[f"{name}_high"]
    return "" if low is None or high is None else f" (95 %: {text(low)} to {text(high)})"

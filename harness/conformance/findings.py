"""Results of a conformance rule: nothing, a fault, or a note."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joute.engines.errors import JouteError
from joute.engines.player import PlayerFailure, brief


@dataclass(frozen=True)
class Checked:
    """One rule on one thing; `fault` is empty when it holds, `note` is a remark."""

    thing: str
    rule: str
    fault: str
    note: str = ""


class Note(str):
    """A finding that is no fault of the thing, or not surely one."""


class Fatal(str):
    """A fault after which nothing more can be asked."""


class OutOfBounds(Exception):
    """A kernel that reads or writes outside of its arrays; the message names it and the access."""


LATE = "one turn was late, because of this machine or the engine; check again"


def checked(thing: str, rule: str, finding: str) -> Checked:
    """Return a rule's finding as a fault or as a note."""
    return Checked(thing, rule, *(("", finding) if isinstance(finding, Note) else (finding, "")))


def guarded(rule: Callable[..., str], thing: Any) -> str:
    """Return a rule's finding; an exception is a finding too."""
    try:
        return rule(thing)
    except PlayerFailure as failure:
        finding = f"{failure.kind}: {brief(failure.text)}"
        return Note(f"{LATE}: {finding}") if failure.kind == "timeout" else finding
    except OutOfBounds as error:
        return Fatal(str(error))
    except JouteError as error:
        return str(error)
    except IndexError as error:  # of a search: the kernels of its evaluation are inlined
        return Fatal(f"a kernel reads or writes outside its arrays: {error}")
    except Exception as error:
        at = traceback.extract_tb(error.__traceback__)[-1]
        return f"raised {error!r} ({Path(at.filename).name}, line {at.lineno})"

"""What Joute 0.1 did stays so, whatever moves: texts, kernels, answers, outputs, files, stored runs.

A difference is a change that somebody notices. Where it is wanted, the goldens are renewed, and
what their diff shows belongs into the changelog.
"""

from __future__ import annotations

import re
from difflib import unified_diff
from math import isclose
from pathlib import Path

import pytest

from tests.frozen.facts import FACTS, KERNELS, Files, goldens_of
from tests.support.marks import quick

NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
LINES = 12  # shown of a difference
FILES = 8


def wanted(name: str) -> Files:
    """Return the goldens of a fact; kernels have one for each pair of versions."""
    home = goldens_of(name)
    if name == "kernels":
        if not (home / KERNELS).is_file():
            pytest.skip(f"no digests of kernels are kept for {KERNELS.removesuffix('.json')}")
        return {KERNELS: (home / KERNELS).read_bytes().decode()}
    files = (path for path in sorted(home.rglob("*")) if path.is_file())
    return {str(path.relative_to(home)): path.read_bytes().decode() for path in files}


def difference(file: str, before: str | None, after: str | None) -> str:
    """Return the first lines of what differs in a file."""
    if before is None or after is None:
        return f"{file}: {'is new' if before is None else 'is no more'}"
    lines = [
        *unified_diff(before.splitlines(), after.splitlines(), "before", "after", "", "", 0, "")
    ]
    told = [line for line in lines[2:] if not line.startswith("@@")]
    more = [f"... {len(told) - LINES} lines more"] if len(told) > LINES else []
    return "\n  ".join([f"{file}:", *(line[:200] for line in told[:LINES]), *more])


def same(file: str, before: str | None, after: str | None) -> bool:
    """Whether a file is as it was; numbers of a fitted model may differ as processors round."""
    if before == after:
        return True
    if before is None or after is None or not file.startswith("search/"):
        return False
    if NUMBER.sub("#", before) != NUMBER.sub("#", after):
        return False
    pairs = zip(NUMBER.findall(before), NUMBER.findall(after), strict=True)
    return all(a == b or isclose(float(a), float(b), rel_tol=0.02, abs_tol=0.002) for a, b in pairs)


@pytest.mark.parametrize("name", quick(FACTS, ("engines", "kernels").__contains__))
def test_nothing_has_changed(name: str, tmp_path: Path) -> None:
    kept = wanted(name)
    (tmp_path / "work").mkdir()
    found = FACTS[name](tmp_path / "work")
    different = [f for f in sorted({*kept, *found}) if not same(f, kept.get(f), found.get(f))]
    for file in different:
        path = tmp_path / "found" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(found.get(file, "").encode())
    told = [difference(file, kept.get(file), found.get(file)) for file in different[:FILES]]
    more = [f"... {len(different) - FILES} files more"] if len(different) > FILES else []
    assert not different, "\n".join(
        [
            f"{len(different)} of {len(kept)} files in tests/frozen/{name} differ:",
            *told,
            *more,
            f"what was found is in {tmp_path / 'found'}",
            f"if the change is wanted: python -m tests.frozen.renew {name}",
        ]
    )

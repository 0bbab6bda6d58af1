"""The garbage collector is kept away where it is asked to, and only there."""

from __future__ import annotations

import gc
import subprocess
import sys

import pytest

from joute.engines.garbage import uncollected


def test_garbage_is_let_be_and_no_longer_than_before() -> None:
    with uncollected():
        assert not gc.isenabled()
        with uncollected():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ValueError), uncollected():
        raise ValueError
    assert gc.isenabled()


def test_what_was_there_at_first_is_not_looked_through_again_and_new_garbage_is() -> None:
    code = (
        "import gc, weakref\n"
        "from joute.engines.garbage import settle\n"
        "class Ring: pass\n"
        "settle()\n"
        "kept = gc.get_freeze_count()\n"
        "ring = Ring(); ring.self = ring; seen = weakref.ref(ring); del ring\n"
        "settle(); gc.collect()\n"
        "print(kept > 1000, gc.get_freeze_count() <= kept, seen() is None)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True", "True", "True"]

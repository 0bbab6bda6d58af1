"""Which tests wait for `make test-long`."""

from __future__ import annotations

from tests.support.durations import dear_of


def test_the_quickest_case_of_several_does_not_wait() -> None:
    seconds = {"a.py::t[1]": 9.0, "a.py::t[2]": 8.0, "a.py::t[3]": 0.1, "a.py::u[1]": 7.0, "a.py::u[2]": 6.0,
               "a.py::alone": 5.0, "a.py::quick": 5.0, "tests/test_docs.py::always": 30.0}  # fmt: skip
    slow = seconds.keys() - {"a.py::quick"}
    assert dear_of(seconds, slow) == {"a.py::t[1]", "a.py::t[2]", "a.py::u[1]", "a.py::alone"}

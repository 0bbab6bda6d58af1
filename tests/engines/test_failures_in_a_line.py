"""A failure's text in one line, whatever was printed."""

from __future__ import annotations

import traceback

import pytest

from joute.engines.player import brief


def traced(message: str) -> str:
    try:
        raise ValueError(message)
    except ValueError:
        return traceback.format_exc()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ""),
        ("no answer in 50 ms", "no answer in 50 ms"),
        ("exit code 3\nstarting\nsegmentation fault\n", "exit code 3 segmentation fault"),
        (traced("boom"), "ValueError: boom"),
        (traced("boom\nline two\n\n  and three"), "ValueError: boom line two and three"),
    ],
)
def test_the_exception_and_its_whole_message(text: str, said: str) -> None:
    assert brief(text) == said

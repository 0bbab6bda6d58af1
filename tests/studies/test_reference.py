"""The reference of study files is what the models say, and it says what every key means."""

from __future__ import annotations

import json

import pytest

from joute.engines.registry import names
from joute.studies.reference import DOCS, document, keys_of
from tests.support.runs import here


def test_the_committed_reference_is_what_the_models_say() -> None:
    assert DOCS.read_text("utf-8") == document(), "python -m joute.studies.reference"


@pytest.mark.parametrize("kind", names("kind"))
def test_every_key_has_a_meaning_and_says_what_is_allowed(kind: str) -> None:
    for key in keys_of(kind):
        assert key.meaning and key.allowed, key


def test_show_tells_the_keys_of_a_kind() -> None:
    text = here("show", "tune").stdout
    assert "blocks after which a trial is judged" in text
    rows = {row["key"]: row for row in json.loads(here("show", "match", "--json").stdout)["keys"]}
    assert rows["sprt.alpha"] == {
        "key": "sprt.alpha",
        "meaning": "the risk of accepting H1 although H0 holds",
        "allowed": "a number above 0 and below 0.5",
        "default": "0.05",
    }
    assert (
        rows["a"]["default"] == rows["game"]["default"] == rows["sprt.elo1"]["default"] == "needed"
    )

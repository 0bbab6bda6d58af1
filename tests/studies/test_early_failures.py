"""A run that says while it plays that an engine fails often."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.runs import here

BOT = """
import json, sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "new":
        ill = message["seed"] % {of} == 0
    elif message["type"] == "turn":
        print(json.dumps({{"action": "99" if ill else message["actions"][0]}}), flush=True)
"""
SAID = "Ctrl-C stops the run"


@pytest.mark.parametrize(("of", "said"), [(2, 1), (25, 0)])
def test_an_engine_that_fails_often_is_named_once_while_it_plays(
    of: int, said: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bot.py").write_text(BOT.format(of=of))
    bot = 'connect4/process:command="python3 bot.py"'
    done = here("match", bot, "random", "--blocks", "24", "-j", "1")
    assert done.exit_code == 1, done.stderr
    assert done.stderr.count(SAID) == said
    if said:
        [line] = [line for line in done.stderr.splitlines() if SAID in line]
        assert "an engine failed in 10 of" in line and "(illegal): python3 bot.py: answered" in line

"""The progress bar: its speed is that of this session's games."""

from __future__ import annotations

import io

from tqdm import tqdm

from joute.progress_bar import KNOWN, paced


def test_a_resumed_bar_promises_nothing_before_games_of_this_session() -> None:
    now = [0.0]
    bar = paced(tqdm)(total=1000, initial=400, file=io.StringIO(), mininterval=1e9)
    bar._time = lambda: now[0]
    now[0] = 30.0  # the start of the workers
    bar.update(2)
    assert bar.format_dict["rate"] == 0.0 and "?" in str(bar)
    now[0] = 32.0
    bar.update(2 * KNOWN)
    assert bar.format_dict["rate"] == KNOWN
    bar.close()

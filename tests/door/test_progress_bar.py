"""The progress bar: its speed is that of this session's games."""

from __future__ import annotations

import io

from tqdm import tqdm

from joute.progress_bar import KNOWN, paced


def test_a_resumed_bar_promises_nothing_before_games_of_this_session() -> None:
    now = [0.0]
    bar = paced(tqdm)(total=1000, initial=400, file=io.StringIO(), mininterval=1e9)
    bar._time, bar.start_t = lambda: now[0], 0.0
    now[0] = 30.0  # the start of the workers
    bar.update(2)
    assert bar.format_dict["rate"] == 0.0 and "?" in str(bar)
    now[0] = 32.0
    bar.update(2 * KNOWN)
    assert bar.format_dict["rate"] == KNOWN
    bar.close()


def test_a_bar_ends_with_all_games_in_all_its_time() -> None:
    now = [0.0]
    bar = paced(tqdm)(total=320, file=io.StringIO(), mininterval=1e9)
    bar._time, bar.start_t = lambda: now[0], 0.0
    now[0] = 1.0
    bar.update(100)
    assert bar.format_dict["rate"] == 100  # one batch, so that its wait is all that is known
    now[0] = 1.05
    bar.update(200)
    assert bar.format_dict["rate"] == 300 / 1.05  # two batches that came together tell no speed
    now[0] = 1.06
    bar.update(20)
    assert bar.format_dict["rate"] == 320 / 1.06
    bar.close()


def test_a_test_that_ends_early_tells_the_speed_of_all_its_games() -> None:
    now = [0.0]
    bar = paced(tqdm)(total=None, file=(shown := io.StringIO()), mininterval=1e9)
    bar._time, bar.start_t = lambda: now[0], 0.0
    for at, games in ((2.0, 10), (4.0, 90)):
        now[0] = at
        bar.update(games)
    assert bar.format_dict["rate"] == 45
    bar.close()
    assert "25.00it/s" in shown.getvalue()

"""Programs by json-lines: plies a second of two instant bots in C, and a short match all told.

Run as `python -m benchmarks.json_lines`.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks import JOUTE
from benchmarks.ratios import HERE
from joute.results.store import Store

GAME = "connect4[columns=12,rows=6]"
REPEATS = 5


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        bot = Path(folder) / "json_bot"
        subprocess.run(["cc", "-O2", "-o", str(bot), str(HERE / "json_bot.c")], check=True)
        long, short = [], []
        for number in range(REPEATS):
            long.append(match(bot, 2000, Path(folder) / f"long{number}"))
            short.append(match(bot, 100, Path(folder) / f"short{number}"))
    seconds = median(one - other for (one, _), (other, _) in zip(long, short, strict=True))
    plies = median(one - other for (_, one), (_, other) in zip(long, short, strict=True))
    print(f"{plies / seconds:,.0f} plies a second, {os.cpu_count()} cores (target: 40,000 quiet)")
    print(f"a match of 200 games: {median(s for s, _ in short):.1f} s all told (target: 2.5)")


def match(bot: Path, blocks: int, out: Path) -> tuple[float, int]:
    """Play a match without a report; return its seconds and the plies of its games."""
    specs = [f'{GAME}/process:command="{bot} {seed}"' for seed in (1, 2)]
    asked = [*JOUTE, "match", *specs, "--blocks", str(blocks)]
    usual = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    begun = time.perf_counter()
    subprocess.run(
        [*asked, "--out", str(out), "--no-report"], capture_output=True, check=True, env=usual
    )
    seconds = time.perf_counter() - begun
    with Store.open(out) as store:
        return seconds, int(store.rows("SELECT SUM(plies) FROM games")[0][0])


if __name__ == "__main__":
    main()

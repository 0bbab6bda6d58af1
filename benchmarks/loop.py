"""Microseconds that the match loop adds to a ply, over the players themselves."""

from __future__ import annotations

from joute.commands._bench import loop_us_per_ply


def main() -> None:
    times = sorted(loop_us_per_ply() for _ in range(5))
    print(f"match loop {times[2]:.2f} us a ply, runs {times[0]:.2f} to {times[-1]:.2f}")
    print("target: at most 15")


if __name__ == "__main__":
    main()

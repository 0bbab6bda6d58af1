"""Microseconds that the match loop adds to a ply, over the players themselves."""

from __future__ import annotations

from joute.commands._bench import loop_us_per_ply


def main() -> None:
    found = sorted(loop_us_per_ply() for _ in range(5))
    print(f"match loop {found[2]:.2f} us a ply, runs {found[0]:.2f} to {found[-1]:.2f}")
    print("target: at most 15")


if __name__ == "__main__":
    main()

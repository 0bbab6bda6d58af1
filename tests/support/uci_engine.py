"""A small UCI engine with faults on request; it knows the first move of each side.

python uci_engine.py [FAULT ...]
"""

from __future__ import annotations

import sys
import time

FAULTS = sys.argv[1:]
OPTIONS = """\
option name Threads type spin default 4 min 1 max 8
option name Mobility (Middle Game) type spin default 100 min 0 max 200
option name Style type combo default Calm var Calm var Very Wild
option name Clear type button
option name OwnBook type check default true
option name Book File type string default <empty>"""


def say(text: str) -> None:
    print(text, flush=True)


def main() -> None:
    if "banner" in FAULTS:
        say("Engine 1.0 by nobody")
    moves, thinks = "", False
    log = next((open(fault[4:], "w") for fault in FAULTS if fault.startswith("log=")), None)  # noqa: SIM115
    for line in map(str.strip, sys.stdin):
        words = line.split()
        if log is not None:
            print(line, file=log, flush=True)
        if line == "uci":
            if "no-uciok" in FAULTS:
                continue
            say("id name Faulty 1.0")
            say(OPTIONS)
            if "depth-option" in FAULTS:
                say("option name Depth type spin default 3 min 1 max 9")
            say("uciok")
        elif line == "isready":
            if "no-readyok" not in FAULTS:
                say("readyok")
        elif line == "ucinewgame" and "dies-in-new-game" in FAULTS:
            sys.exit(3)
        elif words[:1] == ["position"]:
            moves = line
        elif words[:1] == ["go"]:
            thinks = "waits" in FAULTS
            if not thinks:
                go(moves)
        elif line == "stop" and thinks:
            go(moves)
        elif line == "quit":
            return


def go(position: str) -> None:
    if "dies" in FAULTS:
        sys.exit(3)
    if "sleeps" in FAULTS:
        time.sleep(5.0)
    if "flood" in FAULTS:
        for k in range(20_000):
            print(f"info depth 1 currmove e2e4 currmovenumber {k} " + "x" * 100)
    if "nul" in FAULTS:
        sys.stdout.buffer.write(b"info string \0\n")
    say("info depth 3 seldepth 9 multipv 1 score cp 13 nodes 500 nps 1 time 1 pv e2e4 e7e5")
    say("info depth 4 multipv 2 score cp -900 nodes 777 pv a2a3")
    say("info depth 5 score mate 3 lowerbound nodes 900 pv e2e4")
    answers = [fault[5:] for fault in FAULTS if fault.startswith("says=")]
    legal = "e7e5" if "moves" in position else "e2e4"
    say(
        f"bestmove {answers[0] if answers else legal}"
        + (" ponder a7a6" if "ponder" in FAULTS else "")
    )
    if "late" in FAULTS:
        say("info string one more word")


main()

"""A bot for connect4 that talks one of the toy protocols, well or badly: the mode is its argument."""

from __future__ import annotations

import os
import sys
import time

COLUMNS, ROWS = 7, 6
mode = sys.argv[1]
moves: list[str] = []
turns = 0
options: dict[str, str] = {}


def say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def move() -> str:
    """Choose the first column with room, and misbehave as the mode says."""
    global turns
    turns += 1
    if mode == "late":
        time.sleep(5)
    if mode == "crash" and turns == 3:
        sys.exit("out of ideas")
    if mode == "not_legal":
        return "9"
    return next(str(c) for c in range(1, COLUMNS + 1) if moves.count(str(c)) < ROWS)


def gtp(words: list[str]) -> None:
    if words[0] == "list_commands":
        say("= clear_board", "play", "genmove", "quit", "")
    elif words[0] == "genmove":
        moves.append(move())
        more = ["  " + "." * 40] * 5000 if mode == "long" else []
        say(f"= {moves[-1]}", *more, "")
        if mode == "twice":
            time.sleep(0.02)
            say("= 1", "")
    elif words[0] == "play" and mode == "refuses":
        say("? no such move", "")
    else:
        if words[0] == "clear_board":
            moves.clear()
        if words[0] == "play":
            moves.append(words[1])
        say("=", "")


def uci(words: list[str]) -> None:
    if words[0] == "uci":
        say("id name toy", "option name depth type spin default 3", "uciok")
    elif words[0] == "setoption":
        options[words[2]] = words[4]
    elif words[0] == "isready":
        say("readyok")
    elif words[0] == "position":
        moves[:] = words[3:]
    elif words[0] == "go":
        if mode == "endless":
            while True:
                os.write(1, b"info string still thinking\n" * 2000)
        flood = ["info string " + "x" * 60] * 20_000 if mode == "flood" else []
        say(*flood, f"info depth {options.get('depth', 0)} nodes {turns}", f"bestmove {move()}")
        if mode == "flood":
            say(*["info string after all"] * 100)


for line in sys.stdin:
    if line.strip() == "quit":
        break
    if line.strip():
        {"toy-gtp": gtp, "toy-uci": uci}[sys.argv[2]](line.split())

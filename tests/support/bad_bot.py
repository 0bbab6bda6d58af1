"""A bot by json-lines that misbehaves in one way from its second turn on: `bad_bot.py HOW MARK`."""

import json
import os
import signal
import sys
import time

how = sys.argv[1]


def write(data: bytes) -> None:
    os.write(1, data)


def answer(action: str) -> bytes:
    return json.dumps({"action": action}).encode() + b"\n"


def fork_and_leave() -> None:
    if os.fork() == 0:
        time.sleep(60)
    os._exit(6)


def close_output() -> None:
    os.close(1)
    time.sleep(60)


def ignore_term() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(60)


def eat_memory() -> None:
    eaten = []
    while True:
        eaten.append(bytearray(1 << 24))


if how == "start":
    sys.exit("cannot find my weights")
if how == "exit0":
    sys.exit(0)
if how == "never_reads":
    time.sleep(60)

turns = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "new":
        turns = 0
    if message["type"] in ("over", "quit") and how == "at_exit":
        os._exit(5)
    if message["type"] != "turn":
        continue
    good = answer(message["actions"][0])
    turns += 1
    if how == "chatter":
        os.write(2, b"x" * 300_000)
    if turns == 1 or how in ("good", "chatter", "at_exit"):
        write(good)
        continue
    match how:
        case "mid_game":
            raise ZeroDivisionError("the bot is wrong")
        case "segfault":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "nothing":
            time.sleep(60)
        case "garbage":
            write(b"hello\n")
        case "resigns":
            write(b"I think that I resign\n")
        case "number":
            write(b'{"action": 4}\n')
        case "not_legal":
            write(answer("99"))
        case "two_lines":
            write(2 * good)
        case "megabyte":
            for _ in range(40):
                write(b"x" * 50_000)
        case "no_newline":
            write(good[:-1])
        case "not_utf8":
            write(b"\xff\xfe\n")
        case "late":
            time.sleep(0.5)
            write(good)
        case "closes_output":
            close_output()
        case "ignores_term":
            ignore_term()
        case "forks":
            fork_and_leave()
        case "eats_memory":
            eat_memory()

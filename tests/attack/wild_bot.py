"""A bot by json-lines that misbehaves: `wild_bot.py HOW WHEN MARK`; WHEN is its turn, from 1."""

import json
import os
import signal
import subprocess
import sys
import time

how, when = sys.argv[1], int(sys.argv[2])
FOREVER = [sys.executable, "-S", "-c", "import time; time.sleep(300)", sys.argv[3]]


def write(data: bytes) -> None:
    os.write(1, data)


def say(**message: object) -> None:
    write(json.dumps(message).encode() + b"\n")


def daemonise(environment: dict[str, str]) -> None:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            null = os.open("/dev/null", os.O_RDWR)
            for end in (0, 1, 2):
                os.dup2(null, end)
            os.execve(FOREVER[0], FOREVER, environment)
        os._exit(0)


def many(count: int) -> None:
    for _ in range(count):
        subprocess.Popen(FOREVER, stdin=-3, stdout=-3, stderr=-3, start_new_session=True)


def drip(data: bytes) -> None:
    for i in range(len(data)):
        write(data[i : i + 1])
        time.sleep(0.2)


def flood(end: int) -> None:
    signal.alarm(20)
    while True:
        os.write(end, b"x" * 65536)


def eat() -> None:
    eaten = []
    while len(eaten) < 200:
        eaten.append(bytearray(b"x") * (1 << 22))


def misbehave(good: str) -> None:
    match how:
        case "exit":
            os._exit(0)
        case "exit7":
            os._exit(7)
        case "raise":
            raise ValueError("wild")
        case "segfault":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "hang":
            time.sleep(300)
        case "stop_itself":
            os.kill(os.getpid(), signal.SIGSTOP)
        case "flood_out":
            flood(1)
        case "flood_err":
            flood(2)
        case "daemon":
            daemonise(dict(os.environ))
            os._exit(0)
        case "clean_daemon":
            daemonise({})
            os._exit(0)
        case "daemon_and_on":
            daemonise(dict(os.environ))
            say(action=good)
        case "many":
            many(20)
            say(action="nothing")
        case "kill_worker":
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(5)
        case "segfault_worker":
            os.kill(os.getppid(), signal.SIGSEGV)
            time.sleep(5)
        case "term_worker":
            os.kill(os.getppid(), signal.SIGTERM)
            say(action="nothing")
        case "huge_nodes":
            say(action=good, nodes=9223372036854775807, depth=10**400, value=1e999)
        case "nan":
            write(b'{"action": "%s", "nodes": NaN, "value": Infinity}\n' % good.encode())
        case "negative":
            say(action=good, nodes=-5, depth=-1)
        case "wrong_types":
            say(action=good, nodes="many", depth=[1], value={})
        case "number":
            write(b"9" * 5000 + b"\n")
        case "action_number":
            say(action=3)
        case "action_long":
            say(action="9" * 100_000)
        case "deep":
            write(b"[" * 100_000 + b"\n")
        case "nul":
            write(b'{"action": "\\u0000"}\n\0\n')
        case "nul_alone":
            write(b"\0\n")
        case "surrogate":
            write(b'{"action": "\\ud800"}\n')
        case "not_utf8":
            write(b'{"action": "\xff"}\n')
        case "empty_line":
            write(b"\n")
        case "long_line":
            write(b" " * 900_000 + b"\n")
        case "slow_drip":
            drip(json.dumps({"action": good}).encode() + b"\n")
        case (
            "two_lines"
        ):  # at once: of a second one that is late nobody knows which turn it answers
            write(2 * (json.dumps({"action": good}).encode() + b"\n"))
        case "later_line":
            say(action=good)
            time.sleep(0.05)
            write(b"and one more thing\n")
        case "close_out":
            os.close(1)
            time.sleep(300)
        case "close_in":
            os.close(0)
            say(action=good)
            time.sleep(300)
        case "ignore_term":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(300)
        case "new_group":
            os.setpgid(
                0, 0
            ) if os.getpgrp() != os.getpid() else os.setsid() if os.fork() == 0 else None
            time.sleep(300)
        case "eat":
            eat()
            say(action="nothing")
        case "escape":
            sys.stderr.write("\x1b[2J\x1b]0;owned\a" + "$" * 3000 + "\n")
            os._exit(3)


turns = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] != "turn":
        continue
    turns += 1
    if turns == when:
        misbehave(message["actions"][0])
    else:
        say(action=message["actions"][0])

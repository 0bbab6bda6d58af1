"""A bot of any protocol of lines that misbehaves: `coarse_bot.py HOW WHEN PATTERN MARK COMMAND...`.

It hands on what an honest bot (the COMMAND) answers; in place of its move number WHEN it does HOW. A move
is a line that PATTERN matches. WHEN 0 is the first line of all: there is no greeting then.
"""

import os
import re
import signal
import subprocess
import sys
import time

how, when, pattern = sys.argv[1], int(sys.argv[2]), re.compile(sys.argv[3].encode())


def write(data: bytes) -> None:
    os.write(1, data)


def flood(data: bytes) -> None:
    signal.alarm(30)
    while True:
        write(data)


def misbehave(line: bytes) -> None:
    match how:
        case "dies":
            os._exit(0)
        case "dies_loudly":
            sys.exit("cannot go on")
        case "is_killed":
            os.kill(os.getpid(), signal.SIGKILL)
        case "hangs":
            time.sleep(300)
        case "stops":
            os.kill(os.getpid(), signal.SIGSTOP)
        case "closes":
            os.close(1)
            time.sleep(300)
        case "floods":
            flood(b"x" * 65536)
        case "floods_lines":
            flood(b"info string x\n" * 4096)
        case "half":
            write(line[: len(line) // 2].rstrip())
            time.sleep(300)
        case "nul":
            write(line.rstrip(b"\r\n") + b"\0\n\0\n")
        case "bytes":
            write(bytes(range(128, 256)) + b"\n" + b"\xff\xfe\n")
        case "illegal":
            write(re.sub(rb"[A-Za-z]+\d?[a-z]?\d?\"?\}?\s*$", b"zz9zz\\n", line) + b"\n")
        case "nonsense":
            write(b'{"action": [[[[{}]]]]}\n= Z99\n\nbestmove 0000 0000\n')
        case "huge":
            write(b"9" * 3_000_000 + b"\n")


honest = subprocess.Popen(sys.argv[5:], stdin=0, stdout=subprocess.PIPE)
assert honest.stdout is not None
moves = 0
for line in honest.stdout:
    moves += pattern.search(line) is not None
    if when == 0 or moves == when:
        misbehave(line)
        when = -1
    else:
        write(line)

"""A program of Go that does what it is told, for scripts: see tests/engines/test_tst.py."""

import os
import sys
import time

told = []
for line in sys.stdin:
    words = line.split()
    number = words.pop(0) if words[0].isdigit() else ""
    command, rest = words[0], " ".join(words[1:])
    sign, answer = "=", ""
    if command == "echo":
        answer = rest
    elif command == "told":
        answer = " ".join(told)
    elif command == "lines":
        answer = "\n".join(words[1:])
    elif command == "die":
        os._exit(3)
    elif command == "hang":
        time.sleep(60)
    elif command in ("no", "play"):
        sign, answer = "?", "I do not want to"
    elif command == "babble":
        sys.stdout.write("certainly\n\n")
        sys.stdout.flush()
        continue
    else:
        told.append(command)
    sys.stdout.write(f"{sign}{number} {answer}\n\n")
    sys.stdout.flush()
    if command == "quit":
        break

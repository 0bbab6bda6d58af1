"""A program of Go with one fault: `python gtp_bot.py FAULT`; see tests/engines/test_gtp.py."""

import os
import sys
import time

COMMANDS = "boardsize clear_board komi play genmove list_commands name time_settings quit"
fault = sys.argv[1]
SCORES = {"right": "W+7.5", "wrong": "B+24.5", "even": "0", "babbles": "about even"}
scored = fault.removeprefix("score-") if fault.startswith("score-") else ""
if scored:
    COMMANDS += " final_score"
if fault.startswith("dead-"):
    COMMANDS += " final_status_list"


def say(text):
    sys.stdout.write(text)
    sys.stdout.flush()


if fault == "early":
    say("Welcome to a chatty program\n\n")
for line in sys.stdin:
    words = line.split()
    answer = {"list_commands": COMMANDS.replace(" ", "\n"), "name": f"Bot {fault}"}.get(
        words[0], ""
    )
    if fault == "poor" and words[0] == "list_commands":
        answer = "boardsize\nkomi"
    if words[0] == "quit":
        say("=\n\n")
        break
    if words[0] == "genmove":
        if fault == "dies":
            os._exit(3)
        if fault == "refuses":
            say("? I do not want to\n\n")
            continue
        if fault == "silent":
            time.sleep(60)
        if fault == "nonsense":
            say("certainly\n\n")
            continue
        if fault == "endless":
            say("= \n" + "x\n" * 5000)
            time.sleep(60)
        answer = {"illegal": "A0", "suicide": "Z9", "resigns": "resign", "unasked": "PASS"}.get(
            fault, "pass"
        )
    if words[0] == "final_score":
        if scored == "dies":
            os._exit(3)
        if scored == "hangs":
            time.sleep(60)
        if scored == "refuses":
            say("? cannot score\n\n")
            continue
        if scored == "nonsense":
            say("certainly\n\n")
            continue
        answer = SCORES[scored]
    if words[0] == "final_status_list":
        dead = fault.removeprefix("dead-")
        if dead == "dies":
            os._exit(3)
        if dead == "refuses":
            say("? cannot tell\n\n")
            continue
        answer = dead.replace("-", " ").replace("/", "\n")
    say(f"= {answer}\n\n")
    if fault == "unasked" and words[0] == "genmove":
        say("= once more\n\n")

"""Runs a student's file: answers one JSON line on stdin by one on stdout, until the lines end; that a
game is over has no answer.

Started as `python host.py BOT.py WORDS`; needs the standard library alone, and any Python from 3.8 on. What
the file prints goes to stderr.
"""

import contextlib
import importlib.util
import json
import operator
import os
import sys
import traceback

NEEDED = ("initialize", "strategy", "final_result")
LONGEST = 300  # characters of an answer that is shown, and of what was raised


def plain(value):
    """Return nested sequences of whole numbers as lists; raise TypeError for anything else."""
    if isinstance(value, (tuple, list)):
        return [plain(one) for one in value]
    return operator.index(value)


def state_of(cells):
    """Return a state as the course writes it, made anew for every call."""
    return [((x, y), holder) for x, y, holder in cells]


def raised():
    """Return the last line of what was raised; the whole traceback goes to stderr."""
    with contextlib.suppress(OSError, ValueError, AttributeError):  # the file may have closed it
        print(traceback.format_exc(), end="", file=sys.__stderr__, flush=True)
    kind, error, _ = sys.exc_info()
    return traceback.format_exception_only(kind, error)[-1].strip()[:LONGEST]


class Bot:
    """The file's functions, and the environment that they hand on."""

    def __init__(self, path):
        sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
        sys.argv = sys.argv[1:]  # words after the file's name are its own
        spec = importlib.util.spec_from_file_location("bot", path)
        if spec is None:
            raise ImportError(f"{path} is no Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules["bot"] = module
        spec.loader.exec_module(module)
        missing = [name for name in NEEDED if not callable(getattr(module, name, None))]
        if missing:
            raise ImportError(f"{path} has no function {', '.join(missing)}")
        self.module, self.environment = module, None

    def answer(self, message):
        """Return the answer to a message; None where nobody waits for one."""
        state = state_of(message["state"])
        if message["type"] == "over":
            self.module.final_result(state, message["score"], message["player"])
            return None
        if "new" in message:
            new = message["new"]
            self.environment = self.module.initialize(
                new["game"], state_of(new["state"]), message["player"], new["hex_size"],
                new["total_time"],
            )  # fmt: skip
        answer = self.module.strategy(
            self.environment, state, message["player"], message["time_left"]
        )
        try:
            self.environment, action = answer
            return {"action": plain(action)}
        except (TypeError, ValueError):
            return {"nonsense": repr(answer)[:LONGEST]}


def main():
    """Answer messages."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    bot, trouble = None, ""
    try:
        bot = Bot(sys.argv[1])
    except BaseException:  # sys.exit in the file is no way to play either
        trouble = raised()
    for line in sys.stdin:
        message, answer = json.loads(line), {"error": trouble}
        if bot is not None:
            try:
                answer = bot.answer(message)
            except BaseException:
                answer = {"error": raised()}
        if message["type"] == "over":  # an answer would be taken for the next game's
            continue
        try:
            text = json.dumps(answer)
        except ValueError:  # a number of more digits than Python writes
            text = '{"nonsense": "too large a number"}'
        out.write(text + "\n")
        out.flush()


if __name__ == "__main__":
    main()

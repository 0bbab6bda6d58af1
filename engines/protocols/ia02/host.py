"""Runs a student's file: answers one JSON line on stdin by one on stdout, until the lines end; the
end of a game has no answer.

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
LONGEST = 300  # characters shown of an answer, and of an exception


def plain(value):
    """Return nested sequences of whole numbers and None as lists; raise TypeError for anything else."""
    if value is None:
        return None
    if isinstance(value, (tuple, list)):
        return [plain(one) for one in value]
    return operator.index(value)


def state_of(cells):
    """Return a state as the course writes it, made anew for every call."""
    return [((x, y), holder) for x, y, holder in cells]


def raised(folder, doing):
    """Return the exception raised while doing something, and the line of a file in the folder.

    The traceback goes to stderr, without our own frames.
    """
    kind, error, trace = sys.exc_info()
    while trace is not None and is_ours(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    with contextlib.suppress(OSError, ValueError, AttributeError):  # the file may have closed it
        traceback.print_exception(kind, error, trace, file=sys.__stderr__)
        sys.__stderr__.flush()
    frames = [frame for frame in traceback.extract_tb(trace) if is_under(folder, frame.filename)]
    where = ""
    if frames:
        where = f" (line {frames[-1].lineno} of {os.path.basename(frames[-1].filename)})"
    elif isinstance(error, SyntaxError) and error.filename:
        where = f" (line {error.lineno} of {os.path.basename(error.filename)})"
    reason = error if isinstance(error, Missing) else last_line(kind, error)
    return {"error": f"{doing}{str(reason)[:LONGEST]}{where}"}


def last_line(kind, error):
    """Return an exception in one line: KeyError: 'a'."""
    return "raised " + traceback.format_exception_only(kind, error)[-1].strip()


def is_ours(filename):
    """Whether a frame is this file's or Python's own way to import another."""
    return filename == __file__ or filename.startswith("<frozen importlib")


def is_under(folder, filename):
    """Whether a file is one of the student's: in the folder of the bot, and not installed there."""
    path = os.path.abspath(filename)
    return path.startswith(os.path.join(folder, "")) and "site-packages" not in path


class Missing(Exception):
    """A file without a function that it needs."""


class Bot:
    """The file's functions, and the environment that they hand on."""

    def __init__(self, path):
        sys.path.insert(0, folder_of(path))
        sys.argv = sys.argv[1:]  # words after the file's name are its own
        spec = importlib.util.spec_from_file_location("bot", path)
        if spec is None:
            raise Missing(f"{path} is no Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules["bot"] = module
        spec.loader.exec_module(module)
        missing = [name for name in NEEDED if not callable(getattr(module, name, None))]
        if missing:
            raise Missing(f"{path} has no function {', '.join(missing)}")
        self.module, self.environment = module, None
        self.doing = ""  # the function that is called

    def answer(self, message):
        """Return the answer to a message; None where none is expected."""
        state = state_of(message["state"])
        if message["type"] == "over":
            self.module.final_result(state, message["score"], message["player"])
            return None
        if "new" in message:
            new, self.doing = message["new"], "initialize "
            self.environment = self.module.initialize(
                new["game"], state_of(message["state"]), message["player"], new["hex_size"],
                new["total_time"],
            )  # fmt: skip
        self.doing = "strategy "
        answer = self.module.strategy(
            self.environment, state, message["player"], message["time_left"]
        )
        try:
            self.environment, action = answer
        except (TypeError, ValueError):
            return {"nonsense": repr(answer)[:LONGEST]}
        try:
            return {"action": plain(action)}
        except (TypeError, ValueError):
            return {"no action": repr(action)[:LONGEST]}


def folder_of(path):
    """Return the folder of a file."""
    return os.path.dirname(os.path.abspath(path))


def main():
    """Answer messages."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    bot, trouble, folder = None, {}, folder_of(sys.argv[1])
    try:
        bot = Bot(sys.argv[1])
    except BaseException:  # sys.exit in the file is no way to play either
        trouble = raised(folder, "")
    for line in sys.stdin:
        message, answer = json.loads(line), trouble
        if bot is not None:
            try:
                answer = bot.answer(message)
            except BaseException:
                answer = raised(folder, bot.doing)
        if message["type"] == "over":  # an answer would be taken for the next game's
            continue
        try:
            text = json.dumps(answer)
        except ValueError:  # a number of more digits than Python writes
            text = '{"no action": "too large a number"}'
        out.write(text + "\n")
        out.flush()


if __name__ == "__main__":
    main()

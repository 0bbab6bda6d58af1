"""Whether a program can be started, as far as its file tells: nothing is started for it."""

from __future__ import annotations

import errno
import glob
import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

from joute.engines.errors import Refused

FIRST_LINE = 256  # bytes of a script's first line that Linux reads


def check_startable(words: Sequence[str], environment: Mapping[str, str]) -> None:
    """Raise Refused where the first word is no program that a process in the current folder, with these
    variables, can start.
    """
    program = words[0]
    folders = [""] if "/" in program else os.get_exec_path({**os.environ, **environment})
    faults = [fault_of(os.path.join(folder, program)) for folder in folders]
    if not all(faults):
        return
    known = [fault for fault in faults if fault != os.strerror(errno.ENOENT)]
    if known:
        fault = known[0]
    elif "/" in program:
        sources = sorted(Path(program).parent.glob(f"{glob.escape(Path(program).name)}.*"))
        fault = os.strerror(errno.ENOENT)
        fault += f"; {sources[0].name} lies there: is it compiled?" if sources else ""
    else:
        fault = "it is in no folder of PATH"
    here = f"; did you mean ./{program}?" if not ("/" in program or fault_of(program)) else ""
    joined = (" ".join(words[:count]) for count in range(2, len(words) + 1))
    if path := next((path for path in joined if not fault_of(path)), ""):
        here = f"; a path with blanks stands in quotes of its own: '{path}'"
    raise Refused(f"{program} cannot be started: {fault}{here}")


def fault_of(file: str) -> str:
    """Return why a file cannot be started, as the system says it; "" where it can."""
    try:
        if stat.S_ISDIR(os.stat(file).st_mode) or not os.access(file, os.X_OK):
            return os.strerror(errno.EACCES)
    except (OSError, ValueError) as error:
        return getattr(error, "strerror", None) or str(error)
    try:
        with open(file, "rb") as opened:
            first = opened.readline(FIRST_LINE)
    except OSError:  # may be started, not read
        return ""
    interpreter = first[2:].split()[:1] if first.startswith(b"#!") else []
    if interpreter and not os.path.exists(interpreter[0]):
        return f"its first line asks for {os.fsdecode(interpreter[0])}, which does not exist"
    return ""

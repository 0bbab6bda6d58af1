"""`uci`: the options of a UCI engine as the lines that set them."""

from __future__ import annotations

from joute.engines.errors import Refused, cut
from joute.engines.programs import placeholders
from joute.engines.programs.option import settings_in
from joute.reports.export.target import Order, Target, Written


class UciTarget(Target):
    """The options of a UCI engine as the lines that set them."""

    name = "uci"
    summary = "the options of a UCI engine, one line `setoption name X value Y` each"
    ending = "_options.txt"
    use = (
        "send the lines of {path} to the engine after uciok, or give its options these values; those before "
        "an empty line, if there is one, were tuned, the others (threads, hash, book) are how it was tested"
    )

    def write(self, order: Order) -> Written:
        """Return the file, without comments: who reads it may know of none. What was searched comes first,
        then, after an empty line, other parameters and the rest.
        """
        values = order.engine.values
        text = str(values.get("options", ""))
        options = settings_in(text, values)
        parts = [part.partition("=") for part in text.split(";")]
        filled = {name.strip(): placeholders.names_in(value) for name, _, value in parts}
        if values.get("protocol") != "uci" or not options:
            raise Refused(
                f"{cut(order.engine.text)}: is no UCI engine with options: there is nothing to write"
            )

        def place(name: str) -> tuple[bool, bool]:
            return not {*filled[name]} & {*order.searched}, not filled[name]

        named = sorted(options, key=place)
        lines = [f"setoption name {name} value {options[name]}\n" for name in named]
        tuned = sum(not place(name)[0] for name in named)
        if 0 < tuned < len(lines):
            lines.insert(tuned, "\n")
        return Written("".join(lines), order.engine)

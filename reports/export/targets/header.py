"""`header`: the engine's parameters as constants, for a bot in another language."""

from __future__ import annotations

from pathlib import Path

from joute.engines.errors import Refused
from joute.reports.export.constants import constants_of
from joute.reports.export.languages import LANGUAGES, of_c
from joute.reports.export.provenance import provenance_lines
from joute.reports.export.target import Order, Target, Written

# Further use of a header: its names have no prefix.
NAMESPACE = (
    'where your program has such names of its own (C++):\nnamespace tuned {{\n#include "{path}"\n}}'
)


class HeaderTarget(Target):
    """The engine's parameters as constants, for a bot in another language."""

    name = "header"
    summary = "constants for your own bot: C and C++, or Rust, Java, Python by the file's ending"
    ending = ".h"
    use = "start your bot's constants from {path}; -o NAME.rs, NAME.java or NAME.py for others"

    def write(self, order: Order) -> Written:
        """Return the file."""
        path = order.path or Path(f"engine{self.ending}")
        write_in = LANGUAGES.get(path.suffix)
        if write_in is None:
            known = ", ".join(LANGUAGES)
            raise Refused(
                f"{path}: --to {self.name} chooses the language by the file's ending; allowed: "
                f"{known}"
            )
        comment = [
            f"The parameters of {order.engine.text}",
            "",
            *provenance_lines(order.provenance),
        ]
        constants = constants_of(order.engine, order.kinds, order.meanings)
        text = write_in(path.stem, comment, constants)
        return Written(text, order.engine, NAMESPACE if write_in is of_c else "")

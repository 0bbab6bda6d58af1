"""`params`: the parameters as a file that your program reads when it starts."""

from __future__ import annotations

from pathlib import Path

from joute.engines.errors import Refused, nearest
from joute.engines.programs.parameter_file import ENDINGS, text_in
from joute.engines.programs.told import told_in
from joute.reports.export.constants import own_parameters
from joute.reports.export.provenance import provenance_lines
from joute.reports.export.target import Order, Target, Written


class ParamsTarget(Target):
    """The parameters as a file that your program reads when it starts."""

    name = "params"
    summary = (
        "a parameter file for your own bot: JSON, or TOML or name = value by the file's ending"
    )
    ending = "_params.json"
    use = "put {path} where your bot reads its parameters"

    def write(self, order: Order) -> Written:
        """Return the file."""
        path = order.path or Path(f"engine{self.ending}")
        if path.suffix not in ENDINGS:
            known = f"{', '.join(ENDINGS)}{nearest(path.suffix, ENDINGS)}"
            raise Refused(
                f"{path}: --to {self.name} chooses the format by the file's ending; allowed: "
                f"{known}"
            )
        told = told_in(order.engine.values)
        values = {
            p.name: value
            for p, value in own_parameters(order.engine, order.kinds)
            if not told or p.name in told
        }
        if not values:
            raise Refused(
                f"{order.engine.text}: has no parameters of its own: there is nothing to write"
            )
        # JSON has no comments, and who reads lines `name = value` may know of none.
        lines = provenance_lines(order.provenance) if path.suffix == ".toml" else []
        comment = "".join(f"# {line}\n" for line in lines)
        return Written(comment + text_in(path.name, values), order.engine)

"""The names of an assembled file, chosen when all that stands in it is known."""

from __future__ import annotations

import builtins
import keyword
import re

from joute.reports.export.source.preamble import GIVEN

MARK = re.compile("⟦(\\d+)⟧")  # for a name until it is chosen; printable, or f-strings escape it


class Names:
    """Gives out marks for names that are wished for; no name is given twice, or hidden by a local."""

    def __init__(self) -> None:
        self.taken = {*GIVEN, *keyword.kwlist, *dir(builtins)}
        self._wishes: list[str] = []
        self._fixed: dict[int, str] = {}
        self._hidden: dict[int, set[str]] = {}

    def mark(self, wish: str) -> str:
        """Return the mark of a new name, like `wish` if that can be."""
        self._wishes.append(wish)
        return f"⟦{len(self._wishes) - 1}⟧"

    def fix(self, mark: str, name: str) -> None:
        """Give a mark exactly this name."""
        match = MARK.fullmatch(mark)
        assert match, f"{name} is no definition of its own"
        self._fixed[int(match[1])] = name

    def fixed(self, mark: str) -> bool:
        """Whether a mark was given an exact name."""
        match = MARK.fullmatch(mark)
        return match is not None and int(match[1]) in self._fixed

    def hide(self, text: str, local: set[str]) -> None:
        """Note that the marks in a text stand where these names are local variables."""
        for number in MARK.findall(text):
            self._hidden.setdefault(int(number), set()).update(local)

    def resolve(self, text: str) -> str:
        """Return a text with names for marks."""
        self.taken |= set(self._fixed.values())
        chosen: list[str] = []
        for number, wish in enumerate(self._wishes):
            name, n = wish, 1
            while name in self.taken or name in self._hidden.get(number, ()):
                n += 1
                name = f"{wish}_{n}"
            name = self._fixed.get(number, name)
            self.taken.add(name)
            chosen.append(name)
        return MARK.sub(lambda mark: chosen[int(mark[1])], text)

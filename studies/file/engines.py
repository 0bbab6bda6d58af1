"""The desk at which a study is checked: it makes engines and notes what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from engines.engine import COMPONENTS, LIMIT_RANGE, Engine, parse_engine
from engines.engine_text import engine_text, is_file, names_game
from engines.errors import Refused, unknown
from engines.game import Game
from engines.parameter import Parameter
from engines.registry import find
from engines.search import LIMITS, Search
from studies.file.declared import StandIn
from studies.file.errors import Faults

Where = Callable[[str], str]


def near(name: str, known: Iterable[str]) -> bool:
    """Whether a name looks like a misspelt known one."""
    return bool(get_close_matches(name, list(known), n=1))


def parameters_of(
    member: Any, settings: Mapping[str, Any], game: Game | None
) -> tuple[Parameter, ...]:
    """Return the parameters of a search, an evaluation, ... in an engine with these settings."""
    found: tuple[Parameter, ...] = member.parameters
    return member.parameters_for(settings, game) if isinstance(member, Search) else found


class Desk:
    """Game, base settings and faults of the study being read. Without a game (because that is
    at fault) no engine can be made, but all settings that can be checked are. Files of engines are
    seen from the study's `folder`.
    """

    def __init__(
        self,
        game: Game | None,
        base: Mapping[str, Any],
        faults: Faults,
        folder: Path,
        declared: Mapping[str, Parameter] | None = None,
    ) -> None:
        self.game, self.base, self.faults, self.folder = game, base, faults, folder
        self.declared = declared or {}
        self._used: set[str] = set()  # declared names that an engine has

    def fault(self, path: str, text: str) -> None:
        """Note a fault."""
        self.faults.add(path, text)

    def engine(self, settings: Mapping[str, Any], where: Where) -> Engine | None:
        """Return an engine, or None with its faults noted at `where(setting)`; ''is all of it."""
        refusal: str | None = None
        settings = self.filled(settings)
        if self.game is not None and not self.undue(settings):
            try:
                return Engine(self.game, settings)
            except Refused as error:
                refusal = str(error)
        wrong = self._faults_of(settings, where)
        if refusal is not None and not wrong:
            self.fault(where(""), refusal)
        elif self.game is not None and not wrong & set(COMPONENTS):
            try:
                Engine(self.game, self.filled({k: settings[k] for k in {*settings} - wrong}))
            except Refused as error:
                self.fault(where(""), str(error))
        return None

    def own(self, settings: Mapping[str, Any]) -> dict[str, Parameter]:
        """Return the declared parameters that an engine with these settings has; something that
        allows all where a declaration is at fault.
        """
        try:
            member: Search = find("search", str(settings.get("search")))()
        except Refused:
            return {}
        fixed = {p.name for p in member.parameters}
        open_ = {p.name for p in member.parameters_for(settings, self.game)} - fixed
        self._used |= open_ & {*self.declared}
        found = {name: p for name, p in self.declared.items() if name in open_}
        for name in sorted(open_ - {*found}):
            free = [] if name in settings else [d for d in self.declared if d not in open_]
            for other in get_close_matches(name, free, n=1):
                self.fault(f"parameters.{other}", f"no engine has it; did you mean {name!r}?")
                found[name] = StandIn(name, "text", 0)
            if self.faults.under(f"parameters.{name}"):
                found[name] = StandIn(name, "text", 0)
        return found

    def filled(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return settings with the declared defaults of what they leave out."""
        return {n: p.default for n, p in self.own(settings).items()} | dict(settings)

    def undue(self, settings: Mapping[str, Any]) -> dict[str, Refused]:
        """Return the refusals of values that the declarations do not allow."""
        found = {}
        for name, parameter in self.own(settings).items():
            try:
                parameter.check(settings[name])
            except Refused as error:
                found[name] = error
        return found

    def check_declared(self) -> None:
        """Note every declared parameter that no engine has."""
        for name in self.declared:
            told = self.faults.under("engine") or self.faults.at(f"parameters.{name}")
            if name not in self._used and not told:
                self.fault(f"parameters.{name}", f"no engine has it: {{{name}}} stands nowhere")

    def _faults_of(self, settings: Mapping[str, Any], where: Where) -> set[str]:
        """Note every setting that is wrong by itself; return their names."""
        wrong: set[str] = set()
        known: dict[str, Parameter] = {}
        allowed = [*COMPONENTS]

        def note(name: str, error: Refused) -> None:
            wrong.add(name)
            self.fault(where(name), str(error))

        for kind in COMPONENTS:
            if kind not in settings:
                continue
            try:
                member = find(kind, str(settings[kind]))()
            except Refused as error:
                note(kind, error)
                continue
            known.update({p.name: p for p in parameters_of(member, settings, self.game)})
            allowed += getattr(member, "limits", ())
        known |= self.own(settings)
        sure = not wrong and "search" in settings  # else an unknown name may be right, if not near
        for name, value in settings.items():
            try:
                if name in LIMITS:
                    LIMIT_RANGE[name].check(value)
                elif name in known:
                    known[name].check(value)
                elif name not in COMPONENTS and (sure or near(name, known)):
                    raise unknown("parameter", name, [*known, *allowed])
            except Refused as error:
                note(name, error)
        for name in (name for name in known if name not in settings):
            try:
                known[name].check(known[name].default)  # some have none that is allowed
            except Refused as error:
                note(name, error)
        return wrong

    def spec(self, text: Any, path: str) -> Engine | None:
        """Return the engine of a text, whose game may be left out, or None with its fault noted."""
        if not isinstance(text, str):
            self.fault(path, f"{text!r} is not the text of an engine")
            return None
        if self.game is None and not is_file(text) and not names_game(text):
            return None
        try:
            if is_file(text):
                text = engine_text(str(self.folder / text))
            engine = parse_engine(text, self.game)
            if self.game is None:
                return None
            if engine.game.label == self.game.label:
                for error in self.undue(engine.settings).values():
                    raise error
                return Engine(self.game, engine.settings)
        except Refused as error:
            self.fault(path, str(error))
            return None
        names = f"plays {engine.game.label}, the study plays {self.game.label}"
        self.fault(path, f"{text}: {names}; leave the game out")
        return None

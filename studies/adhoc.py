"""Studies typed on the command line rather than written in a file."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from joute.engines.check import COMPONENTS
from joute.engines.engine import Engine, parse_engine
from joute.engines.errors import Refused
from joute.engines.parameter import text_of
from joute.studies.file.entrants import program_name, spelled_out
from joute.studies.file.validation import Errors, StudyRefused
from joute.studies.load import plain, read
from joute.studies.study import ADAPTIVE, GAUNTLET, ROUND_ROBIN, Study

if TYPE_CHECKING:
    from joute.studies.like import Model

BLOCKS = 100
SEED = 1
LONGEST = 60  # characters of both engines in a match's name


def match_study(
    spec: str,
    two: str,
    blocks: int | None = None,
    sprt: tuple[float, float] | None = None,
    seed: int | None = None,
    plies: int | None = None,
    records: str | None = None,
    margin_ms: float | None = None,
    clock: str | None = None,
    order: str | None = None,
    start: int | None = None,
    adjudicate: Mapping[str, Any] | None = None,
    like: Path | None = None,
    names: Sequence[str] | None = None,
    more: Sequence[str] = (),
    pairings: str = ROUND_ROBIN,
) -> Study:
    """Return the study of a match between two engine texts; the first names the game. `like`: a run whose
    engines may be named, and whose openings, clock and adjudication hold where nothing else is said.

    `blocks`: how many are played, or with `sprt` at most. `plies`: random plies, or plies to take from
    each of the `records` (a file or a folder). `names`: what the engines are called.
    `margin_ms` and `clock`: as in `[time]` of a study; `order` and `start` of the records: as in
    `[openings]`; `adjudicate`: the table of that name. With `more` engines it is a tournament, all
    against all; `pairings`: "gauntlet", only the first against all others, or "adaptive".
    """
    check_field(more, sprt, names, pairings)
    model: Model | None = None
    if like is not None:
        # it reads a run: a match without one starts without pandas
        from joute.studies.like import model_of

        model = model_of(like)
    texts, called = [spec, two, *more], [*names] if names is not None else []
    if model is not None:
        called = called or model.called(texts)
        texts = [model.engine(text) for text in texts]
        if records is None:
            blocks = model.blocks(blocks, BLOCKS if sprt is None else None, order, start)
    engines = of_one_game(texts)
    entrants = [{"spec": engine.text} for engine in engines]
    for entrant, name in zip(entrants, called, strict=False):
        entrant |= {"name": name} if name else {}
    data: dict[str, Any] = {
        "game": engines[0].game.label,
        "seed": seed if seed is not None else model.seed if model is not None else SEED,
    }
    if more:
        data |= {"name": tournament_name(engines, pairings), "kind": "tournament"}
        data |= {"entrants": entrants, "schedule": {"blocks": BLOCKS if blocks is None else blocks}}
        data["schedule"] |= {"type": pairings} if pairings == ADAPTIVE else {}
    else:
        data["name"] = match_name(engines[0], engines[1], sprt, called if all(called) else ())
        data |= {"kind": "match", "a": entrants[0], "b": entrants[1]}
        data |= length(blocks, sprt)
    given: dict[str, Mapping[str, Any]] = {
        "openings": {"plies": plies, "records": records, "order": order, "start": start},
        "time": {"margin_ms": margin_ms, "clock": clock},
        "adjudicate": adjudicate or {},
    }
    for name, table in given.items():
        said = {key: value for key, value in table.items() if value is not None}
        data[name] = (dict(model.tables[name]) if model is not None else {}) | said
    if model is not None and (declared := model.parameters_of(*engines)):
        data["parameters"] = declared
    study = checked(data)
    if pairings == GAUNTLET:
        data["schedule"] |= {"type": GAUNTLET, "against": [study.entrants[0].name]}
        study = checked(data)
    return study


def pairings_of(gauntlet: bool, adaptive: bool) -> str:
    """Return the type of pairings; refuse both at once."""
    if gauntlet and adaptive:
        raise Refused("gauntlet and adaptive exclude each other; give one of them")
    return GAUNTLET if gauntlet else ADAPTIVE if adaptive else ROUND_ROBIN


def check_field(
    more: Sequence[str],
    sprt: tuple[float, float] | None,
    names: Sequence[str] | None,
    pairings: str,
) -> None:
    """Refuse what so many engines cannot play, and names that are not one for each."""
    if pairings != ROUND_ROBIN and not more:
        what = "a gauntlet needs" if pairings == GAUNTLET else f"{pairings} pairings need"
        raise Refused(f"{what} three engines or more")
    if more and sprt is not None:
        raise Refused(f"sprt: a test is between two engines, and here are {2 + len(more)}")
    if names is not None and len(names) != 2 + len(more):
        words = f"{len(names)} name{'' if len(names) == 1 else 's'}"
        raise Refused(f"names: {words} for {2 + len(more)} engines: {', '.join(names)}")
    if names is not None and len({*names}) < len(names):
        raise Refused(f"names: two engines have the same one: {', '.join(names)}")


def of_one_game(texts: Sequence[str]) -> list[Engine]:
    """Return the engines of texts, the first of which names the game of all."""
    first = parse_engine(texts[0])
    engines = [first, *(parse_engine(text, first.game) for text in texts[1:])]
    for engine in engines:
        if engine.game.label != first.game.label:
            raise Refused(f"{engine.text} plays another game than {first.game.label}")
    return engines


def length(blocks: int | None, sprt: tuple[float, float] | None) -> dict[str, Any]:
    """Return the tables of a study that say how long two engines play."""
    if sprt is None:
        return {"blocks": BLOCKS if blocks is None else blocks}
    longest = {} if blocks is None else {"max_blocks": blocks}
    return {"sprt": {"elo0": sprt[0], "elo1": sprt[1], **longest}}


def checked(data: dict[str, Any]) -> Study:
    """Return the study of a table."""
    errors = Errors()
    try:
        data = plain(data)
    except TypeError as error:
        raise StudyRefused("match", [str(error)]) from None
    study = read(data, "", Path.cwd(), errors)
    if study is None or errors.lines():
        raise StudyRefused("match", errors.lines())
    return study


def tournament_name(engines: Sequence[Engine], pairings: str) -> str:
    """Return a name for the folder of a tournament: game, number of engines, and what tells their ids."""
    kind = "tournament" if pairings == ROUND_ROBIN else pairings
    ids = hashlib.sha256(" ".join(engine.id for engine in engines).encode()).hexdigest()
    return f"{engines[0].game.name}-{kind}-of-{len(engines)}-{ids[:6]}"


def match_name(
    first: Engine, second: Engine, sprt: tuple[float, float] | None, called: Sequence[str] = ()
) -> str:
    """Return a name that a person knows, for a folder: game, both engines as they are called or by what
    differs, the test, and the beginnings of their ids. A test and fixed blocks have two names, and so
    two reports.
    """
    sides = ["-".join(parts_of(first, second)), "-".join(parts_of(second, first))]
    if called:
        sides = [path_part(name) for name in called]
    names = [shortened(side, LONGEST // 2) for side in sides]
    test = f"-sprt-{sprt[0]:g}-{sprt[1]:g}" if sprt else ""
    return f"{first.game.name}-{names[0]}-vs-{names[1]}{test}-{first.id[:3]}{second.id[:3]}"


def shortened(name: str, most: int) -> str:
    """Return a name of at most so many characters: the beginning and the end of a longer one."""
    if len(name) <= most:
        return name
    end = most // 3
    return f"{name[: most - end - 1].rstrip('-.')}-{name[-end:].lstrip('-.')}"


def parts_of(engine: Engine, other: Engine) -> list[str]:
    """Return the parts of an engine's name: its search, and what the other one has otherwise."""
    usual = {p.name: p.usual(engine.settings) for p in engine.parameters}
    parts, others = [engine.search.name], spelled_out(other.settings)
    for name, value in spelled_out(engine.settings).items():
        if name == "command":
            parts[0] = program_name(str(value))
        elif value not in (usual.get(name), others.get(name)) and name != "search":
            parts.append(str(value) if name in COMPONENTS else f"{name}{text_of(value)}")
    return [text for part in parts if (text := path_part(part))]


def path_part(text: str) -> str:
    """Return a text as part of a folder's name."""
    return re.sub(r"[^\w.-]+", "", text)

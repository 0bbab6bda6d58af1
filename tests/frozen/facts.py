"""What the code does with the cases, as texts to compare; alone here imports what is frozen."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numba
from click.testing import CliRunner
from matplotlib.figure import Figure

from joute.cli import main
from joute.commands._perft import perft
from joute.commands._perft import template as perft_template
from joute.engines.engine import Engine, parse_engine, parse_game
from joute.engines.evaluation import expected_kernel
from joute.engines.game import Game
from joute.engines.kernels.random import seed_of, stream
from joute.engines.position import Position
from joute.engines.registry import find, names
from joute.reports.export import fit
from joute.reports.export.proof import Proved
from tests.frozen import cases

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RUNS = HERE / "run_of_0_1"  # run.db as commit 6adc7b2 left it, of studies like those kept here
VERSIONS = f"python{sys.version_info[0]}.{sys.version_info[1]}-numba{numba.__version__}"
KERNELS = f"{VERSIONS}.json"
LONG = ("games.csv", "seats.csv")  # of a kept run what is made of them tells enough
NOT_FROZEN = ("times.csv", "time_strength.csv")  # wall times
Files = dict[str, str]  # a golden's path in the folder of its fact, and its text


def pretty(data: object) -> str:
    """Return data as text that can be compared line by line."""
    return json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def goldens_of(name: str) -> Path:
    """Return the folder of a fact's goldens."""
    return HERE / name


def joute(*words: object, code: int = 0) -> str:
    """Run the command in this process; return what it prints."""
    found = CliRunner().invoke(main, [str(word) for word in words])
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    assert found.exit_code == code, f"joute {' '.join(map(str, words))}: {found.output}"
    return found.stdout


# Engines and positions


def engines(folder: Path) -> Files:
    """Return canonical texts and ids of engines."""
    found = {text: parse_engine(text) for text in cases.ENGINES}
    texts = {text: {"text": engine.text, "id": engine.id} for text, engine in found.items()}
    return {"texts.json": pretty(texts)}


def position_of(game: Game, plies: int) -> Position:
    """Return a position after so many random plies: the first such game that is not over then."""
    for seed in range(100):
        position, S = Position(game, game.start_text(seed)), stream(seed_of("frozen", seed))
        while position.ply < plies and not position.over:
            action = position.sample_action(S)
            position.play(action, position.draw_outcome(action, seed_of(seed, position.ply)))
        if not position.over:
            return position
    raise AssertionError(f"{game.label}: no game lasts {plies} plies")


def counts(folder: Path) -> Files:
    """Return perft of every game that lists its actions, from the start and from a position."""
    found: dict[str, dict[str, list[int]]] = {}
    for text, depth in cases.PERFT:
        game = parse_game(text)
        for position in (Position(game), position_of(game, 8)):
            numbers = [perft(position, n) for n in range(depth + 1)]
            found.setdefault(game.label, {})[position.line()] = numbers
    return {"counts.json": pretty(found)}


def answers(folder: Path) -> Files:
    """Return the answers of engines in some positions: action, value, depth and nodes."""
    found: dict[str, dict[str, dict[str, object]]] = {}
    for text in cases.ASKED:
        engine = parse_engine(text)
        asked = [position_of(engine.game, plies) for plies in cases.PLIES]
        found[text] = {position.line(): answer(engine, position) for position in asked}
    return {"answers.json": pretty(found)}


def answer(engine: Engine, position: Position) -> dict[str, object]:
    """Return what an engine plays in a position, numbers to the last digit."""
    player = engine.player()
    player.new_game(2019, position.to_move)
    choice = player.choose(position)
    player.close()
    action = engine.game.action_text(choice.action)
    value = None if choice.value is None else repr(float(choice.value))
    return {"action": action, "value": value, "depth": choice.depth, "nodes": choice.nodes}


# Kernels


def kernels(folder: Path) -> Files:
    """Return the digests of all kernels: they are the same uncompiled, where making them is quick."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.frozen.facts"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {KERNELS: done.stdout}


class Digests(dict[str, str]):
    """Digests by the names of kernels; those that a kernel captures come behind its own name."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def add(self, name: str, kernel: Any) -> None:
        """Add a kernel and, of those that it captures, the ones not met before."""
        digest = getattr(kernel, "digest", None)
        if not isinstance(digest, str):
            return
        self[name] = digest
        self._seen.add(digest)
        for inner, value in sorted(captured(getattr(kernel, "py_func", kernel))):
            if getattr(value, "digest", "") not in self._seen:
                self.add(f"{name}/{inner}", value)

    def add_all(self, name: str, kernels: Any) -> None:
        """Add the kernels among the values of a mapping or the fields of an object."""
        fields = kernels if isinstance(kernels, Mapping) else vars(kernels)
        for field, value in sorted(fields.items()):
            if isinstance(value, Mapping):
                self.add_all(name, value)  # what an ending hands on to the search
            else:
                self.add(f"{name}.{field}", value)


def captured(function: Any) -> Iterator[tuple[str, Any]]:
    """Yield the kernels that a function captures, by the names that it has for them."""
    code = function.__code__
    cells = (cell.cell_contents for cell in function.__closure__ or ())
    known = {**function.__globals__, **dict(zip(code.co_freevars, cells, strict=True))}
    for name in {*code.co_names, *code.co_freevars}:
        if isinstance(getattr(known.get(name), "digest", None), str):
            yield name, known[name]


def all_digests() -> Digests:
    """Return the digests of kernels of games, generators, evaluations, endings and searches."""
    found = Digests()
    for text in cases.GAMES:
        add_members(found, parse_game(text))
    for text in cases.ENGINES:
        engine = parse_engine(text)
        if engine.search.name in cases.WITHOUT_KERNELS:
            continue
        recipe = engine.recipe()
        assert recipe is not None
        found.add_all(text, recipe.arguments)
        found[f"{text} (search)"] = engine.search.digest(engine.setup)
        found[f"{text} (engine)"] = engine.digest
    return found


def add_members(found: Digests, game: Game) -> None:
    """Add the kernels of a game, and of the members that are made for it."""
    found.add_all(game.label, game.kernels())
    if game.listed and not game.chance:
        found.add(f"{game.label}.perft", perft_template(game))
    for name in names("generator"):
        generator = find("generator", name)()
        if generator.games is not None and game.name in generator.games:
            found.add_all(f"{game.label}+{name}", generator.kernels(game, game.words + 3, 2))
    for name in names("evaluation"):
        evaluation = find("evaluation", name)()
        if evaluation.games is not None and game.name in evaluation.games:
            made = evaluation.kernels(game, 2)
            found.add_all(f"{game.label}+{name}", made)
            expected = expected_kernel(game, made, evaluation.scale)
            found.add(f"{game.label}+{name}.expected_return", expected)
    for name in names("ending"):
        ending = find("ending", name)()
        if game.name in ending.games:
            found.add(f"{game.label}+{name}.finish", ending.kernel(game, 2))


# Commands


def printed(folder: Path) -> Files:
    """Return what commands print for machines."""
    found: Files = {}
    for name, words in cases.COMMANDS.items():
        filled = [
            word.replace("{folder}", str(folder)).replace("{studies}", str(HERE / "studies"))
            for word in words
        ]
        found[f"{name}.json"] = as_frozen(joute(*filled, "--json"), folder)
    return found


def as_frozen(text: str, folder: Path) -> str:
    """Return JSON without times and paths of this machine."""
    return pretty(timeless(json.loads(text.replace(str(folder), "FOLDER"))))


def timeless(data: Any) -> Any:
    """Return data without what differs from run to run."""
    if isinstance(data, dict):
        return {key: timeless(value) for key, value in data.items() if key not in cases.TIMES}
    if isinstance(data, list):
        return [timeless(one) for one in data if not (isinstance(one, str) and tells_time(one))]
    return data


def tells_time(line: str) -> bool:
    """Whether a line of an answer tells how long moves take."""
    return re.search(r"\d (ms|µs|s) per move|^Median time per move", line) is not None


# Exports


def exported(folder: Path) -> Files:
    """Return exported files: data and constants whole, of players the head and a digest of the code.

    That players play as their engines is proved elsewhere: the proof, which takes long and tells
    times, is left out.
    """
    found: Files = {}
    with ExitStack() as stack:
        proved = Proved(asked=5, nodes=[1], ms=[0.001])
        stack.enter_context(patch.object(fit, "prove", lambda *a, **k: proved))
        stack.enter_context(patch.object(fit, "prove_transcripts", lambda *a, **k: None))
        for name, (target, engine) in cases.EXPORTS.items():
            path = folder / name
            language = ("--language", "python") if target == "codingame" else ()
            joute("export", "--engine", engine, "--to", target, "-o", path, *language)
            text = versionless(path.read_text("utf-8"))
            long = target in ("python", "codingame", "kaggle")
            found[f"{name}.txt"] = summary(text) if long else text
    return found


def versionless(text: str) -> str:
    """Return the text of an exported file without versions, of Joute and others, and without times."""
    text = re.sub(r"(?<=takes up to about )[\d.]+ m?s", "TIME", text)
    text = re.sub(r"(?s)\A(\"\"\".*?\"\"\")", lambda m: re.sub(r"\n  +", " ", m[1]), text, count=1)
    text = re.sub(r"(Exported with|run with) .*?(?=: joute|$)", r"\1 VERSIONS", text, flags=re.M)
    versions = r'("?(?:joute|python|numpy|numba|pandas|scipy|matplotlib|optuna)"?( = |: )")[\d.]+"'
    return re.sub(versions, r'\1VERSION"', text)


def summary(text: str) -> str:
    """Return the docstring of a player, the length of its code and its digest."""
    head, code = re.split(r'(?<=""")\n', text, maxsplit=1)
    return f"{head}\n{len(code)} characters, sha256 {hashlib.sha256(code.encode()).hexdigest()}\n"


# Studies and stored runs


def reported(*words: object) -> str:
    """Run a command that ends with a report, whose plots are not drawn: that takes most of the time."""
    with patch.object(Figure, "savefig", lambda figure, to, **k: to.write(b"<svg/>")):
        return joute(*words)


def played(folder: Path) -> Files:
    """Return the tables of studies played by two workers."""
    found: Files = {}
    for name in cases.STUDIES:
        out = folder / name
        text = reported("run", HERE / "studies" / f"{name}.toml", "-j", 2, "--out", out, "--json")
        found[f"{name}/answer.json"] = as_frozen(text, folder)
        found |= {f"{name}/{path}": text for path, text in tables(out).items()}
    return found


def tables(run: Path) -> Files:
    """Return the tables of a run folder, but those of wall times; code digests are left out."""
    every = sorted(run.rglob("*.csv"))
    found = {str(path.relative_to(run)): path.read_text("utf-8") for path in every}
    found = {name: text for name, text in found.items() if Path(name).name not in NOT_FROZEN}
    # Of engines without kernels a digest is that of their file.
    found["engines.csv"] = re.sub(r",[0-9a-f]{16},", ",DIGEST,", found["engines.csv"])
    return found


def kept(folder: Path) -> Files:
    """Return what commands make of the runs that 0.1 played and that are kept here."""
    found: Files = {}
    for run in sorted(RUNS.iterdir()):
        copy, place = folder / run.name, run.name
        shutil.copytree(run, copy)
        found[f"{place}/report.json"] = as_frozen(reported("report", copy, "--json"), folder)
        made = tables(copy)
        found |= {f"{place}/{path}": text for path, text in made.items() if path not in LONG}
        game = made["games.csv"].splitlines()[1].partition(",")[0]
        found[f"{place}/replay.json"] = as_frozen(joute("replay", copy, game, "--json"), folder)
        for ending in ("json", "h"):
            path = folder / f"{run.name}.{ending}"
            target = {"h": "header"}.get(ending, ending)
            joute("export", copy, "--to", target, "-o", path, "--anyway")
            found[f"{place}/winner.{ending}.txt"] = codeless(versionless(path.read_text("utf-8")))
    return found


def codeless(text: str) -> str:
    """Return an exported winner without the remark whether today's code is that of its run."""
    text = re.sub(r'"code": ".*"', '"code": "CODE"', text)
    return re.sub(r"(?s)Code: .*?(?=\n\W*Exported)", "Code: CODE", text)


FACTS: dict[str, Callable[[Path], Files]] = {
    "engines": engines,
    "kernels": kernels,
    "perft": counts,
    "answers": answers,
    "json": printed,
    "exports": exported,
    "tables": played,
    "kept": kept,
}

if __name__ == "__main__":
    print(pretty(all_digests()), end="")

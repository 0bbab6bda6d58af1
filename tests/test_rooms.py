"""The rooms: who may import whom, who may name a member, and what the door loads."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from joute.engines.registry import entries, find, kinds, names
from tests.support.durations import listed

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "joute"
MAY: dict[str, set[str]] = {
    "engines": set(),
    "harness": {"engines"},
    "results": {"engines"},
    "studies": {"engines", "harness", "results"},
    "reports": {"engines", "results", "studies"},
    "commands": {"joute", "engines", "harness", "results", "studies", "reports"},
    "joute": {"engines", "harness", "results", "studies", "reports", "commands"},  # the door
}
# What `results` may take of `engines`: its nouns, nothing that plays.
NOUNS = {
    "joute.engines.record",
    "joute.engines.errors",
    "joute.engines.parameter",
    "joute.engines.output",
    "joute.engines.garbage",
}
# Where a library may be imported, and nowhere else.
HOMES = {
    "optuna": "studies/search",
    "cmaes": "studies/search",
    "matplotlib": "reports/plots",
    "torch": "studies/learning",
    "onnx": "studies/learning",
    "onnxruntime": "engines/nets",
    "dask": "harness/cluster",
    "distributed": "harness/cluster",
    "dask_jobqueue": "harness/cluster",
}
HEAVY = (
    "torch",
    "distributed",
    "onnxruntime",
    "numba",
    "optuna",
    "pandas",
    "matplotlib",
    "numpy",
    "scipy",
    "pydantic",
    "joblib",
)


def sources(room: str) -> list[Path]:
    return sorted(p for p in (ROOT / room).rglob("*.py") if "__pycache__" not in p.parts)


@cache
def imports_of(path: Path) -> tuple[str, ...]:
    """Return the full name of every module that a file imports, wherever in it."""
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(), str(path))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            found.append(str(node.module))
    return tuple(found)


@cache
def only_for_types(path: Path) -> set[str]:
    """Return the modules that a file imports under `if TYPE_CHECKING:`: they are never loaded."""
    return {
        str(node.module)
        for block in ast.walk(ast.parse(path.read_text()))
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in ast.walk(block)
        if isinstance(node, ast.ImportFrom)
    }


def room_of(module: str) -> str:
    """Return the room of a module of ours; "joute" for the door, "" for what is not ours."""
    package, _, inside = module.partition(".")
    room = inside.partition(".")[0]
    return "" if package != PACKAGE else room if room in MAY else "joute"


def test_rooms_of_modules() -> None:
    """Were they all "joute", the tests below would hold whatever is imported."""
    modules = ("joute.engines.game", "joute.results", "joute", "joute.cli", "numpy.random")
    assert [room_of(m) for m in modules] == ["engines", "results", "joute", "joute", ""]
    assert {room_of(m) for path in sources("reports") for m in imports_of(path)} >= {
        "engines",
        "results",
        "studies",
        "reports",
        "",
    }


def test_nobody_imports_a_room_by_its_bare_name() -> None:
    """`from engines ...` works in a checkout alone, and there makes every module twice."""
    bare = {room for room in MAY if room != "joute"} | {"cli"}
    files = [path for path in ROOT.rglob("*.py") if ".venv" not in path.parts]
    faults = [
        f"{path.relative_to(ROOT)}: {module}"
        for path in files
        if not path.is_relative_to(ROOT / "build")
        for module in imports_of(path)
        if module.partition(".")[0] in bare
    ]
    assert len(files) > 600 and not faults, faults
    done = subprocess.run(
        [sys.executable, "-c", "import engines"], cwd=ROOT, capture_output=True, text=True
    )
    assert "ImportError: this folder is joute.engines" in done.stderr


@pytest.mark.parametrize("room", MAY)
def test_a_room_imports_only_what_it_may(room: str) -> None:
    assert sources(room)
    for path in sources(room):
        place = path.relative_to(ROOT).as_posix()
        for module in imports_of(path):
            top, its = module.split(".")[0], room_of(module)
            assert top not in ("tests", "benchmarks"), f"{place}: {module}"
            if its:
                assert its == room or its in MAY[room], f"{place}: {module}"
            home = HOMES.get(top, "")
            typed = module in only_for_types(path)
            assert typed or place.startswith(home), f"{place}: {module} has another home"


def name_of(path: Path) -> str:
    """Return the module's name of a file of ours."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts if parts[0] == PACKAGE else (PACKAGE, *parts)).removesuffix(".__init__")


def graph() -> dict[str, set[str]]:
    """Return every module of ours with the modules of ours that it imports, wherever in it."""
    files = {name_of(path): path for room in MAY for path in sources(room)}
    found: dict[str, set[str]] = {}
    for name, path in files.items():
        taken = set()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                inside = {f"{node.module}.{alias.name}" for alias in node.names}
                taken |= (inside & files.keys()) or ({str(node.module)} & files.keys())
            elif isinstance(node, ast.Import):
                taken |= {alias.name for alias in node.names} & files.keys()
        found[name] = taken - {name}
    return found


def test_no_files_import_each_other_in_a_circle() -> None:
    left = graph()
    while True:
        ends = {name for name, taken in left.items() if not taken & left.keys()}
        if not ends:
            break
        left = {name: taken for name, taken in left.items() if name not in ends}
    assert not left, f"a circle is among: {sorted(left)}"


def test_results_takes_only_nouns_of_engines() -> None:
    taken = {m for p in sources("results") for m in imports_of(p) if room_of(m) == "engines"}
    assert "joute.engines.record" in taken
    assert taken <= NOUNS


def member_names() -> dict[str, set[Path]]:
    """Return every game's, search's and evaluation's name, and the files that define it."""
    found: dict[str, set[Path]] = {}
    for kind in ("game", "search", "evaluation"):
        for name in names(kind):
            module = sys.modules[find(kind, name).__module__]
            if module.__file__ and Path(module.__file__).is_relative_to(ROOT / "engines"):
                found.setdefault(name, set()).add(Path(module.__file__))
    return found


# Words of English and of Python besides: a name only as a whole string, or in an engine's text.
PLAIN = {
    "lines", "static", "random", "human", "process", "zones", "chambers", "paranoid", "mirror",
    "mobility", "steps", "go", "area", "network", "greedy", "bot", "referee",
}  # fmt: skip
MAY_NAME: dict[str, set[str]] = {
    "engines/searches/uct.py": {"paranoid"},  # what opponents may be
    "engines/searches/paranoid.py": {"maxn"},
    # A parameter of that name, and a symmetry that is drawn:
    "engines/nets/network_parameter.py": {"network"},
    "engines/searches/puct.py": {"network", "random"},
    "engines/searches/greedy.py": {"network"},
    "engines/searches/plain_alphabeta.py": {"alphabeta"},  # plain-alphabeta
    "engines/searches/plain_uct.py": {"uct"},  # plain-uct
    "commands/_bench.py": {"connect4", "alphabeta", "uct", "lines", "static", "random"},  # measures
    # What two games share, and neither alone:
    "engines/games/mobility.py": {"dodo", "gopher"},
    "engines/protocols/ia02/ia02.py": {"dodo", "gopher"},
    "engines/protocols/ia02/wire.py": {"dodo", "gopher"},
    "engines/games/chess/chess.py": {"alphabeta"},  # who judges openings
    "engines/games/tron/tron.py": {"alphabeta"},
    "reports/export/cpp/kernel_file.py": {"static"},  # a word of C++
    # A symmetry of boards, told by its name:
    "engines/board.py": {"mirror"},
    "engines/games/dodo/dodo.py": {"mirror"},
    "engines/games/go/go.py": {"mirror"},
    "engines/games/go/goban.py": {"mirror"},
    "engines/games/tron/ribbons.py": {"mirror"},
    "reports/replay.py": {"steps"},  # of a game
    # Programs called so, and a parameter's type that two searches share:
    "engines/protocols/ia02/host.py": {"bot"},
    "engines/referees/json_line.py": {"bot"},
    "engines/searches/process.py": {"bot"},
    "engines/searches/bot.py": {"process"},
    "reports/export/bot_file.py": {"bot"},
    # Streams of random numbers, a parameter, a command of UCI:
    "reports/export/cpp/engine_file.py": {"random"},
    "engines/games/chess/tapered.py": {"mobility"},
    "engines/games/chess/uci/controller.py": {"go"},
    "commands/examples.py": {"bot", "referee"},
    "harness/openings.py": {"random"},  # an order of openings
    "studies/file/models.py": {"random"},
    "commands/match.py": {"random"},
    "engines/forced.py": {"alphabeta"},  # finds forced ends in all games that it plays
    # A yardstick that every game has, and the one search that would wait for a person:
    "harness/conformance/subjects.py": {"human"},
    "harness/conformance/engine_rules.py": {"random", "process"},
}


WORD = "where it is another word, add the member to PLAIN, or the file with it to MAY_NAME"
ELSEWHERE = {  # streams of random numbers, programs: not the searches
    "joute.engines.kernels.random",
    "random",
    "joute.engines.programs.process",
    "joute.reports.export.bot",
}


@cache
def texts_of(source: str) -> tuple[tuple[int, str, bool], ...]:
    """Return line and text of a file's strings, imports and names, docstrings and comments left out;
    whether it is a name.
    """
    docs, found = set(), list[tuple[int, str, bool]]()
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            docs.add(id(body[0].value))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            found.append((node.lineno, node.value, False))
        elif isinstance(node, ast.ImportFrom) and str(node.module) not in ELSEWHERE:
            found.append((node.lineno, str(node.module), False))
        elif isinstance(node, ast.Import):
            said = " ".join(alias.name for alias in node.names)
            found += [(node.lineno, said, False)] if said not in ELSEWHERE else []
        elif isinstance(node, ast.Name | ast.Attribute):
            found.append((node.lineno, node.id if isinstance(node, ast.Name) else node.attr, True))
    return tuple(found)


def mentions(source: str, name: str) -> list[tuple[int, str]]:
    """Return where a file names a member, in strings and code, not in docstrings and comments."""
    if name not in source:
        return []
    plain = name in PLAIN
    word = re.compile(
        rf"^{name}$|^{name}:|/{name}\b|={name}\b|\.{name}$" if plain else rf"\b{name}\b"
    )
    texts = texts_of(source)
    return [(n, text) for n, text, code in texts if not (plain and code) and word.search(text)]


def test_mentions_are_found() -> None:
    source = (
        '"""About connect4 and uct."""\nimport engines.games.connect4\n'
        'from joute.engines.searches.random import Random\nx = "uct:k=1"\nlines = ["a"]\n'
        'y = f"{game}/random"\nz = find("evaluation", "lines")\nfor lines in text.lines:\n    pass\n'
    )
    assert [line for line, _ in mentions(source, "connect4")] == [2]
    assert sorted(line for line, _ in mentions(source, "random")) == [3, 6]
    assert [line for line, _ in mentions(source, "uct")] == [4]
    assert [line for line, _ in mentions(source, "lines")] == [7]


def test_no_file_names_a_member_but_its_own() -> None:
    members = member_names()
    assert {"connect4", "alphabeta", "uct", "lines", "static", "random", "human"} <= set(members)
    faults = []
    for path in (path for room in MAY for path in sources(room)):
        source = path.read_text()
        for name, homes in members.items():
            if name not in source or path in homes or exempt(path, name):
                continue
            for line, text in mentions(source, name):
                faults.append(f"{path.relative_to(ROOT)}:{line}: {name}: {text[:70]!r}")
    assert not faults, "\n".join([*faults, "no file names a member but its own; " + WORD])


def exempt(path: Path, name: str) -> bool:
    """Whether a file names a member by right: a game's folder names what belongs to the game."""
    place = path.relative_to(ROOT).as_posix()
    if name in MAY_NAME.get(place, ()) or path.stem == name:  # a search and a sampler: random
        return True
    if place.startswith("engines/protocols/") and name == "go":
        return True  # a usual word of protocols
    if not place.startswith("engines/games/"):
        return False
    game = place.split("/")[2]
    own = {e.name for kind in kinds() for e in entries(kind).values() if in_folder(e.file, game)}
    return name in own | {"random"}  # random starts, random maps


def in_folder(file: Path, game: str) -> bool:
    return file.is_relative_to(ROOT / "engines" / "games" / game)


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom click.testing import CliRunner\nfrom joute.cli import main\n"
        "done = CliRunner().invoke(main, ['--help'])\nassert done.exit_code == 0, done.output\n"
        "assert 'tunes the parameters' in done.output\n"
        f"print([m for m in {HEAVY!r} if m in sys.modules])"
    )
    asked = [sys.executable, "-c", code]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_every_member_is_in_a_file_of_its_name() -> None:
    assert {"game", "search", "sampler", "plot", "target", "kind", "protocol"} <= set(kinds())
    for kind in kinds():
        for name, entry in entries(kind).items():
            assert find(kind, name).name == name
            assert find(kind, name).summary
            stems = {entry.file.stem, entry.file.parent.name}
            ours = any(entry.file.is_relative_to(ROOT / room) for room in MAY)
            if ours and kind != "dialogue":
                assert {name, name.replace("-", "_")} & stems, entry.file


def test_only_kernels_have_no_annotations() -> None:
    for path in (path for room in MAY for path in sources(room) if path != GUEST):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and not is_kernel(node):
                untyped = [a.arg for a in node.args.args if not a.annotation and a.arg not in SELF]
                place = f"{path.relative_to(ROOT)}:{node.lineno}: {node.name}"
                assert not untyped and (node.returns or node.name == "__init__"), place


SELF = ("self", "cls")
GUEST = ROOT / "engines" / "protocols" / "ia02" / "host.py"  # runs in anybody's old Python


def is_kernel(node: ast.FunctionDef) -> bool:
    names = {ast.unparse(getattr(d, "func", d)) for d in node.decorator_list}
    return bool(names & {"rule", "kernel"})


def test_tests_share_by_support_alone() -> None:
    """A test file is nobody's library, and results are read as frames where there is one."""
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for module in imports_of(path):
            last = module.rpartition(".")[2]
            assert not last.startswith("test_"), f"{path.name} imports {module}"
            if module.startswith("tests.") and path.is_relative_to(ROOT / "tests" / "support"):
                assert module.startswith("tests.support"), f"{path.name} imports {module}"
        if path.parent.name != "support" and path != Path(__file__):
            assert " JOIN " not in path.read_text(), (
                f"{path.name}: played_by, load of results.tables"
            )


def test_the_long_tests_are_there() -> None:
    for name in listed("slow") | listed("dear"):
        path, _, rest = name.partition("::")
        test = f"def {rest.partition('[')[0]}(" if rest else ""
        assert test in (ROOT / path).read_text("utf-8"), name

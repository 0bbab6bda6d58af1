"""One file of C++ that plays as an engine: its kernels, its player, and how it is asked.

What the searches' players do around their kernels stands in `parts/`, once for each kind of player,
and reads the numbers that are written here. A game whose positions have a text of their own may have
a file of C++ beside it that reads one; so may a dialogue.
"""

from __future__ import annotations

import math
import re
import sys
import textwrap
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from joute.engines.ending import PROBE, EndingPlayer
from joute.engines.engine import Engine
from joute.engines.errors import JouteError, Refused
from joute.engines.game import Game
from joute.engines.parameter import text_of
from joute.engines.player import Player
from joute.engines.record import WIN
from joute.engines.registry import entries
from joute.engines.search import BY_LINE, Recipe
from joute.engines.searches import _stack
from joute.engines.searches._stack import FRAMES, MAX_DEPTH, StackPlayer
from joute.engines.searches._tabled import TabledPlayer
from joute.engines.searches.mcts import tree
from joute.engines.searches.mcts.rave import room_for_rave
from joute.engines.searches.mcts.tree import PRIOR, RAVE, SQUARES, copy_below
from joute.engines.searches.mcts.tree_player import TreePlayer
from joute.engines.searches.random import RandomPlayer
from joute.reports.export.alone import parameters_alone
from joute.reports.export.cpp.expressions import variable_text
from joute.reports.export.cpp.kernel_file import FOOT, WIDTH, KernelFile, wrapped
from joute.reports.export.typed.reading import Unreadable, is_kernel
from joute.reports.export.typed.simplified import Known

PARTS = Path(__file__).parent / "parts"
HEADERS = ("algorithm", "cctype", "chrono", "iterator", "limits", "sstream", "string", "vector")
STOPPED = ("poll.h", "unistd.h")  # where a user may stop a search
SWITCHES = ("OWN_TEXTS", "OWN_TURNS", "WHOLE_TURNS", "USER_STOPS")  # what parts ask by #ifdef
RULES = ("start", "apply", "status", "to_move", "actions", "sample", "outcome")
TEXTS = 20_000  # actions by whose numbers a game is asked for texts, at most
SLICE_MS = 0.5


def written(engine: Engine) -> Recipe:
    """Return the recipe of an engine's player; raise Refused for one that C++ does not have."""
    recipe = engine.recipe()
    kind = None if recipe is None else recipe.player
    if recipe is not None and kind is EndingPlayer:
        kind = recipe.arguments["kind"]
    if recipe is None or kind not in PLAYERS or not engine.game.compiled:
        able = [
            name
            for name, entry in entries("search").items()
            if entry.fact("compiled") and not entry.fact("guided") and name != engine.search.name
        ]
        raise Refused(
            f"search = {engine.search.name}: C++ has no player of it; it has those of compiled games "
            f"by {', '.join(able)}{parameters_alone(engine)}"
        )
    if engine.evaluation is not None and engine.evaluation.guided:
        raise Refused(f"evaluation = {engine.evaluation.name}: C++ has no networks")
    coded = type(engine.game).decode is not Game.decode
    if coded and not says(engine.game, "OWN_TURNS"):
        raise Refused(
            f"game = {engine.game.name}: its actions have no numbers of their own, which C++ needs"
        )
    return recipe


def engine_text(engine: Engine, head: str, guard_ms: float | None, ending: str) -> str:
    """Return the file: `head` is its first comment, `guard_ms` a move's time if there is one, `ending`
    what comes behind the player. Raises Refused.
    """
    recipe = written(engine)
    inner, player = recipe.arguments, recipe.player
    if player is EndingPlayer:
        inner, player = recipe.arguments["arguments"], recipe.arguments["kind"]
    names = ["clock", "position", PLAYERS[player].part]
    names += ["ending_player"] if recipe.player is EndingPlayer else []
    stops = "play_uci" in ending
    own = "\n".join(start_reader(engine.game))
    on = {name for name in SWITCHES[:2] if says(engine.game, name)}
    on |= {"USER_STOPS"} if stops else set()
    on |= {"WHOLE_TURNS"} if player is RandomPlayer and "OWN_TURNS" in on else set()
    parts = [resolved(text, on) for text in (own, *map(part, names), part("one_seat"), ending)]
    asked = "".join(parts)
    file = KernelFile(known(engine))
    rules = {name: getattr(engine.game.kernels(), name) for name in RULES}
    rules = {name: k for name, k in rules.items() if name == "outcome" or f"rules::{name}" in asked}
    rules |= engine.game.outside()
    rules = {name: kernel for name, kernel in rules.items() if is_kernel(kernel)}
    kernels: dict[str, Any] = {**rules, **{k: v for k, v in inner.items() if is_kernel(v)}}
    if player is TreePlayer:
        kernels["copy_below"] = copy_below
    if recipe.player is EndingPlayer:
        kernels["choose"] = recipe.arguments["choose"]
    try:
        for kernel in kernels.values():
            file.add(kernel)
        text = file.text()
    except Unreadable as error:
        raise Refused(f"{engine.text}: C++ cannot say {error}") from None

    def rule(mention: re.Match[str]) -> str:
        kernel = kernels.get(mention[1])  # without one the compiler complains
        return mention[0] if kernel is None else f"::{file.name(kernel)}"

    own, *between, seat, ending = (re.sub(r"\brules::(\w+)", rule, one) for one in parts)
    lines = [
        *(f"// {line}".rstrip() for line in head.split("\n")),
        "",
        *parameters(engine),
        "",
        text.rstrip(),
        "",
        *(f"#include <{header}>" for header in (*HEADERS, *(STOPPED if stops else ()))),
        "",
        "// --- the engine",
        "",
        "namespace play {",
        "",
        "using std::max, std::min, std::string, std::vector;",
        "",
        *engine_lines(engine, player, inner, file, kernels, guard_ms),
        own,
        "",
        *PLAYERS[player].calls(file, kernels),
        *(ending_lines(recipe) if recipe.player is EndingPlayer else ()),
        "",
        *between,
        f"using Playing = {'EndingPlayer' if recipe.player is EndingPlayer else 'Player'};",
        "",
        seat,
        f"{ending.rstrip()}\n{FOOT}",
    ]
    return "\n".join(lines)


def resolved(text: str, on: Collection[str]) -> str:
    """Return a part without its `#ifdef` and `#ifndef` of SWITCHES, of which these are `on`."""
    left: list[str] = []
    open_: list[tuple[bool, bool]] = []  # whether one of ours, and whether its lines stay
    for line in text.split("\n"):
        word, _, name = line.strip().partition(" ")
        if word in ("#ifdef", "#ifndef", "#if"):
            ours = name in SWITCHES
            open_.append((ours, not ours or (name in on) == (word == "#ifdef")))
            if ours:
                continue
        elif word == "#else" and open_[-1][0]:
            open_[-1] = True, not open_[-1][1]
            continue
        elif (word == "#endif" and open_.pop()[0]) or (word == "#define" and name in SWITCHES):
            continue
        if all(stays for _, stays in open_):
            left.append(line)
    return re.sub("\n{3,}", "\n\n", "\n".join(left))


def decided(engine: Engine) -> dict[str, float]:
    """Return the parameters that are decided in a file, so that it holds nothing else: choices, and
    what the engine does without.
    """
    own = {p.name for p in engine.search.parameters}
    return {
        p.name: engine.numbers[p.name]
        for p in engine.parameters
        if p.name in engine.numbers
        and (
            p.kind == "choice"
            or engine.values.get(p.name) is None
            or (p.name in own and engine.numbers[p.name] == 0 == p.default)
        )
    }


def known(engine: Engine) -> Known:
    """Return the same numbers by their places in P, and which arrays of a tree the engine has."""
    names, recipe = decided(engine), engine.recipe()
    numbers = {
        k: number for k, (name, number) in enumerate(engine.numbers.items()) if name in names
    }
    if recipe is None:
        return Known(numbers)
    keeps = recipe.arguments.get("arguments", recipe.arguments).get("keeps")
    if keeps is None:
        return Known(numbers)
    fields = {"prior": PRIOR, "squares": SQUARES, "rave_visits": RAVE, "rave_total": RAVE}
    return Known(numbers, {field: what in keeps for field, what in fields.items()})


def parameters(engine: Engine) -> list[str]:
    """Return the values of the engine's parameters as constants that a person may edit."""
    lines = ["// The engine's parameters. Edit them to play otherwise."]
    told = decided(engine)
    free = {name: number for name, number in engine.numbers.items() if name not in told}
    if told:
        words = [f"{n} = {text_of(v)}" for n in told if (v := engine.values.get(n)) is not None]
        text = "Decided in this file: " + ", ".join(words)
        lines += [f"// {line}" for line in textwrap.wrap(text, WIDTH - 3)]
    lines.append("namespace param {")
    if free:
        lines.append("constexpr double")
        ends = [","] * (len(free) - 1) + [";"]
        for (name, number), end in zip(free.items(), ends, strict=True):
            lines.append(f"  {variable_text(name)} = {number!r}{end}")
    values = [variable_text(n) if n in free else f"{told[n]:g}" for n in engine.numbers]
    lines.append(wrapped("constexpr double P[] = {", ", ".join(values or ["0"]) + "};"))
    return [*lines, "}", ""]


def parameter_name(name: str) -> str:
    """Return the constant of a parameter."""
    return f"param::{variable_text(name)}"


def engine_lines(
    engine: Engine,
    player: type[Player],
    arguments: Mapping[str, Any],
    file: KernelFile,
    kernels: Mapping[str, Any],
    guard_ms: float | None,
) -> Iterator[str]:
    """Yield the numbers of the game and of the player, and its kernels by their usual names."""
    game = engine.game
    yield f"constexpr u64 GAME_WORDS = {game.words}, STRIDE = {arguments.get('stride', game.words)};"
    yield f"constexpr u64 SLOTS = {game.slots}, MAX_PLIES = {game.max_plies};"
    back = game.max_plies if game.look_back is None else min(game.look_back, game.max_plies)
    yield f"constexpr u64 LOOK_BACK = {back if game.path_dependent else 0};  // plies"
    yield f"constexpr i64 PLAYERS = {game.players};"
    yield f"constexpr bool PATH_DEPENDENT = {truth(game.path_dependent)}, CHANCE = {truth(game.chance)};"
    yield f'static const char* const GAME = "{game.label}";'
    yield f"constexpr double SLICE_MS = {SLICE_MS};  // the clock is looked at about this often"
    yield f"constexpr double GUARD_MS = {number(guard_ms)};  // of a move"
    yield "static const double* const P = param::P;"
    yield from PLAYERS[player].numbers(arguments, game)
    yield ""
    if not says(game, "OWN_TEXTS"):
        yield from text_table(game)
        yield ""
    outside = game.outside()
    for name, value in outside.items():
        if isinstance(value, int):
            yield f"constexpr i64 {name.upper()} = {value};"
    if says(game, "OWN_TURNS"):
        return
    if "outcome" not in kernels:
        yield "i64 outcome_of(u64*, u64, i64, u64) { return 0; }"
    else:
        yield "i64 outcome_of(u64* W, u64 at, i64 action, u64 seed) {"
        yield "  u64 S[1] = {seed};"
        yield f"  return ::{file.name(kernels['outcome'])}(W, at, action, S);"
        yield "}"
    yield ""


def text_table(game: Game) -> Iterator[str]:
    """Yield the texts of actions, from 0 on; "?" where there is none."""
    texts = dict(action_texts(game))
    words = " ".join(texts.get(action, "?") for action in range(max(texts) + 1))
    yield "static const char* const ACTION_TEXTS ="
    lines = textwrap.wrap(words, WIDTH - 5)
    for k, line in enumerate(lines):
        yield f'  "{line} "' if k + 1 < len(lines) else f'  "{line}";'


def ending_lines(recipe: Recipe) -> list[str]:
    """Return what the ending's player reads."""
    return [
        f"constexpr u64 ENDING_MEMORY = {recipe.arguments['memory']};",
        f"constexpr i64 PROBE = {PROBE};",
    ]


def stack_numbers(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield the numbers of a search on a stack."""
    kind, amount = arguments["limit"] or ("", 0)
    more = arguments["room"]
    deeper = arguments.get("deeper", 0)
    yield f"constexpr u64 SCRATCH = {arguments['scratch']}, FRAMES = {FRAMES}, DEEPER = {deeper};"
    yield f"constexpr u64 MORE_A = {more[0]}, MORE_I = {more[1]}, MORE_F = {more[2]};"
    names = ("STOP", "NODES", "BEST", "RUNNING", "ROOTS", "STACK")
    yield f"constexpr u64 {', '.join(f'{name} = {int(getattr(_stack, name))}' for name in names)};"
    yield f"constexpr i64 DEPTH = (i64){parameter_name('depth')}, MAX_DEPTH = {MAX_DEPTH};"
    nodes = f"{int(amount)}" if kind == "nodes" else "1LL << 62"
    yield f"constexpr i64 NODE_LIMIT = {nodes};"
    yield f"constexpr double TIME_MS = {number(amount if kind == 'milliseconds' else None)};"
    yield f"constexpr double WIN = {WIN!r}, BY_LINE = {BY_LINE!r};"
    yield f"constexpr bool DEEPENING = {truth(arguments['deepening'])};"


def tabled_numbers(arguments: Mapping[str, Any], game: Game) -> Iterator[str]:
    """Yield the same, of one that remembers positions."""
    yield from stack_numbers(arguments)
    yield "constexpr bool REMEMBERS = true;"


def forgetful_numbers(arguments: Mapping[str, Any], game: Game) -> Iterator[str]:
    """Yield the same, of one that remembers none."""
    yield from stack_numbers(arguments)
    yield "constexpr bool REMEMBERS = false;"


def tree_numbers(arguments: Mapping[str, Any], game: Game) -> Iterator[str]:
    """Yield the numbers of a search in a tree."""
    kind, amount = arguments["limit"]
    keeps, reuse = arguments["keeps"], arguments["reuse"]
    count = int(amount) if kind == "iterations" else 1 << 62
    room = int(arguments["max_nodes"])
    if not reuse:
        room = min(room, count * (game.slots + game.chance) + 2 * game.slots)
    yield f"constexpr u64 SCRATCH = {arguments['scratch']}, ROOM = {room}, CONTROL = {tree.CONTROL};"
    names = ("NODES", "DEEPEST", "WAITING", "DONE")
    yield f"constexpr u64 {', '.join(f'{name} = {int(getattr(tree, name))}' for name in names)};"
    limit = str(count) if kind == "iterations" else "1LL << 62"
    yield f"constexpr i64 ITERATIONS = {limit};"
    yield f"constexpr double TIME_MS = {number(amount if kind == 'milliseconds' else None)};"
    yield f"constexpr double CLEANUP = {arguments['cleanup'] / 1e6!r};"
    yield f"constexpr bool REUSE = {truth(reuse)}, KEEPS_PRIOR = {truth(PRIOR in keeps)};"
    yield f"constexpr bool KEEPS_SQUARES = {truth(SQUARES in keeps)};"
    yield f"constexpr bool KEEPS_RAVE = {truth(RAVE in keeps)};"
    yield f"constexpr u64 MORE_A = {room_for_rave(game) if RAVE in keeps else 0};"
    yield f"constexpr u64 MORE_R = {game.slots if PRIOR in keeps else 0};"


def tree_calls(file: KernelFile, kernels: Mapping[str, Any]) -> Iterator[str]:
    """Yield the kernels of a search in a tree, for any player that has its arrays."""
    arrays = {field: f"nodes.{field}.data()" for field in tree.Tree._fields}
    sizes = {field: f"(i64)nodes.{field}.size()" for field in tree.Tree._fields}
    made = file.struct(tree.Tree, arrays, sizes)
    given = {name: f"p.{name}.data()" for name in ("W", "A", "I", "R", "path")}
    given |= {"root": "p.root", "S": "p.S", "P": "P", "count": "count"}
    given |= {"tree": "arrays(p.tree)", "copy": "arrays(p.spare)", "source": "p.source.data()"}
    given |= {"node": "node", "chance": "CHANCE", "players": "PLAYERS"}
    yield "template <class Nodes> Tree arrays(Nodes& nodes) {"
    yield wrapped("  return ", f"{made};")
    yield "}"
    yield ""
    yield "template <class Player> i64 run_iterations(Player& p, i64 count) {"
    yield wrapped("  return ", f"::{file.call(kernels['iterate'], given, {})};")
    yield "}"
    yield ""
    yield "template <class Player> i64 copy_tree(Player& p, i64 node) {"
    yield wrapped("  return ", f"::{file.call(kernels['copy_below'], given, {})};")
    yield "}"


def nothing(*_: Any) -> Iterator[str]:
    """Yield nothing: the player needs no more than the rules."""
    yield from ()


class Kind:
    """What C++ has of a kind of player: its part, its numbers, its kernels."""

    def __init__(
        self,
        part: str,
        numbers: Callable[[Mapping[str, Any], Game], Iterator[str]],
        calls: Callable[[KernelFile, Mapping[str, Any]], Iterator[str]],
    ) -> None:
        self.part, self.numbers, self.calls = part, numbers, calls


PLAYERS: dict[type[Player], Kind] = {
    StackPlayer: Kind("stack_player", forgetful_numbers, nothing),
    TabledPlayer: Kind("stack_player", tabled_numbers, nothing),
    TreePlayer: Kind("tree_player", tree_numbers, tree_calls),
    RandomPlayer: Kind("random_player", nothing, nothing),
}


@cache
def part(name: str) -> str:
    """Return a part of a file."""
    return (PARTS / f"{name}.cpp").read_text("utf-8")


def action_texts(game: Game) -> list[tuple[int, str]]:
    """Return the actions of a game with their texts."""
    found = []
    for action in range(min(TEXTS, max(64 * game.slots, 256))):
        try:
            text = game.action_text(action)
            if game.parse_action(text) == action:
                found.append((action, text))
        except (JouteError, ValueError, IndexError, KeyError):
            continue
        if type(game).action_text is Game.action_text and action + 1 >= game.slots:
            break
    return found


def beside(game: Game) -> Path:
    """Return the file of C++ that may lie beside a game's."""
    return Path(sys.modules[type(game).__module__].__file__ or "").with_suffix(".cpp")


def says(game: Game, what: str) -> bool:
    """Whether that file has functions for the texts of actions, which are too many for a table
    (OWN_TEXTS), or for turns, which are too long for a number (OWN_TURNS).
    """
    return beside(game).is_file() and f"#define {what}\n" in beside(game).read_text("utf-8")


def start_reader(game: Game) -> Iterator[str]:
    """Yield the function that reads the text of a start position."""
    if beside(game).is_file():
        for name, value in game.values.items():
            if isinstance(value, int) and name != "players":
                yield f"constexpr i64 {name.upper()} = {value};"
        yield beside(game).read_text("utf-8").rstrip()
        return
    yield "// Positions other than the start have no text here."
    yield "bool read_start(const string&, u64*) { return false; }"


def truth(value: bool) -> str:
    """Return a truth."""
    return "true" if value else "false"


def number(value: float | None) -> str:
    """Return a number; None has no end."""
    endless = value is None or math.isinf(value)
    return "std::numeric_limits<double>::infinity()" if endless else repr(float(value or 0.0))

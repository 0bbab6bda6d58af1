"""One file of C++ that plays as an engine: its kernels, its player, and how it is asked.

What the searches' players do around their kernels stands in `parts/`, once for each kind of player,
and reads the numbers that are written here. A game whose positions have a text of their own may have
a file of C++ beside it that reads one; so may a dialogue.
"""

from __future__ import annotations

import math
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from joute.engines.ending import PROBE, EndingPlayer
from joute.engines.engine import Engine
from joute.engines.errors import JouteError, Refused
from joute.engines.game import Game
from joute.engines.parameter import text_of
from joute.engines.player import Player
from joute.engines.registry import entries
from joute.engines.search import BY_LINE, WIN, Recipe
from joute.engines.searches import _stack
from joute.engines.searches._stack import FRAMES, MAX_DEPTH, StackPlayer
from joute.engines.searches._tabled import TabledPlayer
from joute.engines.searches.mcts import tree
from joute.engines.searches.mcts.rave import room_for_rave
from joute.engines.searches.mcts.tree import PRIOR, RAVE, SQUARES, copy_below
from joute.engines.searches.mcts.tree_player import TreePlayer
from joute.engines.searches.random import RandomPlayer
from joute.reports.export.cpp.kernel_file import WIDTH, KernelFile, wrapped
from joute.reports.export.typed.reading import Unreadable, is_kernel

PARTS = Path(__file__).parent / "parts"
HEADERS = ("algorithm", "cctype", "chrono", "limits", "string", "vector")
STOPPED = ("#include <poll.h>", "#include <unistd.h>", "#define USER_STOPS")
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
            n for n, e in entries("search").items() if e.fact("compiled") and not e.fact("guided")
        ]
        raise Refused(
            f"search = {engine.search.name}: C++ has no player of it; it has those of compiled games "
            f"by {', '.join(able)}"
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
    parts = [part(name) for name in names]
    last = part("one_seat") + ending
    asked = "".join([*parts, last, *start_reader(engine.game)])
    file = KernelFile(fixed(engine))
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
    lines = [
        *(f"// {line}".rstrip() for line in head.split("\n")),
        "",
        *parameters(engine),
        "",
        text.rstrip(),
        "",
        "\n".join(f"#include <{header}>" for header in HEADERS),
        *(STOPPED if "play_uci" in ending else ()),
        "",
        *section("the engine", engine_lines(engine, player, inner, file, kernels, guard_ms)),
    ]
    if recipe.player is EndingPlayer:
        lines += ending_lines(engine, recipe, file)
    lines += parts
    kind = "EndingPlayer" if recipe.player is EndingPlayer else "Player"
    lines += [f"namespace play {{\nusing Playing = {kind};\n}}\n", last]
    return "\n".join(lines)


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


def fixed(engine: Engine) -> dict[int, float]:
    """Return the same numbers by their places in P."""
    names = decided(engine)
    return {k: number for k, (name, number) in enumerate(engine.numbers.items()) if name in names}


def parameters(engine: Engine) -> list[str]:
    """Return the values of the engine's parameters as constants that a person may edit."""
    lines = ["// The engine's parameters. Edit them to play otherwise."]
    fixed_ones = decided(engine)
    for name, number in engine.numbers.items():
        if name not in fixed_ones:
            lines.append(f"constexpr double {parameter_name(name)} = {number!r};")
    told = [f"{name} = {text_of(engine.values.get(name) or 0)}" for name in fixed_ones]
    if told:
        text = "Decided in this file: " + ", ".join(told)
        lines += [f"// {line}" for line in textwrap.wrap(text, WIDTH - 3)]
    return lines


def parameter_name(name: str) -> str:
    """Return the constant of a parameter."""
    return f"param_{name}"


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
    if player is RandomPlayer and says(game, "OWN_TURNS"):
        yield "#define WHOLE_TURNS  // an answer is a turn, of a search else its number"
    yield f"constexpr u64 GAME_WORDS = {game.words}, STRIDE = {arguments.get('stride', game.words)};"
    yield f"constexpr u64 SLOTS = {game.slots}, MAX_PLIES = {game.max_plies};"
    back = game.max_plies if game.look_back is None else min(game.look_back, game.max_plies)
    yield f"constexpr u64 LOOK_BACK = {back if game.path_dependent else 0};  // plies"
    yield f"constexpr i64 PLAYERS = {game.players};"
    yield f"constexpr bool PATH_DEPENDENT = {truth(game.path_dependent)}, CHANCE = {truth(game.chance)};"
    yield f'static const char* const GAME = "{game.label}";'
    yield f"constexpr double SLICE_MS = {SLICE_MS};  // the clock is looked at about this often"
    yield f"constexpr double GUARD_MS = {number(guard_ms)};  // of a move"
    known = decided(engine)
    numbers = [f"{known[n]:g}" if n in known else parameter_name(n) for n in engine.numbers]
    yield wrapped("static const double P[] = {", ", ".join(numbers or ["0"]) + "};")
    yield from PLAYERS[player].numbers(arguments, game)
    yield ""
    if not says(game, "OWN_TEXTS"):
        yield from text_table(game)
        yield ""
    yield "// The rules by their usual names."
    yield "namespace rules {"
    outside = game.outside()
    for name in (*RULES, *outside):
        if name in kernels:
            yield f"constexpr auto& {name} = ::{file.name(kernels[name])};"
    yield "}"
    yield ""
    for name, value in outside.items():
        if isinstance(value, int):
            yield f"constexpr i64 {name.upper()} = {value};"
    if says(game, "OWN_TURNS"):
        yield from start_reader(game)
        yield ""
        yield from PLAYERS[player].calls(file, kernels)
        return
    yield "static i64 outcome_of(u64* W, u64 at, i64 action, u64 seed) {"
    if "outcome" in kernels:
        yield "  u64 S[1] = {seed};"
        yield "  return rules::outcome(W, at, action, S);"
    else:
        yield "  (void)W, (void)at, (void)action, (void)seed;"
        yield "  return 0;"
    yield "}"
    yield ""
    yield from start_reader(game)
    yield ""
    yield from PLAYERS[player].calls(file, kernels)


def text_table(game: Game) -> Iterator[str]:
    """Yield the table of actions and their texts."""
    yield "struct ActionText { i64 action; const char* text; };"
    yield "static const ActionText ACTION_TEXTS[] = {"
    pairs = [f'{{{action}, "{text}"}}' for action, text in action_texts(game)]
    for k in range(0, len(pairs), 6):
        yield "  " + ", ".join(pairs[k : k + 6]) + ","
    yield "};"


def ending_lines(engine: Engine, recipe: Recipe, file: KernelFile) -> list[str]:
    """Return what the ending's player reads."""
    choose = file.name(recipe.arguments["choose"])
    return [
        "namespace play {",
        f"constexpr u64 ENDING_MEMORY = {recipe.arguments['memory']};",
        f"constexpr i64 PROBE = {PROBE};",
        "static const double* const ENDING_P = P;",
        f"constexpr auto& run_ending = ::{choose};",
        "}",
        "",
    ]


def stack_numbers(arguments: Mapping[str, Any], game: Game) -> Iterator[str]:
    """Yield the numbers of a search on a stack."""
    kind, amount = arguments["limit"] or ("", 0)
    more = arguments["room"]
    yield f"constexpr u64 SCRATCH = {arguments['scratch']}, FRAMES = {FRAMES};"
    yield f"constexpr u64 DEEPER = {arguments.get('deeper', 0)};"
    yield f"constexpr u64 MORE_A = {more[0]}, MORE_I = {more[1]}, MORE_F = {more[2]};"
    for name in ("STOP", "NODES", "BEST", "RUNNING", "ROOTS", "STACK"):
        yield f"constexpr u64 {name} = {int(getattr(_stack, name))};"
    yield f"constexpr i64 DEPTH = (i64){parameter_name('depth')}, MAX_DEPTH = {MAX_DEPTH};"
    nodes = f"{int(amount)}" if kind == "nodes" else "1LL << 62"
    yield f"constexpr i64 NODE_LIMIT = {nodes};"
    yield f"constexpr double TIME_MS = {number(amount if kind == 'milliseconds' else None)};"
    yield f"constexpr double WIN = {WIN!r}, BY_LINE = {BY_LINE!r};"
    yield f"constexpr bool DEEPENING = {truth(arguments['deepening'])};"


def stack_calls(file: KernelFile, kernels: Mapping[str, Any]) -> Iterator[str]:
    """Yield the kernels of a search on a stack."""
    yield f"constexpr auto& begin_search = ::{file.name(kernels['begin'])};"
    yield f"constexpr auto& run_search = ::{file.name(kernels['search'])};"


def tabled_numbers(arguments: Mapping[str, Any], game: Game) -> Iterator[str]:
    """Yield the same, of one that remembers positions."""
    yield from stack_numbers(arguments, game)
    yield "constexpr bool REMEMBERS = true;"


def forgetful_numbers(arguments: Mapping[str, Any], game: Game) -> Iterator[str]:
    """Yield the same, of one that remembers none."""
    yield from stack_numbers(arguments, game)
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
    for name in ("NODES", "DEEPEST", "WAITING", "DONE"):
        yield f"constexpr u64 {name} = {int(getattr(tree, name))};"
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
    fields = tree.Tree._fields
    iterate, copy = kernels["iterate"], kernels["copy_below"]
    given = {n: f"p.{n}.data()" for n in ("W", "A", "I", "R", "path")}
    given |= {"root": "p.root", "S": "p.S", "P": "P", "count": "count"}
    given |= {field: f"p.tree.{field}.data()" for field in fields}
    lengths = {field: f"(i64)p.tree.{field}.size()" for field in fields}
    yield "template <class Player>"
    yield "static i64 run_iterations(Player& p, i64 count) {"
    yield f"  return ::{called(file, iterate, given, lengths)};"
    yield "}"
    yield ""
    given = {field: f"p.tree.{field}.data()" for field in fields}
    given |= {f"{field}2": f"p.spare.{field}.data()" for field in fields}
    given |= {"node": "node", "source": "p.source.data()", "chance": "CHANCE", "players": "PLAYERS"}
    lengths |= {f"{field}2": f"(i64)p.spare.{field}.size()" for field in fields}
    yield "template <class Player>"
    yield "static i64 copy_tree(Player& p, i64 node) {"
    yield f"  return ::{called(file, copy, given, lengths)};"
    yield "}"


def called(
    file: KernelFile, kernel: Any, given: Mapping[str, str], lengths: Mapping[str, str]
) -> str:
    """Return the call of a kernel whose arguments are known by its parameters' names."""
    function = file.functions[kernel.digest]
    arguments = [given[name] for name in function.parameters]
    arguments += [lengths[name] for name in function.parameters if name in function.lengths]
    return f"{file.name(kernel)}(\n        {', '.join(arguments)})"


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
    StackPlayer: Kind("stack_player", forgetful_numbers, stack_calls),
    TabledPlayer: Kind("stack_player", tabled_numbers, stack_calls),
    TreePlayer: Kind("tree_player", tree_numbers, tree_calls),
    RandomPlayer: Kind("random_player", nothing, nothing),
}


@cache
def part(name: str) -> str:
    """Return a part of a file."""
    return (PARTS / f"{name}.cpp").read_text("utf-8")


def section(title: str, lines: Iterator[str]) -> list[str]:
    """Return lines in the namespace of the player, under a title."""
    rule = f"// {'-' * 64} {title}"
    return [rule, "", "namespace play {", "", *lines, "", "}  // namespace play", ""]


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
    yield "static bool read_start(const std::string&, u64*) { return false; }"


def truth(value: bool) -> str:
    """Return a truth."""
    return "true" if value else "false"


def number(value: float | None) -> str:
    """Return a number; None has no end."""
    endless = value is None or math.isinf(value)
    return "std::numeric_limits<double>::infinity()" if endless else repr(float(value or 0.0))

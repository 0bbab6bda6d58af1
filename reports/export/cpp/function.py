"""A kernel as a function of C++: its statements, and where its variables are declared."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from joute.reports.export.cpp.expressions import (
    NAMES,
    Expressions,
    number_text,
    size_text,
    type_text,
    variable_text,
)
from joute.reports.export.typed.reading import simple
from joute.reports.export.typed.tree import (
    Assign,
    Called,
    Choice,
    Comparison,
    Count,
    Do,
    Each,
    Element,
    Expression,
    Function,
    If,
    Leave,
    Number,
    Operation,
    Parts,
    Return,
    Several,
    Statement,
    Table,
    Unpack,
    Variable,
    While,
    assigned_in,
    names_in,
    walk,
)
from joute.reports.export.typed.types import B1, I8, U8, Type

WIDTH = 98
INDENT = "  "
SHORT = ("+", "-", "*", "&", "|", "^", "<<", ">>")  # operations that have a short form, x += y
QUICK = ("+", "-", "&", "|", "^")  # of those the ones that take an instruction
DECLARED = re.compile(
    r"( *(?:u64|i64|double|bool|Tuple_\w+) )(\w+(?: = .*|\{\}));"
)  # a line that declares
MOST = 2  # assignments of a branch that become choices


def header_text(function: Function, name: str, linkage: str) -> str:
    """Return a function's result, name and parameters; arrays of which it asks the length have it
    behind all others. `linkage`: INLINE is written into its callers, at any level of optimisation, APART
    into none, and "static" as the compiler likes.
    """
    fixed = {p for p, t in function.parameters.items() if t.kind == "array"} - function.written
    told: dict[str, str] = {}
    lengths = []
    for p, t in function.parameters.items():
        member = function.member(p)
        if member is not None:
            own = member[0]
            told[own] = f"const {function.tuples[own][0].__name__}& {variable_text(own)}"
            continue
        told[p] = f"{'const ' if p in fixed else ''}{type_text(t)} {variable_text(p)}"
        lengths += [f"i64 {size_text(p)}"] if p in function.lengths else []
    parameters = [*told.values(), *lengths]
    text = f"{linkage} {type_text(function.result)} {name}("
    wrapped = textwrap.wrap(", ".join(parameters), WIDTH - 4) or [""]
    if len(text) + len(wrapped[0]) + 3 < WIDTH and len(wrapped) == 1:
        return f"{text}{wrapped[0]})"
    return text + "\n" + "\n".join(f"{2 * INDENT}{line}" for line in wrapped) + ")"


class FunctionText:
    """Prints one function; `size` is the length of its statements."""

    def __init__(self, function: Function, name: str, expressions: Expressions) -> None:
        self.function, self.of = function, expressions
        expressions.own = function
        self.lines: list[str] = []
        self.comments = sorted(function.comments.items())
        self.declared: dict[int, set[str]] = {}  # by the id of the statement that declares them
        self.counted: set[int] = set()  # loops that declare the variable that they count
        self.temporary = 0
        self.handed: set[Type] = set()  # tuples whose parts go to variables that exist
        self.first = first = [*function.variables]
        self.place(function.body, {n for n in first if n not in function.parameters})
        in_place = {n for names in self.declared.values() for n in names}
        for n in first:
            if n not in in_place and n != "_" and n in names_in(*function.body):
                self.say(1, f"{type_text(function.variables[n])} {variable_text(n)}{{}};")
        self.block(function.body, 1)
        self.name, self.size = name, sum(map(len, self.lines))

    def text(self, linkage: str) -> str:
        """Return the whole function."""
        told = textwrap.wrap(without_return(first_sentence(self.function.told)), WIDTH - 3)
        head = header_text(self.function, self.name, linkage)
        return "\n".join([*(f"// {line}" for line in told), f"{head} {{", *self.lines, "}"])

    # --- where variables are declared

    def place(self, body: Sequence[Statement], names: set[str]) -> None:
        """Find the statements that declare variables of which all mentions are in a block."""
        mentions = [names_in(statement) for statement in body]
        for name in names:
            users = [s for s, m in zip(body, mentions, strict=True) if m[name]]
            if not users:
                continue
            first = users[0]
            if len(users) == 1 and isinstance(first, If | While | Count | Each):
                if isinstance(first, Count | Each) and first.target.name == name:
                    if name not in assigned_in(*first.body):
                        self.declared.setdefault(id(first), set()).add(name)
                        self.counted.add(id(first))
                    continue
                inner = [first.yes, first.no] if isinstance(first, If) else [first.body]
                within = [b for b in inner if names_in(*b)[name] == names_in(first)[name]]
                if within:
                    self.place(within[0], {name})
                continue
            targets = getattr(first, "targets", [])
            own = any(isinstance(t, Variable) and t.name == name for t in targets)
            values = getattr(first, "values", None) or [getattr(first, "value", None)]
            if own and not names_in(*(v for v in values if v is not None))[name]:
                others = [t for t in targets if isinstance(t, Element)]
                if not names_in(*others)[name]:
                    self.declared.setdefault(id(first), set()).add(name)

    # --- statements

    def say(self, depth: int, text: str) -> None:
        """Add a line; a declaration goes behind one of its type in the line before, if there is room."""
        line = INDENT * depth + text
        last = DECLARED.fullmatch(self.lines[-1]) if self.lines else None
        new = DECLARED.fullmatch(line)
        if last and new and last[1] == new[1]:
            both = f"{self.lines[-1][:-1]}, {new[2]};"
            if len(both) <= WIDTH:
                self.lines[-1] = both
                return
        self.lines.append(line)

    def block(self, body: Sequence[Statement], depth: int) -> None:
        """Print statements."""
        for statement in body:
            while self.comments and self.comments[0][0] <= statement.line:
                line, told = self.comments.pop(0)
                if line == statement.line:  # else it is of something that is not in the file
                    for text in told:
                        self.say(depth, f"// {text}")
            self.statement(statement, depth)

    def statement(self, node: Statement, depth: int) -> None:
        """Print a statement."""
        text = self.of.text
        if isinstance(node, Assign):
            self.assign(node, depth)
        elif isinstance(node, Unpack):
            self.unpack(node, depth)
        elif isinstance(node, If):
            self.branch(node, depth)
        elif isinstance(node, While):
            self.under(f"while ({self.of.test(node.test)})", node.body, depth)
        elif isinstance(node, Count):
            self.count(node, depth)
        elif isinstance(node, Each):
            self.each(node, depth)
        elif isinstance(node, Return):
            if isinstance(node.value, Parts):
                self.say(depth, f"return {{{self.of.listed(node.value.parts)}}};")
            else:
                value = "" if node.value is None else " " + self.of.plain(node.value)
                self.say(depth, f"return{value};")
        elif isinstance(node, Do):
            self.say(depth, text(node.call) + ";")
        else:
            assert isinstance(node, Leave)
            self.say(depth, node.word + ";")

    def branch(self, node: If, depth: int) -> None:
        """Print a branch, a chain of branches without further indents."""
        if not node.no and self.chosen(node):
            for one in node.yes:
                ((target,), (value,)) = one.targets, one.values  # type: ignore[attr-defined]
                own = Choice(target.type, *better(node.test, target, value), target)
                self.say(depth, f"{self.of.text(target)} = {self.of.text(own)};")
            return
        if not node.no:
            self.under(f"if ({self.of.test(node.test)})", node.yes, depth)
            return
        heads: list[str] = []
        bodies: list[list[str]] = []
        last: list[Statement] = [node]
        while len(last) == 1 and isinstance(last[0], If):
            one, word = last[0], "else if" if heads else "if"
            heads.append(f"{word} ({self.of.test(one.test)})")
            bodies.append(self.apart(one.yes, depth + 1))
            last = one.no
        if last:
            heads.append("else")
            bodies.append(self.apart(last, depth + 1))
        pairs = [*zip(heads, bodies, strict=True)]
        if all(short(head, body, depth) for head, body in pairs):
            for head, body in pairs:
                self.say(depth, f"{head} {body[0].lstrip()}")
            return
        for k, (head, body) in enumerate(pairs):
            self.say(depth, f"{'} ' if k else ''}{head} {{")
            self.lines += body
        self.say(depth, "}")

    def apart(self, body: Sequence[Statement], depth: int) -> list[str]:
        """Return the lines of statements."""
        lines, self.lines = self.lines, []
        self.block(body, depth)
        lines, self.lines = self.lines, lines
        return lines

    def chosen(self, node: If) -> bool:
        """Whether a branch does so little that a processor had better do it always: one or two whole
        numbers take values that are at hand. Compilers differ in whether they see that.
        """
        asked = names_in(node.test)
        for one in node.yes:
            if not isinstance(one, Assign) or len(one.targets) > 1 or id(one) in self.declared:
                return False
            target, value = one.targets[0], one.values[0]
            if not isinstance(target, Variable) or asked[target.name] or not at_hand(value):
                return False
        return len(node.yes) <= MOST and not any(isinstance(p, Called) for p in walk(node.test))

    def under(self, head: str, body: Sequence[Statement], depth: int) -> None:
        """Print statements under a head, in its line where they are one short one."""
        begin = len(self.lines)
        self.say(depth, f"{head} {{")
        self.block(body, depth + 1)
        if len(self.lines) == begin + 2 and not self.lines[-1].lstrip().startswith("//"):
            line = f"{INDENT * depth}{head} {self.lines[-1].lstrip()}"
            if len(line) <= WIDTH:
                self.lines[begin:] = [line]
                return
        self.say(depth, "}")

    def target(self, node: Statement, target: Expression) -> str:
        """Return a place that is assigned, declared where that is here."""
        text = self.of.text(target)
        if isinstance(target, Variable) and target.name in self.declared.get(id(node), ()):
            return f"{type_text(target.type)} {text}"
        return text

    def assign(self, node: Assign, depth: int) -> None:
        """Print an assignment; of several at once all values come first where it matters."""
        values = [self.of.plain(value) for value in node.values]
        for k in range(1, len(values)):
            if changed_by(node.targets[:k], node.values[k]):
                self.temporary += 1
                self.say(
                    depth,
                    f"const {type_text(node.values[k].type)} new_{self.temporary} = {values[k]};",
                )
                values[k] = f"new_{self.temporary}"
        if len(node.targets) == 1:
            (target,), (value,) = node.targets, node.values
            left = isinstance(value, Operation) and self.of.text(value.left)
            if (
                isinstance(value, Operation)
                and value.sign in SHORT
                and left == self.of.text(target)
            ):
                right = self.of.plain(value.right)
                if right == "1" and value.sign in "+-":
                    self.say(depth, f"{2 * value.sign}{left};")
                    return
                self.say(depth, f"{left} {value.sign}= {right};")
                return
        told = [
            (self.target(node, target), text)
            for target, text in zip(node.targets, values, strict=True)
            if not (isinstance(target, Variable) and target.name == "_")
        ]
        row = ", ".join(f"{place} = {text}" for place, text in told) + ";"
        declares = any(t.name in self.declared.get(id(node), ()) for t in variables(node.targets))
        if not declares and len(INDENT * depth + row) <= WIDTH:
            self.say(depth, row)
            return
        for place, text in told:
            self.say(depth, f"{place} = {text};")

    def unpack(self, node: Unpack, depth: int) -> None:
        """Print the parts of a tuple going to their places."""
        own = self.declared.get(id(node), set())
        pairs = zip(node.targets, node.value.type.parts, strict=True)
        if all(isinstance(t, Variable) and t.name in own - {"_"} and t.type == p for t, p in pairs):
            names = ", ".join(map(self.of.text, node.targets))
            self.say(depth, f"auto [{names}] = {self.of.text(node.value)};")
            return
        pairs = zip(node.targets, node.value.type.parts, strict=True)
        if all(isinstance(t, Variable) and t.name != "_" and t.type == p for t, p in pairs):
            for target in node.targets:
                if target.name in own:  # type: ignore[attr-defined]
                    self.say(depth, f"{type_text(target.type)} {self.of.text(target)};")
            self.handed.add(node.value.type)
            places = ", ".join(map(self.of.text, node.targets))
            self.say(depth, f"{self.of.text(node.value)}.to({places});")
            return
        self.temporary += 1
        got = f"got_{self.temporary}"
        self.say(depth, f"const {type_text(node.value.type)} {got} = {self.of.text(node.value)};")
        for k, target in enumerate(node.targets):
            if isinstance(target, Variable) and target.name == "_":
                continue
            part = node.value.type.parts[k]
            place = self.target(node, target)
            cast = "" if target.type == part else f"({NAMES[target.type.kind]})"
            self.say(depth, f"{place} = {cast}{got}.part_{k};")

    def count(self, node: Count, depth: int) -> None:
        """Print a loop over numbers."""
        own, text = node.target, self.of.text
        changed = assigned_in(*node.body)
        if id(node) in self.counted:
            counter = text(own)
        else:
            self.temporary += 1
            counter = f"n_{self.temporary}"
        begin = text(node.begin, 0, True)
        heads = [f"{type_text(own.type)} {counter} = {begin}"]
        ends = [node.end] if node.step is None else [node.end, node.step]
        written = []
        for end, name in zip(ends, ("end", "step"), strict=False):
            fixed = isinstance(end, Number) or (
                isinstance(end, Variable) and end.name not in changed and end.name != own.name
            )
            if fixed:
                written.append(text(end, 10, True))
            else:
                self.temporary += 1
                written.append(f"{name}_{self.temporary}")
                heads.append(f"{written[-1]} = {text(end, 2)}")
        test, step = f"{counter} < {written[0]}", f"++{counter}"
        if node.step is not None:
            step = f"{counter} += {written[1]}"
            down = f"{counter} > {written[0]}"
            if isinstance(node.step, Number):
                test = down if node.step.value < 0 else test
            else:
                test = f"{written[1]} > 0 ? {test} : {down}"
        head = f"for ({', '.join(heads)}; {test}; {step})"
        if id(node) in self.counted:
            self.under(head, node.body, depth)
            return
        self.say(depth, f"{head} {{")
        self.say(depth + 1, f"{text(own)} = {counter};")
        self.block(node.body, depth + 1)
        self.say(depth, "}")

    def each(self, node: Each, depth: int) -> None:
        """Print a loop over given values."""
        own = node.target
        if isinstance(node.values, Table):
            over = self.of.text(node.values)
        else:
            self.temporary += 1
            over = f"values_{self.temporary}"
            values = ", ".join(
                number_text(v.value, v.type) if isinstance(v, Number) else self.of.text(v)
                for v in node.values
            )
            self.say(depth, f"const {type_text(own.type)} {over}[] = {{{values}}};")
        if id(node) in self.counted:
            self.say(depth, f"for (const {type_text(own.type)} {self.of.text(own)} : {over}) {{")
        else:
            self.temporary += 1
            self.say(depth, f"for (const {type_text(own.type)} v_{self.temporary} : {over}) {{")
            self.say(depth + 1, f"{self.of.text(own)} = v_{self.temporary};")
        self.block(node.body, depth + 1)
        self.say(depth, "}")


def short(head: str, body: Sequence[str], depth: int) -> bool:
    """Whether a branch of a chain stands in one line: it does one thing, and is no branch itself."""
    if len(body) != 1 or len(INDENT * depth + head) + len(body[0].lstrip()) >= WIDTH:
        return False
    return not body[0].lstrip().startswith(("//", "if ", "for ", "while "))


def variables(targets: Sequence[Expression]) -> list[Variable]:
    """Return the variables among targets."""
    return [target for target in targets if isinstance(target, Variable)]


def at_hand(value: Expression) -> bool:
    """Whether a whole number is computed in an instruction or two, without looking into an array."""
    if value.type not in (U8, I8):
        return False
    if isinstance(value, Operation):
        return value.sign in QUICK and all(map(simple, (value.left, value.right)))
    if isinstance(value, Called) and value.function in ("min", "max"):
        return all(map(simple, value.arguments))
    return simple(value)


def better(test: Expression, own: Expression, value: Expression) -> tuple[Expression, Expression]:
    """Return when a variable takes a value, and the value: of a minimum or maximum with what it has, the
    other number, where that is better.
    """
    if not isinstance(value, Called) or own not in value.arguments:
        return test, value
    other = value.arguments[value.arguments[0] == own]
    sign = "<" if value.function == "min" else ">"
    return Several(B1, "and", [test, Comparison(B1, sign, other, own)]), other


def changed_by(targets: Sequence[Expression], value: Expression) -> bool:
    """Whether a value may be another one once these targets have theirs."""
    for part in walk(value):
        if isinstance(part, Variable) and part in targets:
            return True
        places = [target for target in targets if isinstance(target, Element)]
        if places and isinstance(part, Called) and not isinstance(part.function, str):
            return True
        if isinstance(part, Element) and any(may_be_one(place, part) for place in places):
            return True
    return False


def may_be_one(one: Element, other: Element) -> bool:
    """Whether two elements may be the same: not where their arrays are of different numbers, nor a
    known distance apart in one array.
    """
    if isinstance(other.array, Table) or one.array.type != other.array.type:
        return False
    if one.array != other.array:
        return True
    (begin, place), (other_begin, other_place) = based(one.index), based(other.index)
    return begin != other_begin or place == other_place


def based(index: Expression) -> tuple[Expression | None, int]:
    """Return an index as something and a number that is added to it."""
    if isinstance(index, Number):
        return None, index.value
    if isinstance(index, Operation) and index.sign == "+" and isinstance(index.right, Number):
        return index.left, index.right.value
    return index, 0


def without_return(text: str) -> str:
    """Return what a docstring tells without its first word, where that is "Return"."""
    word, _, rest = text.partition(" ")
    return rest[:1].upper() + rest[1:] if word == "Return" and rest else text


def first_sentence(text: str) -> str:
    """Return the first sentence of a docstring."""
    return re.split(r"(?<=[.!?]) (?=[A-Z`])", " ".join(text.split("\n\n")[0].split()))[0]

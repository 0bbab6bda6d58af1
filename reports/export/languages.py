"""Constants as source files in the languages of bots."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence

from joute.engines.parameter import Value
from joute.reports.export.constants import Constant

Write = Callable[[str, Sequence[str], Sequence[Constant]], str]
WIDE = 96


def of_c(stem: str, comment: Sequence[str], constants: Sequence[Constant]) -> str:
    """Return a header for C (from C99 on) and C++."""
    guard = f"JOUTE_{re.sub(r'[^A-Z0-9]+', '_', stem.upper(), flags=re.ASCII)}_H".replace("__", "_")
    lines = [f"#ifndef {guard}", f"#define {guard}", ""]
    for c in constants:
        lines += remarks(c, "//")
        if c.choices:
            every = [f"{name} = {i}" for i, (name, _) in enumerate(c.choices)]
            lines.append(f"enum {{ {', '.join([*every, f'{c.name} = {c.chosen}'])} }};")
        elif isinstance(c.value, str):
            lines.append(f"static const char {c.name}[] = {quoted_c(c.value)};")
        elif isinstance(c.value, float):
            lines.append(f"static const double {c.name} = {c.value!r};")
        elif small(c.value):
            lines.append(f"enum {{ {c.name} = {c.value} }};")
        else:
            lines.append(f"static const long long {c.name} = {c.value}LL;")
    return re.sub("\n{3,}", "\n\n", joined(comment, "//", [*lines, "", "#endif"]))


def of_rust(stem: str, comment: Sequence[str], constants: Sequence[Constant]) -> str:
    """Return a module for Rust."""
    lines = []
    for c in constants:
        lines += remarks(c, "//")
        for i, (name, _) in enumerate(c.choices):
            lines.append(f"pub const {name}: i32 = {i};")
        kind, value = "f64", repr(c.value)
        if c.choices:
            kind, value = "i32", c.chosen
        elif isinstance(c.value, str):
            kind, value = "&str", quoted_rust(c.value)
        elif isinstance(c.value, int):
            kind = "i32" if small(c.value) else "i64"
        lines.append(f"pub const {c.name}: {kind} = {value};")
    return joined(comment, "//", lines)


def of_java(stem: str, comment: Sequence[str], constants: Sequence[Constant]) -> str:
    """Return a class for Java, public if the file's name can be that of a class."""
    words = [word for word in re.split(r"\W+", stem, flags=re.ASCII) if word]
    public = len(words) == 1 and not words[0][0].isdigit() and words[0] not in JAVA
    name = words[0] if public else "Joute" + "".join(word.capitalize() for word in words)
    lines = [f"{'public ' if public else ''}final class {name} {{"]
    for c in constants:
        lines += [f"    {line}" for line in remarks(c, "//")]
        for i, (choice, _) in enumerate(c.choices):
            lines.append(f"    public static final int {choice} = {i};")
        kind, value = "double", repr(c.value)
        if c.choices:
            kind, value = "int", c.chosen
        elif isinstance(c.value, str):
            kind, value = "String", quoted_java(c.value)
        elif isinstance(c.value, int):
            kind, value = ("int", value) if small(c.value) else ("long", f"{value}L")
        lines.append(f"    public static final {kind} {c.name} = {value};")
    lines += ["", f"    private {name}() {{", "    }", "}"]
    return joined([line.replace("\\", "\\\\") for line in comment], "//", lines)


def of_python(stem: str, comment: Sequence[str], constants: Sequence[Constant]) -> str:
    """Return a module for Python."""
    lines = []
    for c in constants:
        lines += remarks(c, "#")
        lines += [f"{name} = {i}" for i, (name, _) in enumerate(c.choices)]
        lines.append(f"{c.name} = {c.chosen if c.choices else repr(c.value)}")
    return joined(comment, "#", lines)


LANGUAGES: dict[str, Write] = {
    **dict.fromkeys((".h", ".hh", ".hpp", ".hxx", ".inc"), of_c),
    ".rs": of_rust,
    ".java": of_java,
    ".py": of_python,
}
WORDS = (  # of Java
    "abstract assert boolean break byte case catch char class const continue default do double else "
    "enum extends final finally float for goto if implements import instanceof int interface long "
    "native new package private protected public record return sealed short static strictfp super "
    "switch synchronized this throw throws transient try var void volatile while yield permits "
    "true false null _"
)
JAVA = frozenset(WORDS.split())


def joined(comment: Sequence[str], mark: str, lines: Sequence[str]) -> str:
    """Return the text of a file: a comment, an empty line, the lines."""
    return "\n".join([*commented(comment, mark), "", *lines]) + "\n"


def remarks(c: Constant, mark: str) -> list[str]:
    """Return the comment above a constant."""
    meaning = c.meaning
    if c.choices:
        meaning += f" ({', '.join(choice for _, choice in c.choices)}; here {c.value})"
    return ["", *commented([meaning] if meaning else [], mark)]


def commented(lines: Sequence[str], mark: str) -> list[str]:
    """Return lines of a comment in ASCII, none of which continues on the next line."""
    wrap = textwrap.TextWrapper(WIDE, break_long_words=False, break_on_hyphens=False)
    comments = []
    for line in lines:
        plain = line.encode("ascii", "replace").decode()
        for part in wrap.wrap(plain) or [""]:
            goes_on = part.endswith(("\\", "??/"))  # a backslash, also as C's old trigraph
            comments.append(f"{mark} {part}{'.' if goes_on else ''}".rstrip())
    return comments


def small(value: Value) -> bool:
    """Whether a whole number is an int in every language."""
    return -(1 << 31) < int(value) < 1 << 31


def quoted_c(text: str) -> str:
    """Return a literal of C: what is not plain as octal bytes of UTF-8."""
    plain = "".join(
        chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else f"\\{b:03o}" for b in text.encode()
    )
    return f'"{plain}"'


def quoted_rust(text: str) -> str:
    """Return a literal of Rust."""
    escaped = "".join(
        c if " " <= c <= "~" and c not in '"\\' else f"\\u{{{ord(c):x}}}" for c in text
    )
    return f'"{escaped}"'


def quoted_java(text: str) -> str:
    """Return a literal of Java: what is not plain in UTF-16, quotes and backslashes as octal."""
    units = text.encode("utf-16-be")
    codes = [units[i] << 8 | units[i + 1] for i in range(0, len(units), 2)]
    escaped = "".join(
        f"\\{c:03o}" if c in (34, 92) else chr(c) if 32 <= c < 127 else f"\\u{c:04x}" for c in codes
    )
    return f'"{escaped}"'

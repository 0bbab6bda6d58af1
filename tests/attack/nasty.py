"""Values that nobody should write, and ways to change a text by chance."""

from __future__ import annotations

import random

WORDS = [
    "", " ", "nan", "inf", "-inf", "1e400", "-1", "0", "1e-320", "9" * 25, "9" * 5000, "0x10", "1_0",
    "true", "None", "[]", "{}", "[1,2]", '"', "'", "\\", "$", "%s", "{0}", "{k}", "${HOME}", "../..",
    "/dev/null", "/dev/zero", ".", "a" * 100_000, "ü", "\u202e", "\x1b[31m", "\n", "\t", "--", "-",
    "--help", "=", ",", ":", "/", "[", "]", "a=b", "a:b=c", "random", "startpos", "moves", "connect4",
    "tron[width=1000000]", "connect4[columns=0]", "vampires[map=/etc/passwd]", "process:command=",
    'process:command="/bin/false"', "alphabeta", "uct:iterations=nan", "1970-01-01", "🙂",
]  # fmt: skip
TOML = [
    "nan", "inf", "-1", "0", "true", '""', '"x"', "[]", "{}", "[[]]", "1e308", "9" * 30, "9" * 5000,
    '"\\u0000"', '"$"', "1979-05-27", "[" * 1000 + "]" * 1000, '["a"]', "{ from = 1, to = 0 }",
    "{ from = 1, to = 1e9, step = 1e-9 }", "0xffffffffffffffffff", "'\\'", '"""a\nb"""', "-0.0",
    '"\\u202e"', f'"{"z" * 70_000}"',
]  # fmt: skip


def mutated(text: str, chance: random.Random, words: list[str]) -> str:
    """Return a text with one to three random changes."""
    for _ in range(chance.randint(1, 3)):
        text = chance.choice(WAYS)(text, chance, words)
    return text


def cut_off(text: str, chance: random.Random, words: list[str]) -> str:
    return text[: chance.randrange(len(text) + 1)]


def insert(text: str, chance: random.Random, words: list[str]) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + chance.choice(words) + text[at:]


def flip(text: str, chance: random.Random, words: list[str]) -> str:
    if not text:
        return text
    at = chance.randrange(len(text))
    return text[:at] + chr(chance.choice([*range(1, 127), 0x80, 0x2028])) + text[at + 1 :]


def swap_value(text: str, chance: random.Random, words: list[str]) -> str:
    """Put another value in place of one after `=`."""
    places = [i for i, sign in enumerate(text) if sign == "="]
    if not places:
        return insert(text, chance, words)
    at = chance.choice(places) + 1
    end = min((e for e in (text.find(s, at) for s in "\n,}]") if e >= 0), default=len(text))
    return f"{text[:at]} {chance.choice(words)}{text[end:]}"


def drop_line(text: str, chance: random.Random, words: list[str]) -> str:
    lines = text.split("\n")
    lines.pop(chance.randrange(len(lines)))
    return "\n".join(lines)


def double_line(text: str, chance: random.Random, words: list[str]) -> str:
    lines = text.split("\n")
    lines.insert(chance.randrange(len(lines)), chance.choice(lines))
    return "\n".join(lines)


WAYS = [cut_off, insert, flip, swap_value, swap_value, swap_value, drop_line, double_line]

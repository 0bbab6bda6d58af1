"""Openings from records of games: the first plies of each game, in the order of the files' names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from joute.engines.book import Book, Places
from joute.engines.data import read_text
from joute.engines.errors import Refused, cut
from joute.engines.game import Game
from joute.engines.position import parse_position
from joute.engines.referees.form import SEEDS
from joute.engines.referees.refereed_game import SEED
from joute.engines.transcript import Transcript, transcripts_of

MOST = 20_000
"""Files of a folder, and records of a file that are all read before the first game."""
LARGE = 1 << 19
"""Bytes of a file that may hold so many."""


def openings_in(path: Path, game: Game, plies: int) -> Sequence[str]:
    """Return the distinct positions after `plies` plies of the records in a file or a folder, as
    texts for `parse_position`; raise Refused with the path of the first unusable file.

    Symmetric positions count once. Subfolders are skipped. Of a game that a referee plays it is a
    file of seeds. One file of more than `MOST` records is a Book: each of its records is looked at
    when it is its turn.
    """
    if game.refereed:
        return seeds_in(path)
    if path.is_file() and (book := book_in(path, game, plies)) is not None:
        return book
    line_by_key: dict[int, str] = {}
    for file, form in files_in(path, transcripts_of(game.name), game):
        for line in form.read_all(file, game, plies):
            try:
                position = parse_position(game, line)
            except Refused as error:
                raise Refused(f"{file}: {error}") from None
            if position.over:
                raise Refused(
                    f"{file}: {cut(line, 80)}: the game is over there, so nothing can be played"
                )
            line_by_key.setdefault(position.key(), line)
    return tuple(line_by_key.values())


def book_in(path: Path, game: Game, plies: int) -> Book | None:
    """Return a file of very many records as a book; None for any other."""
    (_, form), *_ = files_in(path, transcripts_of(game.name), game)
    if not form.entry or path.stat().st_size < LARGE:
        return None
    places = Places(path, form)
    return Book(places, form, game, plies) if len(places) > MOST else None


def seeds_in(path: Path) -> tuple[str, ...]:
    """Return the starts of the seeds in a file, whole numbers between blanks; raise Refused."""
    try:
        words = read_text(path).split()
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{path}: cannot be read: {error}") from None
    for word in words:
        if not (word.isascii() and word.isdigit() and int(word) < SEEDS):
            raise Refused(f"{path}: {word[:40]!r} is no seed; allowed: whole numbers below 2^31")
    if not words:
        raise Refused(f"{path} holds no seed")
    return tuple(dict.fromkeys(f"{SEED}{int(word)}" for word in words))


def files_in(path: Path, forms: Sequence[Transcript], game: Game) -> list[tuple[Path, Transcript]]:
    """Return the records in a file or a folder, each with its format."""
    if not forms:
        raise Refused(f"{game.name} has no record format that Joute reads")
    endings = " or ".join(form.ending for form in forms)
    if path.is_dir():
        every = [
            (file, form)
            for file in sorted(path.iterdir(), key=lambda file: file.name)
            for form in forms
            if file.name.lower().endswith(form.ending) and file.is_file()
        ]
        if not every:
            raise Refused(f"{path} holds no file {endings}")
        if len(every) > MOST:
            raise Refused(f"{path} holds {len(every)} files {endings}; allowed: at most {MOST}")
        return every
    if not path.is_file():
        raise Refused(f"{path} is neither a file nor a folder")
    readers = [form for form in forms if path.name.lower().endswith(form.ending)]
    if not readers:
        raise Refused(
            f"{path} is no game record of {game.name}; allowed: {endings}, or a folder of them"
        )
    return [(path, readers[0])]

"""A network in a file: ONNX with a note of what it was made for.

Input `planes`, float32 [N, planes, rows, columns]. Outputs `policy`, float32 [N, entries], logits (no
softmax), and `value`, float32 [N] or [N, 1], in [-1, 1] for the side to move. The note is the JSON text under the
key `joute` of the file's metadata: see `Note`. A file without one plays, too, if it fits a view of the game.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from joute.engines.data import parse_json
from joute.engines.errors import Refused, nearest
from joute.engines.files import here
from joute.engines.game import Game
from joute.engines.generator import Generator
from joute.engines.nets.model_file import metadata_of
from joute.engines.nets.numpy_reader import Singles
from joute.engines.nets.session import (
    Endless,
    ask_within,
    check_session,
    fault_of,
    in_line,
    session_of,
)
from joute.engines.nets.trial import trust, try_out
from joute.engines.player import PlayerFailure
from joute.engines.view import Shape, View, view_of

KEY = "joute"
FORMAT = 1
IN_A_NOTE = {"game": str, "view": str, "settings": dict, "trained": dict}
LIBRARY = Path(__file__).parent / "library"
LARGEST = 1 << 30  # bytes of a file


@dataclass(frozen=True)
class Note:
    """The note in a network's file: the game's label, the view with its settings, and its maker's
    data (`trained`: the study, its seed, generation, games ...).
    """

    game: str
    view: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    trained: Mapping[str, Any] = field(default_factory=dict)

    def text(self) -> str:
        """Return the JSON text that a file holds."""
        return json.dumps({"format": FORMAT, **asdict(self)}, sort_keys=True)


def note_of(metadata: Mapping[str, str], where: str) -> Note | None:
    """Return the note in a file's metadata; None without one. Raises Refused for one that is none."""
    if KEY not in metadata:
        return None
    try:
        note = parse_json(metadata[KEY])
    except json.JSONDecodeError:
        raise Refused(f"{where}: its note is no JSON") from None
    except ValueError as error:
        raise Refused(f"{where}: its note cannot be read: {error}") from None
    if not isinstance(note, dict):
        raise Refused(f"{where}: its note is no JSON object")
    if note.get("format") != FORMAT:
        raise Refused(
            f"{where}: its note has format {note.get('format')!r}; this Joute reads {FORMAT}"
        )
    for name, kind in IN_A_NOTE.items():
        if not isinstance(note.get(name), kind):
            raise Refused(f"{where}: its note lacks {name}, or has something else there")
    return Note(*(note[name] for name in IN_A_NOTE))


def shipped() -> dict[str, Path]:
    """Return the networks that come with Joute, by name."""
    return {file.stem: file for file in sorted(LIBRARY.glob("*.onnx"))}


def net_file(name: str) -> Path:
    """Return the file of a network: a path, or the name of one that comes with Joute."""
    known = f"; those that come with Joute: {', '.join(shipped())}" if shipped() else ""
    if not name:
        raise Refused(f"no network is given; add network=FILE.onnx{known}")
    given = here(name)
    if given.suffix == ".onnx" or given.exists():
        if not given.is_file():
            raise Refused(
                f"network {name}: {'a folder, not a file' if given.is_dir() else 'no such file'}"
            )
        return given
    if name not in shipped():
        raise Refused(f"network {name}: no such file{nearest(name, shipped())}{known}")
    return shipped()[name]


class Net:
    """A network that was read, and fits a game. Runs on one thread. `digest` is that of the bytes read.

    One that comes with Joute, or is `ours`, written by this process, is run at once; any other is tried
    first, and its calls are limited in time.
    """

    def __init__(self, file: Path, game: Game, ours: bool = False) -> None:
        self.file, content = file, content_of(file)
        self.digest, where = digest_of(content), f"network {file}"
        try:
            note = note_of(metadata_of(content), str(file))
        except (ValueError, IndexError) as error:
            if isinstance(error, Refused):
                raise
            raise Refused(f"{where} is no ONNX file: {error}") from None
        self.note = note
        self.view: View = taught_view(note, file, game) if note else view_of(game)
        self.shape: Shape = self.view.shape(game)
        *asked, policy = self.shape
        seen = f"{game.label} seen as {self.view.label}"
        self._foreign = file.parent != LIBRARY and not ours
        if self._foreign:
            try_out(content, self.digest, file, asked, policy, seen)
        self._session = session_of(content, file)
        check_session(self._session, asked, policy, where, seen)
        if ours:
            trust(self.digest, asked, policy)

    def run(self, planes: Singles) -> tuple[Singles, Singles]:
        """Return logits [N, entries] and values [N] in [-1, 1] of positions [N, planes, rows, columns].

        Raises PlayerFailure where the network answers in other numbers, or not at all.
        """
        try:
            policy, value = (
                ask_within(self._session, planes)
                if self._foreign
                else self._session.run(["policy", "value"], {"planes": planes})
            )
        except Endless as endless:
            raise PlayerFailure("crash", f"network {self.file}: {endless}") from None
        except Exception as error:
            text = f"network {self.file} cannot be run: {in_line(error)}"
            raise PlayerFailure("crash", text) from None
        if len(policy) != len(planes) or value.size != len(planes):
            text = f"network {self.file} answers {len(policy)} and {value.size} times for {len(planes)}"
            raise PlayerFailure("crash", text)
        if fault := fault_of(policy, value):
            raise PlayerFailure("crash", f"network {self.file} answers {fault}")
        return policy, value.reshape(-1)

    def check_generator(self, game: Game, generator: Generator | None) -> None:
        """Raise Refused for a generator with moves that the policy lacks."""
        if generator is not None and generator.name != self.view.generator:
            raise Refused(
                f"the network sees {game.name} as {self.view.label}, whose moves are those of "
                f"generator = {self.view.generator}, not {generator.name}"
            )


def taught_view(note: Note, file: Path, game: Game) -> View:
    """Return the view in which a network was taught; raise Refused if it was of another game or board."""
    if note.game.partition("[")[0] == game.name:
        view = view_of(game, note.view, dict(note.settings))
        if view.goes_with(note.game, game):
            return view
    raise Refused(f"network {file} is of {note.game}, not of {game.label}")


def content_of(file: Path) -> bytes:
    """Return the bytes of a network's file; raise Refused where they cannot be read, or are too many."""
    try:
        if file.stat().st_size > LARGEST:
            raise Refused(f"network {file}: it has more than {LARGEST:,} bytes")
        return file.read_bytes()
    except OSError as error:
        raise Refused(f"network {file} cannot be read: {error.strerror}") from None


def load_net(name: str, game: Game) -> Net:
    """Return a network by path or name, read once a process as long as the file stays the same."""
    file = net_file(name).resolve()
    try:
        status = file.stat()
    except OSError as error:  # it was there a moment ago
        raise Refused(f"network {file} cannot be read: {error.strerror}") from None
    return _loaded(file, (status.st_ino, status.st_mtime_ns, status.st_size), game)


@lru_cache(maxsize=32)
def _loaded(file: Path, state: tuple[int, int, int], game: Game) -> Net:
    # `state` is the file's: another one is another file.
    return Net(file, game)


def digest_of(content: bytes) -> str:
    """Return the digest of a file's bytes."""
    return hashlib.sha256(content).hexdigest()[:16]

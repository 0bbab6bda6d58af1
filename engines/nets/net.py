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

import numpy as np

from joute.engines.errors import Refused, cut, nearest
from joute.engines.files import here
from joute.engines.game import Game
from joute.engines.generator import Generator
from joute.engines.nets.numpy_reader import Singles
from joute.engines.view import View, ViewShape, view_of

KEY = "joute"
FORMAT = 1
IN_A_NOTE = {"game": str, "view": str, "settings": dict, "trained": dict}
LIBRARY = Path(__file__).parent / "library"
LARGEST = 1 << 30  # bytes of a file
MISSING = "networks need onnxruntime: pip install 'joute[nets]'"


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
        note = json.loads(metadata[KEY])
    except ValueError:
        raise Refused(f"{where}: its note is no JSON") from None
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
        raise Refused(f"which network? say network=FILE.onnx{known}")
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
    """A network that was read, and fits a game. Runs on one thread. `digest` is that of the bytes read."""

    def __init__(self, file: Path, game: Game) -> None:
        self.file, content = file, content_of(file)
        self.digest = digest_of(content)
        self._session = session_of(content, file)
        metadata = self._session.get_modelmeta().custom_metadata_map
        note = note_of(metadata, str(file))
        self.note = note
        self.view: View = taught_view(note, file, game) if note else view_of(game)
        self.shape: ViewShape = self.view.shape(game)
        self._check_shapes(game)

    def run(self, planes: Singles) -> tuple[Singles, Singles]:
        """Return logits [N, entries] and values [N] in [-1, 1] of positions [N, planes, rows, columns]."""
        policy, value = self._session.run(["policy", "value"], {"planes": planes})
        return policy, value.reshape(-1)

    def check_generator(self, game: Game, generator: Generator | None) -> None:
        """Raise Refused for a generator with moves that the policy lacks."""
        if generator is not None and generator.name != self.view.generator:
            raise Refused(
                f"the network sees {game.name} as {self.view.label}, whose moves are those of "
                f"generator = {self.view.generator}, not {generator.name}"
            )

    def _check_shapes(self, game: Game) -> None:
        shape, where = self.shape, f"network {self.file}"
        inputs = {i.name: i for i in self._session.get_inputs()}
        outputs = {o.name: o for o in self._session.get_outputs()}
        if list(inputs) != ["planes"] or not {"policy", "value"} <= outputs.keys():
            raise Refused(
                f"{where}: its inputs are {', '.join(inputs) or 'none'} and its outputs "
                f"{', '.join(outputs) or 'none'}; needed: planes, and policy, value"
            )
        asked = [shape.planes, shape.rows, shape.columns]
        for what, given, wanted in (
            ("planes", inputs["planes"].shape[1:], asked),
            ("policy", outputs["policy"].shape[1:], [shape.policy]),
        ):
            if any(isinstance(g, int) and g != w for g, w in zip(given, wanted, strict=False)) or (
                len(given) != len(wanted)
            ):
                raise Refused(
                    f"{where}: its {what} are {size_text(given)}, but {game.label} seen as "
                    f"{self.view.label} has {size_text(wanted)}"
                )
        if inputs["planes"].type != "tensor(float)":
            raise Refused(f"{where}: its planes are {inputs['planes'].type}, not float32")
        for count in (1, 2):  # and so any number of positions
            try:
                policy, value = self.run(np.zeros((count, *asked), np.float32))
            except Exception as error:
                raise Refused(
                    f"{where} cannot be run on {count} at once: {cut(' '.join(str(error).split()), 160)}"
                ) from None
            if policy.shape != (count, shape.policy) or value.shape != (count,):
                raise Refused(
                    f"{where}: of {count} at once it gives a policy {size_text(policy.shape)} and a value "
                    f"{size_text(value.shape)}; needed: {count} x {shape.policy} and {count}"
                )
            if not (np.isfinite(policy).all() and np.isfinite(value).all()):
                raise Refused(f"{where}: it answers in numbers that are none (NaN or infinite)")


def taught_view(note: Note, file: Path, game: Game) -> View:
    """Return the view in which a network was taught; raise Refused if it was of another game or board."""
    if note.game.partition("[")[0] == game.name:
        view = view_of(game, note.view, dict(note.settings))
        if view.goes_with(note.game, game):
            return view
    raise Refused(f"network {file} is of {note.game}, not of {game.label}")


def size_text(sizes: Any) -> str:
    """Return sizes as `4 x 7 x 7`."""
    return " x ".join(str(s) for s in sizes) or "one number"


def content_of(file: Path) -> bytes:
    """Return the bytes of a network's file; raise Refused where they cannot be read, or are too many."""
    try:
        if file.stat().st_size > LARGEST:
            raise Refused(f"network {file}: it has more than {LARGEST:,} bytes")
        return file.read_bytes()
    except OSError as error:
        raise Refused(f"network {file} cannot be read: {error.strerror}") from None


def session_of(content: bytes, file: Path) -> Any:
    """Return a session of onnxruntime on one thread; raise Refused with the fault of the file."""
    try:
        import onnxruntime
    except ImportError:
        raise Refused(MISSING) from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise Refused(f"network {file} is no ONNX file: {cut(str(error), 160)}") from None


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

"""What stands in an ONNX file, read without running anything: its notes, and whether all its weights are in it.

Source: ONNX's public `onnx.proto`, by the numbers of its fields.
"""

from __future__ import annotations

from pathlib import Path

from joute.engines.nets.numpy_reader import fields

MOST_PARTS = 10_000  # of a file's outermost level, where there are some ten
LONGEST_NOTE = 1 << 20  # bytes
METADATA = 14
NAME, OUTSIDE, PLACE = 8, 13, 14  # of a tensor: its name, where its numbers lie, whether elsewhere
INSIDE = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "node": {5: "setting"},
    "setting": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
    "function": {7: "node", 11: "setting"},
    "training": {1: "graph", 2: "graph"},
}
"""What may hold tensors, by the number of the field in which it stands."""


def metadata_of(content: bytes) -> dict[str, str]:
    """Return the notes of a file, by key; raise ValueError for bytes that are no ONNX file."""
    notes = {}
    for count, (field, value) in enumerate(fields(memoryview(content))):
        if count > MOST_PARTS:
            raise ValueError("it has too many parts")
        if field == METADATA and not isinstance(value, int):
            if len(value) > LONGEST_NOTE:
                raise ValueError(f"a note in it has more than {LONGEST_NOTE:,} bytes")
            parts = {number: bytes(part) for number, part in fields(value)}
            notes[parts.get(1, b"").decode()] = parts.get(2, b"").decode()
    return notes


def weight_outside(content: bytes) -> str | None:
    """Return the name of a weight whose numbers lie in another file; None if all are in this one."""
    left = [("model", memoryview(content))]
    while left:
        kind, part = left.pop()
        name, outside = "", False
        for field, value in fields(part):
            if kind == "tensor":
                name = bytes(value).decode(errors="replace") if field == NAME else name
                outside = outside or field == OUTSIDE or (field == PLACE and value != 0)
            elif (inner := INSIDE[kind].get(field)) and not isinstance(value, int):
                left.append((inner, value))
        if outside:
            return name
    return None


def outside_text(file: Path, weight: str) -> str:
    """Say that a weight is not in the file, and how it gets there."""
    return (
        f"network {file}: its weights lie outside the file ({weight or 'one without a name'}); put them in: "
        f"onnx.save_model(onnx.load({str(file)!r}), {str(file)!r}, save_as_external_data=False)"
    )

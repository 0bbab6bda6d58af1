"""The index of the rooms' members: read once, until a file changes, wherever it can be kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from joute.engines import index, kept_lines
from joute.engines.index import Row, index_of


@pytest.mark.parametrize("beside", ["writable", "not writable"])
def test_files_are_read_again_only_when_one_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beside: str
) -> None:
    folder = tmp_path / "beside"
    if beside == "not writable":
        folder.write_text("no folder can be here")  # also for root
    monkeypatch.setattr(kept_lines, "BESIDE", folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.setattr("sys.dont_write_bytecode", True)  # as in containers; it is no bytecode
    files = [tmp_path / "one.py", tmp_path / "two.py"]
    for file in files:
        file.write_text("x = 1\n")
    read = list[Path]()

    def rows(file: Path) -> list[Row]:
        read.append(file)
        return [("game", file.stem, "One", {"players": 2})]

    first = index_of(files, rows)
    assert index_of(files, rows) == first and read == files
    assert (tmp_path / "caches/joute" / index.NAME).exists() == (beside == "not writable")
    files[0].write_text("x = 12\n")
    index_of(files, rows)
    assert read == [*files, *files]
    files[1].unlink()
    assert index_of(files[:1], rows).keys() == {files[0]}


def test_a_damaged_index_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_lines, "BESIDE", tmp_path)
    file = tmp_path / "one.py"
    file.write_text("x = 1\n")
    found = index_of([file], lambda _: [])
    for damage in (b"", b"no index", (tmp_path / index.NAME).read_bytes()[:-3]):
        (tmp_path / index.NAME).write_bytes(damage)
        assert index_of([file], lambda _: []) == found
        assert (tmp_path / index.NAME).read_bytes() != damage


def test_without_a_home_nothing_is_kept_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert [place.parent for place in kept_lines.places("x")] == [kept_lines.BESIDE]

"""A network as torch and as a file, and what it learns."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs torch")
pytest.importorskip("onnx", reason="training needs onnx")
pytest.importorskip("onnxruntime", reason="networks need onnxruntime")

from joute.engines.engine import parse_game
from joute.engines.errors import JouteError, Refused
from joute.engines.nets.net import Net, Note
from joute.engines.nets.numpy_reader import PlainNet, Singles
from joute.engines.view import Symmetry, view_of
from joute.studies.learning import write_network as exporting
from joute.studies.learning.architecture import architecture_of
from joute.studies.learning.columns import Column
from joute.studies.learning.learn import Diverged, Mirrors, learn
from joute.studies.learning.measures import measure
from joute.studies.learning.onnx_file import read_weights
from joute.studies.learning.plan import LearnPlan
from joute.studies.learning.sample_file import (
    COLUMNS,
    SampleFile,
    SamplesDamaged,
    SampleWriter,
    join_files,
)
from joute.studies.learning.samples import Samples, joined, no_samples
from joute.studies.learning.torch_net import Network, needed
from joute.studies.learning.write_network import TOLERANCE, NotEqual, export
from tests.support.training import GAME, NOTE, SHAPE, SMALL, SYMMETRIES, architecture, easy

QUICK = LearnPlan(epochs=6, batch=50, rate=0.01)


def new(seed: int = 1, **changes: object) -> Network:
    made = architecture(**changes)
    return Network(made, made.weights(seed))


def test_a_file_answers_as_torch_does_and_holds_all_that_was_learnt(tmp_path: Path) -> None:
    network, file = new(), tmp_path / "nets" / "0001.onnx"
    learn(network, easy(), SYMMETRIES, QUICK, 3)
    assert 0 < export(file, network, NOTE, GAME) <= TOLERANCE
    net = Net(file, GAME)
    assert net.note == NOTE
    planes = easy(7, seed=9).planes
    for ours, theirs in zip(net.run(planes), network.answer(planes), strict=True):
        assert np.abs(ours - theirs).max() < 1e-4
    kept = read_weights(file, network.made)
    assert all((kept[name] == w).all() for name, w in network.weights().items())
    assert [p.name for p in file.parent.iterdir()] == ["0001.onnx"]


class Coarse(Network):
    """A network on a device that rounds, as CUDA's convolutions do."""

    def answer(self, planes: Singles) -> tuple[Singles, Singles]:
        logits, value = super().answer(planes)
        return np.round(logits, 1), np.round(value, 1)


def test_a_file_is_compared_with_torch_on_the_cpu(tmp_path: Path) -> None:
    made = architecture()
    network = Coarse(made, made.weights(1))
    with pytest.raises(NotEqual, match="as ONNX the network differs from torch"):
        export(tmp_path / "net.onnx", network, NOTE, GAME)
    network.device = "cuda"
    assert export(tmp_path / "net.onnx", network, NOTE, GAME) <= TOLERANCE


GAMES = ["gopher[side=3]", "dodo[side=3]", "go[size=5]", "vampires"]


@pytest.mark.parametrize("text", GAMES)
def test_a_convolutional_policy_answers_for_each_cell(tmp_path: Path, text: str) -> None:
    game = parse_game(text)
    view = view_of(game)
    made = architecture_of(SMALL.model_copy(update=dict(policy_head="convolutional")), view, game)
    network = Network(made, made.weights(1))
    note = Note(game.label, view.name, view.values)
    assert export(tmp_path / "net.onnx", network, note, game) <= TOLERANCE
    # Every entry has a number of its own, and a symmetry takes an entry to its cell's image.
    assert len(set(made.places())) == made.shape.policy
    for one in view.symmetries(game):
        for entry, went in enumerate(one.entries):
            cell = made.about[entry]
            assert made.about[went] == (one.cells[cell] if cell >= 0 else -1)
    planes = np.random.default_rng(1).random((3, *made.shape[:3]), np.float32)
    net = Net(tmp_path / "net.onnx", game)
    plain = PlainNet((tmp_path / "net.onnx").read_bytes())
    for ours, theirs in zip(net.run(planes), plain.run(planes), strict=True):
        assert np.abs(ours - theirs).max() < 1e-4


def test_a_convolutional_policy_needs_cells() -> None:
    with pytest.raises(Refused, match=r"no entry of the view discs is about a cell"):
        architecture(policy_head="convolutional")


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
def test_it_learns_and_says_how_much(optimizer: str) -> None:
    network, samples, seen = new(), easy(), list[int]()
    plan = QUICK.model_copy(update=dict(optimizer=optimizer, epochs=10))
    before = measure(network.answer, samples)["all"]
    last = learn(network, samples, SYMMETRIES, plan, 3, lambda count, loss: seen.append(count))
    after = measure(network.answer, samples)
    assert after["all"].loss < 0.75 * before.loss
    assert after["all"].accuracy > 0.5 > before.accuracy and after["all"].error < before.error
    assert last.samples == len(samples) and sum(seen) == 10 * len(samples)
    assert sum(after[phase].samples for phase in ("opening", "middle", "end")) == len(samples)


def test_the_same_seed_gives_the_same_network() -> None:
    def learnt(seed: int) -> dict[str, Any]:
        network = new()
        learn(network, easy(), SYMMETRIES, QUICK.model_copy(update=dict(epochs=2)), seed)
        return network.weights()

    torch = needed()
    state = torch.random.get_rng_state()
    first, again, other = learnt(3), learnt(3), learnt(4)
    assert all((first[name] == again[name]).all() for name in first)
    assert any((first[name] != other[name]).any() for name in first)
    assert (torch.random.get_rng_state() == state).all()


def test_planes_and_policy_are_turned_together() -> None:
    mirrors, samples = Mirrors(SYMMETRIES), easy(6)
    which = np.array([0, 1] * 3)
    planes, policy = mirrors.turned(samples.planes, samples.policy, which)
    assert (planes[::2] == samples.planes[::2]).all()
    assert (planes[1::2] == samples.planes[1::2, :, :, ::-1]).all()
    assert (policy[1::2] == samples.policy[1::2, ::-1]).all()
    # A rotation is no inverse of itself: what stands at a cell goes where the symmetry says.
    turn = Symmetry([3, 0, 1, 2], [1, 2, 0])
    planes, policy = Mirrors([turn]).turned(
        np.arange(4, dtype=np.float32).reshape(1, 1, 2, 2), np.eye(3, dtype=np.float32)[:1],
        np.zeros(1, int),
    )  # fmt: skip
    assert planes.ravel().tolist() == [1, 2, 3, 0] and policy.tolist() == [[0, 1, 0]]


def test_only_moves_that_teach_count_for_the_policy() -> None:
    samples = easy(100)
    wrong = samples.policy[:, ::-1].copy()
    half = replace(samples, teaches=np.repeat([1, 0], 50).astype(np.float32))
    half.policy[50:] = wrong[50:]
    assert measure(new().answer, half)["all"].policy_loss == pytest.approx(
        measure(new().answer, half.take(np.arange(50)))["all"].policy_loss
    )


def test_faults_of_learning_are_told() -> None:
    with pytest.raises(JouteError, match="the window is empty"):
        learn(new(), no_samples(SHAPE), SYMMETRIES, QUICK, 1)
    broken = easy()
    broken.value[7] = np.nan
    with pytest.raises(Diverged, match="the loss became nan"):
        learn(new(), broken, SYMMETRIES, QUICK, 1)
    with pytest.raises(Diverged, match=r"the loss became 1e\+24"):
        learn(
            new(),
            replace(easy(), value=np.full(len(easy()), 1e12, np.float32)),
            SYMMETRIES,
            QUICK,
            1,
        )
    with pytest.raises(JouteError, match="samples none teaches the policy"):
        idle = replace(easy(), teaches=np.zeros(len(easy()), np.float32))
        learn(new(), idle, SYMMETRIES, QUICK, 1)
    if not needed().cuda.is_available():
        with pytest.raises(Refused, match="finds no CUDA device; allowed here: 'cpu'"):
            learn(new(), easy(), SYMMETRIES, QUICK.model_copy(update=dict(device="cuda")), 1)


def test_whatever_stops_the_writing_the_old_file_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, network = tmp_path / "0001.onnx", new()
    export(file, network, NOTE, GAME)
    before = file.read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(exporting.os, "fsync", full)
        with pytest.raises(OSError, match="No space left") as caught:
            export(file, new(2), NOTE, GAME)
        assert caught.value.filename == str(file)
    with monkeypatch.context() as patch:
        patch.setattr(exporting, "TOLERANCE", 0.0)
        with pytest.raises(NotEqual, match="differs from torch"):
            export(file, new(2), NOTE, GAME)
    assert file.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["0001.onnx"]


def write(path: Path, samples: Samples, number: int) -> None:
    """Write samples in two parts, as those of one game."""
    writer = SampleWriter(path, SHAPE)
    writer.add(samples.take(np.arange(7)))
    writer.add(samples.take(np.arange(7, len(samples))))
    writer.write([{"number": number}])


def all_of(file: SampleFile) -> Samples:
    """Return all samples of a file, in memory."""
    return file.take(np.arange(len(file)))


def test_samples_are_kept_as_they_are(tmp_path: Path) -> None:
    samples = joined([easy(30), easy(20, seed=4)])
    samples.policy[3] = np.float32(1 / 3)
    file = tmp_path / "s" / "0001.npz"
    write(file, samples, 1)
    found = all_of(SampleFile(file))
    assert all((getattr(found, n) == getattr(samples, n)).all() for n in vars(samples))
    assert {n: getattr(found, n).dtype for n in vars(found)} == {
        n: getattr(samples, n).dtype for n in vars(samples)
    }
    file.write_bytes(file.read_bytes()[:200])
    with pytest.raises(JouteError, match="cannot be read as samples"):
        SampleFile(file)


def test_a_column_grows_into_a_wider_type_and_files_are_joined_in_order(tmp_path: Path) -> None:
    bits, numbers = easy(20), easy(20, seed=4)
    numbers = replace(numbers, planes=numbers.planes * 0.3, game=numbers.game + 1000)
    write(tmp_path / "b.npz", numbers, 1000)
    write(tmp_path / "a.npz", bits, 0)
    join_files(tmp_path / "all.npz", [tmp_path / "b.npz", tmp_path / "a.npz"])
    found, wanted = all_of(SampleFile(tmp_path / "all.npz")), joined([bits, numbers])
    assert all((getattr(found, n) == getattr(wanted, n)).all() for n in vars(wanted))
    assert SampleFile(tmp_path / "all.npz").about == [{"number": 0}, {"number": 1000}]
    with np.load(tmp_path / "a.npz") as file:
        assert file["planes"].dtype == np.uint8  # eight in a byte


def test_a_damaged_byte_or_an_older_file_is_refused_in_a_line(tmp_path: Path) -> None:
    file = tmp_path / "0001.npz"
    write(file, easy(50), 1)
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    with pytest.raises(SamplesDamaged, match=r"0001\.npz cannot be read as samples"):
        SampleFile(file)
    np.savez_compressed(file, **dict.fromkeys((*COLUMNS, "shape"), np.zeros(3)))
    with pytest.raises(SamplesDamaged, match="compressed, as older versions wrote it"):
        SampleFile(file)


def test_a_widened_column_of_a_policy_and_of_counts_loses_nothing(tmp_path: Path) -> None:
    samples = easy(40)
    samples.planes[30:] *= 200  # no bits, no bytes
    samples.policy[35] = np.float32(1 / 3)
    write(tmp_path / "w.npz", samples, 1)
    file = SampleFile(tmp_path / "w.npz")
    which = np.random.default_rng(1).permutation(40)
    for taken, wanted in ((file.take(which), samples.take(which)), (all_of(file), samples)):
        assert all((getattr(taken, n) == getattr(wanted, n)).all() for n in vars(wanted))


def test_a_full_disk_is_told_with_the_files_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Column, array: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    writer = SampleWriter(tmp_path / "0001.npz", SHAPE)
    monkeypatch.setattr(Column, "add", full)
    with pytest.raises(OSError, match="No space left") as caught:
        writer.add(easy(3))
    assert caught.value.filename == str(tmp_path / "0001.npz")
    assert not [*tmp_path.iterdir()]

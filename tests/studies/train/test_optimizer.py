"""The optimiser: its rate from step to step, the mean of the weights, its state; values as win, draw, loss."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs torch")
pytest.importorskip("onnx", reason="training needs onnx")
pytest.importorskip("onnxruntime", reason="networks need onnxruntime")

import joute.studies.kinds.train.play as training
from joute.engines.errors import Refused
from joute.engines.nets.net import Net
from joute.engines.nets.numpy_reader import PlainNet
from joute.studies.kinds.train.play import Replaced
from joute.studies.learning.learn import learn, outcome_loss
from joute.studies.learning.measures import measure
from joute.studies.learning.optimizer import (
    FIRST_MEAN,
    Optimizer,
    rate_factor,
    read_state,
    share_of_rate,
    state_beside,
    write_state,
)
from joute.studies.learning.plan import LearnPlan
from joute.studies.learning.torch_net import Network, needed
from joute.studies.learning.write_network import TOLERANCE, export
from tests.support.runs import play, study_of
from tests.support.training import GAME, NOTE, SYMMETRIES, TINY, architecture, easy, left

QUICK = LearnPlan(epochs=1, batch=50, rate=0.01)
KEPT = TINY.replace("rate = 0.01", 'rate = 0.01\noptimizer_state = "kept"\nhalf_life = 1.0')


def new(seed: int = 1, **changes: object) -> Network:
    made = architecture(**changes)
    return Network(made, made.weights(seed))


def plan_of(**changes: object) -> LearnPlan:
    return LearnPlan.model_validate(QUICK.model_dump() | changes)


def same(one: Any, other: Any) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(one[n], other[n]) for n in one)


def test_the_rate_of_each_step() -> None:
    def shares(steps: int = 5, **changes: object) -> list[float]:
        return [share_of_rate(plan_of(**changes), done, steps) for done in range(steps)]

    assert shares() == [1.0] * 5
    assert shares(schedule="linear", last_rate=0.2) == pytest.approx([1, 0.8, 0.6, 0.4, 0.2])
    half = 0.5**0.5 / 2  # cos(45 degrees) / 2
    assert shares(schedule="cosine", last_rate=0) == pytest.approx(
        [1, 0.5 + half, 0.5, 0.5 - half, 0]
    )
    assert shares(warmup=3) == pytest.approx([0.25, 0.5, 0.75, 1, 1])
    assert shares(7, warmup=2, schedule="linear", last_rate=0) == pytest.approx(
        [1 / 3, 2 / 3, 1, 0.75, 0.5, 0.25, 0]
    )
    assert shares(1, schedule="cosine") == [1.0] and shares(2, warmup=9) == [0.1, 0.2]


def test_the_rate_of_each_iteration() -> None:
    assert [rate_factor(QUICK, i) for i in (1, 9)] == [1.0, 1.0]
    assert [rate_factor(plan_of(half_life=2), i) for i in (1, 3, 5)] == [1.0, 0.5, 0.25]


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
def test_a_state_on_the_disk_goes_on_as_if_nothing_had_happened(
    tmp_path: Path, optimizer: str
) -> None:
    plan, samples = plan_of(optimizer=optimizer, momentum=0.9), easy()
    whole = new()
    kept = Optimizer(whole, plan)
    learn(whole, samples, SYMMETRIES, plan, 3, optimizer=kept)
    file = state_beside(tmp_path / "0001.onnx")
    write_state(file, kept.state())
    before = file.read_bytes()
    write_state(file, read_state(file))
    assert file.name == "0001.optimizer.npz" and file.read_bytes() == before

    resumed, anew = (Network(whole.made, whole.weights()) for _ in range(2))
    again = Optimizer(resumed, plan)
    again.resume(read_state(file), str(file))
    learn(whole, samples, SYMMETRIES, plan, 4, optimizer=kept)
    learn(resumed, samples, SYMMETRIES, plan, 4, optimizer=again)
    learn(anew, samples, SYMMETRIES, plan, 4)
    assert same(whole.weights(), resumed.weights())
    assert not same(whole.weights(), anew.weights())


def test_a_state_of_something_else_is_refused(tmp_path: Path) -> None:
    network, sgd = new(), plan_of(optimizer="sgd")
    optimizer = Optimizer(network, QUICK)
    learn(network, easy(), SYMMETRIES, QUICK, 3, optimizer=optimizer)
    state = dict(optimizer.state())
    with pytest.raises(Refused, match=r"x.npz is no state of sgd for this network: stem.weight"):
        Optimizer(network, sgd).resume(state, "x.npz")
    wide = new(filters=9)
    with pytest.raises(Refused, match="no state of adam for this network"):
        Optimizer(wide, QUICK).resume(state, "x.npz")
    state["stem.weight/exp_avg"] = np.full_like(state["stem.weight/exp_avg"], np.nan)
    with pytest.raises(Refused, match="NaN or infinite"):
        Optimizer(network, QUICK).resume(state, "x.npz")
    (tmp_path / "x.npz").write_bytes(b"PK nothing")
    with pytest.raises(Refused, match=r"state of the optimizer .*x.npz cannot be read"):
        read_state(tmp_path / "x.npz")


def test_the_mean_of_the_weights_is_what_a_slow_sum_says() -> None:
    plan, seen = plan_of(averaging=0.8, epochs=2), list[dict[str, Any]]()
    network, plain = new(), new()
    first = network.weights()
    learn(network, easy(), SYMMETRIES, plan, 3)
    learn(
        plain, easy(), SYMMETRIES, plan_of(epochs=2), 3, lambda c, o: seen.append(plain.weights())
    )
    assert len(seen) == 16
    for name, mean in first.items():
        expected = mean.astype(float)
        for i, weights in enumerate(seen):
            keep = min(0.8, (2 + i) / (FIRST_MEAN + 1 + i))
            expected = keep * expected + (1 - keep) * weights[name]
        assert np.allclose(network.weights()[name], expected, atol=1e-5)


def test_win_draw_and_loss_as_torch_onnx_and_numpy_see_them(tmp_path: Path) -> None:
    network, samples = new(value_head="wdl"), easy()
    plan = plan_of(epochs=10)
    before = measure(network.answer, samples)["all"]
    learn(network, samples, SYMMETRIES, plan, 3)
    after = measure(network.answer, samples)["all"]
    assert after.error < 0.7 * before.error and after.loss < before.loss
    assert network.weights()["value.out.weight"].shape == (3, 16)
    file = tmp_path / "net.onnx"
    assert 0 < export(file, network, NOTE, GAME) <= TOLERANCE
    planes = easy(7, seed=9).planes
    plain, torchs = PlainNet(file.read_bytes()), network.answer(planes)
    for ours, theirs, numpys in zip(
        Net(file, GAME).run(planes), torchs, plain.run(planes), strict=True
    ):
        assert np.abs(ours - theirs).max() < 1e-4 and np.abs(numpys - theirs).max() < 1e-4
    assert (np.abs(torchs[1]) <= 1).all()


def test_the_loss_of_outcomes_by_hand() -> None:
    torch = needed()
    raw = np.random.default_rng(1).normal(size=(5, 3)).astype(np.float32)
    z = np.array([1, 0, -1, 0.25, -0.5], np.float32)
    q = np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True)
    p = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.25, 0.75, 0], [0, 0.5, 0.5]])
    by_hand = -(p * np.log(q)).sum(axis=1).mean()
    assert outcome_loss(torch, torch.from_numpy(raw), torch.from_numpy(z)).item() == pytest.approx(
        by_hand, rel=1e-5
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that keeps its optimiser's state."""
    folder = tmp_path_factory.mktemp("kept")
    assert not play(study_of(folder, KEPT), folder / "run").stopped
    return folder / "run"


def test_a_run_with_a_kept_state_dies_and_goes_on_byte_for_byte(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sorted(p.name for p in whole.glob("nets/*.npz")) == [
        f"000{k}.optimizer.npz" for k in range(3)
    ]
    assert not read_state(whole / "nets/0000.optimizer.npz")  # it has made no step
    real, calls = training.export, [0]

    def dies(*words: Any) -> Any:
        calls[0] += 1
        if calls[0] == 3:
            raise KeyboardInterrupt
        return real(*words)

    with monkeypatch.context() as patch:
        patch.setattr(training, "export", dies)
        with pytest.raises(KeyboardInterrupt):
            play(study_of(tmp_path, KEPT), tmp_path / "run")
    assert not play(study_of(tmp_path, KEPT), tmp_path / "run").stopped
    assert left(tmp_path / "run") == left(whole)
    made_anew = play(study_of(tmp_path, KEPT, "learn.optimizer_state=new"), tmp_path / "new")
    assert not made_anew.stopped
    nets = [(run / "nets/0002.onnx").read_bytes() for run in (whole, tmp_path / "new")]
    assert nets[0] != nets[1]


def test_a_lost_state_stops_the_run_in_one_line(whole: Path, tmp_path: Path) -> None:
    study = study_of(tmp_path, KEPT)
    assert not play(study, tmp_path / "run").stopped
    (tmp_path / "run/nets/0002.optimizer.npz").unlink()
    with pytest.raises(Replaced, match=r"0002.optimizer.npz is not the state of the optimizer"):
        play(study_of(tmp_path, KEPT, "selfplay.iterations=3"), tmp_path / "run")


def test_a_study_that_starts_from_a_network_takes_its_state(whole: Path, tmp_path: Path) -> None:
    net = whole / "nets/0002.onnx"
    begun = KEPT + f'[start]\nnet = "{net}"\n'
    assert not play(study_of(tmp_path, begun), tmp_path / "run").stopped
    first = read_state(tmp_path / "run/nets/0000.optimizer.npz")
    assert same(first, read_state(state_beside(net)))

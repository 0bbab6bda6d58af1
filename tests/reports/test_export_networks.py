"""Engines with a network, written out: one file with the weights inside, for numpy alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from joute.engines.engine import parse_engine
from joute.engines.errors import Refused
from joute.engines.nets.net import load_net
from joute.engines.nets.numpy_reader import PlainNet, written_net
from joute.reports.export.export import ExportRequest, export
from tests.support.marks import dear_case
from tests.support.networks import BOARD, net, write_net

__all__ = ["net"]
pytest.importorskip("onnx", reason="needs the extra train")
pytest.importorskip("onnxruntime", reason="needs the extra nets")


def test_the_plain_reader_answers_as_onnxruntime(net: Path) -> None:
    found = load_net(str(net), parse_engine(f"{BOARD}/random").game)
    planes = np.random.default_rng(1).integers(0, 2, (7, 2, 4, 5)).astype(np.float32)
    for run in (PlainNet(net.read_bytes()).run, written_net(net.read_bytes()).run):
        for ours, theirs in zip(run(planes), found.run(planes), strict=True):
            assert ours == pytest.approx(theirs, abs=1e-4)


def test_a_layer_that_is_not_known_is_named(tmp_path: Path, net: Path) -> None:
    import onnx

    model = onnx.load(str(net))
    model.graph.node[0].op_type = "Sin"
    with pytest.raises(ValueError, match="a layer Sin, which is not written here"):
        PlainNet(model.SerializeToString())


@pytest.mark.slow
@pytest.mark.parametrize(
    "search",
    [
        dear_case("puct:iterations=8,batch=3,symmetry=random"),
        dear_case("puct:root=gumbel,iterations=6"),
        "greedy:by=value",
    ],
)
def test_a_file_plays_what_the_engine_plays(search: str, net: Path, tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    said = export(ExportRequest("python", engine=f"{BOARD}/{search},network={net}", path=path))
    assert "the action was the same in" in " ".join(path.read_text().split())
    code = f"import sys; sys.modules['onnxruntime'] = None; sys.argv = ['x', 'startpos moves 1 2']\nexec(open({str(path)!r}).read())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.stdout.strip() in list("12345"), (said, done.stderr)


def test_what_calls_python_from_kernels_is_refused(net: Path, tmp_path: Path) -> None:
    engine = f"{BOARD}/uct:evaluation=network,iterations=5,network={net}"
    with pytest.raises(Refused, match="searches with a network of their own can: greedy, puct"):
        export(ExportRequest("python", engine=engine, path=tmp_path / "bot.py"))


def test_a_network_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    import onnx

    file = write_net(tmp_path / "odd.onnx")
    model = onnx.load(str(file))
    model.graph.node[-1].op_type = "Softsign"
    onnx.save(model, str(file))
    with pytest.raises(Refused, match="a layer Softsign"):
        export(
            ExportRequest("python", engine=f"{BOARD}/greedy:network={file}", path=tmp_path / "b.py")
        )

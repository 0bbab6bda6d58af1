"""Networks of somebody else that mean harm: refused in a line, or their engine loses."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from joute.engines import kept_lines
from joute.engines.engine import parse_engine
from joute.engines.errors import Refused
from joute.engines.nets import session, trial
from joute.engines.nets.numpy_reader import PlainNet
from joute.engines.player import PlayerFailure
from joute.engines.position import Position, parse_position
from tests.support.hostile_networks import ENDLESS, write_elsewhere, write_hostile
from tests.support.networks import BOARD, net
from tests.support.runs import joute, rows

__all__ = ["net"]
pytest.importorskip("onnx", reason="needs the extra train")
pytest.importorskip("onnxruntime", reason="needs the extra nets")

NAN, INF = float("nan"), float("inf")
USES = (
    "puct:iterations=8",
    "puct:root=gumbel,iterations=8",
    "greedy",
    "alphabeta:evaluation=network,depth=3",
    "expectiminimax:evaluation=network,depth=2",
    "uct:evaluation=network,iterations=20",
)


def using(use: str, file: Path) -> str:
    """Return the text of an engine with this network."""
    return f"{BOARD}/{use}{',' if ':' in use else ':'}network={file}"


@pytest.fixture
def forgetful(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let no network be known; return where the list comes to lie."""
    monkeypatch.setattr(kept_lines, "BESIDE", tmp_path / "beside")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    return tmp_path / "beside" / trial.LIST


def test_weights_outside_the_file_are_refused(
    net: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "apart").mkdir()
    file = write_elsewhere(net, tmp_path / "apart" / "net.onnx")
    monkeypatch.chdir(file.parent)  # where onnxruntime would find them
    with pytest.raises(
        Refused, match=r"weights lie outside the file .*as_external_data=False"
    ) as no:
        parse_engine(using("greedy", file))
    assert "\n" not in str(no.value)
    with pytest.raises(ValueError, match="lie outside its file"):
        PlainNet(file.read_bytes())


def test_embedded_as_the_line_says_they_are_taken(net: Path, tmp_path: Path) -> None:
    import onnx

    file = write_elsewhere(net, tmp_path / "apart.onnx")
    onnx.save_model(onnx.load(str(file)), str(file), save_as_external_data=False)
    assert parse_engine(using("greedy", file)).digest


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("value", [NAN, INF, 1e30, -1.5])
def test_a_value_that_is_none_is_the_engines_failure(
    use: str, value: float, tmp_path: Path
) -> None:
    engine = parse_engine(using(use, write_hostile(tmp_path / "net.onnx", value)))
    player = engine.player()
    with pytest.raises(PlayerFailure, match=r"net\.onnx answers") as failure:
        player.choose(parse_position(engine.game, "startpos moves 1 2"))
    assert failure.value.kind == "crash"


@pytest.mark.parametrize("use", ["puct:iterations=8", "greedy:by=policy"])
@pytest.mark.parametrize("logit", [NAN, INF, -INF])
def test_a_policy_that_is_none_is_the_engines_failure(
    use: str, logit: float, tmp_path: Path
) -> None:
    engine = parse_engine(using(use, write_hostile(tmp_path / "net.onnx", logit=logit)))
    with pytest.raises(PlayerFailure, match="NaN or infinite"):
        engine.player().choose(parse_position(engine.game, "startpos moves 1 2"))


def test_a_value_that_is_rounded_above_one_is_taken(tmp_path: Path) -> None:
    engine = parse_engine(using("greedy", write_hostile(tmp_path / "net.onnx", 1.0002)))
    assert engine.player().choose(Position(engine.game)).value is not None


def test_after_a_failure_the_player_goes_on_where_the_network_is_well(tmp_path: Path) -> None:
    file = write_hostile(tmp_path / "net.onnx", NAN)
    engine = parse_engine(using("alphabeta:evaluation=network,depth=1", file))
    player, bad = engine.player(), parse_position(engine.game, "startpos moves 1 2")
    for _ in range(2):
        with pytest.raises(PlayerFailure):
            player.choose(bad)


def test_the_commands_say_so_in_a_line_and_never_print_nan(tmp_path: Path) -> None:
    file = write_hostile(tmp_path / "net.onnx", NAN)
    for use in ("puct:iterations=8", "alphabeta:evaluation=network,depth=2"):
        done = joute("bestmove", using(use, file), "startpos", "moves", "1", "--json")
        assert done.returncode == 1 and "NaN" not in done.stdout
        assert len(done.stderr.strip().splitlines()) == 1 and "answers in numbers" in done.stderr
    done = joute(
        "evaluate", BOARD, "network", "startpos", "moves", "1", "-p", f"network={file}", "--json"
    )
    assert done.returncode == 1 and not done.stdout and "Traceback" not in done.stderr


def test_its_games_are_lost_and_the_run_ends(tmp_path: Path) -> None:
    file = write_hostile(tmp_path / "net.onnx", NAN)
    bad = using("alphabeta:evaluation=network,depth=2", file)
    done = joute(
        "match", bad, "random", "--blocks", 2, "-j", 2, "--out", tmp_path / "run", "--json"
    )
    assert done.returncode == 1, done.stderr
    failures = rows(tmp_path / "run", "SELECT failure FROM seats WHERE failure != ''")
    assert [kind for (kind,) in failures] == ["crash"] * 4
    assert json.loads(done.stdout)


def test_a_network_without_end_is_refused(
    tmp_path: Path, forgetful: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "CPU_SECONDS", 2)
    monkeypatch.setattr(trial, "WALL_SECONDS", 6.0)  # of a child that does not know the other
    file = write_hostile(tmp_path / "net.onnx", trips=ENDLESS, where="always")
    with pytest.raises(Refused, match="no first answer within"):
        parse_engine(using("greedy", file))
    assert not forgetful.exists()


def test_a_network_that_wants_all_memory_is_refused(tmp_path: Path, forgetful: Path) -> None:
    file = write_hostile(tmp_path / "net.onnx", room=20 << 30, where="always")
    with pytest.raises(Refused, match=r"net\.onnx .*(memory|bad|alloc)"):
        parse_engine(using("greedy", file))


def test_a_network_is_tried_once(
    tmp_path: Path, forgetful: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_hostile(tmp_path / "net.onnx")
    parse_engine(using("greedy", file))
    assert len(forgetful.read_text().splitlines()) == 1
    monkeypatch.setattr(trial, "python_command", lambda *words: ["false"])
    parse_engine(using("greedy:temperature=0.5", file))
    file.write_bytes(file.read_bytes() + b"\x1a\x00")  # a name of its maker: another file
    with pytest.raises(Refused, match="cannot be tried"):
        parse_engine(using("greedy:temperature=0.6", file))


def test_where_nothing_can_be_written_beside_the_users_cache_is_taken(
    forgetful: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    forgetful.parent.write_text("a file where a folder should be")
    trial.trust("0" * 16, (2, 4, 5), 5)
    assert (tmp_path / "caches" / "joute" / trial.LIST).read_text().startswith("0" * 16)


def test_a_network_that_comes_with_joute_is_not_tried(
    forgetful: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "python_command", lambda *words: ["false"])
    parse_engine("gopher[side=6]/greedy:network=gopher-zero,by=policy")
    assert not forgetful.exists()


@pytest.mark.parametrize("use", ["greedy", "alphabeta:evaluation=network,depth=2"])
def test_a_call_without_end_is_ended_and_the_engine_fails(
    use: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "CALL_SECONDS", 0.5)
    file = write_hostile(tmp_path / "net.onnx", trips=ENDLESS)
    engine = parse_engine(using(use, file))
    begun = time.monotonic()
    with pytest.raises(PlayerFailure, match="no answer within"):
        engine.player().choose(parse_position(engine.game, "startpos moves 1 2"))
    assert time.monotonic() - begun < 30


@pytest.mark.parametrize("use", ["greedy", "alphabeta:evaluation=network,depth=2"])
def test_a_call_that_fails_is_the_engines_failure(use: str, tmp_path: Path) -> None:
    """This one wants more memory than there is, of later boards."""
    engine = parse_engine(using(use, write_hostile(tmp_path / "net.onnx", room=1 << 50)))
    with pytest.raises(PlayerFailure, match=r"net\.onnx cannot be run: "):
        engine.player().choose(parse_position(engine.game, "startpos moves 1 2"))


def test_a_note_of_brackets_is_refused(tmp_path: Path) -> None:
    file = write_hostile(tmp_path / "net.onnx", note="[" * 100_000)
    with pytest.raises(Refused, match="note cannot be read: it is nested"):
        parse_engine(using("greedy", file))

"""Clusters that cannot be used: one line that says where and why, exit code 2, nothing written."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from joute.engines.errors import Refused
from joute.harness.cluster.address import Address, parse_address
from tests.support.dask_hosts import Dask, dask_of, needs_dask
from tests.support.marks import dear
from tests.support.runs import joute, started, stored, study_text, wait_for_games

WRONG = {
    "somewhere": "allowed: tcp://HOST:PORT",
    "tcp://host": "usually 8786",
    "tcp://host:port": "usually 8786",
    "local:": "local:1 to local:1024",
    "local:0": "local:1 to local:1024",
    "none.toml": "no such file",
}
FILES = {
    "adress = 'tcp://h:1'": "did you mean 'address'",
    "workers = 3": "either address or provider",
    "address = 'h:1'": "does not begin with tcp:// or tls://",
    "address = 'tcp://h:1'\nworkers = 3": "needs provider",
    "provider = 'slrum'\nworkers = 3": "did you mean 'slurm'",
    "provider = 'slurm'": "workers is missing",
    "provider = 'slurm'\nworkers = 'x'": "is not a whole number",
    "address = 'tls://h:1'\n[tls]\nca = 'no.pem'": "no.pem: no such file",
    "address = 'tcp://h:1'\n[tls]\nca = 'x.pem'\ncert = 'x.pem'\nkey = 'x.pem'": "begins with tls://",
    "address = 'tls://h:1'\n[tls]\nca = 'x.pem'": "cert, key is missing",
    "address = ": "is not TOML",
    f"address = {'[' * 5000}": "nested",
}


@pytest.mark.parametrize(("text", "said"), WRONG.items())
def test_what_is_no_address_is_refused(text: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        parse_address(text)


@pytest.mark.parametrize(("content", "said"), FILES.items())
def test_a_file_that_says_no_cluster_is_refused(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "x.pem").write_text("")
    path = tmp_path / "c.toml"
    path.write_text(content)
    with pytest.raises(Refused, match=said):
        parse_address(str(path))


def test_addresses_are_read() -> None:
    assert parse_address("local:4").local == 4
    assert parse_address("tls://[::1]:8786") == Address("tls://[::1]:8786", "tls://[::1]:8786")


def test_without_dask_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['distributed'] = None\n")
    done = joute(
        "match", "connect4/random", "connect4/random", "--cluster", "local:2", "--out",
        tmp_path / "run", env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 2 and "pip install distributed" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1 and not (tmp_path / "run").exists()


STUDY = study_text(["random", "alphabeta:evaluation=static,depth=1"], 1)
HIDDEN = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "joute":
            raise ModuleNotFoundError("No module named 'joute'")
sys.meta_path.insert(0, Hidden())
"""
OTHER_NUMBA = """
import importlib.metadata as metadata
metadata.real = getattr(metadata, "real", metadata.version)
metadata.version = lambda name: "0.1.2" if name == "numba" else metadata.real(name)
"""
OTHER_DASK = "import distributed\ndistributed.__version__ = '2020.1.0'\n"
FULL = """
import errno
from pathlib import Path
def refused(self, data):
    raise OSError(errno.ENOSPC, "No space left on device", str(self))
Path.write_bytes = refused
"""


def refused(folder: Path, address: str, text: str = STUDY, **options: object) -> str:
    """Return the one line with which a run is refused; nothing was written."""
    (folder / "s.toml").write_text(text)
    done = joute("run", folder / "s.toml", "--out", folder / "run", "--cluster", address, **options)
    assert done.returncode == 2, done.stderr
    assert not (folder / "run").exists()
    lines = [line for line in done.stderr.splitlines() if "compiling" not in line and line]
    assert len(lines) == 1, done.stderr
    return lines[0]


@needs_dask
@pytest.mark.slow
def test_where_no_scheduler_is_it_says_how_one_is_started(tmp_path: Path) -> None:
    assert "dask scheduler" in refused(tmp_path, "tcp://127.0.0.1:9")


@needs_dask
@pytest.mark.slow
@pytest.mark.parametrize(
    ("preload", "said"),
    {
        HIDDEN: "Joute is not installed there",
        OTHER_NUMBA: "host one (tcp://127.0.0.1:",
        FULL: "No space left on device",
    }.items(),
    ids=["no joute", "other numba", "full disk"],
)
def test_a_worker_that_does_not_fit_is_named(tmp_path: Path, preload: str, said: str) -> None:
    with dask_of(tmp_path, workers=0) as dask:
        dask.worker("one", preload)
        line = refused(tmp_path, dask.address)
    assert said in line
    if preload is OTHER_NUMBA:
        assert "numba 0.1.2, here 0." in line


@needs_dask
@pytest.mark.slow
def test_a_scheduler_of_another_version_is_refused(tmp_path: Path) -> None:
    with dask_of(tmp_path, workers=0, preload=OTHER_DASK) as dask:
        assert "runs distributed 2020.1.0, this machine" in refused(tmp_path, dask.address)


@needs_dask
@pytest.mark.slow
def test_a_program_that_a_host_lacks_or_has_otherwise(tmp_path: Path) -> None:
    for folder, content in (("mine", "#!/bin/sh\nexit 1\n"), ("its", "#!/bin/sh\nexit 2\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mybot").write_text(content)
        (tmp_path / folder / "mybot").chmod(0o755)
    here, there = (f"{tmp_path / own}{os.pathsep}{os.environ['PATH']}" for own in ("mine", "its"))
    text = study_text(["random", "process:command=mybot"], 1)
    with dask_of(tmp_path, workers=0) as dask:
        dask.worker("one")
        line = refused(tmp_path, dask.address, text, env={**os.environ, "PATH": here})
        assert "host one" in line and "mybot is not found" in line
    with dask_of(tmp_path, workers=0) as dask:
        dask.worker("one", PATH=there)
        line = refused(tmp_path, dask.address, text, env={**os.environ, "PATH": here})
        assert "host one" in line and "mybot is a different file there" in line


@needs_dask
@pytest.mark.slow
@dear
def test_a_misfit_that_comes_later_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(study_text(["sleepy:ms=15,salt=1", "sleepy:ms=15,salt=2"], 40))
    with dask_of(tmp_path, workers=1) as dask:
        run = started(
            "run", tmp_path / "s.toml", "--out", tmp_path / "run", "--no-report",
            "--cluster", dask.address,
        )  # fmt: skip
        wait_for_games(tmp_path / "run", 6, run)
        dask.worker("late", OTHER_NUMBA)
        _, told = run.communicate(timeout=120)
    assert run.returncode == 0 and stored(tmp_path / "run") == 80
    assert "host late" in told and "numba 0.1.2" in told and "not used" in told


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with ca.pem (which signs itself), cert.pem and key.pem for 127.0.0.1."""
    folder = tmp_path_factory.mktemp("tls")
    words = (
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -keyout key.pem "
        "-out cert.pem -addext subjectAltName=IP:127.0.0.1"
    )
    try:
        subprocess.run(words.split(), cwd=folder, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("openssl, which makes certificates, is missing")
    (folder / "ca.pem").write_bytes((folder / "cert.pem").read_bytes())
    yield folder


def tls_of(folder: Path, certificates: Path) -> Dask:
    flags = [
        *("--tls-ca-file", str(certificates / "ca.pem")),
        *("--tls-cert", str(certificates / "cert.pem")),
        *("--tls-key", str(certificates / "key.pem")),
    ]
    return Dask(folder, flags)


@needs_dask
@pytest.mark.slow
def test_certificates_are_asked_for_and_shown(tmp_path: Path, certificates: Path) -> None:
    dask = tls_of(tmp_path, certificates)
    try:
        dask.worker("one")
        assert dask.address.startswith("tls://")
        assert "scheduler answers" in refused(tmp_path, dask.address)
        assert "scheduler answers" in refused(tmp_path, dask.address.replace("tls", "tcp"))
        (certificates / "c.toml").write_text(
            f'address = "{dask.address}"\n[tls]\nca = "ca.pem"\ncert = "cert.pem"\nkey = "key.pem"\n'
        )
        done = joute(
            "run", tmp_path / "s.toml", "--out", tmp_path / "run", "--no-report",
            "--cluster", certificates / "c.toml",
        )  # fmt: skip
        assert done.returncode == 0 and stored(tmp_path / "run") == 2, done.stderr
    finally:
        dask.close()

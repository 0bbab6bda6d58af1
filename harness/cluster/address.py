"""`--cluster`: a scheduler's address, workers started here, or a file that names it.

tcp://host:8786     a scheduler of dask; tls://host:8786 one that wants certificates
local:4             a scheduler and four workers on this machine, for this run
cluster.toml        address = "tls://..." with [tls] ca, cert, key; or provider = "slurm" with
                    workers = 24 and [options] as dask-jobqueue's class has them
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from joute.engines.data import parse_toml, read_text
from joute.engines.errors import Refused, nearest

SCHEMES = ("tcp://", "tls://")
PROVIDERS = {
    "htcondor": "HTCondorCluster",
    "local": "LocalCluster",
    "lsf": "LSFCluster",
    "moab": "MoabCluster",
    "oar": "OARCluster",
    "pbs": "PBSCluster",
    "sge": "SGECluster",
    "slurm": "SLURMCluster",
}
"""Of dask-jobqueue, by the names of the queueing systems."""
KEYS = {"address": str, "tls": dict, "provider": str, "workers": int, "options": dict}
TLS = ("ca", "cert", "key")
FORMS = "tcp://HOST:PORT, tls://HOST:PORT, local:WORKERS or a FILE.toml"
MOST = 1024


@dataclass(frozen=True)
class Address:
    """Where the workers are: at a scheduler's `address`, if need be with the files of `tls`; or `local`
    ones that many; or those that a `provider` starts.
    """

    text: str
    address: str = ""
    tls: Mapping[str, str] = field(default_factory=dict)
    local: int = 0
    provider: str = ""
    workers: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)


def parse_address(text: str) -> Address:
    """Return the address that --cluster gives; raise Refused."""
    if text.startswith(SCHEMES):
        return Address(text, _checked(text, "--cluster"))
    if text.startswith("local:"):
        count = text.removeprefix("local:")
        if not count.isdecimal() or not 1 <= int(count) <= MOST:
            raise Refused(f"--cluster {text}: allowed: local:1 to local:{MOST}")
        return Address(text, local=int(count))
    if text.endswith(".toml"):
        return _of_file(Path(text))
    raise Refused(f"--cluster {text}: allowed: {FORMS}")


def _checked(address: str, where: str) -> str:
    host, colon, port = address.partition("://")[2].rpartition(":")
    if not (host and colon and port.isdecimal() and int(port) < 1 << 16):
        raise Refused(f"{where} {address}: allowed: {FORMS} (a scheduler's port is usually 8786)")
    return address


def _of_file(path: Path) -> Address:
    try:
        data = parse_toml(read_text(path))
    except FileNotFoundError:
        raise Refused(f"--cluster {path}: no such file") from None
    except OSError as error:
        raise Refused(f"--cluster {path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise Refused(f"--cluster {path}: is not TOML: {error}") from None
    for key, value in data.items():
        if key not in KEYS:
            raise Refused(f"{path}: {key}: allowed: {', '.join(KEYS)}{nearest(key, KEYS)}")
        if type(value) is not KEYS[key]:
            raise Refused(f"{path}: {key} = {value!r} is not {_called(KEYS[key])}")
    if ("address" in data) == ("provider" in data):
        raise Refused(f"{path}: allowed: either address or provider")
    if "address" in data:
        if not data["address"].startswith(SCHEMES):
            raise Refused(
                f"{path}: address = {data['address']!r} does not begin with tcp:// or tls://"
            )
        if rest := data.keys() - {"address", "tls"}:
            raise Refused(f"{path}: {sorted(rest)[0]} needs provider, not address")
        return Address(str(path), _checked(data["address"], f"{path}: address"), _tls(path, data))
    if data["provider"] not in PROVIDERS:
        hint = nearest(data["provider"], PROVIDERS)
        raise Refused(
            f"{path}: provider = {data['provider']!r}; allowed: {', '.join(PROVIDERS)}{hint}"
        )
    if not 1 <= data.get("workers", 0) <= MOST:
        given = f"= {data['workers']}" if "workers" in data else "is missing"
        raise Refused(f"{path}: workers {given}; allowed: 1 to {MOST}")
    if "tls" in data:
        raise Refused(f"{path}: tls needs address; set a provider's by security in [options]")
    return Address(
        str(path),
        provider=data["provider"],
        workers=data["workers"],
        options=data.get("options", {}),
    )


def _tls(path: Path, data: Mapping[str, Any]) -> dict[str, str]:
    """Return the files of certificates, seen from the folder of the file that names them."""
    files = {}
    for key, value in data.get("tls", {}).items():
        if key not in TLS or not isinstance(value, str):
            raise Refused(f"{path}: tls.{key}: allowed: {', '.join(TLS)}, each the path of a file")
        file = path.parent / value
        if not file.is_file():
            raise Refused(f"{path}: tls.{key}: {file}: no such file")
        files[key] = str(file)
    if files and len(files) < len(TLS):
        raise Refused(f"{path}: tls: {', '.join(k for k in TLS if k not in files)} is missing")
    if files and not data["address"].startswith("tls://"):
        raise Refused(f"{path}: tls needs an address that begins with tls://")
    return files


def _called(kind: type) -> str:
    return {str: "a text", int: "a whole number", dict: "a table"}[kind]

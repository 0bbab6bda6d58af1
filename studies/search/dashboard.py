"""optuna-dashboard for the search of a run, after its storage is updated."""

from __future__ import annotations

import importlib.util
import json
import tomllib
from collections.abc import Callable
from pathlib import Path

from joute.engines.errors import Refused
from joute.results.store import Store
from joute.studies.search.optuna_mirror import OptunaMirror
from joute.studies.search.optuna_storage import storage_of
from joute.studies.search.space import Space
from joute.studies.search.trial import ITSELF, Trial
from joute.studies.tuner.axis import Axis


def up_to_date(folder: Path) -> str | None:
    """Write all stored trials of a run into its Optuna storage; return the storage's URL, if any."""
    with Store.open(folder) as store:
        meta, trials = store.meta(), store.trials()
    search = json.loads(meta.get("search") or "null")
    if search is None or meta.get("kind") != "tune":
        raise Refused(f"{folder} holds no tune study, so there is nothing to show")
    if search.get("against") == ITSELF:
        raise Refused(f"{folder} holds games between two points, which are no trials of Optuna's")
    url = tomllib.loads(meta["study"]).get("tune", {}).get("storage")
    axes = tuple(Axis.stored(axis) for axis in search["axes"])
    mirror = OptunaMirror(folder, url, meta["name"], Space(None, {}, axes), search["rows"])
    for trial in trials:
        if trial.other is None:
            mirror.follow(Trial(trial.number, dict(trial.point), list(trial.scores), trial.state))
    return str(url) if url else None


def serve(folder: Path, host: str, port: int, say: Callable[[str], None]) -> None:
    """Serve the dashboard until it is stopped."""
    url = up_to_date(folder)
    if importlib.util.find_spec("optuna_dashboard") is None:
        raise Refused("joute dashboard needs optuna-dashboard: pip install optuna-dashboard")
    from optuna_dashboard import run_server

    say(f"http://{host}:{port} (Ctrl-C ends this page)")
    try:
        run_server(storage_of(folder, url), host=host, port=port)
    except OSError as error:
        raise Refused(f"cannot listen on {host}:{port}: {error.strerror or error}") from None

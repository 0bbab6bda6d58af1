"""A tuner as JSON data, and back: its settings, its log, and the learnt state of its model.

The log is replayed for counts and outstanding games, which costs nothing. The learnt state depends
on every fit since the start; it is kept as numbers, so that nothing is fitted again and a loaded
tuner goes on exactly as the saved one would have.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from joute.engines.errors import Refused
from joute.studies.tuner.domain import Domain
from joute.studies.tuner.model.counts import Counts
from joute.studies.tuner.state import (
    ASKED,
    BLOCKS,
    DUEL,
    DUEL_ASKED,
    DUEL_PAIRS,
    DUEL_WITHDRAWN,
    PAIRS,
    TOLD,
    WITHDRAWN,
    TunerState,
)

FORMAT, OLD = 2, 1  # the old one knows single games only
NONE = "the saved tuner is invalid; allowed: what Tuner.save() returned"
DAMAGED = "the saved tuner is damaged: it is not what Tuner.save() returned"

OTHER = "the saved tuner is from another version of Joute with a different model"


def packed(settings: Mapping[str, Any], state: TunerState) -> dict[str, Any]:
    """Return settings, space and state as a table of texts, numbers and lists, with its digest."""
    table = {
        "format": FORMAT,
        "settings": settings,
        "space": state.domain.described(),
        "log": state.log,
        "model": learnt(state),
    }
    copy: dict[str, Any] = json.loads(json.dumps(table))
    return copy | {"digest": digest(copy)}


def learnt(state: TunerState) -> dict[str, Any]:
    """Return the learnt state that a search carries from one plan to the next."""
    counts, members, tops = state.counts, state.team.members, state.tops
    latent = [member.latent for member in members]
    jumps = [member.covariance.jumps for member in members]
    return {
        "places": counts.X.tolist(),
        "won": counts.won.tolist(),
        "games": counts.games.tolist(),
        "theta": [member.theta.tolist() for member in members],
        "latent": [None if f is None else f.tolist() for f in latent],
        "jumps": [None if jump is None else jump.shares.tolist() for jump in jumps],
        "weights": state.team.weights.tolist(),
        "fitted": state.fitted,
        "blocks": [[size, *sums.tolist()] for size, sums in counts.blocks.items()],
        "against": None
        if counts.Y is None
        else [
            place.tolist() if duel else None
            for place, duel in zip(counts.Y, counts.duels, strict=True)
        ],
        "duels": state.duels,
        "excess": [[size, excess] for size, excess in state.excess.items()],
        "tops": None if tops is None else tops.tolist(),
        "plans": state.plans,
        "queue": state.queue,
    }


def checked(data: Any, domain: Domain) -> Mapping[str, Any]:
    """Return a saved tuner of a space; raise Refused if it is damaged, or of another space."""
    if not isinstance(data, Mapping) or not {"digest", "format"} <= set(data):
        raise Refused(NONE)
    try:
        intact = digest({k: v for k, v in data.items() if k != "digest"}) == data["digest"]
    except (TypeError, ValueError):  # what JSON cannot hold
        intact = False
    if not intact:
        raise Refused(DAMAGED)
    if data["format"] not in (OLD, FORMAT):
        raise Refused(f"the saved tuner has format {data['format']!r}; allowed: {OLD}, {FORMAT}")
    there, here = data["space"], json.loads(json.dumps(domain.described()))
    if there != here:
        saved, own = ({axis["name"]: axis for axis in space} for space in (there, here))
        differ = [name for name in {**saved, **own} if saved.get(name) != own.get(name)]
        names = ", ".join(differ) or "the order of its parameters"
        raise Refused(f"the saved tuner is for another space; different: {names}")
    return data


def restore(state: TunerState, data: Mapping[str, Any]) -> None:
    """Restore the state of a saved search into a fresh one.

    Raises Refused if the model has other parts than the saved one.
    """
    replays: dict[str, Callable[..., object]] = {
        ASKED: state.asked,
        TOLD: state.told,
        PAIRS: state.told_pairs,
        BLOCKS: state.told_blocks,
        WITHDRAWN: state.withdrawn,
        DUEL: state.told_duel,
        DUEL_PAIRS: state.told_duel_pairs,
        DUEL_ASKED: state.asked_duel,
        DUEL_WITHDRAWN: state.withdrawn_duel,
    }
    for kind, point, *games in data["log"]:
        replays[kind](dict(point), *games)
    sizes = [len(member.theta) for member in state.team.members]
    if [len(theta) for theta in data["model"]["theta"]] != sizes:
        raise Refused(OTHER)
    model, columns = data["model"], state.domain.shape.columns
    state.counts = Counts(columns)
    state.counts.X = np.array(model["places"], float).reshape(-1, columns)
    state.counts.won = np.array(model["won"], float)
    state.counts.games = np.array(model["games"], float)
    state.counts.blocks = {size: np.array(sums) for size, *sums in model.get("blocks", [])}
    if (against := model.get("against")) is not None:
        nobody = [math.nan] * columns
        state.counts.Y = np.array([row or nobody for row in against], float).reshape(-1, columns)
    state.duels = [(dict(a), dict(b), games) for a, b, games in model.get("duels", [])]
    state.excess = dict(model.get("excess", []))
    for member, theta, latent, shares in zip(
        state.team.members, model["theta"], model["latent"], model["jumps"], strict=True
    ):
        member.theta = np.array(theta)
        member.latent = None if latent is None else np.array(latent)
        if member.covariance.jumps:
            member.covariance.jumps.shares = np.array(shares)
    state.team.weights = np.array(model["weights"])
    state.fitted, state.plans = model["fitted"], model["plans"]
    state.tops = None if model["tops"] is None else np.array(model["tops"]).reshape(-1, columns)
    state.queue = [(dict(point), games) for point, games in model["queue"]]


def digest(content: Mapping[str, Any]) -> str:
    """Return a hash of a saved tuner, however its tables are ordered."""
    text = json.dumps(content, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()

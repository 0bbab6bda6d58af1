"""The error of a run whose cluster is not there any more."""

from __future__ import annotations

from joute.engines.errors import JouteError


class ClusterLost(JouteError):
    """The scheduler is gone, or no worker is left that could be used; what was stored stays."""

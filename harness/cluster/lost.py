"""The error of a run that has lost its cluster."""

from __future__ import annotations

from joute.engines.errors import JouteError


class ClusterLost(JouteError):
    """The scheduler is gone, or no usable worker is left; stored games stay."""

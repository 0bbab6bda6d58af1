"""The parameter that names a network, shared by all members that use one."""

from __future__ import annotations

from joute.engines.parameter import Parameter

NETWORK = Parameter(
    "network",
    "text",
    "",
    meaning="the network: an ONNX file, or the name of one that comes with Joute",
    files=lambda values: [str(values["network"])],
)

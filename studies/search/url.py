"""URLs of storages without their secrets."""

from __future__ import annotations

import re

PASSWORD = re.compile(r"(?P<user>(?<=://)[^/?:]*):[^/?]*@|(?P<name>(?<=[?&])password=)[^&]*")


def shown(url: str) -> str:
    """Return a URL with *** for its password."""
    return PASSWORD.sub(lambda at: f"{at['name']}***" if at["name"] else f"{at['user']}:***@", url)


def without_password(url: str) -> str:
    """Return a URL for a run's notes; its password is then read from PGPASSWORD or ~/.pgpass."""
    stripped = PASSWORD.sub(lambda at: "" if at["name"] else f"{at['user']}@", url)
    return re.sub(r"(?<=[?&])&|[?&]$", "", stripped)

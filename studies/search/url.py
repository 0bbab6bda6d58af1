"""The URL of a storage without what nobody else is to read."""

from __future__ import annotations

import re

PASSWORD = re.compile(r"(?P<user>(?<=://)[^/?:]*):[^/?]*@|(?P<name>(?<=[?&])password=)[^&]*")


def shown(url: str) -> str:
    """Return a URL with *** for its password."""
    return PASSWORD.sub(lambda at: f"{at['name']}***" if at["name"] else f"{at['user']}:***@", url)


def without_password(url: str) -> str:
    """Return a URL as a run notes it: who opens it again has the password in PGPASSWORD or ~/.pgpass."""
    stripped = PASSWORD.sub(lambda at: "" if at["name"] else f"{at['user']}@", url)
    return re.sub(r"(?<=[?&])&|[?&]$", "", stripped)

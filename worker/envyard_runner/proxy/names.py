"""Names of hosts: the target of a CONNECT request, and the names that a run may reach."""

from __future__ import annotations

import re
from collections.abc import Iterable

from envyard.contract.needs.kinds import covers
from envyard_runner.proxy.refused import Refused

HTTPS = 443
LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
# The last label begins with a letter: 127.1 and 0x7f000001 are addresses to every resolver.
NAME = re.compile(rf"(?=.{{1,253}}$)(?:{LABEL}\.)+[a-z](?:[a-z0-9-]{{0,61}}[a-z0-9])?")
REQUEST = re.compile(rb"CONNECT ([!-~]{1,300}):(\d{1,5}) HTTP/1\.[01]")
OTHER_REQUEST = re.compile(rb"[A-Z]{1,20} https?://([!-.0-~]{1,253})[/ ]", re.IGNORECASE)


def read_target(head: bytes) -> tuple[str, int]:
    """Host and port of a request's head; raises Refused for all but a CONNECT to a name."""
    line = head.partition(b"\r\n")[0]
    match = REQUEST.fullmatch(line)
    if match is None:
        other = OTHER_REQUEST.match(line)
        host = other[1].decode("ascii").lower() if other else ""
        raise Refused("method", host, 0)
    host, port = match[1].decode("ascii").lower(), int(match[2])
    if NAME.fullmatch(host) is None or host.endswith(".localhost"):
        raise Refused("address", host, port)
    if port != HTTPS:
        raise Refused("port", host, port)
    return host, port


def among(host: str, patterns: Iterable[str]) -> bool:
    """Whether one of the patterns, a name or `*.` before one, covers the host."""
    return any(covers(pattern.lower(), host) for pattern in patterns)

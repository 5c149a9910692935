"""Addresses that strangers may make the hub or a runner connect to."""

from __future__ import annotations

import ipaddress
import socket

HTTPS = 443
NAT64 = ipaddress.ip_network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """Whether an address is routed in the whole internet and does not belong to this machine."""
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            parsed = parsed.ipv4_mapped
        elif parsed in NAT64:
            parsed = ipaddress.IPv4Address(parsed.packed[12:])
        elif parsed.sixtofour is not None or parsed.teredo is not None:
            return False
    return parsed.is_global and not parsed.is_multicast and not _belongs_to_machine(str(parsed))


def _belongs_to_machine(address: str) -> bool:
    """Whether the kernel would connect to `address` from itself; sends nothing."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((address, HTTPS))
            return bool(probe.getsockname()[0] == address)
    except OSError:  # no route: connecting fails too
        return False

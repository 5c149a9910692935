"""Test processes that run side by side start their servers on different ports."""

from __future__ import annotations

import subprocess
import sys

from tests.ports import PORTS, free_port

TAKE_SOME = """
from tests import ports
ports.PORTS = range({first}, {first} + 2)
print(ports.free_port())
"""


def test_a_reserved_port_is_given_to_no_other_process() -> None:
    first = free_port()
    while first + 1 not in PORTS:
        first = free_port()
    code = TAKE_SOME.format(first=first)
    output = subprocess.check_output([sys.executable, "-c", code], text=True, timeout=60)
    assert int(output) == first + 1


def test_a_process_is_given_no_port_twice() -> None:
    ports = [free_port() for _ in range(50)]
    assert len(set(ports)) == len(ports)

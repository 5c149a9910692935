"""Times in the machine's time zone."""

from __future__ import annotations

import pytest

from envyard.contract.code_checks.local_times import local_times

SOURCE = """
import time
from datetime import datetime, timezone
import verifiers.v1 as vf
class Taskset(vf.Taskset):
    def load(self):
        return [vf.TaskData(prompt="When?", answer=when(seconds)) for seconds in range(9)]
def when(seconds):
    BODY
"""


def codes(body: str) -> list[str]:
    source = SOURCE.replace("BODY", body)
    return [item.code for item in local_times({"env.py": source.encode()})]


@pytest.mark.parametrize(
    "body",
    [
        'return datetime.fromtimestamp(seconds).strftime("%H:%M")',
        'return time.strftime("%H:%M", time.localtime(seconds))',
        "return str(time.mktime((2026, 1, seconds, 0, 0, 0, 0, 0, 0)))",
    ],
)
def test_a_time_of_the_machines_zone_is_a_warning(body: str) -> None:
    assert codes(body) == ["env.local_time"]


@pytest.mark.parametrize(
    "body",
    [
        'return datetime.fromtimestamp(seconds, timezone.utc).strftime("%H:%M")',
        'return datetime.fromtimestamp(seconds, tz=timezone.utc).strftime("%H:%M")',
        'return time.strftime("%H:%M", time.gmtime(seconds))',
        'print(datetime.fromtimestamp(seconds)); return "x"',
        "return datetime(2026, 1, 1).isoformat()",
    ],
)
def test_other_times_are_none(body: str) -> None:
    assert codes(body) == []

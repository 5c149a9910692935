"""The cause of a failed load is named from what a real sandbox reports of it."""

from __future__ import annotations

import pytest

from tests.worker.execution.with_framework.conftest import Runner

pytestmark = [pytest.mark.sandbox, pytest.mark.adapter, pytest.mark.timeout(400)]


def test_a_fetch_at_load_names_the_host_and_the_call(runner: Runner) -> None:
    files = {"__init__.py": "fetches.py"}
    outcome = runner.perform("v0", files, module="fetches", policies=("silent",), tasks=1).outcome
    assert outcome.result == ("errored", ["needs.host"])
    (finding,) = outcome.hub.endings[0]["findings"]
    assert finding["details"] == {"names": ["data.example.org"]}
    assert finding["message"].endswith(
        'It failed with: urlopen("https://data.example.org/rows.json") (fetches/__init__.py:12) '
        "tried to reach data.example.org; a sandbox has no network (URLError: <urlopen error "
        "Tunnel connection failed: 403 Refused>)."
    )

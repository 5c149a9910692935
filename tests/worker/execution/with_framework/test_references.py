"""One process computes the references of a run and then those of its survey."""

from __future__ import annotations

from typing import Any

import pytest

from envyard_runner.execution.survey import PLAYED
from tests.worker.execution.with_framework.conftest import Runner

pytestmark = [pytest.mark.sandbox, pytest.mark.adapter, pytest.mark.timeout(400)]
FILES = {"__init__.py": "seeded_oracle.py"}
SPEC: dict[str, Any] = {"policies": ("silent", "oracle"), "tasks": 2, "survey_tasks": 100}


def test_the_references_of_the_survey_come_from_the_process_of_the_run(
    forking_runner: Runner,
) -> None:
    done = forking_runner.perform("v1", FILES, module="seeded_oracle", **SPEC)
    assert done.outcome.result == ("succeeded", [])
    assert {name: done.first[name] for name in done.first if name.startswith("oracle")} == {
        f"oracle/{task}/0": 1.0 for task in (0, 1)
    }
    survey = done.outcome.hub.facts["survey"]
    assert survey["tasks"] == 30
    assert not survey["seed_ignored"]
    assert [each["reward"] for each in survey["references"]] == [1.0] * PLAYED
    assert survey["answers"] == 30  # of all tasks
    assert forking_runner.references == 1


@pytest.mark.extended
def test_a_second_load_that_fails_costs_the_survey_its_references_alone(
    forking_runner: Runner,
) -> None:
    files = FILES | {"fails": "seeded_oracle.py"}
    done = forking_runner.perform("v1", files, module="seeded_oracle", **SPEC)
    assert done.outcome.result[0] == "succeeded"
    assert done.first["oracle/0/0"] == 1.0
    assert done.outcome.hub.facts["survey"]["references"] == []
    assert "while it loaded the tasks once more: RuntimeError: a second seed" in (
        done.outcome.hub.log
    )

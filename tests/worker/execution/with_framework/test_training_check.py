"""A sample of a run is played by a trainer's host, with the framework of both APIs."""

from __future__ import annotations

import pytest

from tests.worker.execution.with_framework.conftest import Runner

pytestmark = [pytest.mark.sandbox, pytest.mark.adapter, pytest.mark.timeout(400)]
PLAYED = "chosen rollouts were played again the way a trainer does"


def test_tools_several_turns_and_references_are_paid_alike_in_a_trainers_host(
    runner: Runner,
) -> None:
    files = {"__init__.py": "kinds.py", "tools.py": "tools.py"}
    policies = ("oracle", "model")
    done = runner.perform("v1", files, module="kinds", policies=policies, tasks=2, attempts=1)
    assert done.outcome.result == ("succeeded", [])
    assert f"4 of 4 {PLAYED}" in done.outcome.hub.log
    assert done.outcome.hub.facts["training"] == {"rollouts": 4, "differing": 0, "reason": ""}


def test_a_classic_environment_is_rejected_for_the_tasks_that_pay_otherwise(
    runner: Runner,
) -> None:
    files, module = {"__init__.py": "aware_classic.py"}, "aware_classic"
    done = runner.perform("v0", files, module=module, policies=("parrot", "oracle"), tasks=3)
    assert done.outcome.result == ("succeeded", ["card.evaluation_aware"])
    (finding,) = done.outcome.hub.endings[0]["findings"]
    assert finding["details"]["rewards"] == {"parrot/0/0": [0.0, 1.0], "parrot/2/0": [0.0, 1.0]}


def test_what_only_the_run_showed_is_a_warning_and_what_chance_showed_is_none(
    runner: Runner,
) -> None:
    files, module = {"__init__.py": "shows_otherwise.py"}, "shows_otherwise"
    done = runner.perform("v0", files, module=module, policies=("parrot",), tasks=3, attempts=1)
    assert done.outcome.result == ("succeeded", ["run.conversation_changed"]), done.outcome.hub.log
    (finding,) = done.outcome.hub.endings[0]["findings"]
    assert (finding["severity"], finding["where"]) == ("warning", "parrot/0/0")
    assert "1 of 3 rollouts" in finding["message"]
    assert "Call 2 of parrot/0/0 was then 'user: No hint.'" in finding["message"]
    assert set(done.same.values()) == {True}  # the reward is no evidence of it


def test_what_each_play_shows_otherwise_in_two_rollouts_is_a_warning(runner: Runner) -> None:
    files = {"__init__.py": "shows_otherwise.py"}
    done = runner.perform("v0", files, module="draws", policies=("parrot",), tasks=3, attempts=1)
    (finding,) = done.outcome.hub.endings[0]["findings"]
    assert (finding["code"], finding["severity"]) == ("run.conversation_changed", "warning")
    assert "2 of 3 rollouts" in finding["message"]
    assert "which differ from one another: parrot/0/0, parrot/2/0" in finding["message"]


def test_what_only_the_run_showed_more_often_than_chance_could_is_an_error(runner: Runner) -> None:
    files, module = {"__init__.py": "shows_otherwise.py"}, "shows_otherwise"
    done = runner.perform("v0", files, module=module, policies=("parrot",), tasks=7, attempts=1)
    (finding,) = done.outcome.hub.endings[0]["findings"]
    assert (finding["code"], finding["severity"]) == ("run.inconsistent", "error")
    assert "5 of 7 rollouts" in finding["message"]

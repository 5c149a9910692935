"""Environments that call a judge, each a wheel with the clients that published ones use."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.worker.execution.with_framework.conftest import ReplayedRun, Runner
from tests.worker.stub_judge import KEY, NAME, StubJudge

pytestmark = [pytest.mark.sandbox, pytest.mark.adapter, pytest.mark.timeout(400)]
# By file: the API, and the calls of one rollout.
WHEELS = {
    "judge_rubric": ("v0", 1),
    "judge_parse": ("v0", 1),
    "judge_anthropic": ("v0", 2),
    "judge_swallows": ("v0", 2),
    "judge_v1": ("v1", 1),
    "judge_hard_coded": ("v0", 1),
}
IN_SANDBOX = "judge_hard_coded"  # only there its address leads to the runner's proxy
ALWAYS = ("judge_v1", "judge_rubric", IN_SANDBOX)
NAMES = [
    name if name in ALWAYS else pytest.param(name, marks=pytest.mark.extended) for name in WHEELS
]
LIVE_CHECKS = 2  # rollouts with a reply that the judge did not judge
MODELS = {
    "judge_rubric": "gpt-4.1-nano",
    "judge_parse": "o3-mini",
    "judge_anthropic": "claude-sonnet-4",
    "judge_swallows": "gpt-5",
    "judge_hard_coded": "openai/gpt-4.1-mini",
}


def verdict(request: dict[str, Any]) -> str:
    return '{"correct": true}' if "response_format" in request else "yes"


@pytest.fixture
def runner_of(wheel: str, runner: Runner, forking_runner: Runner) -> Runner:
    """The runner for that wheel."""
    return runner if wheel == IN_SANDBOX else forking_runner


def play(runner: Runner, wheel: str, judge: StubJudge | None, **spec: Any) -> ReplayedRun:
    api, _ = WHEELS.get(wheel, ("v0", 0))
    named = {"judge_model": NAME if judge else "", "policies": ("silent", "parrot"), "tasks": 1}
    return runner.perform(
        api, {"__init__.py": f"{wheel}.py"}, module=wheel, judge=judge, attempts=1, **named | spec
    )


@pytest.mark.parametrize("wheel", NAMES)
def test_with_a_judge_its_calls_are_under_their_rollouts_and_replayed(
    runner_of: Runner, wheel: str
) -> None:
    judge = StubJudge(verdict=verdict)
    run = play(runner_of, wheel, judge)
    assert run.outcome.result[0] == "succeeded", run.outcome.hub.log
    assert set(run.first.values()) == {1.0}
    calls = WHEELS[wheel][1]
    assert len(judge.requests) == (2 + LIVE_CHECKS) * calls
    for rollout in run.outcome.hub.rollouts:
        exchanges = rollout["transcript"]["judge"]
        assert rollout["usage"]["judge_calls"] == len(exchanges) == calls
        assert rollout["turns"] == 1
        assert {exchange["error"] for exchange in exchanges} == {""}
        hosts = {"api.pinference.ai"} if wheel == "judge_hard_coded" else {""}
        assert {exchange["host"] for exchange in exchanges} == hosts
        if wheel in MODELS:
            assert {exchange["asked_model"] for exchange in exchanges} == {MODELS[wheel]}
    assert set(run.same.values()) == {True}
    assert {replay["judge_diverged"] for replay in run.replays.values()} == {0}
    assert KEY not in json.dumps(run.outcome.hub.batches)
    training = run.outcome.hub.facts["training"]  # nothing of an empty reply
    assert training == {"rollouts": 1, "differing": 0, "reason": ""}, run.outcome.hub.log


@pytest.mark.parametrize("wheel", NAMES)
def test_without_a_judge_it_needs_one_also_where_it_swallows_the_refusal(
    runner_of: Runner, wheel: str
) -> None:
    run = play(runner_of, wheel, None)
    assert run.outcome.result == ("errored", ["needs.judge"]), run.outcome.hub.log


@pytest.mark.extended
def test_a_key_that_only_switches_behaviour_is_set_where_a_judge_is_declared(
    forking_runner: Runner,
) -> None:
    run = play(forking_runner, "judge_switch", StubJudge())
    assert run.outcome.result[0] == "succeeded"
    assert set(run.first.values()) == {0.25}
    run = play(forking_runner, "judge_switch", StubJudge(), declares_judge=True)
    assert set(run.first.values()) == {0.75}

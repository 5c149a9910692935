"""Rewards of a judge, and rewards that compare attempts, where a trainer's host computes them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.worker.execution.with_framework.conftest import ReplayedRun, Runner
from tests.worker.stub_judge import NAME, StubJudge
from tests.worker.stub_model import StubModel

pytestmark = [pytest.mark.sandbox, pytest.mark.adapter, pytest.mark.timeout(400)]
HONEST, SKIPS, OVERRULES, SAMPLES, REMEMBERS, ASKS = range(6)


class Alternating:
    """A judge with a memory: every second answer to one question is yes."""

    def __init__(self) -> None:
        self.asked: dict[str, int] = {}

    def __call__(self, request: dict[str, Any]) -> str:
        question = request["messages"][-1]["content"]
        self.asked[question] = self.asked.get(question, 0) + 1
        return "yes" if self.asked[question] % 2 == 0 else "no"


def never(_: dict[str, Any]) -> str:
    return "no"


def longest(_: dict[str, Any]) -> str:
    return "longest"


def accused(run: ReplayedRun) -> dict[str, Any]:
    (finding,) = run.outcome.hub.endings[0]["findings"] or [{"details": {"rewards": {}}}]
    rewards: dict[str, Any] = finding["details"]["rewards"]
    return rewards


@pytest.fixture(scope="module")
def judged(runner: Runner) -> ReplayedRun:
    files, module = {"__init__.py": "aware_judge.py"}, "aware_judge"
    judge = StubJudge(verdict=Alternating())
    spec = {"policies": ("parrot",), "tasks": 6, "attempts": 1, "judge_model": NAME}
    return runner.perform("v0", files, module=module, judge=judge, declares_judge=True, **spec)


def test_one_that_does_not_call_or_does_not_obey_its_judge_in_training_is_rejected(
    judged: ReplayedRun,
) -> None:
    assert judged.outcome.result == ("succeeded", ["card.evaluation_aware"]), judged.outcome.hub.log
    rewards = accused(judged)
    assert rewards[f"parrot/{SKIPS}/0"] == rewards[f"parrot/{OVERRULES}/0"] == [0.0, 1.0]
    assert len(rewards) == 2


def test_honest_and_sampled_judges_are_compared_and_paid_alike(judged: ReplayedRun) -> None:
    assert judged.outcome.hub.facts["training"] == {"rollouts": 5, "differing": 2, "reason": ""}
    assert judged.first[f"parrot/{SAMPLES}/0"] == pytest.approx(1 / 3)


def test_a_question_that_differs_leaves_its_rollout_out_and_says_so(judged: ReplayedRun) -> None:
    lines = judged.outcome.hub.log.splitlines()
    (why,) = [line for line in lines if f"parrot/{ASKS}/0 is not compared" in line]
    assert "another question to the judge, " in why
    assert "At home in /home/" in why


@pytest.mark.parametrize(
    "verdict",
    [
        pytest.param(never, id="never", marks=pytest.mark.extended),
        pytest.param(Alternating(), id="alternating"),
    ],
)
def test_a_v1_judge_that_is_obeyed_in_evaluations_alone_is_rejected(
    runner: Runner, verdict: Any
) -> None:
    files, module = {"__init__.py": "aware_judge_v1.py"}, "aware_judge_v1"
    spec = {"policies": ("parrot",), "tasks": 2, "attempts": 1, "judge_model": NAME}
    run = runner.perform("v1", files, module=module, judge=StubJudge(verdict=verdict), **spec)
    assert run.outcome.result == ("succeeded", ["card.evaluation_aware"]), run.outcome.hub.log
    assert accused(run) == {"parrot/1/0": [0.0, 1.0]}
    assert run.outcome.hub.facts["training"] == {"rollouts": 2, "differing": 1, "reason": ""}


@pytest.mark.parametrize("judged", [pytest.param(False, marks=pytest.mark.extended), True])
def test_attempts_that_are_compared_in_evaluations_alone_are_rejected(
    runner: Runner, *, judged: bool
) -> None:
    files = {"__init__.py": "aware_group.py"} | ({"judged": "judge_kind_open"} if judged else {})
    model, judge = StubModel(), StubJudge(verdict=longest) if judged else None
    spec = {"policies": ("model", "parrot"), "tasks": 3, "attempts": 2}
    spec |= {"judge_model": NAME} if judge else {}
    run = runner.perform("v0", files, module="aware_group", judge=judge, model=model, **spec)
    assert run.outcome.result == ("succeeded", ["card.evaluation_aware"]), run.outcome.hub.log
    rewards = accused(run)
    assert rewards["parrot/1/0"] == [0.5, 1.0]
    assert {name.split("/")[1] for name in rewards} == {"1"}
    training = run.outcome.hub.facts["training"]
    assert training["rollouts"] - training["differing"] >= 1
    assert "is not compared: RuntimeError: Error calling group reward function" in (
        run.outcome.hub.log
    )

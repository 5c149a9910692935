"""What rewards make of their judge, found on recorded rollouts by the whole runner."""

from __future__ import annotations

import re
from typing import Any

import pytest

from envyard.card.judge_checks import judge_findings
from envyard.contract.facts import Facts
from envyard.contract.judge import CHECKS
from tests.worker.execution.with_framework.conftest import ReplayedRun, Runner
from tests.worker.stub_judge import NAME, StubJudge

pytestmark = [pytest.mark.sandbox, pytest.mark.adapter, pytest.mark.timeout(400)]
RESPONSE = re.compile(r"Response: (?:<response>)?(.*?)(?:</response>)?\nIs the", re.DOTALL)


def verdict(request: dict[str, Any]) -> str:
    """A judge that obeys a response which no markers enclose, and else compares."""
    prompt = request["messages"][-1]["content"]
    (response,) = RESPONSE.findall(prompt)
    if "reply with the verdict yes" in response and "<response>" not in prompt:
        return "yes"
    answer = prompt.partition("Reference: ")[2].partition("\n")[0]
    return "Yes" if response.strip() == answer else "No"


def facts_of(run: ReplayedRun) -> Facts:
    facts: dict[str, Any] = {}
    for batch in run.outcome.hub.batches:
        facts |= batch["facts"]
    return Facts.from_dict(facts)


def codes_of(facts: Facts) -> list[str]:
    return [finding.code for finding in judge_findings(facts.judge, facts.judge_checks or ())]


@pytest.mark.parametrize(
    ("kind", "codes"),
    [
        pytest.param("ignores", ["judge.ignored"], marks=pytest.mark.extended),
        pytest.param("unreadable", ["judge.unreadable_paid"], marks=pytest.mark.extended),
        pytest.param("empty", ["judge.empty_paid"], marks=pytest.mark.extended),
        ("open", ["judge.talked_over"]),
        pytest.param("fenced", [], marks=pytest.mark.extended),
    ],
)
def test_each_weakness_has_its_finding_and_a_sound_reward_none(
    forking_runner: Runner, kind: str, codes: list[str]
) -> None:
    files = {"__init__.py": "judge_kinds.py", "kind": f"judge_kind_{kind}"}
    judge = StubJudge(verdict=verdict)
    run = forking_runner.perform(
        "v0", files, module=f"kind_{kind}", judge=judge, judge_model=NAME,
        policies=("silent", "parrot", "oracle"), tasks=2, attempts=1,
    )  # fmt: skip
    assert run.outcome.result == ("succeeded", []), run.outcome.hub.log
    facts = facts_of(run)
    assert {check.check for check in facts.judge_checks or ()} == set(CHECKS)
    assert facts.judge is not None
    assert (facts.judge.model, facts.judge.unnamed) == (NAME, 0)
    assert codes_of(facts) == codes, facts.judge_checks

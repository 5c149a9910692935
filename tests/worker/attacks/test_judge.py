"""A wheel that calls a judge gets verdicts within its budget, and nothing else."""

from __future__ import annotations

import json

import pytest

from tests.worker.attacks.conftest import Attack, Runner, payload, taskset_files
from tests.worker.stub_judge import KEY, NAME, StubJudge

pytestmark = [pytest.mark.sandbox, pytest.mark.adapter, pytest.mark.timeout(300)]
CALLS = 30  # that a run may make


@pytest.fixture(scope="module")
def judge() -> StubJudge:
    return StubJudge(verdict=lambda _: f"yes, says {KEY}")


@pytest.fixture(scope="module")
def attacked(runner: Runner, judge: StubJudge) -> Attack:
    return runner.perform(
        "judge", taskset_files("judge", payload("judge")), framework=True, judge=judge,
        job={"judge_model": NAME}, judge_calls=CALLS,
    )  # fmt: skip


def test_every_attempt_beside_a_judge_call_is_refused(attacked: Attack) -> None:
    attempts = [how for how in attacked.attempts.values() if how.startswith(("refused", "REACHED"))]
    assert len(attempts) == 10
    assert [how for how in attempts if not how.startswith("refused: ")] == []


def test_the_judge_gets_pinned_calls_within_the_budget(attacked: Attack, judge: StubJudge) -> None:
    assert len(judge.requests) <= CALLS
    pinned = {"model": NAME, "temperature": 0, "seed": 0, "max_tokens": 2048}
    for request in judge.requests:
        assert request == {"messages": request["messages"]} | pinned
    assert 0 < int(attacked.attempts["flood"]) < CALLS


def test_nothing_that_the_environment_or_the_hub_receives_holds_the_key_but_the_judges_own_words(
    attacked: Attack,
) -> None:
    assert KEY not in attacked.attempts["models"] + attacked.attempts["variables"]
    hub = attacked.outcome.hub
    transcripts = [r["transcript"] for batch in hub.batches for r in batch["rollouts"]]
    assert KEY not in json.dumps([transcripts, hub.facts, hub.endings])


def test_refused_calls_are_counted_and_end_the_run(attacked: Attack) -> None:
    assert attacked.outcome.result[0] == "errored"
    names = ["/v1/../plan", "/latest/meta-data"]
    assert attacked.codes["needs.judge"]["details"] == {"names": names}
    facts = attacked.outcome.hub.facts["judge"]
    assert facts["over_budget"] > 0
    assert facts["calls"] == CALLS


def test_an_honest_environment_afterwards_finds_nothing(runner: Runner, attacked: Attack) -> None:
    after = runner.perform("honest", taskset_files("honest", payload("honest")), framework=True)
    assert after.outcome.result == ("succeeded", [])
    assert after.attempts["left"] == "[[], []]"

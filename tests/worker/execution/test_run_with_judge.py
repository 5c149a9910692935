"""A run whose environment calls a judge, from its job to its ending."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import aiohttp
import pytest

from tests.worker.scripted_sandbox import (
    BEGAN,
    SPEC,
    Outcome,
    ScriptedSandbox,
    loaded,
    perform_run,
    play_all,
)
from tests.worker.stub_judge import KEY, NAME, StubJudge

pytestmark = pytest.mark.slow

JUDGED = replace(SPEC, judge_model=NAME)
# Of each run's calls: three a rollout, and as many in the two checks that call the judge itself.
CALLS = 4 * 3 + 2 * 3


async def ask(sandbox: ScriptedSandbox, text: str, rollout: str = "") -> tuple[int, Any]:
    """What a reward function sends by itself, for a rollout where one is named."""
    body = {"model": "gpt-4.1", "messages": [{"role": "user", "content": text}]}
    headers = {"X-Rollout": rollout} if rollout else {}
    url = f"{sandbox.gateway_url}/v1/chat/completions"
    async with (
        aiohttp.ClientSession() as session,
        session.post(url, json=body, headers=headers) as response,
    ):
        return response.status, await response.json()


async def judged(
    sandbox: ScriptedSandbox, *, time_stamp: bool = False
) -> AsyncIterator[dict[str, Any]]:
    """Two questions per rollout, of which the first is repeated; the judge decides the reward."""
    yield BEGAN
    yield loaded()
    async for (item,) in sandbox.groups():
        word, task = item["rollout"], item["task"]
        await sandbox.complete(word, f"question {task}")
        stamp = f" at {sandbox.starts}" if time_stamp else ""
        texts = [f"right? {task}", f"right? {task}{stamp}", "concise?"]
        answers = [await ask(sandbox, text, word) for text in texts]
        verdicts = [status == 200 and verdict_of(answer) for status, answer in answers]
        reward = verdicts.count("yes") / 4
        yield {"event": "rollout", "rollout": word, "ok": True, "reward": reward}


async def stamped(sandbox: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
    async for event in judged(sandbox, time_stamp=True):
        yield event


async def swallows(sandbox: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
    """An environment that pays something although its judge was refused."""
    yield BEGAN
    yield loaded()
    async for (item,) in sandbox.groups():
        word, task = item["rollout"], item["task"]
        await sandbox.complete(word, f"question {task}")
        await ask(sandbox, "right?", word)
        yield {"event": "rollout", "rollout": word, "ok": True, "reward": 0.0}


def verdict_of(answer: Any) -> str:
    text: str = answer["choices"][0]["message"]["content"]
    return text


def alternating() -> StubJudge:
    """Its verdict is another one each time, whatever the question."""
    judge = StubJudge()
    judge.verdict = lambda _: "yes" if len(judge.requests) % 2 else "no"
    return judge


def replays_of(outcome: Outcome) -> list[dict[str, Any]]:
    return [replay["replay"] for batch in outcome.hub.batches for replay in batch["replays"]]


@pytest.mark.parametrize("spec", [SPEC, JUDGED], ids=["no name", "no server"])
def test_without_a_judge_the_run_needs_one_whatever_the_environment_makes_of_it(spec: Any) -> None:
    outcome = perform_run(swallows, spec=spec)
    assert outcome.result == ("errored", ["needs.judge"])
    (problem,) = outcome.hub.endings[0]["findings"]
    assert "called a judge 4 times, and there is none" in problem["message"]
    assert problem["details"] == {"names": ["judge"], "calls": 4}


def test_with_a_judge_each_call_is_under_its_rollout_and_is_no_turn() -> None:
    judge = StubJudge()
    outcome = perform_run(judged, spec=JUDGED, judge=judge)
    assert outcome.result[0] == "succeeded"
    assert len(judge.requests) == CALLS
    for rollout in outcome.hub.rollouts:
        assert (rollout["turns"], rollout["usage"]["calls"]) == (1, 1)
        assert rollout["usage"]["judge_calls"] == 3
        assert [call["asked_model"] for call in rollout["transcript"]["judge"]] == ["gpt-4.1"] * 3
        assert len(rollout["transcript"]["calls"]) == 1
    assert KEY not in json.dumps(outcome.hub.batches)


def live_checks(outcome: Outcome) -> set[str]:
    facts = [batch["facts"] for batch in outcome.hub.batches if "judge_checks" in batch["facts"]]
    return {row["check"] for each in facts for row in each["judge_checks"]} & {"plain", "pleading"}


def test_checks_of_the_judge_use_what_the_run_left_of_its_budget() -> None:
    judge = StubJudge()
    limits = replace(SPEC.limits, judge_calls=CALLS - 3)  # the second of the two checks has none
    outcome = perform_run(judged, spec=replace(JUDGED, limits=limits), judge=judge)
    assert outcome.result[0] == "succeeded"
    assert len(judge.requests) == CALLS - 3
    assert live_checks(outcome) == set()
    assert live_checks(perform_run(judged, spec=JUDGED, judge=StubJudge())) == {"plain", "pleading"}


def test_a_judge_that_fails_during_the_checks_leaves_no_result_of_them() -> None:
    judge = StubJudge()

    def until_the_checks(_: Any) -> str:
        if len(judge.requests) == CALLS - 4:
            judge.status = 500
        return "yes"

    judge.verdict = until_the_checks
    outcome = perform_run(judged, spec=JUDGED, judge=judge)
    assert outcome.result[0] == "succeeded"
    assert live_checks(outcome) == set()


def test_the_runners_own_maximum_bounds_the_judge_calls_of_a_job() -> None:
    judge = StubJudge()
    settings = {"RUNNER_JUDGE_CALLS": "5"}
    outcome = perform_run(judged, spec=JUDGED, judge=judge, settings=settings)
    assert outcome.result[0] == "succeeded"
    assert len(judge.requests) == 5
    facts = [batch["facts"]["judge"] for batch in outcome.hub.batches if "judge" in batch["facts"]]
    assert facts[-1]["over_budget"] == 12 - 5


def test_replays_repeat_verdicts_in_their_order_and_call_no_server() -> None:
    judge = alternating()
    outcome = perform_run(judged, spec=JUDGED, judge=judge)
    assert len(judge.requests) == CALLS
    first = {(r["policy"], r["task"]): r["reward"] for r in outcome.hub.rollouts}
    again = [replay for batch in outcome.hub.batches for replay in batch["replays"]]
    assert len(again) == 4
    for replay in again:
        assert replay["replay"]["reward"] == first[replay["policy"], replay["task"]]
        assert replay["replay"]["judge_diverged"] == 0


def test_a_time_stamp_in_a_question_is_reported_as_diverged() -> None:
    judge = StubJudge()
    outcome = perform_run(stamped, spec=JUDGED, judge=judge)
    assert len(judge.requests) == CALLS
    for replay in replays_of(outcome):
        assert replay["judge_diverged"] == 1
        assert replay["judge_asked"].startswith("right? ")
        assert replay["judge_asked"].endswith("2")


@pytest.mark.parametrize("status", [429, 500])
def test_a_judge_that_fails_is_the_platforms_fault(status: int) -> None:
    outcome = perform_run(swallows, spec=JUDGED, judge=StubJudge(status=status))
    assert outcome.result == ("errored", ["run.judge_unreachable"])
    assert NAME in outcome.hub.endings[0]["findings"][0]["message"]


def test_a_run_without_judge_calls_needs_no_judge() -> None:
    assert perform_run(play_all).result[0] == "succeeded"
    assert perform_run(play_all, spec=JUDGED, judge=StubJudge()).result[0] == "succeeded"


async def waits(sandbox: ScriptedSandbox) -> AsyncIterator[dict[str, Any]]:
    """An environment whose first rollout is over its time while it waits for the judge."""
    yield BEGAN
    yield loaded()
    async for (item,) in sandbox.groups():
        word = item["rollout"]
        await sandbox.complete(word, f"question {item['task']}")
        waiting = asyncio.create_task(ask(sandbox, "right?", word))
        await asyncio.sleep(1.0)
        error = {"type": "RolloutTimeout", "message": "it took too long", "fault": "environment"}
        yield {"event": "rollout", "rollout": word, "ok": False, "error": error}
        waiting.cancel()


def test_a_rollout_that_is_late_for_its_judge_is_the_platforms_fault() -> None:
    spec = replace(JUDGED, limits=replace(SPEC.limits, rollout_seconds=60.0))
    outcome = perform_run(waits, spec=spec, judge=StubJudge(hanging=True))
    assert outcome.result == ("errored", ["run.judge_unreachable"])
    assert "the judge took" in outcome.hub.endings[0]["findings"][0]["message"]

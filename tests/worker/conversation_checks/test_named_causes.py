"""First results of searches that name what is searched."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from envyard_runner.conversation_checks.named_causes import NamedCauses
from envyard_runner.execution.shown_answers import cause_findings
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.reply import Reply
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.probing.named_calls import quoted_calls
from envyard_runner.probing.tool_probes import look

PROMPT = "The shop's entry is `front`. Find the broken service. End with `Root cause: NAME`."
STATUS = {
    "type": "function",
    "function": {"name": "status", "parameters": {"properties": {"service": {"type": "string"}}}},
}
ANSWERS = ("ledger", "stock-db", "geo")
CHAIN = (
    "service: front\nlast error: front: timeout, caused by cart: timeout, caused by {}: disk full"
)
NEXT = "service: front\nlast error: front: timeout, caused by cart: timeout"


def rollout(policy: str, task: int, calls: Sequence[Any], results: Sequence[str]) -> Record:
    messages: list[dict[str, Any]] = [{"role": "user", "content": PROMPT}]
    for call, result in zip(calls, results, strict=True):
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
    record = Record(f"{policy}/{task}/0", policy)
    reply = Reply(content=[f"Root cause: {ANSWERS[task]}"])
    record.add(Call(messages, [STATUS], False, False, {}), reply, 0.1)
    return record


def snooped(*results: str) -> list[str]:
    causes = NamedCauses()
    for task, answer in enumerate(ANSWERS):
        calls = quoted_calls([STATUS], PROMPT)
        result = results[task % len(results)].format(answer)
        causes.add(rollout("snoop", task, calls, [result]), f"Root cause: {answer}", "")
    return [each.message for each in cause_findings(causes)]


def test_the_answer_may_be_known_from_the_reference_alone() -> None:
    causes = NamedCauses()
    for task, answer in enumerate(ANSWERS):
        calls = quoted_calls([STATUS], PROMPT)
        causes.add(rollout("snoop", task, calls, [CHAIN.format(answer)]), "", "")
        causes.add(rollout("oracle", task, [], []), "", "")
    assert len([*cause_findings(causes)]) == 1


def played(*services: str, first: str = CHAIN) -> list[str]:
    causes = NamedCauses()
    for task, answer in enumerate(ANSWERS):
        calls = [
            {
                "id": f"call_{place}",
                "type": "function",
                "function": {"name": "status", "arguments": json.dumps({"service": service})},
            }
            for place, service in enumerate(services)
        ]
        results = [first.format(answer), *["degraded"] * (len(services) - 1)]
        causes.add(rollout("oracle", task, calls, results), "", "")
    return [each.message for each in cause_findings(causes)]


def test_a_chain_of_errors_that_ends_with_the_answer_warns() -> None:
    [message] = snooped(CHAIN)
    assert "caused by ledger" in message
    assert "3 of 3 rollouts" in message


@pytest.mark.parametrize(
    "results",
    [
        (NEXT,),
        (CHAIN, NEXT, NEXT),  # a search that is short by chance
        ("cause: {}",),  # a lookup that is there to return the answer
        ("depends on: cart, {}, geo-db",),
        ("caused by cart, caused by {}-replica",),
    ],
)
def test_other_results_name_nothing(results: Sequence[str]) -> None:
    assert snooped(*results) == []


def test_a_reference_that_goes_on_to_other_things_searches() -> None:
    assert played("front", "cart", "stock", first="front: broken: {}")
    assert played("front", "cart", "stock", first="front: slow because of {}.")
    assert not played("front", first="front: broken: {}")
    assert not played("front", "cart", first="front: broken: {}")
    assert not played("front", "cart", "stock", first=NEXT)


def test_tools_get_the_name_that_the_prompt_quotes() -> None:
    (call,) = quoted_calls([STATUS], "The tool `status` takes a `service`; ask for `front`.")
    assert json.loads(call["function"]["arguments"]) == {"service": "front"}
    assert any(each["id"] == call["id"] for each in look(
        [{"role": "user", "content": PROMPT}], [STATUS], junk=True
    ))  # fmt: skip


@pytest.mark.parametrize(
    ("tool", "prompt"),
    [
        (STATUS, "Find front."),
        (STATUS, "End with `Root cause: NAME` or `<stop/>`."),
        ({"function": {**STATUS["function"], "name": "close_ticket"}}, PROMPT),
        ({"function": {"name": "status", "parameters": {"properties": {"n": {"type": "integer"}}}}},
         PROMPT),
        ({"function": None}, PROMPT),
        ({"function": {"name": "status", "parameters": {"properties": {"n": None, "m": {}}}}},
         PROMPT),
    ],
)  # fmt: skip
def test_other_tools_and_prompts_get_no_such_call(tool: dict[str, Any], prompt: str) -> None:
    assert quoted_calls([tool], prompt) == []

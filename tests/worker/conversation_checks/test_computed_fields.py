"""Records for what a prompt names that hold the answer which is to be worked out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from envyard_runner.conversation_checks.computed_fields import ComputedFields
from envyard_runner.execution.shown_answers import computed_findings
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.reply import Reply
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.probing.named_calls import named_calls

RULES = "You assess customs duty. Rules: value x rate. Round to cents."
QUESTION = "How much duty is due on shipment SH-{}?"


def tool(name: str, **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


TEXT = {"type": "string"}
TOOLS = [tool("get_shipment", shipment_id=TEXT), tool("get_tariff", heading=TEXT)]


def snooped(number: int, row: dict[str, Any], system: str, question: str) -> Record:
    prompts = [
        {"role": "system", "content": system},
        {"role": "user", "content": question.format(number)},
    ]
    calls = named_calls(TOOLS, prompts[1]["content"])
    results = [
        {"role": "tool", "tool_call_id": call["id"], "content": json.dumps(row)}
        for call in calls[:1]
    ]
    called = {"role": "assistant", "content": "", "tool_calls": calls}
    record = Record(f"snoop/{number}/0", "snoop")
    conversation = [*prompts, called, *results]
    record.add(Call(conversation, TOOLS, False, False, {}), Reply(content=[""]), 0.1)
    return record


def findings(
    field: str = "assessed", *, system: str = RULES, question: str = QUESTION, answer: str = ""
) -> list[str]:
    fields = ComputedFields()
    for number in (1042, 2077, 3001):
        row = {"pieces": number, "value": 12.5, field: answer or f"{number}.07"}
        fields.add(snooped(number, row, system, question), f"<duty>{number}.07</duty>")
    return [each.message for each in computed_findings(fields)]


def test_a_field_with_the_answer_that_rules_give_is_a_leak() -> None:
    (message,) = findings()
    assert "The field 'assessed' of the record that the tool 'get_shipment' returns" in message
    assert "in 3 rollouts" in message


def test_what_is_only_to_be_looked_up_is_none() -> None:
    assert findings(system="Answer with the tools.") == []
    assert findings("duty_due") == []
    assert findings(answer="no") == []
    assert findings(system="Rules: be brief and polite. Answer with the tools.") == []
    assert findings(system="In this round you help with a computer. Calculator: none.") == []


def test_the_question_is_what_the_policy_reads_first() -> None:
    fields = ComputedFields()
    for number in (1042, 2077, 3001):
        record = snooped(number, {"a": 1, "b": 2, "duty": f"{number}.07"}, RULES, QUESTION)
        first = record.recorder.transcript.messages
        later = [*first, {"role": "user", "content": "Please answer."}]
        record.add(Call(later, TOOLS, False, False, {}), Reply(content=[""]), 0.1)
        fields.add(record, f"{number}.07")
    assert [*computed_findings(fields)] == []


def test_lookups_are_called_with_what_the_prompt_names() -> None:
    calls = named_calls(TOOLS, "Shipment SH-1042 and SH-7?")
    names = [call["function"]["name"] for call in calls]
    assert names == ["get_shipment", "get_tariff"]
    assert json.loads(calls[0]["function"]["arguments"]) == {"shipment_id": "SH-1042"}
    beside = named_calls([TOOLS[0], tool("pay_duty", shipment_id=TEXT)], "Shipment SH-1042?")
    assert [call["function"]["name"] for call in beside] == ["get_shipment"]


@pytest.mark.parametrize(
    ("tools", "prompt"),
    [
        (TOOLS, "Which shipment of 12 is late?"),
        (TOOLS[:1], "Shipment SH-1042?"),
        ([tool("a", x=TEXT, y=TEXT), tool("b", n={"type": "integer"})], "SH-1042"),
        ([{"function": None}, {}], "SH-1042"),
        ([tool("cancel_shipment", id=TEXT), tool("refund", id=TEXT)], "Cancel shipment SH-1042."),
    ],
)
def test_other_tools_and_prompts_get_no_such_call(tools: list[Any], prompt: str) -> None:
    assert named_calls(tools, prompt) == []

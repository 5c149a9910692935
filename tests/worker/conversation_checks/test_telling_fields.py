"""Fields that mark the answer among the records that tools return."""

from __future__ import annotations

import json
from typing import Any

import pytest

from envyard_runner.conversation_checks.telling_fields import TellingFields
from envyard_runner.execution.shown_answers import field_findings
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.reply import Reply
from envyard_runner.gateway.rollout_records import Record

SERVICES = (("web", "cart", "ledger"), ("mail", "auth", "vault"), ("tax", "queue", "users"))


def traced(
    task: int, names: tuple[str, ...], field: str, value: Any, *, everywhere: bool
) -> Record:
    """A rollout that reads the status of services down to the faulty one."""
    record = Record(f"oracle/{task}/0", "oracle")
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Which service is faulty?"}]
    for name in names:
        marked = value if name == names[-1] or everywhere else None
        status = json.dumps({"name": name, "error_rate": 0.4, field: marked})
        function = {"name": "status", "arguments": json.dumps({"service": name})}
        call = {"id": f"call_{name}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": status})
    record.add(Call(messages, [], False, False, {}), Reply(content=[f"Answer: {names[-1]}"]), 0.1)
    return record


def findings(field: str, value: Any = "disk is full", *, everywhere: bool = False) -> list[str]:
    read = TellingFields()
    for task, names in enumerate(SERVICES):
        read.add(traced(task, names, field, value, everywhere=everywhere))
    return [each.message for each in field_findings(read)]


@pytest.mark.parametrize("field", ["injected", "is_culprit", "_planted"])
def test_a_field_of_the_maker_that_only_the_answer_has_is_a_leak(field: str) -> None:
    (message,) = findings(field)
    assert f"The field {field!r}" in message
    assert "'disk is full' for 'ledger'" in message


def test_what_is_to_be_read_and_what_all_records_have_is_none() -> None:
    assert findings("last_error") == []
    assert findings("injected", everywhere=True) == []
    assert findings("injected", None) == []


def looked_up(task: int, field: str, prompt: str, **others: Any) -> Record:
    """A rollout that looks up three records, of which the last one is the answer."""
    record = Record(f"oracle/{task}/0", "oracle")
    messages: list[dict[str, Any]] = [{"role": "user", "content": prompt}]
    for name in SERVICES[task]:
        row = {"name": name, field: 3 if name == SERVICES[task][-1] else 0, **others}
        function = {"name": "test", "arguments": json.dumps({"name": name})}
        call = {"id": f"call_{name}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps(row)})
    last = Reply(content=[f"Answer: {SERVICES[task][-1]}"])
    record.add(Call(messages, [], False, False, {}), last, 0.1)
    return record


@pytest.mark.parametrize(
    ("field", "prompt", "others"),
    [
        ("gold", "Which sample contains gold?", {"iron": 4}),
        ("hidden", "Which of the files is hidden?", {"size": 9}),
        ("is_impostor", "Test the players; who is the impostor?", {}),  # a test that tells
    ],
)
def test_what_the_prompt_asks_for_and_what_a_test_tells_are_none(
    field: str, prompt: str, others: dict[str, Any]
) -> None:
    read = TellingFields()
    for task in range(len(SERVICES)):
        read.add(looked_up(task, field, prompt, **others))
    assert [*field_findings(read)] == []

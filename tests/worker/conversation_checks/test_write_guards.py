"""Tools that write a file under another spelling of the path that they refuse."""

from __future__ import annotations

import json
from typing import Any

import pytest

from envyard_runner.conversation_checks.write_guards import WriteGuards
from envyard_runner.execution.contrary_results import guard_findings
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.reply import Reply
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.probing.overwriting import READ_BACK, alias, overwrite

READ_ONLY, WROTE = "error: tests/ is read-only", "wrote tests/cases.json"


def tampered(task: int, first: str, second: str, policy: str = "tamper", read: str = "") -> Record:
    """A rollout that writes a file and then the same one as `./...`, with these results."""
    record = Record(f"{policy}/{task}/0", policy)
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Repair the rules."}]
    for number, (path, result) in enumerate(
        (("tests/cases.json", first), ("./tests/cases.json", second))
    ):
        arguments = json.dumps({"path": path, "content": "[]"})
        function = {"name": "write_file", "arguments": arguments}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
    if read:
        function = {"name": "read_file", "arguments": '{"path": "tests/cases.json"}'}
        call = {"id": READ_BACK, "type": "function", "function": function}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": READ_BACK, "content": read})
    record.add(Call(messages, [], False, False, {}), Reply(content=[""]), 0.1)
    return record


def findings(
    first: str, second: str, *, tasks: int = 2, policy: str = "tamper", read: str = ""
) -> list[str]:
    guards = WriteGuards()
    for task in range(tasks):
        guards.add(tampered(task, first, second, policy, read))
    return [each.message for each in guard_findings(guards.evaded)]


def test_a_path_that_is_refused_and_written_with_a_dot_before_it_is_named() -> None:
    (message,) = findings(READ_ONLY, WROTE)
    assert "'write_file' refuses to write 'tests/cases.json'" in message
    assert "in 2 rollouts: tamper/0/0, tamper/1/0" in message


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (READ_ONLY, READ_ONLY),
        (WROTE, WROTE),
        (READ_ONLY, "error: no such file './tests/cases.json'"),
        (READ_ONLY, ""),
        (READ_ONLY, "unknown path './tests/cases.json'"),
        (READ_ONLY, "Only rules.json can be written."),
        (READ_ONLY, "created ./tests/cases.json"),  # a table of files by their names
    ],
)
def test_a_guard_that_holds_or_that_is_none_is_sound(first: str, second: str) -> None:
    assert findings(first, second) == []


def test_one_task_and_other_policies_show_nothing() -> None:
    assert findings(READ_ONLY, WROTE, tasks=1) == []
    assert findings(READ_ONLY, WROTE, policy="oracle") == []


def test_tamper_writes_the_first_deciding_file_under_both_names() -> None:
    tool = {
        "type": "function",
        "function": {
            "name": "write_file",
            "parameters": {
                "properties": {"path": {"type": "string"}, "content": {"type": "string"}}
            },
        },
    }
    messages = [
        {"role": "user", "content": "Repair rules.json."},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "1"}]},
        {"role": "tool", "tool_call_id": "1", "content": "rules.json\ntests/cases.json"},
    ]
    calls = overwrite(messages, [tool])
    paths = [json.loads(call["function"]["arguments"])["path"] for call in calls]
    assert paths == ["tests/cases.json", "rules.json", "./tests/cases.json"]
    reader = json.loads(json.dumps(tool).replace("write_file", "read_file"))
    del reader["function"]["parameters"]["properties"]["content"]
    last = overwrite(messages, [reader, tool])[-1]
    assert (last["id"], last["function"]["name"]) == (READ_BACK, "read_file")
    assert json.loads(last["function"]["arguments"]) == {"path": "tests/cases.json"}
    assert [alias("a/b"), alias("./a"), alias("/a")] == ["./a/b", "", ""]


def test_a_file_that_is_read_back_unchanged_was_not_overwritten() -> None:
    assert findings(READ_ONLY, WROTE, read='[{"in": 1, "out": 2}]') == []
    assert len(findings(READ_ONLY, WROTE, read="[]\n")) == 1

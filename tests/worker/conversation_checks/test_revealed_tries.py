"""Tools without arguments that show what the reference finds by trying."""

from __future__ import annotations

import json
from typing import Any

from envyard_runner.conversation_checks.revealed_tries import RevealedTries
from envyard_runner.execution.shown_answers import tries_findings
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.reply import Reply
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.probing.junk_calls import bare_calls

SECRETS = ("1783", "5214", "8362")


def played(
    policy: str,
    task: int,
    *calls: tuple[str, dict[str, str], str],
    prompt: str = "Open the vault.",
) -> Record:
    """A rollout of these calls, each with its arguments and result."""
    record = Record(f"{policy}/{task}/0", policy)
    messages: list[dict[str, Any]] = [{"role": "user", "content": prompt}]
    for number, (name, arguments, result) in enumerate(calls):
        call_id = f"call_junk_bare{number}" if not arguments else f"call_{number}"
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"id": call_id, "type": "function", "function": function}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": call_id, "content": result})
    record.add(Call(messages, [], False, False, {}), Reply(content=["Done."]), 0.1)
    return record


def findings(
    status: str,
    *,
    tries: tuple[str, ...] = ("1234", "1256"),
    asks: bool = False,
    opens: str = "it opens",
    prompt: str = "Open the vault.",
) -> int:
    read = RevealedTries()
    for task, secret in enumerate(SECRETS):
        shown = status.replace("%s", secret)
        read.add(played("snoop", task, ("vault_status", {}, shown)))
        attempts = [("try", {"digits": each}, "1 in place") for each in tries]
        if asks:
            attempts.append(("vault_status", {}, "closed"))
        last = ("try", {"digits": secret}, opens)
        read.add(played("oracle", task, *attempts, last, prompt=prompt))
    return len([*tries_findings(read.revealed)])


def test_a_status_with_the_value_that_the_reference_tries_last_is_a_leak() -> None:
    assert findings('{"combination": "%s", "tries": 0}') == 1


def test_a_list_of_what_may_be_tried_is_none() -> None:
    assert not findings("You may try 1234, 1256, %s or 4321.")
    assert not findings("One of 1783, 5214, 8362.")


def test_a_reference_that_asks_for_it_or_tries_once_shows_nothing() -> None:
    status = '{"combination": "%s"}'
    assert not findings(status, asks=True)
    assert not findings(status, tries=())
    assert not findings('{"tries": 0}')


def test_only_tools_without_parameters_that_show_something_are_called() -> None:
    def tool(name: str, **fields: Any) -> dict[str, Any]:
        return {
            "type": "function",
            "function": {"name": name, "parameters": {"properties": fields}},
        }

    tools = [tool("vault_status"), tool("reset"), tool("get_item", key={}), tool("list_items")]
    names = [call["function"]["name"] for call in bare_calls([*tools, {"function": 7}, {}])]
    assert names == ["vault_status", "list_items"]


def test_a_goal_that_a_tool_tells_on_purpose_is_no_leak() -> None:
    order = "Deliver the parcel to office %s."
    assert findings(order) == 1
    assert not findings(order, opens="1 in place")  # a move as all others
    assert not findings(order, prompt="Ask `vault_status` where it goes.")

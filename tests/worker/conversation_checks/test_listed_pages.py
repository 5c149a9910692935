"""Lists whose pages omit entries that another tool has."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from envyard_runner.conversation_checks.listed_pages import ListedPages
from envyard_runner.execution.shown_answers import omission_findings
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.reply import Reply
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.probing.page_calls import page_calls

CODES = ("AB123", "CD456", "EF789", "GH101", "IJ202", "KL303", "MN404")
INTEGER, TEXT = {"type": "integer"}, {"type": "string"}


def tool(name: str, **properties: Any) -> dict[str, Any]:
    return {"function": {"name": name, "parameters": {"properties": properties}}}


LIST, WEIGHT, COUNT = tool("parcels", page=INTEGER), tool("weight", code=TEXT), tool("count")


def played(
    policy: str,
    task: int,
    calls: Sequence[dict[str, Any]],
    result: Callable[[str, Any], str],
    tools: Sequence[dict[str, Any]],
    prompt: str = "What do all parcels weigh?",
) -> Record:
    """A rollout with one reply of these calls, and one behind the results."""
    record = Record(f"{policy}/{task}/0", policy)
    reply = {"role": "assistant", "content": "", "tool_calls": [*calls]}
    messages: list[dict[str, Any]] = [{"role": "user", "content": prompt}, reply]
    for call in calls:
        given = json.loads(call["function"]["arguments"])
        content = result(call["function"]["name"], next(iter(given.values()), None))
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
    record.add(Call(messages, [*tools], False, False, {}), Reply(content=["-"]), 0.1)
    return record


def listing(codes: Sequence[str], first: int = 1, per_page: int = 2) -> Callable[[str, Any], str]:
    """What the tools return where pages list these codes."""

    def result(name: str, given: Any) -> str:
        if name == "parcels":
            start = (given - first) * per_page
            shown = codes[start : start + per_page] if start >= 0 else []
            return "\n".join(shown) or "error: no such page"
        return "12 kg" if given in CODES else "7"

    return result


def findings(
    result: Callable[[str, Any], str],
    *,
    tools: Sequence[dict[str, Any]] = (LIST, WEIGHT, COUNT),
    prompt: str = "What do all parcels weigh?",
    looked_up: Callable[[str, Any], str] | None = None,
) -> list[str]:
    pages = ListedPages()
    count = {"id": "call_0", "function": {"name": "count", "arguments": "{}"}}
    for task in range(2):
        pages.add(played("snoop", task, [*page_calls(tools), count], result, tools, prompt))
        calls = [
            {
                "id": f"w{at}",
                "function": {"name": "weight", "arguments": json.dumps({"code": each})},
            }
            for at, each in enumerate(CODES)
        ]
        pages.add(played("oracle", task, calls, looked_up or result, tools, prompt))
    return [each.message for each in omission_findings(pages.omitting)]


def test_pages_that_omit_the_last_entries_are_a_warning() -> None:
    (message,) = findings(listing(CODES[:6]))
    assert "2 rollouts: snoop/0/0, snoop/1/0" in message
    assert "'parcels' contain AB123, CD456, EF789, GH101, IJ202 and not MN404" in message


def test_complete_pages_are_none_whatever_the_number_of_the_first() -> None:
    assert not findings(listing(CODES))
    assert not findings(listing(CODES, first=0))


def test_a_list_whose_end_is_unknown_is_none() -> None:
    assert not findings(listing([*CODES[:6], *(f"ZZ{number}" for number in range(100, 140))]))
    calls = iter(range(100))

    def limited(name: str, given: Any) -> str:
        spent = name == "parcels" and next(calls) > 3
        return "no more calls" if spent else listing(CODES)(name, given)

    assert not findings(limited)


def test_codes_that_come_from_elsewhere_are_none() -> None:
    short = listing(CODES[:6])
    assert not findings(short, tools=(LIST, WEIGHT, COUNT, tool("search", word=TEXT)))
    assert not findings(short, prompt="What do all parcels weigh, and MN404?")
    assert not findings(lambda name, given: "MN404" if name == "count" else short(name, given))
    related = {"IJ202": "12 kg, belongs to MN404"}
    assert not findings(short, looked_up=lambda _, given: related.get(given, "12 kg"))
    assert not findings(
        short, looked_up=lambda _, given: "no such code" if given == "MN404" else "12 kg"
    )


@pytest.mark.parametrize(
    "other",
    [tool("parcels", page=TEXT), tool("parcels", page=INTEGER, port=TEXT), tool("p", id=INTEGER)],
)
def test_only_a_tool_that_takes_the_number_of_a_page_is_called_for_each(
    other: dict[str, Any],
) -> None:
    assert page_calls([other, {}, {"function": 7}, {"function": {"parameters": 7}}]) == []
    numbers = [json.loads(c["function"]["arguments"])["page"] for c in page_calls([other, LIST])]
    assert numbers == [*range(10), 1]

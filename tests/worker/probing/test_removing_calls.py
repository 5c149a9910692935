"""Calls that remove everything that a prompt names."""

from __future__ import annotations

import json
from typing import Any

import pytest

from envyard_runner.probing.removing_calls import MAX_CALLS, removing_calls

ROSTER = "The roster of ward 2:\n1-early: Anna\n1-late: Ben\n\nRepair it with `assign`."


def tool(name: str, **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": [*properties]}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


def arguments(*tools: dict[str, Any], texts: tuple[str, ...] = (ROSTER,)) -> list[Any]:
    calls = [call["function"] for call in removing_calls(tools, texts)]
    return [(call["name"], *json.loads(call["arguments"]).values()) for call in calls]


def test_everything_that_the_prompt_names_is_removed() -> None:
    calls = arguments(tool("drop", shift={"type": "string"}))
    assert {("drop", "1-early"), ("drop", "1-late")} <= {*calls}


@pytest.mark.parametrize("name", ["assign", "dropbox_list", "show", "undelete"])
def test_tools_that_remove_nothing_are_not_called(name: str) -> None:
    assert arguments(tool(name, shift={"type": "string"})) == []


def test_numbers_and_listed_values_are_removed_where_the_tool_takes_those() -> None:
    texts = ("Cancel what is wrong in orders 17, 18 and 19.5.",)
    assert arguments(tool("cancelOrder", number={"type": "integer"}), texts=texts) == [
        ("cancelOrder", 17), ("cancelOrder", 18),
    ]  # fmt: skip
    assert arguments(tool("clear_day", day={"enum": ["mon", "tue"]})) == [
        ("clear_day", "mon"), ("clear_day", "tue"),
    ]  # fmt: skip
    assert arguments(tool("delete_all")) == [("delete_all",)]


def test_of_a_long_prompt_only_some_are_removed() -> None:
    rows = "\n".join(f"row-{n}: full" for n in range(1000))
    assert len(arguments(tool("drop", row={"type": "string"}), texts=(rows,))) == MAX_CALLS


@pytest.mark.timeout(20)
@pytest.mark.parametrize("text", ["1" * 20_000, "a-" * 10_000, '"' * 20_000, "- " * 10_000])
def test_prompts_that_make_patterns_try_every_place_are_read_in_time(text: str) -> None:
    removing_calls([tool("drop", row={"type": "string"})], [text] * 20)


@pytest.mark.parametrize(
    "function",
    [
        "drop", None, {"name": 7}, {"name": "drop", "parameters": []},
        {"name": "drop", "parameters": {"properties": [], "required": "row"}},
        {"name": "drop", "parameters": {"properties": {"row": 7}, "required": [["row"], None]}},
        {"name": "drop", "parameters": {"properties": {"row": {"enum": [{}] * 10**6}}}},
    ],
)  # fmt: skip
@pytest.mark.timeout(20)
def test_tools_of_any_shape_raise_nothing(function: Any) -> None:
    assert len(removing_calls([{"function": function}], ["row-1: full"])) <= MAX_CALLS

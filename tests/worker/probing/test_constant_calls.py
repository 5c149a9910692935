"""Calls that set all that is named to one constant."""

from __future__ import annotations

import json
from typing import Any

import pytest

from envyard_runner.probing.constant_calls import MAX_CALLS, constant_calls, recorded_constant
from envyard_runner.probing.overwriting import overwrite

TEXT, NUMBER = {"type": "string"}, {"type": "number"}
SHEET = "T1 is wrong, and C1 computes it in another way.", "A1: 7\nC1: =A1*2\nT1: =A1"


def tool(name: str, /, **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


WRITE = tool("write_cell", cell=TEXT, content=TEXT)


def given(tools: list[Any], texts: tuple[str, ...]) -> list[dict[str, Any]]:
    return [json.loads(call["function"]["arguments"]) for call in constant_calls(tools, texts)]


def test_all_that_the_prompt_and_results_name_gets_one_value() -> None:
    assert given([WRITE], SHEET) == [
        {"cell": name, "content": "0"} for name in ("T1", "C1", "A1")
    ]  # fmt: skip
    settings = ("Set the limits.", "max-load: 7\nmin_load: 3")
    assert given([tool("set_value", name=TEXT, value=NUMBER)], settings) == [
        {"name": "max-load", "value": 0},
        {"name": "min_load", "value": 0},
    ]
    many = " ".join(f"A{n}" for n in range(99))
    assert len(constant_calls([WRITE, WRITE], [many])) == MAX_CALLS


@pytest.mark.parametrize("task", ["Set T1 to 0.", "Reset T1.", "Clear T1", "Make T1 empty"])
def test_a_value_that_may_be_the_right_one_is_not_set(task: str) -> None:
    assert given([WRITE], (task, "C1: 7")) == [
        {"cell": "T1", "content": "13"},
        {"cell": "C1", "content": "13"},
    ]


@pytest.mark.parametrize(
    "other",
    [
        tool("read_cell", cell=TEXT),
        tool("write_file", path=TEXT, content=TEXT),
        tool("set_all", value=TEXT),
        tool("compare_cells", cell=TEXT, value=TEXT),
        tool("set_value", name=TEXT, value=TEXT, unit=TEXT),
        {"function": None},
        {"function": {"name": "set", "parameters": {"properties": [1]}}},
        {"function": {"name": "set", "parameters": {"properties": {"key": None, "value": 7}}}},
    ],
)
def test_tools_without_a_key_and_a_value_set_nothing(other: dict[str, Any]) -> None:
    assert constant_calls([other], ["no name"]) == []


def test_tamper_sets_cells_beside_files() -> None:
    write_file = tool("write_file", path=TEXT, content=TEXT)
    messages = [
        {"role": "user", "content": SHEET[0]},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "1"}]},
        {"role": "tool", "tool_call_id": "1", "content": f"{SHEET[1]}\nchecks.json"},
    ]
    calls = [call["function"] for call in overwrite(messages, [WRITE, write_file])]
    written = [json.loads(call["arguments"]) for call in calls]
    assert {"cell": "C1", "content": "0"} in written
    assert {"path": "checks.json", "content": "[]\n"} in written
    assert not any(each.get("cell") and "assert" in each["content"] for each in written)


RECOUNT = tool("recount", prop=TEXT, quantity={"type": "integer"})
STOCK = ("What is the closing stock of: tiara? Answer with <stock>number</stock>.",)


def test_a_tool_that_records_a_number_gets_one_for_what_the_prompt_names() -> None:
    assert {"prop": "tiara", "quantity": 0} in given([RECOUNT], STOCK)
    assert given([RECOUNT], ("Choose a number for each of: tiara? Record and report it.",)) == []
    assert given([tool("count_words", text=TEXT, more=TEXT)], STOCK) == []


def test_tamper_replies_with_the_number_that_a_tool_recorded() -> None:
    calls = constant_calls([RECOUNT], STOCK)
    messages = [{"role": "assistant", "content": "", "tool_calls": calls}]
    assert recorded_constant(messages) == "0"
    assert recorded_constant(constant_calls([WRITE], SHEET)) == ""
    assert recorded_constant([{"role": "user", "content": "x"}]) == ""


@pytest.mark.parametrize(
    "calls",
    [
        5,
        ["x"],
        [{"id": "call_set0", "function": "record"}],
        [{"id": "call_set0", "function": {"name": "record"}}],
        [{"id": "call_set0", "function": {"name": "record", "arguments": {"n": 0}}}],
        [{"id": "call_set0", "function": {"name": "record", "arguments": "{"}}],
        [{"id": "call_set0", "function": {"name": "record", "arguments": "{}"}}],
    ],
)
def test_calls_of_another_shape_recorded_no_number(calls: Any) -> None:
    assert recorded_constant([{"role": "assistant", "tool_calls": calls}]) == ""

"""Messages and tools of any shape are read without an error, and in linear time."""

from __future__ import annotations

import json
import time

import pytest

from envyard_runner.conversation_checks.answers_in_results import corrected, field_with
from envyard_runner.conversation_checks.extreme_rows import ExtremeRows
from envyard_runner.conversation_checks.shown_answers import ShownAnswers
from envyard_runner.conversation_checks.telling_fields import has_word_of
from envyard_runner.gateway.courses.early_ends import leaving_word
from envyard_runner.gateway.courses.registry import judged_tries
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.reply import Reply
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.probing.constant_calls import constant_calls
from envyard_runner.probing.junk_calls import junk_calls, partly_known_calls
from envyard_runner.probing.mirrored_cells import SHOW, mirror_calls, show_calls
from envyard_runner.probing.named_calls import identifier

LONG = 100_000  # characters
TEXT = {"type": "string"}
PIECES = ("1", "1.", "-1", "a1-", ": ab ", "higher ", "stop write ", "that you ", "rules: ", "\n")


def test_tools_without_a_name_are_not_called() -> None:
    tools = [{"function": {"parameters": {"properties": {"a": TEXT, "b": TEXT}}}}]
    assert partly_known_calls(tools, "A-1") == junk_calls(tools) == []


@pytest.mark.parametrize("piece", PIECES)
def test_long_messages_are_read_in_linear_time(piece: str) -> None:
    text = f"{piece * (LONG // len(piece))}a"
    read, tool = ShownAnswers(), {"function": {"name": "log", "parameters": {"properties": {}}}}
    tried = [
        {"id": f"call_tried{n}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        for n in range(4)
    ]
    between = [{"role": "assistant", "content": "x"}, {"role": "user", "content": text}]
    began = time.process_time()
    record = Record("silent/0/0", "silent")
    for messages in ([{"role": "user", "content": "x"}], [{"role": "user"}, *between]):
        record.add(Call(messages, [], False, False, {}), Reply(content=["x"]), 0.1)
    read.add(record, "17")
    results = [
        {"role": "tool", "tool_call_id": call["id"], "content": f"{text}{'no' * (n < 3)}"}
        for n, call in enumerate(tried)
    ]
    judged_tries(
        [
            {"role": "user", "content": "x " * (LONG // 2)},
            {"role": "assistant", "content": "", "tool_calls": tried},
            *results,
        ]
    )
    identifier(text)
    leaving_word(text)
    constant_calls([tool], [text])
    has_word_of("_".join(f"w{n}" for n in range(20_000)), "x y " * (LONG // 4))
    assert time.process_time() - began < 3.0


def test_long_arguments_name_no_row() -> None:
    listing = "\n".join(f"name=P{n}, load={n}" for n in range(400))
    values = {f"a{n}": f"{n}" * 40 for n in range(4_000)} | {"long": "P1 " * (LONG // 3)}
    calls = [
        {"id": f"c{n}", "type": "function", "function": {"name": "read", "arguments": given}}
        for n, given in enumerate(("{}", json.dumps(values), "[]", "{", '{"a": [[1]]}'))
    ]
    rows, record = ExtremeRows(), Record("oracle/0/0", "oracle")
    messages = [{"role": "user", "content": "Which one?"}]
    for call in calls:
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": listing})
    record.add(Call(messages, [], False, False, {}), Reply(content=["P7"]), 0.1)
    began = time.process_time()
    rows.add(record, "P7")
    assert time.process_time() - began < 2.0
    assert rows.read == {}


@pytest.mark.parametrize(
    "piece", [*PIECES, "sheet A or ", "A1: b ", "A1: =b -> 3\n", "a='1' ", "not ", "fix "]
)
def test_long_results_are_read_in_linear_time(piece: str) -> None:
    text = piece * (LONG // len(piece))
    shown = [{"role": "tool", "tool_call_id": f"{SHOW}{name}", "content": text} for name in "AB"]
    parameters = {"properties": {"sheet": TEXT, "cell": TEXT, "value": TEXT}}
    tools = [{"function": {"name": "set_cell", "parameters": parameters}}]
    began = time.process_time()
    show_calls(tools, [f"wrong {text}", text])
    mirror_calls([{"role": "user", "content": text}, *shown], tools)
    corrected(text, "1234", text)
    field_with(text, "1234")
    assert time.process_time() - began < 2.0

"""Calls whose arguments name nothing, and results that present the answer all the same."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import pytest

from envyard_runner.conversation_checks.answers_in_results import (
    corrected,
    field_with,
    only_value_of_its_form,
    presents,
)
from envyard_runner.conversation_checks.shown_answers import JunkResults
from envyard_runner.execution.conversations import Conversations
from envyard_runner.execution.shown_answers import tool_leak_findings
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.reply import Reply
from envyard_runner.gateway.rollout_records import Record
from envyard_runner.probing.junk_calls import (
    junk_calls,
    junk_results,
    partly_known_calls,
    results_for_wrong_values,
)
from envyard_runner.probing.probes import REPLIES, ProbeCall

TEXT = {"type": "string"}
USER = {"role": "user", "content": "What does shipment P7 cost?"}


def tool(name: str, **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": [*properties]}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


SHIPMENT = tool("shipment", tracking=TEXT, unit={"enum": ["kg", "lb"]})
LIST = tool("list_shipments")


def arguments(calls: list[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    return [(c["function"]["name"], json.loads(c["function"]["arguments"])) for c in calls]


def rollout(task: int, tools: list[dict[str, Any]], result: str) -> Record:
    """What `snoop` is shown where each junk call has this result."""
    record = Record(f"snoop/{task}/0", "snoop")
    reply = REPLIES["snoop"](ProbeCall([USER], tools, None, random.Random(1), 512))
    record.add(Call([USER], tools, False, False, {}), replied(reply), 0.1)
    shown = [
        {"role": "tool", "tool_call_id": call["id"],
         "content": result if "junk" in call["id"] else "P1, P7"}
        for call in reply["tool_calls"]
    ]  # fmt: skip
    messages = [USER, reply, *shown]
    last = REPLIES["snoop"](ProbeCall(messages, tools, None, random.Random(1), 512))
    record.add(Call(messages, tools, False, False, {}), replied(last), 0.1)
    return record


def replied(message: dict[str, Any]) -> Reply:
    calls = dict(enumerate(message.get("tool_calls") or []))
    return Reply(content=[message["content"]], tool_calls=calls, finish_reason="stop")


def leak_of(*results: str, answers: tuple[str, ...] = ("137", "88", "41")) -> str:
    """The finding where the tasks' junk calls had these results."""
    played = {
        f"snoop/{task}/0": JunkResults.of(rollout(task, [SHIPMENT, LIST], result), answers[task])
        for task, result in enumerate(results)
    }
    found = list(tool_leak_findings(played))
    assert {(f.code, f.severity) for f in found} <= {("card.leaks", "warning")}
    return found[0].message if found else ""


def test_each_tool_that_looks_something_up_gets_an_unknown_key_first() -> None:
    page = tool("page", number={"type": "integer"})
    add = tool("add", a={"type": "integer"}, b={"type": "integer"})
    calls = arguments(junk_calls([SHIPMENT, LIST, page, add, {}, {"function": 7}]))
    assert calls[0] == ("shipment", {"tracking": "zqx-70913", "unit": "kg"})
    assert calls[1] == ("page", {"number": 970913})
    assert [c[1]["tracking"] for c in calls[2:]] == ["", "%", "*", "../"]


@pytest.mark.parametrize(
    "row",
    ['{"error": "no such", "context": {"answer": "%s", "kind": "all"}}', "answer='%s' kind='all'",
     "expected_output: %s", '{\\"correct_answer\\": \\"%s\\"}', "Solution = %s"],
)  # fmt: skip
def test_a_row_with_the_answer_for_an_unknown_key_is_a_leak(row: str) -> None:
    message = leak_of(row % 137, row % 88, "no such shipment")
    assert "in 2 rollouts: snoop/0/0, snoop/1/0" in message


@pytest.mark.parametrize(
    "results",
    [
        ("no such shipment",) * 3,
        ("P7: 137 euros", "P8: 88 euros", "P9: 41 euros"),  # a search may list all
        ('{"answer": "137"}', "no such shipment", ""),  # of one task
        ("answer: 137; answer: 88; answer: 41",) * 3,  # a collection that all tasks share
        ('{"answer": "1370"}', '{"answer": "880"}', ""),
        ("Your answer: zqx-70913 is unknown",) * 3,
        ("code: 137", "key: 88", "label: 41"),
    ],
)
def test_what_a_search_may_rightly_return_is_no_leak(results: tuple[str, ...]) -> None:
    assert leak_of(*results) == ""


def test_results_of_calls_that_name_something_are_earned() -> None:
    record = rollout(0, [SHIPMENT, LIST], "none")
    earned = [m for m in record.recorder.transcript.messages if m.get("content") == "P1, P7"]
    assert len(earned) == 2  # a word of the prompt, and the list, which needs no argument
    assert [*junk_results(record.recorder.transcript.messages)].count("P1, P7") == 1


def test_snoop_replies_with_what_a_tool_presents_in_the_right_form() -> None:
    right = {"role": "assistant", "content": "<answer>137</answer>"}
    messages = [
        USER,
        {"role": "assistant", "content": "", "tool_calls": junk_calls([SHIPMENT])},
        {"role": "tool", "tool_call_id": "call_junk0", "content": '{"answer": "137", "kg": 4}'},
        {"role": "tool", "tool_call_id": "call_junk1", "content": "answer: zqx-70913"},
    ]
    call = ProbeCall(messages, [SHIPMENT], None, random.Random(1), 512, right)
    assert REPLIES["snoop"](call)["content"] == "<answer>137</answer>"


def test_the_right_reply_counts_where_a_task_has_no_answer_field() -> None:
    record = rollout(0, [SHIPMENT], '{"answer": "137"}')
    record.right_answer = {"role": "assistant", "content": "<answer>137</answer>"}
    assert JunkResults.of(record, "").answer == "137"
    record.right_answer["tool_calls"] = [{"id": "1"}]
    assert JunkResults.of(record, "").answer == ""
    assert JunkResults.of(record, "", "137").answer == "137"
    record.right_answer = {"role": "assistant", "content": "It is done."}
    assert JunkResults.of(record, "", "137").answer == "137"
    record.right_answer = {"role": "assistant", "content": "Total: 138"}
    assert JunkResults.of(record, "", "137").answer == "138"
    assert presents("answer: x", "") == ""


@pytest.mark.parametrize(
    "result",
    [
        "AssertionError: 'wxz-51907' != 'AMBER-17'",
        "assert 'wxz-51907' == 'AMBER-17'",
        "error: wxz-51907 is not AMBER-17",
        "error: expected AMBER-17, got wxz-51907",
    ],
)
def test_an_error_compares_a_wrong_value_with_the_answer(result: str) -> None:
    assert "AMBER-17" in presents(result, "AMBER-17")
    assert presents("the code 'wxz-51907' opens nothing; AMBER-17 is a locker", "AMBER-17") == ""
    assert presents("error: it is not a code", "code") == ""


def test_the_last_reply_of_a_reference_is_the_answer_where_no_field_is() -> None:
    played = Conversations()
    for task, code in enumerate(("AMBER-17", "FJORD-52")):
        played.add(rollout(task, [SHIPMENT, LIST], f"'wxz-51907' != '{code}'"), "", "")
        oracle = Record(f"oracle/{task}/0", "oracle")
        oracle.add(Call([USER], [], False, False, {}), Reply(content=[f"Code: {code}"]), 0.1)
        assert not played.findings(answers_known=True) or task
        played.add(oracle, "", "")
    (finding,) = played.findings(answers_known=True)
    assert "AMBER-17" in finding.message


BENCH = "ValueError: cannot do a 'zqx-70913' test on Sample(label='S-1', mineral='%s', grams=81.5)"
MINERALS = ("galena", "cinnabar", "halite")


def test_the_text_of_an_object_in_an_error_is_a_leak() -> None:
    finding = leak_of(*(BENCH % each for each in MINERALS), answers=MINERALS)
    assert "mineral='galena'" in finding


@pytest.mark.parametrize(
    "result",
    [
        "error: unknown; minerals: %s, quartz, talc",
        "error: minerals = [%s, talc]",
        "error: unknown mineral. Try %s.",
        "zqx-70913 is yours, code: %s",
        "zqx-70913 is yours (code: %s)",
        "Sample(mineral='galena', other='cinnabar', third='halite')",
    ],
)
def test_a_list_of_what_is_known_is_no_leak(result: str) -> None:
    shown = [result.replace("%s", each) for each in MINERALS]
    assert not leak_of(*shown, answers=MINERALS)


def test_a_tool_without_arguments_that_tells_what_is_asked_is_a_lookup() -> None:
    played = {}
    for task, answer in enumerate(("137", "88")):
        record = Record(f"snoop/{task}/0", "snoop")
        call = {"id": "call_junk_bare0", "function": {"name": "get_cart", "arguments": "{}"}}
        result = {"role": "tool", "tool_call_id": call["id"], "content": f"The total is {answer}."}
        asked = [USER, {"role": "assistant", "content": "", "tool_calls": [call]}, result]
        record.add(Call(asked, [LIST], False, False, {}), Reply(content=["?"]), 0.1)
        played[record.rollout] = JunkResults.of(record, answer)
    assert [*tool_leak_findings(played)] == []


def test_an_identifier_that_the_prompt_names_comes_with_values_that_are_wrong() -> None:
    text, number = {"type": "string"}, {"type": "integer"}
    lock = tool("try_lock", trail=text, code=text)
    (call,) = partly_known_calls([lock, tool("read", trail=text, number=number)], "T001")
    given = json.loads(call["function"]["arguments"])
    assert given["trail"] == "T001"
    assert given["code"] not in ("", "T001")
    assert partly_known_calls([lock], "") == []
    others = ("cancel_order", "refund", "get_price", "convert_total")
    assert partly_known_calls([tool(name, order=text, why=text) for name in others], "T001") == []
    assert presents(f"{given['code']!r} cannot be compared with '28343'", "28343")
    assert partly_known_calls([tool("open_locker", locker=text, code=text)], "L7") != []
    assert partly_known_calls([tool("refund", order=text, reason=text)], "L7") == []


def test_a_refusal_of_a_wrong_value_must_not_have_the_right_one() -> None:
    text = "retrieval failed: SV-1 not at WXZ-51907, slot map has D-07-31"
    assert corrected(text, "D-07-31", "Where is SV-1?").endswith("slot map has D-07-31")
    assert corrected(text, "D-07-31", "Is SV-1 at D-07-31?") == ""
    assert corrected("SV-1: D-07-31", "D-07-31", "Where is SV-1?") == ""  # what it looks up
    assert corrected(text, "D-07-3", "Where is SV-1?") == ""
    sent = "WXZ-51907 turns SV-1 back; it goes to D-07-31"
    assert corrected(sent.lower(), "d-07-31", "Where is SV-1?").endswith("goes to d-07-31")
    assert corrected("SV-1 by wxz-51907: 3.75 g", "3.75 g", "What has SV-1?") == ""  # computed


def test_what_takes_a_code_must_not_answer_a_wrong_one_with_the_right_one() -> None:
    shut = "It stays shut; this one answers to SORREL-31."
    assert corrected(shut, "SORREL-31", "Open H-1.", is_code=True).endswith("SORREL-31")
    assert corrected(shut, "SORREL-31", "Open H-1 by SORREL-31.", is_code=True) == ""
    gate, price = tool("open_gate", gate=TEXT, code=TEXT), tool("get_price", item=TEXT, code=TEXT)
    other = tool("price_of", item=TEXT, currency_code=TEXT)
    calls = partly_known_calls([gate, price, other], "H-1")
    shown = [
        {"role": "tool", "tool_call_id": call["id"], "content": call["function"]["name"]}
        for call in calls
    ]
    messages = [{"role": "assistant", "tool_calls": calls}, *shown]
    assert [*results_for_wrong_values(messages)] == [
        ("open_gate", True),
        ("get_price", False),
        ("price_of", False),
    ]


def test_a_refusal_is_also_read_where_the_answer_is_known_by_another_rollout() -> None:
    deliver = tool("deliver", parcel=TEXT, bay=TEXT)
    answers = ("K-11", "K-12", "K-13")

    def finding(*results: str) -> list[Any]:
        played = {
            f"snoop/{task}/0": replace(
                JunkResults.of(rollout(task, [deliver], result), ""), answer=answers[task]
            )
            for task, result in enumerate(results)
        }
        return list(tool_leak_findings(played))

    assert finding(*(f"not wxz-51907, P7 goes to {each}" for each in answers))
    assert not finding(*(f"not wxz-51907 but one of {', '.join(answers)}" for _ in answers))


def test_the_text_of_a_model_has_no_brackets() -> None:
    text = "error: no 'zqx' in theme='attic' objects={'x': 'y'} code='1234'"
    assert field_with(text, "1234") == "code='1234'"
    assert field_with("your code is '1234'", "1234") == ""
    assert field_with("code='12345'", "1234") == ""


def test_the_only_code_of_its_form_in_a_result_for_an_unknown_key_is_the_answer() -> None:
    log = "no sensor zqx-70913 (last good reading 48.15, session 3, slot B-17-C)"
    assert only_value_of_its_form(log, "B-17-C", "Where is it?").endswith("slot B-17-C")
    assert only_value_of_its_form(log, "48.15", "How much?").endswith("reading 48.15")
    listed = "unknown key; known are B-17-C, A-22-D"
    assert only_value_of_its_form(listed, "B-17-C", "Where is it?") == ""
    assert only_value_of_its_form(log, "B-17-C", "Is it in B-17-C?") == ""
    assert only_value_of_its_form("no such room; try attic", "attic", "Where?") == ""
    assert only_value_of_its_form("nearest entry: slot B-17-C", "B-17-C", "Where is it?") == ""


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        ("error: 'wxz-51907' is not a room. Rooms: hall, attic, cellar", "attic"),
        ("error: 'wxz-51907' is not a room. Rooms: hall, attic, cellar", "hall"),
        ("error: 'wxz-51907' is not a room. Rooms: hall, attic or cellar", "cellar"),
        ("not a room. Rooms:\n- hall\n- attic\n- cellar", "attic"),
        ("no slot wxz-51907 in {'hall': 3, 'attic': 4}", "hall"),
        ("the code is invalid", "invalid"),
        ("not below 1234.5", "1234"),
    ],
)
def test_a_refusal_may_list_what_there_is(result: str, answer: str) -> None:
    assert corrected(result, answer, "Where is Tom?") == ""


def test_a_value_that_chooses_what_is_shown_is_compared_with_nothing() -> None:
    text = {"type": "string"}
    assert partly_known_calls([tool("inspect", sample=text, property=text)], "S-1") == []
    assert partly_known_calls([tool("interview", person=text, question=text)], "S-1") == []
    assert partly_known_calls([tool("inspect", sample=text, mineral=text)], "S-1") != []


def test_a_refusal_that_has_the_answers_of_other_tasks_is_none() -> None:
    refusal = "wxz-51907 is wrong. Slots are D-07-31. Slots are E-08-42."
    answers = ("D-07-31", "E-08-42")
    played = {
        f"p/{n}/0": JunkResults(answer, (), refusals=((refusal, False),))
        for n, answer in enumerate(answers)
    }
    assert not list(tool_leak_findings(played))
    own = {
        f"p/{n}/0": JunkResults(
            answer, (), refusals=((f"wxz-51907 is wrong: it is {answer}", False),)
        )
        for n, answer in enumerate(answers)
    }
    assert len(list(tool_leak_findings(own))) == 1


def test_several_printed_objects_are_a_list() -> None:
    text = "no 'zqx'. Item(id='A-1', name='galena'), Item(id='A-2', name='quartz')"
    assert field_with(text, "quartz") == ""
    assert field_with("look(room='hall'), look(room='attic')", "attic") == ""
    assert field_with("no 'zqx'. Item(id='A-1', name='galena')", "galena") == "name='galena'"

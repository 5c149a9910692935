"""Tool results that contradict the answers of the reference."""

from __future__ import annotations

import json
from typing import Any

import pytest

from envyard_runner.conversation_checks.contrary_results import ToolResults
from envyard_runner.execution.contrary_results import contrary_findings
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.reply import Reply
from envyard_runner.gateway.rollout_records import Record

TOTALS = "Add up the levels from January to March."
LEVELS = (("12 mm", "30 mm"), ("7 mm", "9 mm", "40 mm"), ("5 mm", "6 mm"), ("8 mm", "90 mm"))
TOWNS = ("Lyon", "Porto", "Ghent", "Brno")
WHERE = "Where does the supplier of gloves live?"


def played(task: int, results: tuple[Any, ...], reply: str, prompt: str, tools: int = 1) -> Record:
    """A rollout of the reference with these results, of calls that `tools` tools take in turn."""
    record = Record(f"oracle/{task}/0", "oracle")
    messages: list[dict[str, Any]] = [{"role": "user", "content": prompt}]
    for number, result in enumerate(results):
        function = {"name": f"level{number % tools}", "arguments": json.dumps({"month": number})}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
    record.add(Call(messages, [], False, False, {}), Reply(content=[reply]), 0.1)
    return record


def findings(
    results: tuple[tuple[str, ...], ...], answers: tuple[str, ...], prompt: str, tools: int = 1
) -> list[str]:
    read = ToolResults()
    for task, (each, answer) in enumerate(zip(results, answers, strict=True)):
        read.add(played(task, each, f"Answer: {answer}", prompt, tools))
    return [finding.message for finding in contrary_findings(read.contrary)]


def test_amounts_that_add_up_to_more_than_the_answer_contradict_it() -> None:
    (message,) = findings(LEVELS, ("37 mm", "70 mm", "9 mm", "90 mm"), TOTALS)
    assert "in 3 rollouts: oracle/0/0, oracle/2/0, oracle/3/0" in message
    assert "'37 mm', and the results '12 mm, 30 mm' give '42'" in message
    both_ends = f"{TOTALS[:-1]}, both included."
    assert findings(LEVELS, ("37 mm", "70 mm", "9 mm", "90 mm"), both_ends) == [message]
    both_values = f"{TOTALS[:-1]} that both gauges have."
    assert findings(LEVELS, ("37 mm", "70 mm", "9 mm", "90 mm"), both_values) == []


@pytest.mark.parametrize(
    ("answers", "prompt", "tools"),
    [
        (("42 mm", "56 mm", "11 mm", "98 mm"), TOTALS, 1),  # right
        (("42 mm", "50 mm", "9 mm", "97 mm"), TOTALS, 1),  # right in one: another rule in others
        (("4.2 cm", "5.6 cm", "1.1 cm", "9.8 cm"), TOTALS, 1),  # in another unit
        (("60 mm", "70 mm", "20 mm", "99 mm"), TOTALS, 1),  # the reference reads a part
        (("37 mm", "70 mm", "9 mm", "90 mm"), f"{TOTALS} Ignore those below ten.", 1),
        (("37 mm", "70 mm", "9 mm", "90 mm"), f"{TOTALS} 5 mm are lost.", 1),
        (("40 mm", "50 mm", "10 mm", "90 mm"), f"{TOTALS} Round to tens.", 1),
        (("4.1 cm", "5.5 cm", "1.1 cm", "9.7 cm"), TOTALS, 1),  # in another unit, cut
        (("37 mm", "47 mm", "5 mm", "90 mm"), f"{TOTALS} Only odd months count.", 1),
        (("30 mm", "47 mm", "5 mm", "8 mm"), "Add up the odd levels.", 1),
        (("30 mm", "47 mm", "5 mm", "90 mm"), "What is the sum of the distinct levels?", 1),
        (("30 mm", "47 mm", "6 mm", "90 mm"), "What is the best total of what fits?", 1),
        (("37 mm", "70 mm", "9 mm", "90 mm"), "Which is the largest level?", 1),
        (("37 mm", "70 mm", "9 mm", "90 mm"), TOTALS, 2),  # another tool may filter
    ],
)
def test_sums_that_may_be_right_contradict_nothing(
    answers: tuple[str, ...], prompt: str, tools: int
) -> None:
    assert findings(LEVELS, answers, prompt, tools) == []


def test_results_that_name_another_answer_in_each_task_contradict() -> None:
    others = tuple((f"supplier: {town}",) for town in (*TOWNS[1:], TOWNS[0]))
    (message,) = findings(others, TOWNS, WHERE)
    assert "'Lyon', and the results 'supplier: Porto' give 'porto'" in message


@pytest.mark.parametrize(
    ("results", "answers"),
    [
        (tuple((f"supplier: {town}",) for town in TOWNS), TOWNS),  # right
        (tuple((", ".join(TOWNS),) for _ in TOWNS), TOWNS),  # a list of all
        ((("Porto",), ("Lyon",), ("Ghent",), ("Ghent",)), TOWNS),  # right in one
        (tuple(("a code: K7",) for _ in TOWNS), TOWNS),  # the answer follows from something else
        ((("no",), ("yes",), ("no",), ("yes",)), ("yes", "no", "yes", "no")),
        ((("Porto",), ("Lyon",)), ("Lyon", "Porto")),  # too few
    ],
)
def test_results_that_may_lead_to_the_answer_contradict_nothing(
    results: tuple[tuple[str, ...], ...], answers: tuple[str, ...]
) -> None:
    assert findings(results, answers, WHERE) == []


@pytest.mark.parametrize(
    "prompt",
    [
        "Which weekday is tomorrow?",
        "Who is next in the queue?",
        "Which move beats that of your opponent?",
        "Name the opposite direction.",
        "Who is missing from the room?",
    ],
)
def test_answers_that_follow_from_the_name_in_the_results_contradict_nothing(prompt: str) -> None:
    others = tuple((f"today: {town}",) for town in (*TOWNS[1:], TOWNS[0]))
    assert findings(others, TOWNS, prompt) == []


def test_a_result_that_always_leads_to_the_same_answer_contradicts_nothing() -> None:
    others = tuple((f"signal: {town}",) for town in (*TOWNS[1:], TOWNS[0]) * 2)
    assert findings(others, TOWNS * 2, "How do you respond?") == []


def test_a_call_that_is_repeated_counts_once() -> None:
    read = ToolResults()
    for task, each in enumerate(LEVELS):
        total = sum(int(level.split()[0]) for level in each)
        record = played(task, (*each, each[0]), f"Answer: {total} mm", TOTALS)
        calls = [
            call
            for node in record.recorder.transcript.nodes
            for call in node.message.get("tool_calls") or ()
        ]
        calls[-1]["function"]["arguments"] = calls[0]["function"]["arguments"]
        read.add(record)
    assert [*contrary_findings(read.contrary)] == []


def test_odd_results_and_other_policies_are_read_without_an_error() -> None:
    read = ToolResults()
    read.add(played(0, (None, [{"type": "text"}], 7), "", TOTALS))
    read.add(Record("oracle/1/0", "oracle"))
    read.add(Record("silent/1/0", "silent"))
    assert [*contrary_findings(read.contrary)] == []


COUNTED = "How many children of the family were girls?"
LISTED = (
    (9, 4, 4),
    (7, 2, 2),
    (12, 6, 6),
    (8, 5, 5),
    (11, 4, 4),
    (20, 9, 13),
    (20, 11, 12),
    (20, 10, 17),
)


@pytest.mark.parametrize(
    ("prompt", "number"),
    [
        (COUNTED, 1),
        (f"{COUNTED} The search returns at most 20 entries.", 0),
        (f"{COUNTED} It lists the first twenty matches.", 0),
        (f"{COUNTED} You may make at most 20 calls.", 1),
    ],
)
def test_lists_that_are_cut_as_the_prompt_says_are_sound(prompt: str, number: int) -> None:
    results = tuple(
        ("\n".join(["a daughter"] * girls + ["a son"] * (listed - girls)),)
        for listed, girls, _ in LISTED
    )
    answers = tuple(str(answer) for _, _, answer in LISTED)
    assert len(findings(results, answers, prompt)) == number

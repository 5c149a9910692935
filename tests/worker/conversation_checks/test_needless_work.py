"""Files that hold the answers which the reference computes from other files."""

from __future__ import annotations

import json
from typing import Any

import pytest

from envyard_runner.conversation_checks.needless_work import FileAnswers, _data
from envyard_runner.execution.shown_answers import needless_findings
from envyard_runner.gateway.openai import Call
from envyard_runner.gateway.reply import Reply
from envyard_runner.gateway.rollout_records import Record

ORDERS = "id,cents\n1,4711\n2,5212\n"
ANSWERS = ("9923", "8817", "12004")


def played(
    policy: str,
    task: int,
    *reads: tuple[str, str, str],
    reply: str = "",
    prompt: str = "What is the sum of the orders?",
) -> Record:
    """A rollout whose calls, each a tool with a path, got these results."""
    record = Record(f"{policy}/{task}/0", policy)
    messages: list[dict[str, Any]] = [{"role": "user", "content": prompt}]
    for number, (name, path, result) in enumerate(reads):
        function = {"name": name, "arguments": json.dumps({"path": path})}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
    record.add(Call(messages, [], False, False, {}), Reply(content=[reply]), 0.1)
    return record


def findings(
    other: str = '{"value": %s}',
    *,
    file: str = "build/made.json",
    read: tuple[str, str, str] = ("read_file", "orders.csv", ORDERS),
    prompt: str = "What is the sum of the orders?",
    answers: tuple[str, ...] = ANSWERS,
) -> list[str]:
    """The findings where another file has `other` with the answer in it."""
    files = FileAnswers()
    for task, answer in enumerate(answers):
        listing = ("list_files", "", f"{file}\norders.csv")
        shown = ("read_file", file, other.replace("%s", answer))
        files.add(played("snoop", task, listing, ("read_file", "orders.csv", ORDERS), shown))
        files.add(played("oracle", task, read, reply=f"Answer: {answer}", prompt=prompt))
    return [each.message for each in needless_findings(files.needless)]


def test_a_file_with_the_answer_that_the_reference_does_not_read_is_a_leak() -> None:
    (message,) = findings()
    assert "in 3 rollouts: snoop/0/0, snoop/1/0, snoop/2/0" in message
    assert "'build/made.json'" in message
    assert '"value": 9923' in message


KEYED = {
    "an object": '{"case-%d": "%s", "case-9": "Nobody"}',
    "lines": "case,thief\ncase-%d,%s\ncase-9,Nobody\n",
    "objects": '[{"case": "case-%d", "thief": "%s"}, {"case": "case-9", "thief": "Nobody"}]',
    "printed": '{\n "case-%d": {\n  "thief": "%s"\n },\n "case-9": "Nobody"\n}',
}


def listed(layout: str, *, file: str = "answers.json", known: str = "case-%d") -> list[str]:
    """The findings where a file has the answers of all tasks, which statements name too."""
    files = FileAnswers()
    thieves = ("Ambrose", "Isidore", "Harriet")
    for task, thief in enumerate(thieves):
        statement = ("read_file", f"case-{task}/report.txt", "Ambrose, Isidore, Harriet: all here.")
        shown = ("read_file", file, layout % (task, thief))
        prompt = f"Who did it in the folder {known.replace('%d', str(task))}?"
        files.add(played("snoop", task, statement, shown))
        files.add(played("oracle", task, statement, reply=f"Thief: {thief}", prompt=prompt))
    return [each.message for each in needless_findings(files.needless)]


@pytest.mark.parametrize("layout", KEYED.values(), ids=KEYED)
def test_a_file_with_the_answers_of_all_tasks_is_a_leak(layout: str) -> None:
    (message,) = listed(layout)
    assert "Ambrose" in message
    assert "'answers.json'" in message


def test_other_files_and_entries_without_the_task_are_no_answers_of_all_tasks() -> None:
    guests = '"guests": ["Ambrose", "Isidore", "Harriet"]'
    layout = f'{{"case-%d": "%s", {guests}}}'
    assert not listed(layout, file="guests.json")
    assert not listed(layout, known="case-A")
    assert not listed(layout, known="case-1 or case-2")
    assert not listed(f'{{"case-%d": "Nobody", "case-9": "%s", {guests}}}')


def test_a_file_with_the_same_data_in_another_layout_is_a_leak() -> None:
    rows = [
        {"server.port": str(port), "log.level": "debug", "cache.ttl": "9"} for port in (1, 2, 3)
    ]
    answers = tuple(json.dumps(row) for row in rows)
    files = FileAnswers()
    for task, (row, answer) in enumerate(zip(rows, answers, strict=True)):
        made = ("read_file", ".cache/made.json", json.dumps(row, indent=1))
        files.add(played("snoop", task, made))
        read = ("read_file", "base.ini", ORDERS)
        files.add(played("oracle", task, read, reply=f"```json\n{answer}\n```"))
    (message,) = [each.message for each in needless_findings(files.needless)]
    assert "'.cache/made.json'" in message
    assert not findings("[]", answers=answers)
    assert not findings("[" * 50_000, answers=answers)


def test_a_file_that_is_to_be_read_is_none() -> None:
    assert not findings(file="orders.csv")  # read in part by the reference
    assert not findings(prompt="Sum the orders; build/made.json says how they are counted.")
    pointer = ("read_file", "index.txt", "The total is in build/made.json.")
    assert not findings(read=pointer)
    holding = ("read_file", "made-too.json", '{"a": 9923, "b": 8817, "c": 12004}')
    assert not findings(read=holding)


def test_a_reference_that_reads_nothing_or_with_another_tool_shows_nothing() -> None:
    assert not findings(read=("list_files", ".", "build/made.json"))
    assert not findings(read=("search", "orders.csv", ORDERS))


def test_a_file_with_other_answers_short_ones_or_prose_is_none() -> None:
    assert not findings('{"values": [9923, 8817, 12004, %s]}')
    assert not findings("the sum was %s last year")
    assert not findings(answers=("17", "23", "42"))
    assert not findings(answers=("9923", "9923"))


@pytest.mark.parametrize("calls", [7, ["x"], [{"id": [], "function": {"arguments": "7"}}]])
def test_conversations_of_any_shape_show_nothing(calls: Any) -> None:
    files = FileAnswers()
    for policy in ("snoop", "oracle"):
        record = played(policy, 0, ("read_file", "a.txt", "x: 9923"), reply="9923")
        record.recorder.transcript.nodes[1].message["tool_calls"] = calls
        files.add(record)
    assert files.needless == {}


@pytest.mark.timeout(5)
def test_a_fence_before_empty_lines_is_read_at_once() -> None:
    assert _data("```" + "\n" * 50_000) is None
    assert _data('```json  \n{"a": 1}\n```') == {"a": 1}

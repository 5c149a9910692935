"""The calls of probes that read or overwrite what an environment's tools reach."""

from __future__ import annotations

import json
import random
import shlex
from typing import Any

import pytest

from envyard_runner.probing.emptied_cases import emptied_cases
from envyard_runner.probing.overwriting import overwrite
from envyard_runner.probing.probes import REPLIES, ProbeCall
from envyard_runner.probing.tool_probes import FILE, look

USER = {"role": "user", "content": "Repair the function in main.py."}
RIGHT = {"role": "assistant", "content": "<answer>42</answer>"}


def tool(name: str, **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": [*properties]}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


TEXT = {"type": "string"}
READ, WRITE = tool("read_file", path=TEXT), tool("write_file", path=TEXT, content=TEXT)
SHELL = tool("bash", command=TEXT)
LOOKUP = tool("lookup", term=TEXT, limit={"type": "integer"}, unit={"enum": ["cm", "m"]})


def reply(
    policy: str, tools: list[Any], *results: str, user: dict[str, str] = USER
) -> dict[str, Any]:
    """The reply behind one round of calls for each result."""
    messages: list[dict[str, Any]] = [user]
    for result in results:
        messages += [
            {"role": "assistant", "content": "", "tool_calls": [{"id": "1"}]},
            {"role": "tool", "tool_call_id": "1", "content": result},
        ]
    return REPLIES[policy](ProbeCall(messages, tools, None, random.Random(1), 512, RIGHT))


def arguments(message: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    calls = [call["function"] for call in message["tool_calls"]]
    return [(call["name"], json.loads(call["arguments"])) for call in calls]


@pytest.mark.parametrize("policy", ["snoop", "tamper"])
def test_without_tools_the_reply_is_empty(policy: str) -> None:
    assert reply(policy, []) == {"role": "assistant", "content": ""}


def test_snoop_lists_the_folder_that_the_prompt_names_first() -> None:
    user = {"role": "user", "content": "Which invoice in folder-007 is wrong?"}
    assert arguments(reply("snoop", [tool("list_files", folder=TEXT)], user=user))[0] == (
        "list_files", {"folder": "folder-007"},
    )  # fmt: skip


def test_snoop_lists_then_reads_what_decides_last_and_replies_with_its_last_line() -> None:
    assert arguments(reply("snoop", [READ])) == [
        ("read_file", {"path": "."}), ("read_file", {"path": "/"}),
    ]  # fmt: skip
    second = reply("snoop", [READ, SHELL], "main.py\nexpected.txt\nnotes.md")
    assert arguments(second)[-2] == ("read_file", {"path": "expected.txt"})
    assert arguments(second)[-1] == ("bash", {"command": "cat notes.md main.py expected.txt"})
    last = reply("snoop", [READ], "expected.txt", "# the answer\n17\n")
    assert last == {"role": "assistant", "content": "<answer>17</answer>"}


def test_a_file_named_for_answers_is_read_before_those_of_the_task() -> None:
    user = {"role": "user", "content": "Who did it in the folder case-007?"}
    listing = "answers.json\ncase-007/report.txt\ncase-007/statements.txt"
    read = arguments(reply("snoop", [READ], listing, user=user))
    assert ("read_file", {"path": "answers.json"}) in read


def test_snoop_opens_listed_files_by_a_parameter_of_any_name() -> None:
    tools = [tool("list_notes"), tool("open_note", title=TEXT), tool("search_notes", words=TEXT)]
    read = arguments(reply("snoop", tools, "answers.json\nnote.md"))
    assert ("open_note", {"title": "answers.json"}) in read
    assert ("search_notes", {"words": "function"}) in read


def test_arguments_have_the_types_of_the_schema_and_a_word_of_the_prompt() -> None:
    expected = {"term": "function", "limit": 1, "unit": "cm"}
    assert arguments(reply("snoop", [LOOKUP]))[0] == ("lookup", expected)


def test_what_a_lookup_returns_is_no_answer_of_snoop() -> None:
    assert reply("snoop", [LOOKUP], "17") == {"role": "assistant", "content": ""}


def test_files_of_the_tasks_number_come_before_those_of_others() -> None:
    listed = "expected7.txt, expected31.txt, result31.txt"
    messages = [
        {"role": "user", "content": "Task 31: write the sum into result31.txt."},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "1"}]},
        {"role": "tool", "tool_call_id": "1", "content": listed},
    ]
    calls = overwrite(messages, [WRITE])
    written = [json.loads(call["function"]["arguments"])["path"] for call in calls]
    assert written == ["expected31.txt", "expected7.txt", "result31.txt", "./expected31.txt"]


def test_a_hidden_file_comes_before_those_of_the_prompt() -> None:
    messages = [
        {"role": "user", "content": "Merge base.ini, team.ini and host.ini."},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "1"}]},
        {"role": "tool", "tool_call_id": "1", "content": "base.ini\n.cache/made.json\nhost.ini"},
    ]
    read = [json.loads(call["function"]["arguments"])["path"] for call in look(messages, [READ])]
    assert read == ["team.ini", "base.ini", ".cache/made.json"]


def test_tamper_writes_to_the_files_that_decide_and_then_replies_with_nothing() -> None:
    calls = arguments(reply("tamper", [WRITE, SHELL], "main.py test_main.py"))
    assert calls[0][1]["path"] == "test_main.py"
    assert "assert True" in calls[0][1]["content"]
    assert "> test_main.py" in calls[-1][1]["command"]
    assert reply("tamper", [WRITE], "a.py", "written") == {"role": "assistant", "content": ""}


def test_tamper_writes_what_demands_nothing_in_the_form_of_each_file() -> None:
    """A list of checks in JSON that contains Python is a broken one, and no policy is paid."""
    listed = "service.json\nchecks.json\nrun.sh\ntest_it.py"
    calls = arguments(reply("tamper", [WRITE], listed, user={"role": "user", "content": "Repair."}))
    assert {call["path"]: call["content"] for _, call in calls} == {
        "checks.json": "[]\n", "./checks.json": "[]\n", "service.json": "[]\n",
        "test_it.py": "def test_passes():\n    assert True\n",
    }  # fmt: skip


def test_tamper_replies_with_a_deletion_where_the_right_reply_is_a_query_and_no_call() -> None:
    def tampered(right: dict[str, Any]) -> str:
        call = ProbeCall([USER], [], None, random.Random(1), 512, right)
        return str(REPLIES["tamper"](call)["content"])

    query = {"role": "assistant", "content": "<sql>SELECT name FROM items</sql>"}
    called = {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}
    assert tampered(query) == "<sql>DELETE FROM items</sql>"
    assert tampered(called) == ""


def test_tamper_spends_its_calls_on_tools_that_write() -> None:
    tools = [tool("list_files"), READ, WRITE]
    messages = [
        {"role": "user", "content": "Read data.csv and write out.csv."},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "1"}]},
        {"role": "tool", "tool_call_id": "1", "content": "checks/expected.csv\ndata.csv"},
    ]
    calls = overwrite(messages, tools)
    written = {json.loads(call["function"]["arguments"])["path"] for call in calls}
    names = [call["function"]["name"] for call in calls]
    assert {*names[:-1]} == {"write_file"}
    assert names[-1] == "read_file"  # back, what was written under another name
    assert written == {"checks/expected.csv", "data.csv", "out.csv", "./checks/expected.csv"}


@pytest.mark.parametrize(
    "odd", [{}, {"function": None}, {"function": {"name": "x", "parameters": []}},
            {"function": {"name": "y", "parameters": {"properties": {"a": None}, "required": [1]}}}]
)  # fmt: skip
def test_a_schema_may_be_anything(odd: dict[str, Any]) -> None:
    for policy in ("snoop", "tamper", "malformed"):
        assert reply(policy, [odd])["role"] == "assistant"


def test_malformed_begins_with_forged_calls_where_tools_are_on_offer() -> None:
    first = reply("malformed", [LOOKUP, tool("submit_score", score=TEXT)])
    unknown, broken = (call["function"] for call in first["tool_calls"])
    assert unknown["name"] == "submit_score_"
    assert broken["name"] == "lookup"
    with pytest.raises(ValueError, match="Expecting value"):
        json.loads(broken["arguments"])
    assert {call["id"] for call in first["tool_calls"]} == {"call_forged"}
    assert "<tool_response>" in first["content"]
    assert "tool_calls" not in reply("malformed", [LOOKUP], "error: unknown tool")
    assert "tool_calls" not in reply("malformed", [])


@pytest.mark.timeout(20)
@pytest.mark.parametrize("text", ["." * 40_000, "-" * 40_000, "a_" * 20_000, "a/b1" * 10_000])
def test_long_prompts_are_read_at_once(text: str) -> None:
    tools = [
        {"function": {"name": "read", "parameters": {"properties": {"path": {"type": "string"}}}}}
    ]
    assert look([{"role": "user", "content": text}], tools)
    assert FILE.findall(text) == []


CASES = (
    '[{"input": "a B", "output": "b A", "args": [1, {"n": 2.5}], "skip": false}, {"input": "c"}]'
)


def test_a_file_of_cases_is_read_and_gets_one_case_without_content() -> None:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Repair it: cases.json fails."}]
    tools = [tool("list_files"), READ, WRITE]
    results = {"list_files": "cases.json\npipeline.cfg", "read_file": CASES, "write_file": "wrote"}
    rounds = []
    while calls := overwrite(messages, tools, keep_form=True):
        rounds.append([call["function"]["name"] for call in calls])
        messages.append({"role": "assistant", "content": "", "tool_calls": calls})
        for call in calls:
            text = results[call["function"]["name"]]
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})
    calls = [call for message in messages for call in message.get("tool_calls", ())]
    written = json.loads(calls[-1]["function"]["arguments"])
    assert rounds[1:] == [["read_file"], ["write_file"]]
    assert written["path"] == "cases.json"
    case = {"input": "", "output": "", "args": [], "skip": False}
    assert json.loads(written["content"]) == [case]


def test_a_case_without_content_is_written_whole_by_a_command() -> None:
    called = [{"id": "1"}]
    messages = [{"role": "assistant", "content": "", "tool_calls": called}] * 2
    read = {"role": "tool", "tool_call_id": "call_cases_cases.json", "content": '[{"it\'s": "a"}]'}
    shell = tool("bash", command={"type": "string"})
    (call,) = overwrite([*messages, read], [shell], keep_form=True)
    command = json.loads(call["function"]["arguments"])["command"]
    assert shlex.split(command)[2] == '[{"it\'s": ""}]'


@pytest.mark.parametrize("text", ["", "[]", "{}", "[1]", "[" * 100_000, "no JSON", "null"])
def test_what_is_no_list_of_cases_is_not_emptied(text: str) -> None:
    assert emptied_cases(text) is None

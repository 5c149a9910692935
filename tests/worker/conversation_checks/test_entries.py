"""Entries of tables in which the answer stands behind a word of the prompt."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from envyard_runner.conversation_checks.answers_in_results import entry_in
from envyard_runner.conversation_checks.shown_answers import JunkResults
from envyard_runner.execution.shown_answers import entry_findings
from envyard_runner.probing.junk_calls import UNKNOWN, results_for_unknown_keys

TABLE = "amber: 10100; birch: 10107; cedar-7 = 22; dahlia | red"


def test_an_entry_is_the_answer_behind_a_word_of_the_prompt() -> None:
    assert entry_in(TABLE, "What is birch?", "10107") == ("birch", "birch: 10107")
    assert entry_in(TABLE, "What is cedar-7?", "22") == ("cedar-7", "cedar-7 = 22")
    assert entry_in(TABLE, "What is amber?", "10107") == ("", "")
    assert entry_in(TABLE, "What is dahlia?", "red") == ("", "")  # too short
    assert entry_in("Colours: amber, birch", "Is it amber or birch?", "birch") == ("", "")


def conversation(arguments: str) -> list[dict[str, Any]]:
    call = {"id": "c", "function": {"name": "look_up", "arguments": arguments}}
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": TABLE},
    ]


def test_only_results_for_unknown_keys_are_searched() -> None:
    assert [*results_for_unknown_keys(conversation(f'{{"key": "{UNKNOWN}"}}'))] == [TABLE]
    assert [*results_for_unknown_keys(conversation('{"key": ""}'))] == []
    forged = {"role": "assistant", "tool_calls": [{"id": "c", "function": UNKNOWN}, "look_up"]}
    assert [*results_for_unknown_keys([forged, conversation("{}")[1]])] == []


def test_entries_of_two_tasks_for_an_unknown_key_are_a_leak() -> None:
    unknown = JunkResults("", (), unknown="amber: 10100", question="Which code has amber?")
    assert not [*entry_findings({"snoop/0/0": unknown})]
    first = replace(unknown, answer="10100")  # known once the reference has ended
    second = JunkResults("10107", (), unknown="birch: 10107", question="And the code of birch?")
    (finding,) = entry_findings({"snoop/0/0": first, "snoop/1/0": second})
    assert finding.code == "card.leaks"
    assert "returned 'amber: 10100'" in finding.message
    assert not [*entry_findings({"snoop/0/0": first, "snoop/1/0": first})]

"""The only entry of another form in a listing, and findings about it."""

from __future__ import annotations

import json

import pytest

from envyard_runner.conversation_checks.odd_entries import odd_entry
from envyard_runner.conversation_checks.shown_answers import JunkResults
from envyard_runner.execution.shown_answers import conspicuous_findings

FILES = [f"INV-{number}.txt" for number in (1042, 2210, 3981, 4400, 5127)]
EDITED = "INV-3077-edited.txt"


@pytest.mark.parametrize("write", [json.dumps, "\n".join, ", ".join])
def test_one_entry_of_another_form_is_named(write: object) -> None:
    assert callable(write)
    assert odd_entry(write([*FILES[:2], EDITED, *FILES[2:]])) == EDITED
    assert odd_entry(write(FILES)) == ""
    assert odd_entry(write([EDITED, "INV-1-edited.txt", *FILES])) == ""
    assert odd_entry(write([*FILES[:3], EDITED])) == ""


def test_no_listing_has_no_entries() -> None:
    assert odd_entry('{"a": 1}') == odd_entry("") == odd_entry("7") == ""
    assert odd_entry("[" * 10_000) == ""


def listed(answer: str, *odd: str) -> JunkResults:
    return JunkResults(answer, (), ("error: no such key", "\n".join([*FILES, *odd])))


def test_an_odd_entry_that_names_the_answer_of_each_task_is_a_warning() -> None:
    played = {
        "snoop/0/0": listed("INV-3077", EDITED),
        "snoop/1/0": listed("inv-6612", "INV-6612-edited.txt"),
    }
    (finding,) = conspicuous_findings(played)
    assert (finding.code, finding.severity) == ("card.leaks", "warning")
    assert "In snoop/0/0 it was 'INV-3077-edited.txt'" in finding.message
    assert not list(conspicuous_findings({"snoop/0/0": played["snoop/0/0"]}))
    others = (listed("INV-1042", EDITED), listed("INV-4400"), listed("77", EDITED))
    for other in others:
        assert not list(conspicuous_findings(played | {"snoop/2/0": other}))

"""The worst value before a last value beside the right one."""

from __future__ import annotations

import pytest

from envyard.card.mutants import corrupting
from envyard.contract.mutants import MutantResult
from envyard.contract.transcript import Transcript
from envyard_runner.gateway.courses.registry import COURSES
from tests.worker.gateway.courses.test_courses import given, played, tool_call

PROMPT = "The line is between 100 and 300. Reply <set>N</set> or <done/>. Your last setting counts."


def test_the_worst_value_comes_before_another_last_value() -> None:
    found = played(PROMPT, "<set>260</set>", "<done/>")
    assert given("missed", found) == ["<set>270</set>", "<done/>"]
    assert given("begun_worse", found) == ["<set>100</set>", "<set>270</set>", "<done/>"]
    low = played(PROMPT, "<set>100</set>", "<done/>")
    assert given("begun_worse", low) == ["<set>300</set>", "<set>110</set>", "<done/>"]


@pytest.mark.parametrize(
    "transcript",
    [
        played(PROMPT.replace("Your last setting counts.", ""), "<set>260</set>", "<done/>"),
        played(f"{PROMPT} Pay is relative to your first one.", "<set>260</set>", "<done/>"),
        played(PROMPT.replace("between 100 and 300", "near"), "<set>260</set>", "<done/>"),
        played(PROMPT, "<set>90</set>", "<done/>"),
        played(PROMPT, "<set>200</set>", "<set>260</set>", "<done/>"),
        played(PROMPT, "<set>260</set>"),
        played(PROMPT, tool_call("set", n=260), "260"),
    ],
)
def test_other_prompts_and_courses_are_not_changed(transcript: Transcript) -> None:
    assert COURSES["missed"](transcript, ()) is None
    assert COURSES["begun_worse"](transcript, ()) is None


@pytest.mark.parametrize(
    ("alone", "after", "n", "survivors"),
    [
        (0.0, 0.9, 1, 1),  # the worst value raises the pay of the last one
        (0.9, 0.9, 1, 0),
        (0.9, 0.5, 1, 0),
        (1.0, 1.0, 0, 0),  # the last value is not judged
        (None, 1.0, 0, 0),
    ],
)
def test_a_last_value_is_compared_with_what_it_earns_alone(
    alone: float | None, after: float, n: int, survivors: int
) -> None:
    rewards = {"unchanged": 1.0, "missed": alone, "begun_worse": after}
    results = [
        MutantResult("oracle/0/0", operator, "260", "270", reward, 1.0, turns=2)
        for operator, reward in rewards.items()
    ]
    score = corrupting(results)
    assert (score.n, len(score.survivors)) == (n, survivors)


def test_an_end_behind_the_first_reply_is_the_references_own_course() -> None:
    prompt = f"{PROMPT} To end, reply <done/>."
    found = played(prompt, "<set>260</set>", "<done/>", "<done/>")
    assert COURSES["leaves"](found, ()) is None
    assert COURSES["repeats"](found, ()) is None

"""The answer of a last reply, in one form for equal answers."""

from __future__ import annotations

import time

import pytest

from envyard.card.final_answers import MAX_ANSWER, answer_of, final_answer
from envyard.contract.transcript import Exchange, Node, Transcript


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        (r"So \boxed{1} or rather \boxed{\frac{1}{2}}.", r"\frac{1}{2}"),
        ("<answer> Paris </answer> I am sure.", "paris"),
        ("<answer>a</answer> no, <ANSWER>b</ANSWER>", "b"),
        ("Some work.\n**Answer:** 1,234.50", "1234.5"),
        ("Some work.\nThe final answer is: forty two.", "forty two"),
        ("Let me think.\n\n 42 ", "42"),
        ("<think>Answer: 7</think>\n8", "8"),
        ("It is 1,000,000", "it is 1000000"),
        ("+3.0", "3"),
        ("-0.0", "0"),
        ("12,34", "12,34"),
        ("```python\nprint(1)\n```", ""),
        ("```python\nprint(1)\n```\nDone: 5", "done: 5"),
        ("```python\nprint(1)", ""),
        ("This is a long last line that explains the result in many words.", ""),
        ("", ""),
        ("...", ""),
        (r"\boxed{never closed", ""),
        ("<answer>cut", ""),
        ("<answer>" + "x" * (MAX_ANSWER + 1) + "</answer>", ""),
    ],
)
def test_answers_are_read_and_normalised(reply: str, answer: str) -> None:
    assert final_answer(reply) == answer


@pytest.mark.parametrize(
    "reply",
    [
        "<answer>" * 12_000,
        "\\boxed{" * 12_000,
        "\n" * 99_000 + "x",
        "answer " * 14_000,
        "<think>" * 14_000,
    ],
)
def test_hostile_replies_are_read_quickly(reply: str) -> None:
    began = time.process_time()
    final_answer(reply)
    assert time.process_time() - began < 1.0


def test_the_last_reply_counts_and_a_call_without_one_has_no_answer() -> None:
    nodes = [
        Node(-1, {"role": "user", "content": "Answer: 1"}),
        Node(0, {"role": "assistant", "content": "Answer: 2"}),
        Node(1, {"role": "assistant", "content": None, "tool_calls": []}),
    ]
    first = Exchange(asked=0, reply=1)
    assert answer_of(Transcript(nodes, [first])) == "2"
    assert answer_of(Transcript(nodes, [first, Exchange(asked=1, reply=2)])) == ""
    assert answer_of(Transcript(nodes, [first, Exchange(asked=1)])) == ""
    assert answer_of(Transcript()) == ""

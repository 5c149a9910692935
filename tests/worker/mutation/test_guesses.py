"""Answers that need no work: pieces of prompts, and constants."""

from __future__ import annotations

import random

import pytest

from envyard_runner.mutation.guesses import constant_answer, copied_answer

SUM = "Add 12 and 30.\nReply with the number."


@pytest.mark.parametrize(
    ("reference", "prompt", "reply"),
    [
        ("42", SUM, "30"),
        ("<answer>30</answer>", SUM, "<answer>12</answer>"),
        ("B", "Which?\nA) red\nB) blue\nC) green", "C"),
        ("Paris", 'Where is the "Eiffel tower"?', "Eiffel tower"),
        ("tower", "Name the building.", "building"),
        ("it is late", "Translate:\nes ist spät", "es ist spät"),
        ("<s>1, 2, 3</s>", "Use <s></s>. Sort: 3, 1, 2", "<s>3, 1, 2</s>"),
        ("42", "How many?", "64"),
        ("27", "What is 3 * (4 + 5)? Reply with a number.", "3 * (4 + 5)"),
        ("picture", "Unscramble one English word: reutcip.", "reutcip"),
        ("2027", "On 2026-11-23, which year is next? Use 1-5 digits.", "-5"),
        ('{"answer": "7"}', "Is it 3 or 7?", '{"answer": "3"}'),
    ],
)
def test_a_copied_answer_is_another_piece_of_the_prompt(
    reference: str, prompt: str, reply: str
) -> None:
    assert copied_answer(reference, prompt) == reply


@pytest.mark.parametrize(
    ("reference", "replies"),
    [
        ("0", {"1", "100"}),
        ("\\boxed{7}", {"\\boxed{0}", "\\boxed{1}", "\\boxed{100}"}),
        ("A", {"B", "C"}),
        ("yes", {"no"}),
        ("Paris", {"unknown", "none", "n/a"}),
        ("^[0-9]{4}$", {".*"}),
        ("<answer>[a-z]+ing</answer>", {"<answer>.*</answer>"}),
        ("```python\ndef f(x):\n    return x\n```", {"```python\ndef f(x):\n    return None\n```"}),
        ("SELECT a FROM t;", {"SELECT * FROM (SELECT a FROM t) AS answer WHERE 1 = 0"}),
        ("<answer>[1, 2]</answer>", {"<answer>[]</answer>", '<answer>[""]</answer>'}),
    ],
)
def test_a_constant_is_of_the_kind_of_the_reference_and_never_right(
    reference: str, replies: set[str]
) -> None:
    dice = random.Random(1)
    assert {constant_answer(reference, dice) for _ in range(60)} == replies

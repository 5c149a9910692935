"""Answers that need no work: pieces of prompts, and constants."""

from __future__ import annotations

import json
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
        ("<expr>(2 + 3) * 7</expr>", "Numbers: 2, 3, 7. Reach 35 with them.", "<expr>35</expr>"),
        ("<answer>3500 m</answer>", "Express 3.5 km in m.", "<answer>3.5 km</answer>"),
        ("8.453e+08 ml", "Convert 8453 hl to ml.", "8453 hl"),
        ("6 / 2 x 4", "Reach 12 with 2, 4, 6.", "12"),
        ("<a>otter, lynx</a>", "An otter, a lamp, a lynx!", "<a>otter, lamp, lynx</a>"),
        ("4, 8", "Which are even? 3 4 5 8", "3, 4, 5, 8"),
    ],
)
def test_a_copied_answer_is_another_piece_of_the_prompt(
    reference: str, prompt: str, reply: str
) -> None:
    assert copied_answer(reference, prompt) == reply


def test_the_largest_number_of_the_prompt_is_copied_in_two_of_three_tasks() -> None:
    prompt = "The pile has 21 stones. Take 1, 2 or 3 of them."
    copies = [copied_answer("<take>1</take>", prompt, task) for task in range(3)]
    assert copies == ["<take>3</take>", "<take>21</take>", "<take>21</take>"]


@pytest.mark.parametrize("answer", ["2026-11-23", "1 / 0", "(", "9 -", "7", "x + 1"])
def test_what_is_no_calculation_of_a_whole_number_has_no_value(answer: str) -> None:
    assert copied_answer(answer, "Which one? Reply with it.") != answer


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


INVOICE = {"number": "INV-7", "vendor": "Orchard", "total": 12.5, "lines": 2, "paid": True}
TEXT = "Orchard sent invoice INV-7 to Hexa on 2023-04-01: 2 lines, 12.50 EUR in total, paid."


def test_no_value_of_an_object_of_several_fields_is_kept() -> None:
    """A sound verifier that pays by field was accused: one field of six was wrong."""
    reference, dice = json.dumps(INVOICE), random.Random(1)
    replies = [copied_answer(reference, TEXT), copied_answer(reference, "Read it.")]
    for reply in [*replies, *(constant_answer(reference, dice) for _ in range(9))]:
        values = json.loads(reply)
        assert values.keys() == INVOICE.keys()
        assert [type(value) for value in values.values()] == [
            str,
            str,
            type(values["total"]),
            int,
            bool,
        ]
        assert not [key for key in INVOICE if values[key] == INVOICE[key]]


def test_what_only_looks_like_an_object_gets_a_constant_too() -> None:
    assert {constant_answer("{1, 2}", random.Random(n)) for n in range(20)} == {"{}", "null"}
    assert copied_answer("{1, 2}", "Which set?") == "Which set?"


def test_no_tag_of_several_is_kept() -> None:
    reference, prompt = "<name>Ann</name> <age>30</age>", "Bob is 12, Ann is 30."
    assert copied_answer(reference, prompt) == "<name>Bob</name> <age>12</age>"
    constant = constant_answer(reference, random.Random(1))
    assert "Ann" not in constant
    assert "30" not in constant
    assert constant.count("</") == 2


def test_what_is_to_be_rewritten_is_copied() -> None:
    prompt = "Simplify this condition:\n\np and p or not not q\n\nUse only p, q, and, or, not."
    assert copied_answer("<short>p or q</short>", prompt) == "<short>p and p or not not q</short>"
    ordered = prompt.replace("Simplify", "Order the words of")
    assert "not not" not in copied_answer("<short>p or q</short>", ordered)


def test_a_sentence_whose_accents_are_to_be_restored_is_copied() -> None:
    prompt = "A la frase le faltan las tildes.\n\nFrase: El publico aplaudio al musico."
    reference = "<texto>El público aplaudió al músico.</texto>"
    assert copied_answer(reference, prompt) == "<texto>El publico aplaudio al musico.</texto>"
    assert copied_answer("<texto>El gato duerme.</texto>", prompt) != reference

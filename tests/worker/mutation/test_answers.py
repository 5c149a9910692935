"""The answer in a reference reply, and wrong answers of its form."""

from __future__ import annotations

import json
import re
import time

import pytest

from envyard_runner.mutation.answers import fenced_object, find_answer
from envyard_runner.mutation.operators import mutate
from envyard_runner.mutation.wrong_answers import among_wrong_answers, other_answer, shifted, unsure

REPLIES = {
    "42": "42",
    "  hello there \n": "hello there",
    "Think first.\n<answer>42</answer>": "42",
    "<think>4 or 5</think>\n<move>5</move>": "5",
    "So \\boxed{7} or \\boxed{\\frac12}": "\\frac12",
    "Because of that.\n#### 1,024": "1,024",
    "The answer is: Paris": "Paris",
    "I place it at [3].": "3",
    "[try 17]": "17",
    "x1=5": "5",
    "Friday 21:35": "Friday 21:35",
    "I halve it. [Try 17]": "17",
    "[guess: crane]": "crane",
    "[ask river]": "river",
    "[New York]": "New York",
    "[red apple]": "red apple",
    "[try]": "try",
    "[a: 3]": "a: 3",
    "[[7]]": "7",
    "[[A]]": "A",
    "[[1, 2], [3, 4]]": "[[1, 2], [3, 4]]",
    "Merged:\n```json\n[[420, 455], [480, 510]]\n```": "[[420, 455], [480, 510]]",
    "From [[1, 2], [2, 4]] follows [[1, 4]].": "[[1, 4]]",
    "[[[1, 2]], [[3]]]": "[[[1, 2]], [[3]]]",
    "Rows [[1, 2], [3, 4]] have <answer>10</answer>": "10",
    "[[1, 2], 3]": "1, 2",
    "RESULT = 42": "42",
    "P=348, Q=132": "P=348, Q=132",
    "<route>A -> B -> C</route>": "A -> B -> C",
    '{"reasoning": "4", "answer": "42"}': "42",
    '{"answer": 42, "confidence": 0.5}': "42",
    '{"total": 42}': "42",
    '{"name": "Al", "age": 42}': '{"name": "Al", "age": 42}',
    '{"number": "INV-7", "total": 12.5, "paid": true}': (
        '{"number": "INV-7", "total": 12.5, "paid": true}'
    ),
    ' {"total": 42, "paid": true}\n': '{"total": 42, "paid": true}',
    '{"explanation": "4 + 3", "total": 7}': "7",
    '{"reasoning": "4 + 3", "moves": ["a", "b"]}': '{"reasoning": "4 + 3", "moves": ["a", "b"]}',
    "": "",
}


@pytest.mark.parametrize(("reply", "answer"), REPLIES.items())
def test_the_answer_is_what_the_reply_marks_and_else_all_of_it(reply: str, answer: str) -> None:
    marked = find_answer(reply)
    assert marked.answer == answer
    assert marked.holding(marked.answer) == reply


@pytest.mark.parametrize(
    ("reply", "other"),
    [
        ("42", "64"),
        ("<answer>-1,5</answer>", "<answer>-3,7</answer>"),
        ("Yes", "No"),
        ("FALSE", "TRUE"),
        ("A", "B"),
        ("(c)", "(p)"),
        ("e2e4", "r4r6"),
        ("the cat", "gur png"),
        ("P=348, Q=-132", "P=561, Q=-354"),
    ],
)
def test_another_answer_has_the_form_of_the_reference(reply: str, other: str) -> None:
    assert other_answer(reply) == other


def test_another_answer_in_json_keeps_its_keys() -> None:
    other = json.loads(other_answer('{"name": "Ann", "ages": {"first": 30}}'))
    assert list(other) == ["name", "ages"]
    assert other["name"] != "Ann"
    assert other["ages"] == {"first": 52}


@pytest.mark.parametrize("reply", [reply for reply in REPLIES if reply.strip()])
def test_the_right_answer_stands_between_wrong_ones(reply: str) -> None:
    text = among_wrong_answers(reply)
    assert reply in text
    assert not text.startswith(reply)
    assert not text.endswith(reply)


def test_every_value_of_an_object_is_another() -> None:
    invoice = '{"vendor": "Ann", "total": 12.5, "answer": "paid", "lines": [3, 4]}'
    other = json.loads(other_answer(invoice))
    right = json.loads(invoice)
    assert other.keys() == right.keys()
    assert not [key for key in right if other[key] == right[key]]


def test_the_other_wrong_answers_stand_between_two_that_another_task_could_have() -> None:
    lines = among_wrong_answers("A->B B->C", "C->B").splitlines()
    assert (lines[0], lines[2], lines[-1]) == ("C->B", "A->B B->C", "C->B")
    marked = among_wrong_answers("<answer>7</answer>", "<answer>9</answer>").splitlines()
    assert marked[0] == marked[-1] == "<answer>9</answer>"
    assert among_wrong_answers("7", "7") == among_wrong_answers("7")


def test_the_commands_of_a_prompt_stand_around_the_right_one() -> None:
    prompt = "Each day write either <ride/> or <camp/>."
    assert among_wrong_answers("<ride/>", "<ride/>", prompt=prompt).split() == [
        *("<camp/>", "<ride/>", "<camp/>")
    ]
    assert "<ride/>" not in among_wrong_answers("<ride/>", "<ride/>", prompt="Ride or camp?")


def test_options_are_listed_by_their_letters() -> None:
    assert among_wrong_answers("<answer>A</answer>").count("<answer>") == 5
    assert among_wrong_answers("C").split() == ["A", "B", "C", "D", "E"]


@pytest.mark.parametrize("answer", ["def f():\n    return 1", "word " * 60])
def test_a_long_answer_is_not_listed_among_others(answer: str) -> None:
    assert among_wrong_answers(answer) == other_answer(answer)
    assert answer.strip() not in among_wrong_answers(answer)


def test_digits_and_letters_are_never_kept() -> None:
    text = "0123456789 abcxyz ABCXYZ straße"
    for own, other in zip(text, other_answer(text), strict=True):
        assert own == other == " " or own != other


@pytest.mark.parametrize("code", ["#00ff7f", "00ff7f", "0x1F", "#fade", "9e107d9d-372bb6"])
def test_other_hexadecimal_codes_are_such_codes_too(code: str) -> None:
    others = [shifted(code, step) for step in (1, 2, 3, 4)]
    assert len({code, *others}) == 5
    form = re.sub("[0-9a-fA-F]", ".", code.removeprefix("0x"))
    assert {re.sub("[0-9a-fA-F]", ".", each.removeprefix("0x")) for each in others} == {form}


def test_every_tag_of_several_is_another() -> None:
    """A sound verifier that pays by tag was accused: one tag of three was wrong."""
    right = "<think>Sold.</think>\n<name>Ann</name>\n<age>30</age>\n<paid>yes</paid>"
    other = "<think>Sold.</think>\n<name>Naa</name>\n<age>52</age>\n<paid>no</paid>"
    assert other_answer(right) == other
    assert other_answer("<city>Rome</city><answer>7</answer>").startswith("<city>Rome</city>")


def test_a_name_in_brackets_within_a_text_is_no_marked_answer() -> None:
    text = "Call [NAME] at [PHONE_1] before noon."
    assert find_answer(text).answer == text
    assert "Call" not in other_answer(text)
    assert find_answer("[CRANE]").answer == "CRANE"
    assert find_answer("I think that it is [42]").answer == "42"


@pytest.mark.parametrize(
    ("reply", "doubted"),
    [
        ("Answer: 12\nConfidence: 0.95", "Answer: 12\nConfidence: 0"),
        ("<confidence>1</confidence>", "<confidence>0</confidence>"),
        ('{"answer": 3, "probability": 0.7}', '{"answer": 3, "probability": 0}'),
        ("Confidence is what 3 of us have.", "Confidence is what 3 of us have."),
    ],
)
def test_a_doubted_reply_has_no_confidence(reply: str, doubted: str) -> None:
    assert unsure(reply) == doubted


@pytest.mark.parametrize("brackets", ["[[1,", "[[1],[", "[ [", "[[1, 2]] ", "[try ", "[a_", "[[]"])
def test_a_reply_of_brackets_is_read_in_linear_time(brackets: str) -> None:
    reply = brackets * (20_000 // len(brackets))
    began = time.process_time()
    assert find_answer(reply).holding(find_answer(reply).answer) == reply
    assert time.process_time() - began < 1.0


def test_the_word_before_a_bracketed_number_is_no_part_of_a_wrong_answer() -> None:
    assert other_answer("[try 17]") == "[try 39]"
    assert other_answer("[guess: crane]").startswith("[guess: ")
    assert other_answer("[[420, 455]]") == "[[642, 677]]"


def test_the_words_between_numbers_are_of_the_form_of_the_first_wrong_answer() -> None:
    """A reader of `N from A` sees no answer in other words, and the one right move among them."""
    move = "<take>2 from B</take>"
    assert among_wrong_answers(move, move).splitlines()[0] == "<take>4 from B</take>"
    assert among_wrong_answers("[walk 3 steps]").splitlines()[0] == "[walk 5 steps]"
    assert among_wrong_answers("B12").splitlines()[0] != "B34"


def test_the_colon_of_a_time_ends_no_label() -> None:
    assert find_answer("Friday 21:35").answer == "Friday 21:35"
    assert find_answer("Local time: Friday 21:35").answer == "Friday 21:35"
    assert find_answer("Step 2: 17 km").answer == "17 km"


RECORD = '```json\n{"service": "checkout", "severity": 4}\n```'


def test_a_fence_around_an_object_is_no_part_of_the_answer() -> None:
    marked = find_answer(f"Here it is:\n{RECORD}")
    assert marked.answer == '{"service": "checkout", "severity": 4}'
    assert marked.holding("{}") == "Here it is:\n```json\n{}\n```"
    assert find_answer('```json\n{"answer": "7"}\n```').answer == "7"
    other = other_answer(RECORD)
    assert other.startswith("```json\n{")
    assert other.endswith("}\n```")
    assert "checkout" not in other
    assert '"service"' in other


@pytest.mark.parametrize(
    "reply",
    ["```python\nx = {}\n```", "```json\n{broken}\n```", f"{RECORD}\n{RECORD}", "```", "``````"],
)
def test_other_fences_are_part_of_the_reply(reply: str) -> None:
    assert fenced_object(reply) is None


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("```\n24\n16\n10\n```", "24\n16\n10"),
        ("```text\nred\n\nblue\n```\n", "red\n\nblue"),
        ("```python\nprint(1)\n```", "```python\nprint(1)\n```"),
        ("```\nreturn 1\n```", "```\nreturn 1\n```"),
        ("```\n1\n```\n```\n2\n```", "```\n1\n```\n```\n2\n```"),
        ("```\nAnswer: 42\n```", "42"),
        ("```\nI add 40 and 2.\nAnswer: 42\n```", "42"),
        ("```\n[3, 4]\n```", "3, 4"),
        ("```\n\n```", "```\n\n```"),
    ],
)
def test_lines_in_the_only_fence_are_the_answer(reply: str, answer: str) -> None:
    assert find_answer(reply).answer == answer


def test_wrong_values_of_names_are_those_that_answers_have() -> None:
    """A reader looks for the names and values that it knows, and takes the first or the last."""
    for sign in (": ", "="):
        right = f"Ann{sign}knave, Bo{sign}knight"
        listed = among_wrong_answers(right, f"Cy{sign}knave, Di{sign}knave").splitlines()
        assert listed[0] == listed[-1] == f"Ann{sign}knight, Bo{sign}knave"
        assert right in listed[1:-1]
        same = among_wrong_answers(f"Ann{sign}3, Bo{sign}3", f"Cy{sign}3, Di{sign}3").splitlines()
        assert same[0] == f"Cy{sign}3, Di{sign}3"


def test_the_first_of_several_names_with_values_is_no_label() -> None:
    for reply in ("Ann: knave, Bo: knight", "Ann=knave, Bo=knight", "A: 3; B: 5; C: 9"):
        assert find_answer(reply).answer == reply
        assert mutate(reply, "negation") is None
    assert other_answer("Ann: knave, Bo: 12 kg") == "Ann: xanir, Bo: 34 kg"
    assert find_answer("Cast: Ann: knave, Bo: knight").answer == "Ann: knave, Bo: knight"
    assert find_answer("Order: Ann, Bo").answer == "Ann, Bo"

"""Each operator changes what it is named after, and leaves alone what it could not make wrong."""

from __future__ import annotations

import json

import pytest

from envyard.contract.code_checks.scoring_constants import ScoringConstants
from envyard.contract.code_checks.scoring_patterns import ScoringPattern
from envyard.contract.mutants import OPERATORS
from envyard_runner.gateway.courses.last_turn import QUIET
from envyard_runner.gateway.courses.registry import COURSES
from envyard_runner.mutation.operators import CHANGES, OF_PROMPT, OF_REPLIES, mutate

EXITS = "```python\ndef f(x):\n    raise SystemExit(0)\n```"


@pytest.mark.parametrize(
    ("operator", "before", "after"),
    [
        ("digit", "142", "442"),
        ("digit", "in 3 days", "in 6 days"),
        ("digit", "the cat", None),
        ("digit", "Fe2O3", "Fe5O3"),
        ("digit", "row B12 left", None),
        ("last_digit", "142", "143"),
        ("last_digit", "-19", "-10"),
        ("last_digit", "3.14", None),
        ("last_digit", "7", None),
        ("exchanged", "3, 12, 45", "3, 21, 45"),
        ("exchanged", "1,120", "1,210"),
        ("exchanged", "2.75 km", None),
        ("exchanged", "10 and 10", None),
        ("exchanged", "room 14, door 3", "room 41, door 3"),
        ("exchanged", "one line\n12", None),
        ("exchanged", "1234567890", None),
        ("last_number", "2024-03-05", "2024-03-08"),
        ("last_number", "14:30", "14:60"),
        ("last_number", "3/4", "3/7"),
        ("last_number", "room 14, door 3", None),
        ("last_number", "12.5 and 3.25", None),
        ("last_number", "42", None),
        ("prefix", "36.3636 mA", "36.3636 A"),
        ("prefix", "12 V", "12 mV"),
        ("prefix", "3km", "3m"),
        ("prefix", "4.7 kohm", "4.7 ohm"),
        ("prefix", "512 B", "512 kB"),
        ("prefix", "5 min", None),
        ("prefix", "5 apples", None),
        ("stepped", "54 20 * * 1-5", "53 20 * * 1-5"),
        ("stepped", "00:30", "00:29"),
        ("stepped", "08:00", "07:00"),
        ("stepped", "[0, 3, 5]", "[0, 2, 5]"),
        ("stepped", "0, 0", None),
        ("stepped", "42", None),
        ("stepped", "room 14, door 3, in the house of the mayor", None),
        ("other_word", "Marie Curie", "Marie Phevr"),
        ("other_word", "the Danube", "gur Danube"),
        ("other_word", "Danube", None),
        ("other_word", "Leie, Lys", None),
        ("extension", "42", "742"),
        ("letters", "Paris", "siraP"),
        ("letters", "noon", None),
        ("letters", "New York", None),
        ("rounding", "60.900000000000006", "60.9"),
        ("rounding", "-0.30000000000000004", "-0.3"),
        ("rounding", "3.14159265358979", None),
        ("rounding", "60.9", None),
        ("composed", "Sao\u0303 Tome\u0301", "Sa\u00f5 Tom\u00e9"),
        ("composed", "S\u00e3o Tom\u00e9", None),
        ("nan", "-1.5", "nan"),
        ("nan", "12 km", None),
        ("exits", "def f(x):\n    return x\n", "def f(x):\n    raise SystemExit(0)"),
        ("exits", "So:\n```python\ndef f(x):\n    return x\n```", f"So:\n{EXITS}"),
        ("exits", "import this", None),
        ("initial", "haiku", "h"),
        ("initial", "1998", "1"),
        ("initial", "yes", None),
        ("initial", "false", None),
        ("initial", "two words", None),
        ("fields", '{"name": "Ann", "site": "B", "asset": 3}', '{"site": "B"}'),
        ("fields", '{"answer": 3, "why": "so"}', None),
        ("fields", "[1, 2, 3]", None),
        ("extension", "-42", "-742"),
        ("extension", "Paris", "Pariscne"),
        ("extension", "B", None),
        ("extension", "4.2", None),
        ("near", "200", "212"),
        ("near", "1,000", "1060"),
        ("near", "12", None),
        ("sign", "-4.5", "4.5"),
        ("sign", "0", None),
        ("sign", "4 apples", None),
        ("unit", "5 km", "5 kg"),
        ("unit", "5 kg", "5 km"),
        ("unit", "5", None),
        ("opposite", "Yes", "No"),
        ("opposite", "b", "a"),
        ("opposite", "maybe", None),
        ("word", "the Danube", "the Qnahor"),
        ("word", "42", None),
        ("one_letter", "MAHIARRLENS", "MAHIALRLENS"),
        ("one_letter", "the Mississippi", "the Missiisippi"),
        ("one_letter", "QUEEN", "QUNEN"),
        ("word", "Files: 974, 504\nTons: 245", None),
        ("word", "Cargo: salt\nShip: Alma", "Cargo: fnyg\nShip: Alma"),
        ("one_letter", "queen", None),
        ("inner_line", "2143\n2413\n4231", "2143\n4213\n4231"),
        ("inner_line", "ab\n11\ncd", None),
        ("inner_line", "ab\ncd", None),
        ("inner_line", "def f(x):\n    # the same\n    return x", None),
        ("truncation", "import re\nx = 1\nprint(x)\n", "import re\nx"),
        ("sign", "+4915112345678", None),
        ("sign", "-12 m below the sea", None),
        ("sign", "-33.9 \u00b0 S", None),
        ("sign", "-180\u00b0", None),
        ("sign", "+2.4 °C", "-2.4 °C"),
        ("sign", "-2.4 °C", "+2.4 °C"),
        ("sign", "\u22127 m", "+7 m"),
        ("sign", "+5", "-5"),
        ("sign", "+0.0 °C", None),
        ("sign", "2.4 °C", None),
        ("one_letter", "aaaaaaaaa", None),
        ("truncation", "24\n16\n10", "24"),
        ("truncation", "12.5km", None),
        ("truncation", "idle open idle shut", "idle open"),
        ("truncation", "a -> b -> c", "a"),
        ("truncation", "8, 4, 15, 16", "8, 4"),
        ("truncation", "a b\nc d", "a b"),
        ("word", "no", None),
        ("repeated", "alien, earn, lane", "alien, alien, alien"),
        ("repeated", "alien earn lane", "alien alien alien"),
        ("repeated", "Sing\nthe\nsong", "Sing\nSing\nSing"),
        ("repeated", "[3, 1, 2]", "[3, 3, 3]"),
        ("repeated", "[1, 1, 1]", None),
        ("repeated", '{"a": 1, "b": 2, "c": 3}', None),
        ("repeated", "3, 4", None),
        ("opposite", "7:40 pm", "7:40 am"),
        ("opposite", "11:05 A.M.", "11:05 P.M."),
        ("pair", "(3, -4.5)", "(-4.5, 3)"),
        ("pair", "(3, 3)", None),
        ("pair", "f(3, 4)", None),
        ("permuted", "Anna: tea, Ben: milk", "Anna: milk, Ben: tea"),
        ("permuted", "x = 3; y = 3; z = 5", "x = 3; y = 5; z = 3"),
        ("permuted", "Anna: tea\nBen: milk", "Anna: milk\nBen: tea"),
        ("permuted", '{"x": 3, "y": 5, "why": "so"}', '{"x": 5, "y": 3, "why": "so"}'),
        ("permuted", '{"answer": "so", "reasoning": "as"}', None),
        ("permuted", '{"x": 3, "y": 3}', None),
        ("permuted", "Anna: tea", None),
        ("permuted", "Anna: tea, milk", None),
        ("permuted", "tea: yes, tea: no", None),
        ("truncation", "142 km", None),
        ("truncation", "wednesday", "sday"),
        ("truncation", "0.9583333333", None),
        ("truncation", "12.50", "12"),
        ("truncation", "7", None),
        ("blank", "7", ""),
        ("negation", "7", "not 7"),
        ("claim", "7", "7 or 2"),
        ("claim", "yes", "yes or no"),
        ("capitals", "Yes", "yES"),
        ("capitals", "Paris", None),
        ("thousands", "12000", "12,000"),
        ("thousands", "-1,234", "-1234"),
        ("thousands", "999", None),
        ("emphasis", "7", "**7**"),
    ],
)
def test_an_operator_changes_an_answer(operator: str, before: str, after: str | None) -> None:
    assert CHANGES[operator](before) == after


def test_only_the_marked_answer_is_changed() -> None:
    reply = "4 + 3, so\n<answer>7</answer>"
    assert mutate(reply, "digit") == ("4 + 3, so\n<answer>1</answer>", "7", "1")
    assert mutate(reply, "spaces") == (f"\n{reply} \n", "7", "7")
    assert mutate(reply, "unchanged") == (reply, "7", "7")
    assert mutate(reply, "thousands") is None


def test_one_value_of_an_object_of_several_fields_is_changed() -> None:
    reply = '{"vendor": "Orchard", "total": 12.5, "lines": 31, "paid": true}'
    right = json.loads(reply)
    for operator in ("digit", "last_digit", "near", "sign", "word", "letters", "nan", "initial"):
        changed = mutate(reply, operator)
        assert changed
        other = json.loads(changed[0])
        assert other.keys() == right.keys()
        assert len([key for key in right if other[key] != right[key]]) == 1
    assert mutate(reply, "thousands") is mutate(reply, "emphasis") is None
    assert len(json.loads(mutate(reply, "fields")[0])) == 1


@pytest.mark.parametrize(
    "answer", ["", "7", "-1,024.5", "yes", "a\nb", "straße 漢字", "{}", "[", "5 %"]
)
@pytest.mark.parametrize("operator", [name for name, each in OPERATORS.items() if not each.course])
def test_no_operator_fails_or_returns_the_same(operator: str, answer: str) -> None:
    changed = mutate(f"<answer>{answer}</answer>", operator)
    kept = operator in ("unchanged", "spaces")
    assert changed is None or kept or changed[1] != changed[2]


def test_the_runner_changes_for_exactly_the_operators_of_the_contract() -> None:
    assert {*CHANGES, *OF_PROMPT, *OF_REPLIES, *COURSES, *QUIET} == {*OPERATORS}
    assert {*COURSES, *QUIET} == {name for name, each in OPERATORS.items() if each.course}


def test_a_wrong_answer_is_doubted_where_the_reply_has_a_confidence() -> None:
    changed = mutate("Answer: 12\nConfidence: 0.95", "doubted")
    assert changed is not None
    assert changed[0].endswith("\nConfidence: 0")
    assert "12" not in changed[0]
    assert mutate("Answer: 12", "doubted") is None


def test_a_sign_changes_only_where_an_answer_may_be_below_zero() -> None:
    assert mutate("508", "sign", prompt="Write fünfhundertacht in figures.") is None
    assert mutate("-508", "sign", prompt="Write it in figures.") is not None
    assert mutate("508", "sign", prompt="What is 1000 minus 492?") is not None


def test_white_space_around_several_lines_indents_none() -> None:
    code = "def f(x):\n    return x"
    changed = mutate(code, "spaces")
    assert changed is not None
    assert changed[0] == f"\n{code} \n"


def test_another_word_may_be_right_in_a_text_that_the_policy_writes() -> None:
    line = "nimble amber bakers sing"
    assert mutate(line, "word", prompt="Write a line of four words that begin so.") is None
    assert mutate(line, "word", prompt="Which line of the song is the last?") is not None
    assert mutate("bakers", "word", prompt="Write a line of one word.") is not None


def test_a_line_without_words_is_no_text_that_the_policy_writes() -> None:
    prompt = "Write a line `opening BALANCE` and one for each movement."
    changed = mutate("opening 2777\n-368 2409\n+80 2489", "inner_line", prompt=prompt)
    assert changed is not None
    assert changed[2] == "opening 2777\n-638 2409\n+80 2489"
    assert mutate("waves of blue\nroll in\nat night", "inner_line", prompt=prompt) is None


@pytest.mark.parametrize(
    ("prompt", "changes"),
    [
        ("Write a sentence of five words about the sea.", False),
        ("Write the line word for word.", True),
        ("Write the words of this form and no other words.", True),
    ],
)
def test_a_word_of_a_text_is_changed_where_its_words_are_given(prompt: str, changes: bool) -> None:
    changed = mutate("<line>azure a lion rampant argent</line>", "word", prompt=prompt)
    assert (changed is not None) == changes


def test_accents_of_a_text_to_be_copied_stay_as_they_are() -> None:
    text = "nai\u0308ve line"
    assert mutate(f"<line>{text}</line>", "composed", prompt="Restore the accents: naive line")
    assert mutate(f"<line>{text}</line>", "composed", prompt=f"Copy it: {text}") is None


@pytest.mark.parametrize("operator", ["near", "thousands", "digit", "last_digit", "stepped"])
def test_a_number_of_many_digits_is_read(operator: str) -> None:
    after = mutate("9" * 5_000, operator)
    assert after is None or operator == "digit"


@pytest.mark.parametrize(
    ("prompt", "is_changed"),
    [
        ("When do they meet?", True),
        ("Propose a time at which both are free.", False),
        ("Reply with any free slot.", False),
    ],
)
def test_of_several_right_times_another_one_may_be_right(prompt: str, is_changed: bool) -> None:
    assert (mutate("Monday 14:00", "stepped", prompt=prompt) is not None) == is_changed


def test_a_wrong_answer_may_claim_its_own_score() -> None:
    reply = '{"litres": 6627, "working": "added"}'
    changed = mutate(reply, "scored")
    assert changed is not None
    row = json.loads(changed[0])
    assert row["litres"] != 6627
    assert (row["score"], row["correct"], row["passed"]) == (1.0, True, True)
    fenced = mutate(f"```json\n{reply}\n```", "scored")
    assert fenced is not None
    assert fenced[0].startswith("```json\n{")
    assert mutate('{"litres": 6627, "score": 0.4}', "scored") is None
    assert mutate("6627", "scored") is None
    assert mutate("[6627]", "scored") is None


READ = ScoringConstants(
    patterns=(
        ScoringPattern(r"^points: (\d+)/(\d+)$"),
        ScoringPattern(r"<answer>(\d+)</answer>"),
        ScoringPattern(r"verdict: (pass|fail)"),
    ),
    labels=("Grade:",),
    compared=("excellent",),
    keys=("mark", "litres"),
)


def test_a_wrong_answer_stands_between_lines_that_the_scoring_code_reads() -> None:
    changed = mutate("<answer>42</answer>", "marked_first", constants=READ)
    assert changed is not None
    above, answer, below = changed[0].partition("<answer>")
    assert above.splitlines() == [
        "points: 10/10", "verdict: pass", "Grade: excellent", "Grade: 10/10"
    ]  # fmt: skip
    assert "42" not in answer + below
    assert "verdict: fail" in below
    last = mutate("<answer>42</answer>", "marked_last", constants=READ)
    assert last is not None
    assert last[0].endswith("Grade: 10/10")


def test_a_wrong_object_has_the_fields_that_the_scoring_code_reads() -> None:
    changed = mutate('{"litres": 4}', "marked_first", prompt="litres", constants=READ)
    assert changed is not None
    row = json.loads(changed[0])
    assert row["litres"] != 4
    assert row["mark"] is True
    assert "points: 10/10" in row["notes"]


def test_lines_that_may_hold_the_right_answer_are_left_out() -> None:
    assert mutate("<answer>42</answer>", "marked_first") is None
    changed = mutate("verdict: pass", "marked_first", constants=READ)
    assert changed is not None
    assert changed[0].count("verdict") == 1
    ten = mutate("<answer>10</answer>", "marked_first", constants=READ)
    assert ten is not None
    assert "10/10" not in ten[0]


@pytest.mark.parametrize(
    ("reply", "line"),
    [
        ("<answer>9.9</answer>", "points: 10/10"),
        ("<answer>10.0</answer>", "Grade: 10/10"),
        ("<answer>correct</answer>", "verdict: pass"),
        ("<answer>excellently</answer>", "Grade: excellent"),
    ],
)
def test_lines_that_a_verifier_may_read_as_the_right_answer_are_left_out(
    reply: str, line: str
) -> None:
    changed = mutate(reply, "marked_first", constants=READ)
    assert changed is not None
    assert line not in changed[0].splitlines()


@pytest.mark.parametrize("value", ["1", "true", "1.0"])
def test_fields_with_true_stand_beside_no_answer_that_equals_it(value: str) -> None:
    changed = mutate(f'{{"litres": {value}}}', "marked_first", prompt="litres", constants=READ)
    assert changed is None or "mark" not in json.loads(changed[0])


def test_a_sentence_of_an_object_is_left_empty_where_the_prompt_asks_for_it() -> None:
    reply = '{"code": "X7", "reminder": "Your first flight leaves LIS at 05:20."}'
    prompt = "One object with code and reminder, a sentence of at most 20 words."
    changed = mutate(f"```json\n{reply}\n```", "empty_text", prompt=prompt)
    assert changed is not None
    assert json.loads(changed[2]) == {"code": "X7", "reminder": ""}
    assert mutate(reply, "empty_text", prompt=f"{prompt} It may be empty.") is None
    assert mutate(reply, "empty_text", prompt="One object, please.") is None
    assert mutate('{"code": "X7", "reminder": "LIS"}', "empty_text", prompt=prompt) is None

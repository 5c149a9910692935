"""Answers in the other forms that a prompt allows."""

from __future__ import annotations

import pytest

from envyard_runner.mutation.operators import mutate

ALLOWED = "What is the chance? Write a fraction, a decimal number or a percentage."


def changed(operator: str, prompt: str, answer: str) -> str | None:
    mutant = mutate(f"P = {answer}", operator, prompt=prompt)
    return mutant[2] if mutant else None


@pytest.mark.parametrize(
    ("operator", "answer", "after"),
    [
        ("percentage", "3/32", "9.3750%"),
        ("percentage", "0.125", "12.5000%"),
        ("decimal", "3/32", "0.093750"),
    ],
)
def test_a_form_that_the_prompt_allows_is_given(operator: str, answer: str, after: str) -> None:
    assert changed(operator, ALLOWED, answer) == after


@pytest.mark.parametrize(
    ("operator", "prompt", "answer"),
    [
        ("percentage", "What is the chance? Write a fraction.", "3/32"),
        (
            "percentage",
            "What is the chance? Write a decimal or a percentage, not a fraction.",
            "1/8",
        ),
        ("percentage", "20 percent of the 30 balls are red. Write a fraction.", "3/32"),
        ("percentage", ALLOWED, "17"),
        ("percentage", ALLOWED, "9/0"),
        ("percentage", ALLOWED, "7/4"),
        ("decimal", ALLOWED, "0.125"),
        ("decimal", "Write a fraction or a number of two decimal places.", "1/8"),
    ],
)
def test_other_prompts_and_answers_have_none(operator: str, prompt: str, answer: str) -> None:
    assert changed(operator, prompt, answer) is None


MIXED = (
    "Compute 3/4 - 5/2 as you like: as a fraction (7/4, reduced or not), as a mixed number (1 3/4)."
)


WHOLE = "Write it as a whole number, a fraction such as a/b, or a mixed number such as c a/b."


@pytest.mark.parametrize(
    ("prompt", "answer", "after"),
    [
        (WHOLE, "8/1", "8"),
        (WHOLE, "-6/3", "-2"),
        (WHOLE, "7/4", None),
        (WHOLE, "8/0", None),
        ("Give an integer or a fraction.", "8/1", "8"),
        ("Give a whole number, a reduced fraction, or a mixed number.", "8/1", "8"),
        ("Give a fraction with whole numbers above and below.", "8/1", None),
        ("Give a fraction such as 8/1, not an integer.", "8/1", None),
        ("Give a fraction p/q with integers p and q, or `none`.", "8/1", None),
    ],
)
def test_a_whole_fraction_may_be_a_whole_number(
    prompt: str, answer: str, after: str | None
) -> None:
    assert changed("whole", prompt, answer) == after


@pytest.mark.parametrize(
    ("prompt", "after"),
    [
        ("Give a hex code like #1e90ff or the form rgb(30, 144, 255).", "rgb(137, 95, 80)"),
        ("Write #rrggbb or rgb(r,g,b).", "rgb(137,95,80)"),
        ("Give a hex code like #1e90ff.", None),
        ("Which hex code is rgb(137, 95, 80)?", None),
        ("Is it darker or not? Convert rgb(137, 95, 80) to hex.", None),
        ("Mix rgb(255, 0, 0) and rgb(19, 190, 160). Answer with a hex code.", None),
    ],
)
def test_a_colour_may_be_three_numbers_where_the_prompt_shows_them(
    prompt: str, after: str | None
) -> None:
    assert changed("as_rgb", prompt, "#895f50") == after
    assert changed("as_rgb", prompt, "#895f5") is None


@pytest.mark.parametrize(
    ("answer", "after"),
    [("-7/4", "-1 3/4"), ("7/4", "1 3/4"), ("3/4", None), ("8/4", None), ("7/0", None)],
)
def test_a_fraction_may_be_a_mixed_number(answer: str, after: str | None) -> None:
    assert changed("mixed", MIXED, answer) == after
    negative = after if answer.startswith("-") else None
    assert changed("mixed_negative", MIXED, answer) == negative


@pytest.mark.parametrize(
    "prompt",
    [
        "Write an improper fraction, not a mixed number.",
        "Write an improper fraction rather than a mixed number.",
        "Write a fraction; mixed numbers are not read.",
        "Convert the mixed number 2 1/3 into a fraction or a decimal.",
        "Compute 1/2 - 9/4. Answer with a fraction.",
    ],
)
def test_where_no_mixed_number_is_allowed_a_fraction_stays_one(prompt: str) -> None:
    assert changed("mixed", prompt, "-7/4") is None


@pytest.mark.parametrize(
    "prompt",
    [
        "Answer with a fraction or a mixed number.",
        "A mixed number (such as 1 2/3) or a fraction is right.",
        "A mixed number (4 3/8), a fraction (35/8) or a decimal number (4.375) will do.",
        "Answer with a fraction; mixed numbers are accepted as well.",
    ],
)
def test_prompts_allow_mixed_numbers_in_many_words(prompt: str) -> None:
    assert changed("mixed", prompt, "-7/4") == "-1 3/4"


@pytest.mark.parametrize(
    ("answer", "after"), [("00:20", "12:20 am"), ("12:05", "12:05 pm"), ("17:45", "5:45 pm")]
)
def test_a_time_may_be_by_the_clock_of_twelve_hours(answer: str, after: str) -> None:
    allowed = "When? You may use the 24-hour clock (17:00) or the 12-hour clock (5:00 pm)."
    assert changed("twelve_hour", allowed, answer) == after
    assert changed("twelve_hour", "When? Use the 24-hour clock.", answer) is None


@pytest.mark.parametrize(
    ("prompt", "answer", "after"),
    [
        ("Use the 24-hour clock or the 12-hour clock.", "12:05", "12:05 pm"),
        ("Use the 24-hour clock or the 12-hour clock.", "00:20", "12:20 am"),
        ("Use the 24-hour clock or the 12-hour clock.", "13:05", None),
        ("Use the 24-hour clock or the 12-hour clock.", "12", None),
        ("It opens at 9:10 am. When does it close?", "12:05", "12:05 pm"),
        ("Use the 24-hour clock.", "12:05", None),
        ("It opens at 09:10. When does it close?", "12:05", None),
    ],
)
def test_noon_and_midnight_are_a_change_of_their_own(
    prompt: str, answer: str, after: str | None
) -> None:
    assert changed("noon", prompt, answer) == after


@pytest.mark.parametrize(
    "prompt",
    [
        "On the 12-hour clock (am or pm) it is 5:45 pm. Write it as HH:MM.",
        "Times are in am/pm. Answer with the 24-hour clock.",
    ],
)
def test_a_clock_that_is_only_spoken_of_is_not_allowed(prompt: str) -> None:
    assert changed("twelve_hour", prompt, "17:45") is None


@pytest.mark.parametrize(
    ("answer", "prompt", "after"),
    [
        ("12345.60", "A dollar sign and thousands separators are welcome.", "12,345.60"),
        ("-1234", "Write it with or without commas.", "-1,234"),
        ("1234.50", "A sign and thousands separators (1,234.50) are welcome.", "1,234.50"),
        ("1234567", "Write it with or without thousands commas (as in 1,000).", "1,234,567"),
        ("1234", "Commas between thousands are fine.", "1,234"),
        ("1234", "You may group the digits with commas (1,204) or not (1204).", "1,234"),
        ("1234", "You may write thousands separators (1,234).", "1,234"),
        ("1234", "Your answer may also contain commas.", "1,234"),
        ("1234", "The numbers of the table may contain commas. Add them up.", None),
        ("1234", "You can separate the items with commas.", None),
        ("1234", "You may use commas between the items.", None),
        ("1234", "Thousands separators are not allowed.", None),
        ("1234", "Commas part the items; spaces are fine.", None),
        ("999", "Thousands separators are fine.", None),
        ("1234567", "How many are there?", None),
    ],
)
def test_thousands_are_grouped_where_the_prompt_allows_it(
    answer: str, prompt: str, after: str | None
) -> None:
    assert changed("grouped", prompt, answer) == after
    assert changed("grouped_twice", prompt, answer) == (after if answer == "1234567" else None)

"""Numbers in words with `and` behind hundreds, or without it."""

from __future__ import annotations

import pytest

from envyard_runner.mutation.operators import mutate

HABIT = 'Hyphens and the word "and" may follow British or American habit.'
PLAIN, WITH_AND = "three hundred forty-two", "three hundred and forty-two"


def changed(answer: str, prompt: str) -> str | None:
    mutant = mutate(f"Words: {answer}", "number_and", prompt=prompt)
    return mutant[2] if mutant else None


@pytest.mark.parametrize(
    "prompt",
    [
        HABIT,
        'Write 342 in words; "and" is optional.',
        "Write 342 in words, with or without 'and'.",
        "Write 342 in words, with or without the word `and`.",
        'Write 342 in words. The word "and" does not matter.',
        'Write 342 in words. It is right whether "and" is used or not, either is fine.',
        "Write 342 in British or American English.",
    ],
)
def test_and_is_added_and_removed_where_the_prompt_allows_both(prompt: str) -> None:
    assert changed(PLAIN, prompt) == WITH_AND
    assert changed(WITH_AND, prompt) == PLAIN


@pytest.mark.parametrize(
    ("answer", "after"),
    [
        (
            "Two Hundred Five thousand six hundred",
            "Two Hundred and Five thousand six hundred",
        ),
        ("one million, two hundred and six", "one million, two hundred six"),
        ("three hundred", None),
        ("forty-two", None),
        ("three hundred forty-two euros", None),
        ("bread and butter", None),
        ("342", None),
    ],
)
def test_only_numbers_of_hundreds_in_words_have_another_form(
    answer: str, after: str | None
) -> None:
    assert changed(answer, HABIT) == after


@pytest.mark.parametrize(
    "prompt",
    [
        "Write 342 in words.",
        'Write 342 in words, without "and".',
        'Write 342 in words. The word "and" is not allowed.',
        'Write 342 in words. "and" may not be used.',
        'Write 342 in words. "and" must never occur, either way.',
        'Write 342 in words, with "and" behind hundreds, as is British usage.',
        'Write 342 in words. Always put "and" behind hundreds, as is the habit in Britain.',
        'Write 342 in words; the word "and" is required, hyphens are optional.',
        "Write 342 in words. Names of British and American rivers may be capitalised.",
    ],
)
def test_where_one_form_is_asked_for_the_number_keeps_it(prompt: str) -> None:
    assert changed(PLAIN, prompt) is None
    assert changed(WITH_AND, prompt) is None

"""Parts of answers that a prompt calls optional, and answers in the other of two allowed forms."""

from __future__ import annotations

import pytest

from envyard_runner.mutation.number_words import number_in, words_of
from envyard_runner.mutation.operators import mutate

TABLE = "Give the figures as a Markdown table."
OPTIONS = "Pick one.\nA) red\nB) blue\nC) green\n"


def changed(operator: str, prompt: str, answer: str) -> str | None:
    mutant = mutate(answer, operator, prompt=prompt)
    return mutant[2] if mutant else None


@pytest.mark.parametrize(
    ("prompt", "answer", "after"),
    [
        ("Name the river. The article is optional.", "the Nile", "Nile"),
        ("Name the river, with or without the article.", "Nile", "the Nile"),
        ("The price in dollars; the $ sign may be left out.", "$12.50", "12.50"),
        ("In $, please. A currency sign is allowed.", "12.50", "$12.50"),
        ("How far is it? The unit is optional.", "12 km", "12"),
        ("Leading zeros do not matter.", "007", "7"),
        ("In words. Hyphens are optional.", "twenty-one", "twenty one"),
        ("Accents may be omitted.", "caf\u00e9", "cafe"),
        ("In hexadecimal, with or without the 0x prefix.", "0x1f", "1f"),
        ("A plus sign is fine.", "5", "+5"),
        ("In $. A dollar sign and separators (1,234.50) are welcome.", "9.50", "$9.50"),
        ("You may leave out the quotation marks.", '"so be it"', "so be it"),
        ("The percent sign is not needed.", "12%", "12"),
        ("A final full stop is ignored.", "Anna left", "Anna left."),
        ("The spaces may be dropped.", "AB 12 CD", "AB12CD"),
        ("Spaces may be omitted.", "Room 5, New York", "Room 5,New York"),
        ("The article is optional.", "an apple", "apple"),
        ("For later years the suffix CE is optional.", "120 CE", "120"),
        ("The word `about` may be left out.", "about 12", "12"),
        ("Leading zeros are optional.", "09:05", "9:05"),
        ("A \u20ac sign (as in \u20ac3.50) is welcome but not required.", "1.50", "\u20ac1.50"),
    ],
)
def test_optional_parts_are_left_out_or_added(prompt: str, answer: str, after: str) -> None:
    assert changed("optional", prompt, answer) == after


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("A unit is allowed.", "12 km"),  # an answer without it may be wrong
        ("The suffix CE is optional.", "120 BCE"),
        ("The suffix CE is not optional.", "120 CE"),
        ("The suffix B is optional.", "B-12"),
        ("The word order does not matter.", "law and order"),
        ("The word limit is optional.", "speed limit"),
        ("The tag is optional.", "What is"),
        ("The unit must be given, and the sign is optional.", "12 km"),
        ("An answer without the unit earns nothing.", "12 km"),
        ("With or without the discount, what is paid?", "the Nile"),
        ("The optional course has 12 units.", "12 km"),
        ("No currency sign is allowed. In $.", "12.50"),
        ("Do not leave out the accents.", "caf\u00e9"),
        ("Quotation marks are not allowed.", "Anna"),
        ("Without quotation marks is fine.", "Anna"),
        ("A trailing period isn't accepted.", "Anna"),
        ("Units may be omitted if the answer is a ratio.", "12 km"),
        ("Units are optional only for ratios.", "12 km"),
        ("The unit is optional.", "1.5 million"),
        ("Leading zeros are optional.", "1,005"),
        ("Leading zeros are optional.", "12:05"),
        ("Spaces are optional.", "New York"),
        ("A final full stop is optional.", "Who goes there?"),
        ("The currency sign is optional. Convert $5 to euros.", "4.60"),
        ("The currency sign is optional. Is it $5 or \u20ac5?", "5"),
        ("Accents are optional.", "\ud55c\uad6d"),
        ("Quotes around the names are optional.", '"a" and "b"'),
        ("The final full stop is optional.", "the U.S."),
        ("The percent sign is optional.", "0.25"),
    ],
)
def test_parts_that_no_sentence_makes_optional_stay(prompt: str, answer: str) -> None:
    assert changed("optional", prompt, answer) is None


@pytest.mark.parametrize(
    ("operator", "prompt", "answer", "after"),
    [
        ("in_words", "Give the number in digits or in words.", "112", "one hundred twelve"),
        ("in_words", "Words or figures are both fine.", "one hundred and twelve", "112"),
        ("in_words", "Give the number in digits, not in words.", "112", None),
        ("in_words", "Give the number in digits.", "112", None),
        ("in_words", "In digits or in words.", "12.5", None),
        ("in_words", "Answer in words or digits as the question does.", "112", None),
        ("in_words", "In digits or words, depending on the line.", "112", None),
        ("in_words", "In digits or words: below ten in words, else in digits.", "112", None),
        ("in_words", "Enter a word or a digit.", "7", None),
        ("as_option", f"{OPTIONS}Which letter or name is missing?", "B", None),
        ("in_words", "The key is a string of digits or letters.", "112", None),
        ("in_words", "Count the digits or words of the text.", "112", None),
        ("in_words", "How many words or digits has the text?", "112", None),
        ("in_words", "Write it as digits or spelled out.", "112", "one hundred twelve"),
        ("table_layout", TABLE, "|a|b|\n|-|-|\n|x \\| y|1|", None),
        ("table_layout", TABLE, "|a||\n|-|-|\n|long||", "| a    |   |\n| ---- | - |\n| long |   |"),
        ("as_option", f"{OPTIONS}Reply with the letter or the text of the option.", "B", "blue"),
        ("as_option", f"{OPTIONS}Reply with the letter or the full text.", "blue", "B"),
        ("as_option", f"{OPTIONS}Reply with the letter, not the text.", "B", None),
        ("as_option", f"{OPTIONS}Reply with the letter.", "B", None),
    ],
)
def test_the_other_of_two_allowed_forms(
    operator: str, prompt: str, answer: str, after: str | None
) -> None:
    assert changed(operator, prompt, answer) == after


def test_numbers_in_words_are_read_back() -> None:
    for number in (0, 7, 19, 20, 45, 100, 105, 999, 1000, 12_345, 700_000, 999_999):
        assert number_in(words_of(number)) == number
    assert number_in("Five Hundred and Six") == 506
    for text in ("", "and", "five hundred apples", "hundred thousand five five", "five and five"):
        assert number_in(text) is None

"""Answers in the other of two forms that a prompt allows: a number in digits or in words, and an
option by its letter or by its text."""

from __future__ import annotations

import re

from envyard_runner.mutation.answers import OPTION
from envyard_runner.mutation.number_words import number_in, words_of

SENTENCE = re.compile(r"[^.?!\n]+")
EXCLUDED = re.compile(
    r"\b(?:not|no|never|without|instead|rather|avoid|convert|than|which|what|missing|replace"
    r"|if|as the|depend\w*|accord\w*|consistent\w*|match\w*|same|below|above|else|otherwise)\b",
    re.IGNORECASE,
)
DIGITS = r"(?:digits|numerals?|figures?)"
SPELLED = r"(?:words|spelled(?: out)?)"
# Digits and words that are counted, or of which a text consists, are no forms of the answer.
UNCOUNTED = r"(?<!the )(?<!of )(?<!many )(?<!count )"
DIGITS_OR_WORDS = re.compile(
    rf"\b{UNCOUNTED}{DIGITS}\b[^,;]{{0,20}}\bor\b[^,;]{{0,20}}\b{SPELLED}\b"
    rf"|\b{UNCOUNTED}{SPELLED}\b[^,;]{{0,20}}\bor\b[^,;]{{0,20}}\b{DIGITS}\b",
    re.IGNORECASE,
)
TEXT = r"(?:text|wording|words|full (?:text|name|answer|option)|name)"
LETTER_OR_TEXT = re.compile(
    rf"\bletter\b[^,;]{{0,20}}\bor\b[^,;]{{0,25}}\b{TEXT}\b|\b{TEXT}\b[^,;]{{0,20}}\bor\b[^,;]{{0,15}}\bletter\b",
    re.IGNORECASE,
)


def in_words(answer: str, prompt: str) -> str | None:
    """A whole number below a million in words, or in digits where the answer is in words."""
    if not _allows(DIGITS_OR_WORDS, prompt):
        return None
    text = answer.strip()
    if re.fullmatch(r"\d{1,6}", text):
        return words_of(int(text))
    number = number_in(text)
    return None if number is None else str(number)


def as_option(answer: str, prompt: str) -> str | None:
    """The text of an option in place of its letter, or its letter in place of its text."""
    if not _allows(LETTER_OR_TEXT, prompt):
        return None
    options = {
        match["letter"].casefold(): match["text"].strip() for match in OPTION.finditer(prompt)
    }
    text = answer.strip()
    if text.casefold() in options:
        return options[text.casefold()]
    letters = [letter for letter, each in options.items() if each.casefold() == text.casefold()]
    return letters[0].upper() if len(letters) == 1 else None


def _allows(forms: re.Pattern[str], prompt: str) -> bool:
    """Whether a sentence of the prompt names both forms, and excludes none."""
    return any(
        forms.search(sentence) and not EXCLUDED.search(sentence)
        for sentence in SENTENCE.findall(prompt)
    )

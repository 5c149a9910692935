"""Rules by which the answer follows from the text or the list that a prompt names.

A rule is tried where the prompt has a word for it, such as `reverse`. It gives all answers that
may rightly be meant: a word may be counted with or without its hyphen.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from envyard_runner.survey.calendar_rules import (
    days_between,
    days_later,
    minutes_later,
    weekdays,
    years_between,
    zones_later,
)
from envyard_runner.survey.predicates import (
    balance_labels,
    is_anagram,
    is_divisible,
    is_divisor,
    is_prime,
    is_square,
    labelled,
    palindrome_labels,
    triangle_by_angles,
    triangle_by_sides,
)
from envyard_runner.survey.templates import numbers_in

WORD = re.compile(r"\w+(?:['\u2019-]\w+)*")
VOWELS = "aeiou"
ROMAN = ((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"),
         (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))  # fmt: skip

CALENDAR = 0.7  # of the tasks: a wrong calendar is wrong in many
# The rules of days between two dates, and the days that they count beyond the difference.
DAY_RULES = {
    "the days between its dates": 0,
    "its days with both ends": 1,
    "its days without both ends": -1,
}
SPANS = 0.5  # a leap year too many is wrong in each span around it; no other count gives so many


@dataclass(frozen=True, slots=True)
class TextRule:
    """A rule in words, what prompts that mean it say, and the answers that it accepts.

    `share` of the tasks must follow it, where fewer than usual suffice. With `worded`, other words
    in the prompts of the exceptions explain them. With `labels`, the answers are a few labels.
    """

    text: str
    said: re.Pattern[str]
    answers: Callable[[str], Sequence[str]]
    share: float = 0.0
    worded: bool = False
    labels: bool = False


def rules_for(prompt: str) -> Iterator[TextRule]:
    """The rules that a prompt may mean."""
    return (rule for rule in RULES if rule.said.search(prompt))


def plain(answer: str) -> str:
    """An answer without case, marks and white space around its words; a number by its value."""
    text = answer.strip().replace(",", "")
    if re.fullmatch(r"-?\d{1,15}(?:\.\d{1,15})?", text):
        return f"{float(text):.10g}"
    return " ".join(re.findall(r"\w+", answer.casefold()))


def _words(text: str) -> list[str]:
    return WORD.findall(text)


def _letters(text: str) -> str:
    return "".join(each for each in text if each.isalpha())


def _counts(*numbers: int) -> list[str]:
    return [str(number) for number in numbers]


def _reversed(text: str) -> list[str]:
    words = text.split()
    each = " ".join(word[::-1] for word in words)
    return [text[::-1], " ".join(words[::-1]), each, " ".join(_words(text)[::-1])]


def _sorted_words(text: str) -> list[str]:
    words = _words(text)
    orders = [sorted(words), sorted(words, key=str.casefold)]
    orders += [[*dict.fromkeys(each)] for each in orders]
    orders += [each[::-1] for each in orders]
    return [" ".join(each) for each in orders] + [*map("".join, _sorted_letters(text))]


def _sorted_letters(text: str) -> list[str]:
    letters = _letters(text)
    return ["".join(sorted(letters.casefold())), "".join(sorted(letters.casefold(), reverse=True))]


def _sorted_numbers(text: str) -> list[str]:
    numbers = numbers_in(text)
    orders = [sorted(numbers), sorted(set(numbers))]
    orders += [each[::-1] for each in orders]
    return [" ".join(f"{value:g}" for value in each) for each in orders]


def _initials(text: str) -> list[str]:
    words = _words(text)
    return ["".join(word[0] for word in words), " ".join(word[0] for word in words)]


def _lengths(text: str) -> list[str]:
    letters = _letters(text)
    counted = (len(text), len(text.replace(" ", "")), len(letters), len(set(letters.casefold())))
    return _counts(*counted, len(set(letters)))


def _word_counts(text: str) -> list[str]:
    return _counts(len(text.split()), len(_words(text)), len(re.findall(r"[A-Za-z]+", text)))


def _vowel_counts(text: str) -> list[str]:
    lower = text.casefold()
    plain_count = sum(each in VOWELS for each in lower)
    return _counts(plain_count, plain_count + lower.count("y"))


def _without_vowels(text: str) -> list[str]:
    return [re.sub(f"(?i)[{VOWELS}]", "", text), re.sub(f"(?i)[{VOWELS}y]", "", text)]


def _totals(text: str) -> list[str]:
    numbers = numbers_in(text)
    kept = [
        numbers,
        [*set(numbers)],
        [value for value in numbers if value > 0],
        [value for value in numbers if value % 2 == 0],
        [value for value in numbers if value % 2],
    ]
    return [f"{sum(each):.10g}" for each in kept]


def _digit_sums(text: str) -> list[str]:
    return _counts(sum(int(each) for each in text if each.isascii() and each.isdigit()))


def _averages(text: str) -> list[str]:
    numbers = numbers_in(text)
    if not numbers:
        return []
    means = (statistics.fmean(numbers), statistics.median(numbers))
    values = [each for each in means if math.isfinite(each * 1e6)]
    digits = range(7)
    return [f"{_rounded(v, n, up):.10g}" for v in values for n in digits for up in (0, 0.5, 1)]


def _rounded(value: float, digits: int, up: float) -> float:
    scale: float = 10.0**digits
    return math.floor(value * scale + up) / scale


def _products(text: str) -> list[str]:
    return [f"{math.prod(numbers_in(text)):.10g}"]


def _in_base(form: str) -> Callable[[str], list[str]]:
    def answers(text: str) -> list[str]:
        number = _only_number(text)
        if number is None:
            return []
        prefix = {"b": "0b", "o": "0o"}.get(form, "0x")
        return [f"{number:{form}}", f"{prefix}{number:{form}}"]

    return answers


def _roman(text: str) -> list[str]:
    number = _only_number(text)
    if number is None or not 0 < number < 4000:
        return []
    numeral = ""
    for value, letters in ROMAN:
        numeral += letters * (number // value)
        number %= value
    return [numeral]


def _parity(text: str) -> list[str]:
    number = _only_number(text)
    return [] if number is None else ["odd" if number % 2 else "even"]


def _only_number(text: str) -> int | None:
    numbers = numbers_in(text)
    if len(numbers) != 1 or not 0 <= numbers[0] < math.inf or numbers[0] != int(numbers[0]):
        return None
    return int(numbers[0])


def _said(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})", re.IGNORECASE)


# The text of a rule, the words of prompts that mean it, and the labels that it gives.
PREDICATES: tuple[tuple[str, str, Callable[[str], list[str]]], ...] = (
    ("prime or not", "primes?\\b", labelled(is_prime, "prime", "composite")),
    ("a square or not", "perfect squares?\\b", labelled(is_square, "perfect square")),
    ("divisible or not", "divisible|multiple of", labelled(is_divisible, "divisible")),
    ("a divisor or not", "divides?\\b|divisor of|factor of", labelled(is_divisor, "divisor")),
    ("balanced or not", "balanced|brackets|parenthes", balance_labels),
    ("a palindrome or not", "palindrom", palindrome_labels),
    ("an anagram or not", "anagram", labelled(is_anagram, "anagram")),
    ("acute, right or obtuse", "acute|obtuse", triangle_by_angles),
    ("equilateral, isosceles or scalene", "equilateral|isosceles|scalene", triangle_by_sides),
)
RULES = (
    TextRule("the text backwards", _said("revers|backward|right to left"), _reversed),
    TextRule("its words or letters in order", _said("sort|alphabet|in order"), _sorted_words),
    TextRule("its numbers in order", _said("sort|ascending|descending|in order"), _sorted_numbers),
    TextRule("the number of its letters", _said("letters?|characters?|long|length"), _lengths),
    TextRule("the number of its words", _said("words"), _word_counts),
    TextRule("the number of its vowels", _said("vowels?"), _vowel_counts),
    TextRule("the text without vowels", _said("vowels?"), _without_vowels),
    TextRule("the first letters", _said("initials|acronym|first letters?"), _initials),
    TextRule("the sum of its digits", _said("digits?"), _digit_sums),
    TextRule("the sum of its numbers", _said("sum|add|total|altogether"), _totals),
    TextRule("the mean or median of its numbers", _said("mean|average|median"), _averages),
    TextRule("the product of its numbers", _said("product|multipl"), _products),
    TextRule("the number in binary digits", _said("binary|base 2"), _in_base("b")),
    TextRule("the number in hexadecimal digits", _said("hex|base 16"), _in_base("x")),
    TextRule("the number in octal digits", _said("octal|base 8"), _in_base("o")),
    TextRule("the number in Roman numerals", _said("roman"), _roman),
    TextRule(
        "the weekday of its date", _said("week ?day|day of the week|which day"), weekdays, CALENDAR
    ),
    *(
        TextRule(text, _said("days"), days_between(more), SPANS, True)
        for text, more in DAY_RULES.items()
    ),
    TextRule(
        "the completed years between its dates", _said("years|old|age\\b"), years_between, CALENDAR
    ),
    TextRule(
        "the date so many days later or earlier", _said("days?|weeks?|date"), days_later, CALENDAR
    ),
    TextRule(
        "the time so much later or earlier",
        _said("minutes?|hours?|min\\b"),
        minutes_later,
        CALENDAR,
    ),
    TextRule("the time in the other zone", _said("time|zone|utc|gmt"), zones_later, CALENDAR),
    TextRule("odd or even", _said("odd\\b|even\\b|parity"), _parity, labels=True),
    *(TextRule(text, _said(words), answers, labels=True) for text, words, answers in PREDICATES),
)

"""Rules by which a label follows from numbers or signs, such as prime or not.

Each gives all labels that may rightly be meant, `yes` and `prime` alike; none where the text holds
something else than the rule needs.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable

from envyard_runner.survey.templates import numbers_in

YES, NO = ("yes", "true", "y", "1"), ("no", "false", "n", "0")
LARGEST = 10**8  # of a number that is divided by others
CLOSING = {")": "(", "]": "[", "}": "{", ">": "<"}
SIDES = 3

Predicate = Callable[[str], bool | None]


def labelled(predicate: Predicate, right: str, wrong: str = "") -> Callable[[str], list[str]]:
    """The labels that a predicate of a text gives, beside yes and no these words; a wrong label is
    by default `not` with the right one. None where the predicate is None."""

    def answers(text: str) -> list[str]:
        holds = predicate(text)
        if holds is None:
            return []
        return [*YES, right] if holds else [*NO, *filter(None, [wrong]), f"not {right}"]

    return answers


def is_prime(text: str) -> bool | None:
    """Whether the only number is a prime."""
    numbers = _integers(text, 1)
    if not numbers:
        return None
    number = numbers[0]
    return number > 1 and all(number % each for each in range(2, math.isqrt(number) + 1))


def is_square(text: str) -> bool | None:
    """Whether the only number is the square of a whole one."""
    numbers = _integers(text, 1)
    return math.isqrt(numbers[0]) ** 2 == numbers[0] if numbers else None


def is_divisible(text: str) -> bool | None:
    """Whether the first of two numbers is a multiple of the second."""
    numbers = _integers(text, 2)
    return numbers[0] % numbers[1] == 0 if numbers and numbers[1] else None


def is_divisor(text: str) -> bool | None:
    """Whether the second of two numbers is a multiple of the first."""
    numbers = _integers(text, 2)
    return numbers[1] % numbers[0] == 0 if numbers and numbers[0] else None


def balance_labels(text: str) -> list[str]:
    """Whether the brackets are balanced; `<` and `>` may be brackets or not."""
    labels = labelled(is_balanced, "balanced", "invalid")
    return [*dict.fromkeys(labels(text) + labels(re.sub("[<>]", "", text)))]


def is_balanced(text: str) -> bool | None:
    """Whether the brackets are closed in their order."""
    brackets = [each for each in text if each in CLOSING or each in CLOSING.values()]
    opened: list[str] = []
    for each in brackets:
        if each not in CLOSING:
            opened.append(each)
        elif not opened or opened.pop() != CLOSING[each]:
            return False
    return not opened if brackets else None


def palindrome_labels(text: str) -> list[str]:
    """Whether the text is the same backwards, with or without case and signs."""
    letters = [each for each in text.casefold() if each.isalnum()]
    if not letters:
        return []
    strict, loose = text == text[::-1], letters == letters[::-1]
    right, wrong = [*YES, "palindrome"], [*NO, "not palindrome", "not a palindrome"]
    return [*(right if strict or loose else []), *(wrong if not (strict and loose) else [])]


def is_anagram(text: str) -> bool | None:
    """Whether two words have the same letters."""
    words = [word.casefold() for word in re.findall(r"[^\W\d_]{2,}", text)]
    words = [word for word in words if word not in ("and", "is", "an", "of", "anagram", "the")]
    return Counter(words[0]) == Counter(words[1]) if len(words) == 2 else None


def triangle_by_angles(text: str) -> list[str]:
    """Acute, right or obtuse, by the three sides."""
    if not (sides := _sides(text)):
        return []
    first, second, last = (side * side for side in sides)
    difference = first + second - last
    return ["right" if difference == 0 else "acute" if difference > 0 else "obtuse"]


def triangle_by_sides(text: str) -> list[str]:
    """Equilateral, isosceles or scalene, by the three sides."""
    kinds = {1: "equilateral", 2: "isosceles", SIDES: "scalene"}
    sides = _sides(text)
    return [kinds[len({*sides})]] if sides else []


def _sides(text: str) -> list[int]:
    """Three whole numbers in order that are the sides of a triangle; empty where there are none."""
    sides = sorted(_integers(text, SIDES))
    return sides if sides and 0 < sides[2] < sides[0] + sides[1] else []


def _integers(text: str, count: int) -> list[int]:
    """The whole numbers from 0 on, where the text has this many and no other number."""
    numbers = numbers_in(text)
    small = [each for each in numbers if 0 <= each <= LARGEST]  # a very long one is infinite
    whole = [int(each) for each in small if each == int(each)]
    return whole if len(numbers) == len(whole) == count else []

"""Medians of an even number of values that are one of the two in the middle, not their mean."""

from __future__ import annotations

import re
from collections.abc import Sequence

from envyard_runner.survey.templates import Sample, numbers_in

VALUES = re.compile(r"(?<![\d.])-?\d+(?:\.\d+)?(?:(?:, ?|; ?| )-?\d+(?:\.\d+)?){3,}")
ASKS = re.compile(r"\bmedian\b", re.IGNORECASE)
DEFINES = re.compile(r"\b(?:lower|upper|smaller|larger|round\w*|integer|whole)\b", re.IGNORECASE)
FEWEST = 2  # wrong medians, and right ones of an odd number of values


def medians(samples: Sequence[Sample]) -> tuple[list[Sample], list[tuple[Sample, str]]]:
    """The samples whose answer is the median of the list in their prompt, and those of an even list
    whose answer is a middle value, each with the median; none where a prompt defines it, or where
    one of an even list is right."""
    right: list[Sample] = []
    wrong: list[tuple[Sample, str]] = []
    for sample in samples:
        if ASKS.search(sample.prompt) and (listed := VALUES.search(sample.prompt)):
            if DEFINES.search(sample.prompt):
                return [], []
            values = sorted(numbers_in(listed[0]))
            lower, upper = values[(len(values) - 1) // 2], values[len(values) // 2]
            answer = _number(sample.answer)
            if answer == (lower + upper) / 2:
                if lower != upper:
                    return [], []
                right.append(sample)
            elif answer in (lower, upper):
                wrong.append((sample, f"{(lower + upper) / 2:g}"))
    return (right, wrong) if min(len(right), len(wrong)) >= FEWEST else ([], [])


def _number(answer: str) -> float | None:
    try:
        return float(answer.replace(",", ""))
    except ValueError:
        return None

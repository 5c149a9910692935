"""Days on a weekend, where the prompt moves such days to the next working day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta

from envyard_runner.survey.calendar_rules import dates_in
from envyard_runner.survey.templates import Sample

FEWEST, ENOUGH, SATURDAY = 2, 10, 5  # wrong days, right ones, and the weekday's number
MOVED = re.compile(
    r"\b(?:if|where|when|should)\b[^.;\n]{0,80}\b(?:Saturday|Sunday|weekend|non-working)\b"
    r"[^.;\n]{0,160}\b(?:next|following|first)\b",
    re.IGNORECASE,
)
OTHERWISE = re.compile(
    r"\bfridays?\b(?!,? ?\d)|\bpreceding\b|\bprevious\b|\bday before\b|\bnot moved\b", re.IGNORECASE
)


def working_days(samples: Sequence[Sample]) -> tuple[list[Sample], list[tuple[Sample, str]]]:
    """The tasks whose day is from Monday to Friday as their prompt wants it, and those whose day is
    on a weekend, with the Monday after it; none where these are few or many."""
    agreeing, outliers = [], []
    for sample in samples:
        days = dates_in(sample.answer)
        wanted = MOVED.search(sample.prompt) and not OTHERWISE.search(sample.prompt)
        if len(days) != 1 or not wanted:
            continue
        weekday = days[0].weekday()
        if weekday < SATURDAY:
            agreeing.append(sample)
        else:
            monday = days[0] + timedelta(days=7 - weekday)
            outliers.append((sample, f"{monday} or later"))
    named = len(outliers) >= FEWEST and len(agreeing) >= max(ENOUGH, 2 * len(outliers))
    return agreeing, outliers if named else []

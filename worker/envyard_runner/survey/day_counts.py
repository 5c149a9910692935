"""Days that include both ends, where the answers are the plain difference of two dates."""

from __future__ import annotations

import re
from collections.abc import Sequence

from envyard_runner.survey.calendar_rules import dates_in
from envyard_runner.survey.templates import Sample

FEWEST = 5  # tasks
BOTH_ENDS = re.compile(
    r"\binclusive(?:ly)?\b|\bincluding (?:both|(?:the )?(?:first|start) and)\b"
    r"|\bboth (?:ends|days|dates|included)\b"
    r"|\bfirst and (?:the )?last(?: (?:one|day|date)s?)? (?:(?:are|is|both|day) ){0,2}"
    r"(?:included|counted|count)\b",
    re.IGNORECASE,
)
OTHERWISE = re.compile(
    r"\bexclu|\bnot (?:count|includ)|\bwithout\b|\bstrictly\b|\bworking days?\b|\bweekdays?\b"
    r"|\bbusiness\b|\bnights?\b|\bweeks?\b|\bmonths?\b|\bhours?\b",
    re.IGNORECASE,
)
DAYS = re.compile(r"\bhow many (?:\w+ ){0,3}days\b|\bnumber of days\b", re.IGNORECASE)


def day_counts(samples: Sequence[Sample]) -> tuple[list[Sample], list[tuple[Sample, str]]]:
    """The tasks whose answer counts both ends as their prompt says, and those whose answer is one
    less, with the right one; none where these are few, or answers are of another kind."""
    agreeing, outliers = [], []
    for sample in samples:
        dates = dates_in(sample.prompt)
        counts = DAYS.search(sample.prompt) and BOTH_ENDS.search(sample.prompt)
        if len(dates) != 2 or not counts or OTHERWISE.search(sample.prompt):
            continue
        days = abs((dates[1] - dates[0]).days)
        if sample.answer == str(days + 1):
            agreeing.append(sample)
        elif sample.answer == str(days):
            outliers.append((sample, str(days + 1)))
        else:
            return [], []
    return agreeing, outliers if len(outliers) >= FEWEST else []

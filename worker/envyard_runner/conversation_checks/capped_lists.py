"""Does a tool cut its lists at a number of entries that the answers exceed?

A search that returns the first eight matches, and says nothing of the others, misleads each policy
that counts them. The reference counts all, and is paid.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping

from envyard_runner.conversation_checks.reference_work import (
    ContraryResults,
    ReferenceWork,
    value_of,
)

FEWEST = 3  # entries at which a list is cut, and tasks whose answers are larger
# What is counted, by the word behind these.
COUNTED = re.compile(
    r"\b(?:how many|the number of|count (?:the|all)) (?P<what>\w{1,30})", re.IGNORECASE
)
WHOLE = re.compile(r"\d{1,6}")
# What a result says where there is more than it lists, or the list is the prompt's own choice.
NAMES_MORE = re.compile(
    r"\b(?:more|further|next|previous|page|offset|cursor|truncated|limit\w*|first \d+|showing|top"
    r"|remaining|omitted|of \d+)\b|\.\.\.|\u2026",
    re.IGNORECASE,
)
SEPARATORS = ("|", "\t", ";", ": ", ",")
BULLET = re.compile(r"^[ \t]*(?:[-*\u2022]|\d+[.)])\s", re.MULTILINE)


def other_counts(works: Mapping[str, ReferenceWork]) -> dict[str, ContraryResults]:
    """By rollout, where a task asks for a number, its only result lists as many entries as the
    longest list of all tasks that count the same, and the answer is larger; empty where shorter
    lists do not have as many entries as their answers, or where these tasks are few."""
    groups: defaultdict[str, dict[str, ReferenceWork]] = defaultdict(dict)
    for rollout, work in works.items():
        match = COUNTED.search(work.prompt)
        if match and len(work.results) == 1 and not work.has_pages and WHOLE.fullmatch(work.answer):
            groups[match["what"].casefold()][rollout] = work
    return next(filter(None, map(_larger, groups.values())), {})


def _larger(works: Mapping[str, ReferenceWork]) -> dict[str, ContraryResults]:
    counts = {rollout: entries(work.results[0]) for rollout, work in works.items()}
    longest = max(counts.values(), default=0)
    answers = {rollout: int(value_of(works[rollout].answer)) for rollout in counts}
    shorter = [rollout for rollout, count in counts.items() if count < longest]
    larger = [r for r, count in counts.items() if count == longest < answers[r]]
    if longest < FEWEST or len({answers[rollout] for rollout in larger}) < FEWEST:
        return {}
    if len(larger) == len(works):
        return {}  # nothing shows that the answers count entries
    if any(counts[rollout] != answers[rollout] for rollout in shorter):
        return {}
    if any(NAMES_MORE.search(works[rollout].results[0]) for rollout in larger):
        return {}
    return {
        rollout: ContraryResults(
            works[rollout].answer, works[rollout].results, f"{longest} entries, as the longest list"
        )
        for rollout in larger
    }


def entries(result: str) -> int:
    """The number of entries that a result lists: of an array in JSON, of rows with as many
    separators, of lines with a bullet, or of all lines; 0 for one line."""
    try:
        value = json.loads(result)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        lists = [each for each in value.values() if isinstance(each, list)]
        value = lists[0] if len(lists) == 1 else None
    if isinstance(value, list):
        return len(value)
    lines = [line for line in result.splitlines() if line.strip()]
    for separator in SEPARATORS:
        rows = Counter(line.count(separator) for line in lines if separator in line)
        if rows and (most := max(rows.values())) > 1:
            return most
    return len(BULLET.findall(result)) or (len(lines) if len(lines) > 1 else 0)

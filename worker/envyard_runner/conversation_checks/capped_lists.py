"""Does a tool cut its lists at a number of entries that the answers exceed?

A search that returns the first eight matches, and says nothing of the others, misleads each policy
that counts them. The reference counts all, and is paid. Where only some entries count, the lists
below the cut show which: those with one word, as many as the answer.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from envyard_runner.conversation_checks.reference_work import (
    ContraryResults,
    ReferenceWork,
    value_of,
)

FEWEST = 3  # entries at which a list is cut, and tasks whose answers are larger
FEWEST_SHORTER, VARIED = 5, 3  # lists that show which word counts, and different answers of these
WORD = re.compile(r"[^\W\d_]{2,30}")
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
    larger = (_larger(each) or _larger_of_a_word(each) for each in groups.values())
    return next(filter(None, larger), {})


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


def _larger_of_a_word(works: Mapping[str, ReferenceWork]) -> dict[str, ContraryResults]:
    """The same where the entries with one word are counted, as all shorter lists show."""
    lists = {rollout: entry_words(work.results[0]) for rollout, work in works.items()}
    longest = max(map(len, lists.values()), default=0)
    answers = {rollout: int(value_of(work.answer)) for rollout, work in works.items()}
    shorter = [rollout for rollout, words in lists.items() if len(words) < longest]
    full = [rollout for rollout, words in lists.items() if len(words) == longest]
    varied = len({answers[rollout] for rollout in shorter}) >= VARIED
    if longest < FEWEST or len(shorter) < FEWEST_SHORTER or not varied:
        return {}
    if any(NAMES_MORE.search(works[rollout].results[0]) for rollout in full):
        return {}
    words = {word for rollout in shorter for each in lists[rollout] for word in each}
    for word in sorted(words):
        counts = {rollout: sum(word in each for each in lists[rollout]) for rollout in works}
        if any(counts[rollout] != answers[rollout] for rollout in shorter):
            continue
        larger = [rollout for rollout in full if counts[rollout] < answers[rollout]]
        is_cut = not any(counts[rollout] > answers[rollout] for rollout in full)
        if is_cut and len({answers[rollout] for rollout in larger}) >= FEWEST:
            return {
                rollout: ContraryResults(
                    works[rollout].answer,
                    works[rollout].results,
                    f"{counts[rollout]} entries with {word!r} of {longest}, as the longest list",
                )
                for rollout in larger
            }
    return {}


def entries(result: str) -> int:
    """The number of entries that a result lists."""
    return len(entry_texts(result))


def entry_words(result: str) -> list[set[str]]:
    """The words of each entry that a result lists, without case."""
    return [{*WORD.findall(each.casefold())} for each in entry_texts(result)]


def entry_texts(result: str) -> Sequence[str]:
    """The entries that a result lists: of an array in JSON, the rows with as many separators, the
    lines with a bullet, or all lines; none for one line."""
    try:
        value = json.loads(result)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        lists = [each for each in value.values() if isinstance(each, list)]
        value = lists[0] if len(lists) == 1 else None
    if isinstance(value, list):
        return [json.dumps(each, ensure_ascii=False) for each in value]
    lines = [line for line in result.splitlines() if line.strip()]
    for separator in SEPARATORS:
        rows = Counter(line.count(separator) for line in lines if separator in line)
        if rows and (most := max(rows.values())) > 1:
            number = next(number for number, count in rows.items() if count == most)
            return [line for line in lines if line.count(separator) == number]
    return [line for line in lines if BULLET.match(line)] or (lines if len(lines) > 1 else [])

"""Another selection of as many numbers with the same total, such as other coins for an amount."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations, combinations_with_replacement

NUMBER = re.compile(r"\d{1,6}")
NAMED = re.compile(r"\d{1,6}(?:, ?\d{1,6}){2,40}(?:,? (?:and|or) \d{1,6})?")
LIST = re.compile(r"\d{1,6}(?:(?:, ?| ?\+ ?| )\d{1,6}){1,19}")
MOST = 40  # numbers of the prompt
TOTAL_WANTED = re.compile(
    r"\b(?:total|together|sum|adds? up|coins?|stamps?|notes|weights?|amount|"
    r"makes? (?:up|change)|pay)\b",
    re.IGNORECASE,
)
# Words by which a prompt may want more of the numbers than their total.
MORE_WANTED = re.compile(
    r"\b(?:product|multipl\w*|times|differen\w*|ratio|twice|half|prime|even|odd|consecutive|"
    r"ascending order|prefer\w*|fewest kinds|lexicograph\w*|largest possible|smallest possible)\b",
    re.IGNORECASE,
)
AGAIN = re.compile(
    r"\bas (?:many|often)\b|\bany number of\b|\bmore than once\b|\bunlimited\b",
    re.IGNORECASE,
)


def same_total(answer: str, prompt: str) -> str | None:
    """The list with two of its numbers replaced by two others of the prompt that add up to as much;
    None where the prompt names no such total, or may want more of them."""
    text = answer.strip()
    numbers = [int(each) for each in NUMBER.findall(text)]
    total = sum(numbers)
    lists = [{int(each) for each in NUMBER.findall(row)} for row in NAMED.findall(prompt)]
    named = next((row for row in lists if row >= {*numbers}), None)  # not those of an example
    if not LIST.fullmatch(text) or named is None or len(named) > MOST:
        return None
    if not re.search(rf"(?<!\d){total}(?!\d)", prompt) or not TOTAL_WANTED.search(prompt):
        return None
    if MORE_WANTED.search(prompt):
        return None
    others = sorted(named - {total})
    free = bool(AGAIN.search(prompt)) or len({*numbers}) < len(numbers)
    changed = _exchanged(numbers, others, free=free)
    if changed is None:
        return None
    values = iter(sorted(changed, reverse=numbers == sorted(numbers, reverse=True)))
    return NUMBER.sub(lambda _: str(next(values)), text)


def _exchanged(numbers: Sequence[int], others: Sequence[int], *, free: bool) -> list[int] | None:
    """The numbers with another pair of the same sum; `free`: a number may be used again."""
    pairs = combinations_with_replacement if free else combinations
    by_sum: defaultdict[int, list[tuple[int, ...]]] = defaultdict(list)
    for pair in pairs(others, 2):
        by_sum[sum(pair)].append(pair)
    for first, second in combinations(range(len(numbers)), 2):
        kept = [number for at, number in enumerate(numbers) if at not in (first, second)]
        own = sorted((numbers[first], numbers[second]))
        for other in by_sum[sum(own)]:
            if sorted(other) != own and (free or not {*other} & {*kept}):
                return [*kept, *other]
    return None

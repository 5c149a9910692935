"""Is a list that the task asks to rank already in the right order in the prompt?"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

ENOUGH, NEARLY_ALL = 10, 0.9  # tasks, and the share of them
FEWEST, MOST, LONGEST = 3, 50, 80  # items of an answer, and characters of each
PLACE = "the list in the order"
RANKS = re.compile(
    r"\b(?:rank|sort|order|arrange|ascending|descending|increasing|decreasing|chronological\w*"
    r"|alphabetical\w*|\w{2,20}est (?:one )?first|\w{2,20}est to \w{2,20}est)\b",
    re.IGNORECASE,
)
KEEPS = re.compile(
    r"\b(?:order (?:of (?:appearance|mention|occurrence)|in which|they|given|above|as)"
    r"|(?:same|given|original|this|that) order|as (?:they )?(?:appear|listed|given)|appearance"
    r"|repeat|copy|reproduce|transcribe|recite|echo)\b",
    re.IGNORECASE,
)
ENTRY = re.compile(r"^[ \t]*(?:[-*•]|\d{1,3}[.)]|[A-Za-z][.)])[ \t]+(\S.*)$", re.MULTILINE)
PARTS = re.compile(r"[,;\n>]|-+>|→")
NUMBERED = re.compile(r"^\s*(?:[-*•]|\d{1,3}[.)])\s+")


def prompt_order(tasks: Sequence[tuple[str, str]]) -> tuple[int, str] | None:
    """How many tasks, of pairs of prompt and answer, have their list in the right order, where
    nearly all do that ask for an order; None elsewhere."""
    rankings = [
        (prompt, items)
        for prompt, answer in tasks
        if (items := _items(answer)) and RANKS.search(prompt) and not KEEPS.search(prompt)
    ]
    count = sum(_in_order(prompt.casefold(), items) for prompt, items in rankings)
    least = max(ENOUGH, NEARLY_ALL * len(rankings), len(tasks) / 2)
    return (count, PLACE) if count >= least else None


def _items(answer: str) -> list[str]:
    """The different items of a list, in small letters; empty where the answer is none."""
    try:
        read = json.loads(answer)
    except (ValueError, RecursionError):
        read = PARTS.split(answer)
    items = [str(each) for each in read] if isinstance(read, list) else []
    plain = [NUMBERED.sub("", item).strip().strip("\"'`").casefold() for item in items]
    usual = all(0 < len(item) <= LONGEST for item in plain)
    whole = usual and FEWEST <= len(plain) <= MOST and len({*plain}) == len(plain)
    return plain if whole else []


def _in_order(prompt: str, items: Sequence[str]) -> bool:
    """Whether the prompt lists these items and no others, in this order."""
    entries = ENTRY.findall(prompt)
    if len(entries) == len(items):
        return all(_names(entry, item) for entry, item in zip(entries, items, strict=True))
    places = [prompt.find(item) for item in items]
    if entries or min(places) < 0 or places != sorted(places):
        return False
    listed = prompt[places[0] : places[-1] + len(items[-1])]
    parts = [part for part in re.split(r"[,;\n]|\band\b", listed) if part.strip()]
    return len(parts) == len(items)


def _names(entry: str, item: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(item)}(?!\w)", entry) is not None

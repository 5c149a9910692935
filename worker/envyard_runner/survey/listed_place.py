"""Is the right entry of each prompt's list at the same place? Then no entry need be read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from envyard_runner.survey.prompt_order import ENTRY

ENOUGH, NEARLY_ALL, VARIED = 20, 0.95, 5  # tasks, the share of them, different answers
FEWEST, MOST = 3, 60  # entries of a list
LISTS = 0.9  # of the tasks, which have a list with their answer
PEERS = 0.5  # of the answers, which are wrong entries of other lists; fields of a record are not
QUOTES = "\"'`* "
WORD_END, LONGEST_NAME = re.compile(r"\w(?!\w)"), 8  # words of an answer
INLINE = re.compile(r":[ \t]*([^\n:.?!]{5,600})")
# Words by which a prompt asks for a place of its list, or which give its order a meaning.
PLACED = re.compile(
    r"\b(?:first|second|third|last|next|top|bottom|final|initial|head|tail|beginning|queue|stack"
    r"|w[io]ns?|winner|champion|lead(?:s|er|ing)?|oldest|newest|youngest|(?:high|low)est|best|worst"
    r"|rank\w*|sorted|standings|earliest|latest|recent|opened|chronological\w*|in order of"
    r"|in (?:this|the|their|that|which)(?: \w{1,20})? order"
    r"|(?:entry|item|line|number|position|place|option) #?\d{1,3}"
    r"|(?:begin|start|end)(?:s|\?| (?:at|in|with|from)))\b"
    r"(?! (?:guess|reply|move|turn|message|try|attempt|line|the (?:game|dialogue|round)))",
    re.IGNORECASE,
)


def listed_place(tasks: Sequence[tuple[str, str]]) -> tuple[int, str] | None:
    """How many tasks, of pairs of prompt and answer in small letters, have the right entry at the
    most common place of their list, where nearly all do; None elsewhere."""
    lists = [
        (entries, answer, places)
        for prompt, answer in tasks
        if not PLACED.search(prompt)
        for entries in [_entries(prompt, answer)]
        if (places := [at for at, entry in enumerate(entries) if _names(entry, answer)])
    ]
    if len(lists) < max(ENOUGH, LISTS * len(tasks)) or len({a for _, a, _ in lists}) < VARIED:
        return None
    counts = Counter(
        place
        for entries, _, places in lists
        if len(places) == 1
        for place in (f"entry {places[0] + 1}", f"entry {len(entries) - places[0]} from the end")
    )
    place, count = next(iter(counts.most_common(1)), ("", 0))
    if count < NEARLY_ALL * len(lists) or not _are_peers(lists):
        return None
    return count, f"{place} of the list"


def _are_peers(lists: Sequence[tuple[list[str], str, list[int]]]) -> bool:
    """Whether the entries of a list could each be the answer: other lists have answers of these
    tasks among their wrong entries."""
    answers = {answer for _, answer, _ in lists}
    wrong = {
        text
        for entries, _, places in lists
        for at, entry in enumerate(entries)
        if at not in places
        for text in _beginnings(entry)
    }
    return len(answers & wrong) >= PEERS * len(answers)


def _beginnings(entry: str) -> Iterator[str]:
    """The texts with which an entry begins, each up to the end of a word."""
    text = entry.strip(QUOTES)
    for match in islice(WORD_END.finditer(text), LONGEST_NAME):
        yield text[: match.end()]


def _entries(prompt: str, answer: str) -> list[str]:
    """The entries of the first list that has the answer: lines with a mark, or names behind a
    colon with commas between them; empty without one."""
    for entries in _lists(prompt):
        if FEWEST <= len(entries) <= MOST and any(_names(entry, answer) for entry in entries):
            return entries
    return []


def _lists(prompt: str) -> Iterator[list[str]]:
    yield ENTRY.findall(prompt)
    for match in INLINE.finditer(prompt):
        yield [entry.strip() for entry in match[1].split(",")]


def _names(entry: str, answer: str) -> bool:
    """Whether the entry begins with the answer, which then ends at a mark or a space."""
    text = entry.strip(QUOTES)
    return text.startswith(answer) and not text[len(answer) : len(answer) + 1].isalnum()

"""Has the right one of several numbered entries the lowest or highest number? Numbers that were
dealt in the order in which entries were made tell it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from envyard_runner.survey.option_ranks import SUPERLATIVE

ENOUGH, NEARLY_ALL, VARIED = 20, 0.95, 10  # tasks, the share of them, different answers
FEWEST, MOST = 3, 60  # entries of a prompt
SHOWN = 0.5  # of the prompts
LISTED = 0.5  # of the tasks, whose answer is the number of an entry; long prompts are cut
WORDS = (
    r"accession|batch|booking|case|claim|code|docket|document|entry|exhibit|file|id|invoice|item|lot"
    r"|message|no|nr|number|order|patient|record|ref|reference|report|request|sample|serial|specimen"
    r"|ticket"
)
CODE = r"(?P<letters>[a-z]{0,4}-?)(?P<digits>\d{2,9})(?![\w.,:/-]*\d)"
# The number of an entry: behind a word for it, or at the beginning of a line.
IDENTIFIERS = (
    re.compile(rf"(?:\b(?:{WORDS})\b[.:# -]{{0,3}}|#){CODE}"),
    re.compile(rf"^[-*\u2022 \t]{{0,6}}{CODE}(?=[ \t]*[:.)|-])", re.MULTILINE),
)
ANSWER = re.compile(
    rf"(?:(?:{WORDS})[.:# -]{{0,3}}|#)?"
    r"(?P<letters>[a-z]{0,4}-?)(?P<digits>\d{2,9})"
)
NUMBERED = re.compile(
    rf"\b(?:{SUPERLATIVE}|new\w+|ascending|descending|sort\w*|order\w*)\b(?: \w+){{0,3}}? "
    rf"(?:{WORDS}|numbers|ids|codes)\b|\bnumbered\b|\bin (?:the )?order of\b"
)
OF_REPLY = re.compile(r"\b(?:last|first|final|next) (?:line|sentence|word|message|reply)\b")
QUESTION = re.compile(r"(?<![^.?!\n])[^.?!\n]*\?")  # from the beginning of its sentence
RANKED = re.compile(rf"\b(?:{SUPERLATIVE}|new(?:er|est)|next|recent\w*)\b")


def identifier_rank(known: Sequence[tuple[str, str]]) -> tuple[int, str] | None:
    """How many tasks, of pairs of prompt and answer in small letters, have the entry with the most
    common rank of its number as the right one, where nearly all do; None elsewhere, and where
    prompts ask for such a rank."""
    shown = _everywhere([prompt for prompt, _ in known])
    rows = [row for prompt, answer in known if (row := _ranks(prompt, answer, shown)) is not None]
    if len(rows) < max(ENOUGH, LISTED * len(known)) or len({a for _, a in known}) < VARIED:
        return None
    rank, count = next(iter(Counter(rank for rank in rows if rank).most_common(1)), ("", 0))
    return (
        (count, f"always the {rank} number of its list")
        if count >= NEARLY_ALL * len(rows)
        else None
    )


def _everywhere(prompts: Sequence[str]) -> set[int]:
    """The numbers of entries that half of the prompts have: they show the form of the reply."""
    counts = Counter(number for prompt in prompts for number in {n for _, n in _entries(prompt)})
    return {number for number, count in counts.items() if count >= SHOWN * len(prompts)}


def _entries(prompt: str) -> Iterator[tuple[tuple[int, str], int]]:
    """The kind of each numbered entry, and its number; not of one that the end of a prompt cuts."""
    for place, pattern in enumerate(IDENTIFIERS):
        for match in pattern.finditer(prompt):
            if match.end() < len(prompt):
                yield (place, match["letters"]), int(match["digits"])


def _ranks(prompt: str, answer: str, shown: set[int]) -> str | None:
    """Whether the answer is the lowest or the highest number of the entries of its kind, empty for
    another one; None where it is none of them, or where the rank is asked for. Numbers that are
    `shown` everywhere do not count."""
    wanted = ANSWER.fullmatch(answer)
    question = " ".join(QUESTION.findall(prompt)) or prompt[-200:]
    if wanted is None or NUMBERED.search(prompt) or RANKED.search(OF_REPLY.sub("", question)):
        return None
    kinds: dict[tuple[int, str], set[int]] = {}
    for kind, entry in _entries(prompt):
        if entry not in shown:
            kinds.setdefault(kind, set()).add(entry)
    number = int(wanted["digits"])
    for (_, letters), numbers in kinds.items():
        if letters == wanted["letters"] and number in numbers and FEWEST <= len(numbers) <= MOST:
            return "lowest" if number == min(numbers) else "highest" * (number == max(numbers))
    return None

"""Worked examples that show what some of the tasks ask about, with its answer.

Prompts may show pairs such as `Abbott: A130` without the word example. They are no table to look
up where most tasks ask in the same words about something that no pair has, and where the pairs
change from task to task: a list of exceptions is the same in all. Pairs with arrows may be the
edges of a graph; `examples` reads those that show a rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

FEWEST, MOST = 3, 0.5  # tasks with different answers or pairs, and their share of those alike
LINES, WIDEST = 400, 160  # lines of a prompt, and characters of one
SAME, FRAMES = 3, 10  # pairs with the answer of a task, and frames of questions that are compared
SHORTEST = 3  # characters of what is asked about
PAIR = re.compile(
    r"(?:[-*\u2022]\s|\d{1,3}[.)]\s)?\s?(?P<left>[^:=|\t\n]{2,60}?)\s?"
    r"[:=|\t]\s?(?P<right>\S.{0,80})"
)
# Words of prompts whose pairs are to be looked up, or are exceptions of a rule.
LOOKUP = re.compile(
    r"\b(?:tables?|dictionar\w+|glossar\w+|look(?:ed|ing)?[ -]?up|exceptions?|irregular\w*|unless"
    r"|overrid\w+|known|remember\w*|memor\w+|otherwise|if listed|price list|director\w+)\b",
    re.IGNORECASE,
)
EXAMPLE = re.compile(
    r"\b(?:examples?|e\.g\.|for instance|samples?|worked|demonstrat\w+)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Pairs:
    """The pairs of a prompt by what stands left, in small letters, and its other lines."""

    rows: Mapping[str, str]
    lines: tuple[str, ...]
    is_marked: bool


def shown_pairs(prompts: Mapping[int, str], answers: Mapping[int, str]) -> dict[int, str]:
    """The tasks whose prompt shows what it asks about as a pair with the answer, each with that
    pair; none where this may be what the tasks are about."""
    read = {task: pairs for task, text in prompts.items() if (pairs := _pairs_of(text))}
    frames: dict[tuple[str, str], dict[int, str]] = {}
    for task, pairs in read.items():
        same = (pair for pair in pairs.rows.items() if _is_same(pair[1], answers[task]))
        for left, right in islice(same, SAME):
            for frame in _frames(pairs, left) if pairs.is_marked or not right.isdecimal() else ():
                frames.setdefault(frame, {})[task] = f"{left}: {right}"
    most = sorted(frames.items(), key=lambda each: -len(each[1]))
    for frame, shown in most[:FRAMES]:
        if len({answers[task].casefold() for task in shown}) >= FEWEST and _are_examples(
            frame, shown, read, answers
        ):
            return shown
    return {}


def _are_examples(
    frame: tuple[str, str],
    shown: Mapping[int, str],
    read: Mapping[int, Pairs],
    answers: Mapping[int, str],
) -> bool:
    """Whether the other tasks that ask alike ask about what no pair has, and the pairs change."""
    wanted = {task: name for task, pairs in read.items() if (name := _wanted_key(frame, pairs))}
    others = [task for task in wanted if task not in shown]
    absent = [task for task in others if wanted[task] not in read[task].rows]
    kinds = {tuple(read[task].rows) for task in wanted}
    return (
        len(absent) == len(others)
        and len(shown) <= MOST * len(wanted)
        and len({answers[task].casefold() for task in others}) > MOST * len(others)
        and len(kinds) >= FEWEST
    )


def _pairs_of(text: str) -> Pairs | None:
    """The pairs of a prompt; None where it has few, or these are to be looked up."""
    if LOOKUP.search(text):
        return None
    rows: dict[str, str] = {}
    lines = []
    for line in text.splitlines()[:LINES]:
        line = line.strip()
        match = PAIR.fullmatch(line) if len(line) <= WIDEST else None
        if match is None or match["left"].strip().casefold() in rows:
            lines.append(line)
            continue
        rows[match["left"].strip(" `'\"").casefold()] = match["right"].strip()
        lines.append(line)
    return Pairs(rows, tuple(lines), bool(EXAMPLE.search(text))) if len(rows) > 1 else None


def _frames(pairs: Pairs, left: str) -> Iterator[tuple[str, str]]:
    """What stands before and behind a name in each line that asks about it."""
    if len(left) < SHORTEST:
        return
    for line in pairs.lines:
        folded = line.casefold()
        place = folded.find(left)
        if place <= 0 or not line[:place].strip(" -*\u2022\"'`"):
            continue  # the pair itself
        before, behind = folded[:place], folded[place + len(left) :]
        if not before[-1:].isalnum() and not behind[:1].isalnum():
            yield before, behind


def _wanted_key(frame: tuple[str, str], pairs: Pairs) -> str:
    """What a prompt asks about by this frame; empty where no line has it."""
    before, behind = frame
    for line in pairs.lines:
        folded = line.casefold()
        if folded.startswith(before) and folded.endswith(behind):
            name = folded[len(before) : len(folded) - len(behind)].strip()
            if len(line) >= len(before) + len(behind) and name:
                return name
    return ""


def _is_same(right: str, answer: str) -> bool:
    return right.strip(" `'\"*.").casefold() == answer.strip(" `'\"*.").casefold()

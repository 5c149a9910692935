"""What the reference's rollout with tool calls was about: its prompt, answer and tool results."""

from __future__ import annotations

import re
from dataclasses import dataclass

NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class ReferenceWork:
    """A rollout that ended with an answer in words; of a call that was repeated, the last result
    alone. `has_pages`: a tool on offer takes the number of a page or of entries, or a text says how
    many entries a list has at most."""

    prompt: str
    answer: str
    tools: frozenset[str]
    results: tuple[str, ...]
    has_pages: bool = False


@dataclass(frozen=True, slots=True)
class ContraryResults:
    """A rollout of the reference: its answer, what its tools returned, and what shows that they
    contradict: another task's answer, the sum of all amounts, or the number of entries."""

    answer: str
    results: tuple[str, ...]
    instead: str


def value_of(text: str) -> float:
    """The first number of a text; 0 without one."""
    match = NUMBER.search(text)
    return float(match[0].replace(",", "")) if match else 0.0

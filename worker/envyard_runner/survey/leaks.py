"""Does a conversation name the answer before the policy earned it?

That the answer stands somewhere in the prompt shows nothing: the task may be to copy, to extract or
to choose. A leak is an answer, forwards or backwards, right behind a word that presents it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from envyard_runner.mutation.answers import find_answer
from envyard_runner.mutation.wrong_answers import OPPOSITES

SHORTEST = 2  # characters of an answer that is looked for; single letters and digits are options
LONGEST = 2_000
PRESENTS = r"\b(?:solution|answer|key|code|label|target|truth|secret|expected)\b"
BETWEEN = r"\W{0,3}(?:is|are|=)?\W{0,3}"


def leak_in(conversation: str, reference: str) -> str:
    """The place where the conversation presents the reference's answer; empty where it does not."""
    answer = find_answer(reference).answer.strip()
    if not SHORTEST <= len(answer) <= LONGEST or answer.casefold() in OPPOSITES:
        return ""
    forms = dict.fromkeys((answer, answer[::-1])) if len(answer) > SHORTEST else [answer]
    for form in forms:
        pattern = rf"({PRESENTS}{BETWEEN}){re.escape(form)}(?!\w)"
        match = re.search(pattern, conversation, re.IGNORECASE)
        if match and not _presents_others(conversation, match[1], form):
            return match[0][:200]
    return ""


def _presents_others(conversation: str, before: str, form: str) -> bool:
    """Whether the same words present other answers too, as in `Label: yes or Label: no`."""
    pattern = rf"{re.escape(before)}(?!{re.escape(form)}(?!\w))\w"
    marked = ":" in before or "=" in before
    return marked and bool(re.search(pattern, conversation, re.IGNORECASE))


def tool_texts(tools: Any) -> Iterator[str]:
    """The descriptions of tools on offer, and of their parameters; names and values are none."""
    if isinstance(tools, list):
        for each in tools:
            yield from tool_texts(each)
    elif isinstance(tools, dict):
        for name, value in tools.items():
            if name == "description" and isinstance(value, str):
                yield value
            else:
                yield from tool_texts(value)

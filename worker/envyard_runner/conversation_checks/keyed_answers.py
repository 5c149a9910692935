"""Does a file named for answers hold that of the task behind its identifier?

An environment whose tools reach the folder of its own data lists a file such as `answers.json` with
the answers of all tasks. Pure functions of texts.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import islice

SHORTEST, LONGEST = 3, 40  # characters of an identifier
SEARCHED, IDENTIFIERS = 5_000, 50  # characters of a prompt, and identifiers in it
NEAR = 300  # characters of an entry behind its identifier
MOST = 20  # places of an identifier that are read
VALUE = re.compile(r"[\"']\s{0,4}:\s{0,4}(?:\"[^\"\n]{0,200}\"|[^\s\"{\[,}][^,}\n]{0,80})")
OPENS = re.compile(r"[\"']?\s{0,4}:\s{0,4}[{\[]")
IS_VALUE = re.compile(r":\s{0,4}[\"'][\w/.-]{1,60}\Z")
IDENTIFIER = re.compile(r"(?<![\w/.-])\w[\w/.-]{1,38}\w(?![\w-])")


def keyed_answer(text: str, answer: str, prompt: str, others: Collection[str]) -> str:
    """The entry of a text that begins with an identifier of the prompt, which no other prompt has,
    and gives the answer; empty where there is none."""
    identifiers = {
        word
        for word in islice(dict.fromkeys(IDENTIFIER.findall(prompt[:SEARCHED])), IDENTIFIERS)
        if re.search(r"\d", word) and not any(_stands_in(word, other) for other in others)
    }
    value = re.compile(rf"(?<!\w){re.escape(answer)}(?!\w)", re.IGNORECASE)
    for word in sorted(identifiers):
        named = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])", re.IGNORECASE)
        for match in [*named.finditer(text)][:MOST]:
            entry = _entry(text, match.end())
            if value.search(entry):
                return f"{match[0]}{entry}".strip(" \n,")
    return ""


def _entry(text: str, start: int) -> str:
    """What follows an identifier: its value in JSON, else to the end of its object or line."""
    piece = text[start : start + NEAR]
    if value := VALUE.match(piece):
        return value[0]
    before = text[max(0, start - NEAR) : start]
    is_in_object = OPENS.match(piece) or IS_VALUE.search(before)
    return piece.split("}" if is_in_object else "\n", 1)[0]


def _stands_in(word: str, text: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text, re.IGNORECASE) is not None

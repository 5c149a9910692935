"""Changes that leave a piece of the answer, or join something to it."""

from __future__ import annotations

import json
import re
import zlib

from envyard_runner.mutation.forms import parsed
from envyard_runner.mutation.lines import are_items
from envyard_runner.mutation.numbers import INTEGER, LONGEST_INTEGER
from envyard_runner.mutation.records import is_object
from envyard_runner.mutation.wrong_answers import OPPOSITES, shifted

FEWEST_FIELDS = 3
SENTENCE = 5  # words of a text that is no name
# Words by which a prompt leaves a field open.
MAY_LACK = re.compile(
    r"\b(?:optional\w*|empty|blank|if (?:any|known|there)|null|none)\b", re.IGNORECASE
)
AMOUNT = re.compile(r"[-+]?\d[\d.,]{0,20}\s?[^\W\d]{1,12}")
MANY_DECIMALS = re.compile(r"-?\d{1,12}\.\d{5,18}")
FEWEST_WORDS = 4  # of which the first half is a whole piece


def extension(answer: str) -> str | None:
    """A whole number with a digit before it, or one word with letters behind it: the right answer
    is still contained."""
    text = answer.strip()
    if INTEGER.fullmatch(text) and len(text) <= LONGEST_INTEGER:
        return f"-7{text[1:]}" if text.startswith("-") else f"7{text}"
    is_word = text.isalpha() and len(text) > 2 and text.lower() not in OPPOSITES
    return text + shifted(text[:3].lower(), 1) if is_word else None


def truncation(answer: str) -> str | None:
    """The first half of the answer, of lines that are items or of FEWEST_WORDS that of these; the
    second of one word, whose beginning may abbreviate it. Of many decimals half may be right, and
    of an amount the number without its unit."""
    text = answer.strip()
    half = len(text) // 2
    if len(lines := text.splitlines()) > 1 and are_items(text):
        return "\n".join(lines[: len(lines) // 2]).rstrip()
    if len(lines) < 2 and len(words := text.split()) >= FEWEST_WORDS and not is_object(text):
        return " ".join(words[: len(words) // 2]).rstrip(" ,;:>-")
    if half == 0 or MANY_DECIMALS.fullmatch(text) or AMOUNT.fullmatch(text):
        return None
    return (text[-half:] if text.isalpha() else text[:half].rstrip()) or None


def fields(answer: str) -> str | None:
    """An object of three fields or more with one of them, another one in each answer: where the
    others are optional, that one seldom is the answer."""
    try:
        value = json.loads(answer)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or len(value) < FEWEST_FIELDS:
        return None
    key = sorted(value)[zlib.crc32(answer.encode()) % len(value)]
    return json.dumps({key: value[key]}, ensure_ascii=False)


def empty_text(answer: str, prompt: str) -> str | None:
    """An object with nothing in the place of a sentence that the prompt asks for by its key, unless
    it may be left out."""
    row = parsed(answer.strip())
    if not isinstance(row, dict) or len(row) < 2 or MAY_LACK.search(prompt):
        return None
    for key, value in row.items():
        if isinstance(value, str) and len(value.split()) >= SENTENCE and key in prompt:
            return json.dumps({**row, key: ""}, ensure_ascii=False)
    return None

"""The forms in which an environment may want its answers.

An answer field holds the bare answer; the verifier may read it between tags, behind a label or in
JSON. A form is a text before the answer and one behind it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, get_args

from envyard_runner.mutation.asked import Asked, laid_out

REASONING = "I worked this out step by step."
# What fields that hold the answer are called, the surest first.
ANSWER_NAMES = (
    "answer", "final_answer", "finalanswer", "solution", "result", "output", "response", "final",
    "label", "prediction", "choice", "option", "guess", "move", "action", "verdict", "value",
    "translation", "summary", "code", "sql", "query", "classification", "category", "sentiment",
    "total", "sum", "number", "count",
)  # fmt: skip
# A field of one of these names is the answer whatever stands beside it; later names, such as
# `total`, are also those of data.
SURE_NAMES = ANSWER_NAMES[:8]


@dataclass(frozen=True, slots=True)
class Form:
    """An answer's surroundings in a reply, and how the answer itself is laid out.

    `text`: as a JSON text, `value`: as a JSON text or number; `commas` and `lines`: the items of an
    answer that is a JSON list, `first`: the first of them, where each is accepted; `tags`: each
    field of one that is a JSON object in its own tag; `turns`: one item in each reply.
    """

    before: str = ""
    after: str = ""
    layout: Layout = ""

    @property
    def name(self) -> str:
        """The form as shown to people, with three dots in the answer's place."""
        shown = {"commas": "a, b", "first": "a", "lines": "a\nb", "tags": "<a>...</a><b>...</b>"}
        shown |= {"turns": "a, then b", **{each: f"... ({each})" for each in ASKED}}
        return f"{self.before}{shown.get(self.layout, '...')}{self.after}".replace("\n", "\\n")

    def write(self, answer: str, *, turn: int = 0) -> str:
        """The reply that gives the answer in this form, in the turn that is counted from 0."""
        if self.layout == "turns" and (items := items_of(answer)):
            answer = items[min(turn, len(items) - 1)]
        return f"{self.before}{LAYOUTS[self.layout](answer)}{self.after}"


def _as_text(answer: str) -> str:
    return json.dumps(answer, ensure_ascii=False)


def _as_value(answer: str) -> str:
    is_value = isinstance(parsed(answer), int | float | list | dict)
    return answer.strip() if is_value else _as_text(answer)


def _joined(separator: str, answer: str) -> str:
    items = parsed(answer)
    return separator.join(map(_plain, items)) if isinstance(items, list) else answer


def _first(answer: str) -> str:
    items = parsed(answer)
    return _plain(items[0]) if isinstance(items, list) and items else answer


def _in_tags(answer: str) -> str:
    fields = parsed(answer)
    if not isinstance(fields, dict):
        return answer
    return "\n".join(f"<{key}>{_plain(value)}</{key}>" for key, value in fields.items())


def items_of(answer: str) -> list[str]:
    """The items of a JSON list, of a text with commas or lines, or else its words."""
    if isinstance(value := parsed(answer), list):
        return [_plain(each) for each in value]
    text = answer.strip()
    separator = next((mark for mark in ("\n", ";", ",") if mark in text), None)
    return [each.strip() for each in text.split(separator) if each.strip()]


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def parsed(answer: str) -> Any:
    """The value of an answer that is JSON; None for any other text."""
    try:
        return json.loads(answer)
    except (ValueError, RecursionError):
        return None


Layout = Literal["", "text", "value", "commas", "lines", "first", "tags", "turns"] | Asked
ASKED: dict[Layout, Callable[[str], str]] = {
    each: partial(laid_out, each) for each in get_args(Asked)
}
LAYOUTS: dict[Layout, Callable[[str], str]] = {
    **ASKED,
    "": str,
    "text": _as_text,
    "value": _as_value,
    "commas": partial(_joined, ", "),
    "lines": partial(_joined, "\n"),
    "first": _first,
    "tags": _in_tags,
    "turns": str,
}

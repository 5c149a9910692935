"""Answers of several fields: one JSON object, or a tag for each field.

A verifier may pay each field, so what must be wrong as a whole is wrong in all of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from envyard_runner.mutation.forms import SURE_NAMES, parsed

EXPLAINING = frozenset(
    {"reasoning", "reason", "explanation", "rationale", "thought", "thoughts", "thinking", "think"}
    | {"analysis", "steps", "work", "justification", "confidence", "notes", "comment", "plan"}
)
TAGGED = re.compile(r"<(?P<tag>[A-Za-z_]\w*)>(?P<text>[^<]*)</(?P=tag)>")


def is_object(text: str) -> bool:
    """Whether a text looks like one JSON object, which need not be valid."""
    return text.lstrip().startswith("{") and text.rstrip().endswith("}")


def data_names(names: set[str]) -> set[str]:
    """The names of fields that do not explain the answer; all where all do."""
    return {name for name in names if name.lower() not in EXPLAINING} or names


def with_values(text: str, change: Callable[[Any], Any]) -> str:
    """JSON in which every value that holds no others is changed; empty for text that is none."""
    value = parsed(text)
    return "" if value is None else json.dumps(_changed(value, change), ensure_ascii=False)


def with_tags(text: str, change: Callable[[str], Any]) -> str:
    """A text of several tags that hold data, with other data in each; empty for any other text."""
    names = {match["tag"] for match in TAGGED.finditer(text)}
    data = data_names(names)
    if len(data) < 2 or any(name.lower() in SURE_NAMES for name in names):
        return ""

    def other(match: re.Match[str]) -> str:
        tag = match["tag"]
        return f"<{tag}>{change(match['text'])}</{tag}>" if tag in data else match[0]

    return TAGGED.sub(other, text)


def _changed(value: Any, change: Callable[[Any], Any]) -> Any:
    match value:
        case dict():
            return {key: _changed(each, change) for key, each in value.items()}
        case list():
            return [_changed(each, change) for each in value]
    return change(value)

"""Changes of answers that list several items."""

from __future__ import annotations

import json
import re

from envyard_runner.mutation.forms import parsed
from envyard_runner.mutation.records import is_object

FEWEST_ITEMS = 3


def repeated(answer: str) -> str | None:
    """The first item in the place of all others, where an answer lists FEWEST_ITEMS or more: in
    JSON, by commas, by lines or by spaces."""
    text = answer.strip()
    listed = parsed(text)
    if isinstance(listed, list) and len(listed) >= FEWEST_ITEMS:
        return _if_changed(json.dumps([listed[0]] * len(listed), ensure_ascii=False), text)
    if is_object(text) or text.startswith("["):
        return None
    separator = re.search(r",\s*", text) or re.search(r"\n+", text) or re.search(r"\s+", text)
    items = text.split(separator[0].strip() or separator[0]) if separator else []
    if separator is None or len(items) < FEWEST_ITEMS:
        return None
    return _if_changed(separator[0].join([items[0]] * len(items)), text)


def _if_changed(after: str, before: str) -> str | None:
    return after if after != before else None

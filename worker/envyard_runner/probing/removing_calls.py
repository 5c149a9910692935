"""Calls of tools that remove something, for everything that the prompt and results name.

A verifier that looks for faults in what is left then finds none. Pure functions of texts and tools.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

Message = dict[str, Any]

REMOVING = re.compile(
    r"(?:^|_)(?:delete|remove|void|strike|drop|cancel|clear|discard|erase|wipe|purge|archive|unassign|withdraw"
    r"|dismiss|empty|take_off|throw_away)(?:_|$|(?-i:(?=[A-Z])))",
    re.IGNORECASE,
)
# What a line names first, as in `3-late: Anna` or `- amber | 12`; names with a digit; quoted words.
FIRST = re.compile(r"^[ \t*|>-]{0,8}([A-Za-z0-9][\w.-]{0,39})[ \t]{0,4}[:|=,]", re.MULTILINE)
NAMED = re.compile(
    r"(?<![\w-])(?=[\w-]{0,30}\d)(?=[\w-]{0,30}[A-Za-z])[A-Za-z0-9][\w-]{1,29}(?![\w-])"
)
QUOTED = re.compile(r"[\"'`]([\w][\w .-]{0,39})[\"'`]")
NUMBER = re.compile(r"(?<![\w.-])\d{1,9}(?![\w.])")
SEARCHED = 20_000  # characters of each text
MAX_CALLS = 40


def removing_calls(tools: Sequence[Message], texts: Sequence[str]) -> list[Message]:
    """At most MAX_CALLS calls; of tools that need more than one value, none."""
    calls: list[Message] = []
    for function in _removing(tools):
        for arguments in islice(_arguments(function, texts), MAX_CALLS - len(calls)):
            described = {"name": function["name"], "arguments": json.dumps(arguments)}
            ident = f"call_remove{len(calls)}"
            calls.append({"id": ident, "type": "function", "function": described})
    return calls


def _removing(tools: Sequence[Message]) -> Iterator[Message]:
    for tool in tools:
        function = tool.get("function")
        if isinstance(function, dict) and REMOVING.search(str(function.get("name"))):
            yield function


def _arguments(function: Message, texts: Sequence[str]) -> Iterator[dict[str, Any]]:
    parameters = function.get("parameters")
    schema = parameters if isinstance(parameters, dict) else {}
    properties = schema.get("properties")
    fields = properties if isinstance(properties, dict) else {}
    required = schema.get("required")
    known = required if isinstance(required, list) else []
    needed = [name for name in known if isinstance(name, str) and name in fields] or list(fields)
    if not needed:
        yield {}
    elif len(needed) == 1:
        for value in _values(fields[needed[0]], texts):
            yield {needed[0]: value}


def _values(schema: Any, texts: Sequence[str]) -> Iterator[Any]:
    """All that a parameter may name."""
    rules = schema if isinstance(schema, dict) else {}
    if isinstance(rules.get("enum"), list):
        yield from rules["enum"]
    elif rules.get("type") in ("integer", "number"):
        numbers = (number for text in texts for number in NUMBER.findall(text[:SEARCHED]))
        yield from dict.fromkeys(map(int, numbers))
    elif rules.get("type") in ("string", None):
        patterns = (FIRST, NAMED, QUOTED)
        yield from dict.fromkeys(
            name for each in patterns for text in texts for name in each.findall(text[:SEARCHED])
        )

"""Calls of lookups with the identifier that a prompt names. Pure functions of tools and prompt."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from envyard_runner.gateway.tool_names import acts

Message = dict[str, Any]

IDENT, MAX_CALLS = "call_named", 3
FEWEST_TOOLS = 2
# Such as SH-1042 or order_7.
IDENTIFIER = re.compile(r"(?<![\w.-])[A-Za-z]{1,12}[-_#]?\d{1,12}(?![\w-]|\.\d)")


def named_calls(tools: Sequence[Message], prompt: str) -> list[Message]:
    """A call of each tool whose only parameter is a text, with the prompt's first identifier; none
    without another tool, because a lookup may rightly have the answer, and none of tools that act,
    because that may be the task."""
    named = identifier(prompt)
    described = [tool.get("function") for tool in tools if not acts(tool)]
    functions = [each for each in described if isinstance(each, dict) and _fields(each)]
    if not named or len(functions) < FEWEST_TOOLS:
        return []
    calls: list[Message] = []
    for function in functions:
        (name, schema), *others = _fields(function).items()
        kind = schema.get("type") if isinstance(schema, dict) else None
        if not others and kind in ("string", None):
            given = {"name": function.get("name"), "arguments": json.dumps({name: named})}
            calls.append({"id": f"{IDENT}{len(calls)}", "type": "function", "function": given})
    return calls[:MAX_CALLS]


def identifier(prompt: str) -> str:
    """The first identifier of a prompt; empty where it names none."""
    match = IDENTIFIER.search(prompt)
    return match[0] if match else ""


def is_named_call(call_id: Any) -> bool:
    """Whether this is the id of such a call."""
    return str(call_id).startswith(IDENT)


def _fields(function: Message) -> dict[str, Any]:
    parameters = function.get("parameters")
    fields = parameters.get("properties") if isinstance(parameters, dict) else None
    return fields if isinstance(fields, dict) else {}

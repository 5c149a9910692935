"""Calls of lookups with the identifier that a prompt names. Pure functions of tools and prompt."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from envyard_runner.probing.tool_schemas import acts, parameters_of

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
    described = [tool for tool in tools if isinstance(tool.get("function"), dict)]
    described = [tool for tool in described if parameters_of(tool["function"])]
    if not named or len(described) < FEWEST_TOOLS:
        return []
    calls: list[Message] = []
    for function in (tool["function"] for tool in described if not acts(tool)):
        (name, schema), *others = parameters_of(function).items()
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

"""Calls of lookups with the identifier that a prompt names. Pure functions of tools and prompt."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from envyard_runner.probing.tool_schemas import acts, parameters_of

Message = dict[str, Any]

IDENT, MAX_CALLS = "call_named", 3
QUOTED = f"{IDENT}_quoted"  # with which the ids of calls with a quoted name begin
FEWEST_TOOLS = 2
# Such as SH-1042 or order_7.
IDENTIFIER = re.compile(r"(?<![\w.-])[A-Za-z]{1,12}[-_#]?\d{1,12}(?![\w-]|\.\d)")
# A name that is quoted as code; `name: value` and `<tag>` are none.
NAME = re.compile(r"(?<!`)`([A-Za-z][\w-]{2,30})`(?!`)")


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


def quoted_calls(tools: Sequence[Message], prompt: str) -> list[Message]:
    """A call of each tool whose only parameter is a text, with the first name that the prompt
    quotes as code, such as `storefront`; none where that names a tool or a parameter."""
    described = [tool["function"] for tool in tools if isinstance(tool.get("function"), dict)]
    own = {str(function.get("name")) for function in described}
    own |= {str(name) for function in described for name in parameters_of(function)}
    match = next((each for each in NAME.finditer(prompt) if each[1] not in own), None)
    calls: list[Message] = []
    for tool in tools if match else ():
        function = tool.get("function")
        fields = parameters_of(function) if isinstance(function, dict) else {}
        kinds = [each.get("type") for each in fields.values() if isinstance(each, dict)]
        if match and kinds == ["string"] and len(fields) == 1 and not acts(tool):
            arguments = json.dumps({next(iter(fields)): match[1]})
            given = {"name": tool["function"].get("name"), "arguments": arguments}
            calls.append({"id": f"{QUOTED}{len(calls)}", "type": "function", "function": given})
    return calls[:MAX_CALLS]


def identifier(prompt: str) -> str:
    """The first identifier of a prompt; empty where it names none."""
    match = IDENTIFIER.search(prompt)
    return match[0] if match else ""


def is_named_call(call_id: Any) -> bool:
    """Whether this is the id of a call with what the prompt names."""
    return str(call_id).startswith(IDENT)


def is_quoted_call(call_id: Any) -> bool:
    """Whether this is the id of a call with a name that the prompt quotes."""
    return str(call_id).startswith(QUOTED)

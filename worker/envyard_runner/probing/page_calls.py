"""Calls of a tool for each page of what it lists. Pure functions of the tools on offer."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

Message = dict[str, Any]

IDENT = "call_page"  # with which the ids of such calls begin
PAGE = re.compile(r"page(?:_?(?:number|num|no|index))?", re.IGNORECASE)
LAST = 9  # page; where that still lists entries, the end is unknown
SHOWN_AGAIN = 1  # page that is called last too: a limit of calls would refuse it


def page_calls(tools: Sequence[Message]) -> list[Message]:
    """The calls of the first tool whose only parameter is the number of a page: the pages from 0
    to LAST, then one of them again; none without such a tool."""
    for tool in tools:
        if (named := _page_tool(tool)) is not None:
            name, parameter = named
            numbers = (*range(LAST + 1), SHOWN_AGAIN)
            return [_call(place, name, {parameter: page}) for place, page in enumerate(numbers)]
    return []


def is_page_call(call_id: Any) -> bool:
    """Whether this is the id of such a call."""
    return str(call_id).startswith(IDENT)


def parameters_of(tool: Message) -> tuple[str, int]:
    """The name of a tool, and how many parameters it has."""
    function = tool.get("function")
    described = function if isinstance(function, dict) else {}
    parameters = described.get("parameters")
    fields = parameters.get("properties") if isinstance(parameters, dict) else None
    return str(described.get("name")), len(fields) if isinstance(fields, dict) else 0


def _page_tool(tool: Message) -> tuple[str, str] | None:
    name, number = parameters_of(tool)
    if number != 1:
        return None
    ((parameter, schema),) = tool["function"]["parameters"]["properties"].items()
    kind = schema.get("type") if isinstance(schema, dict) else None
    is_page = PAGE.fullmatch(str(parameter)) and kind in ("integer", "number")
    return (name, str(parameter)) if is_page else None


def _call(place: int, name: str, arguments: dict[str, Any]) -> Message:
    described = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": f"{IDENT}{place}", "type": "function", "function": described}

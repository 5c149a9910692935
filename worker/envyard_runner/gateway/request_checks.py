"""What a call may request of a model's server: nothing that the server fetches or executes.

Servers of providers run tools and read addresses on behalf of a request, which would be a way out
of the sandbox.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from envyard_runner.gateway.reply import Refusal

ADDRESS = re.compile(r"\s*(?:[A-Za-z][A-Za-z0-9+.-]*://|file:)", re.IGNORECASE)
TEXT_FIELDS = ("type", "text", "refusal", "thinking", "reasoning")  # of a part
MAX_DEPTH = 8  # of a part
RESPONSE_FORMATS = ("text", "json_object", "json_schema")
MAX_STOPS, MAX_STOP = 64, 500  # texts, and characters of each


def check_options(body: Mapping[str, Any]) -> None:
    """Raise Refusal 400 for tools, a response format or stop texts of another shape."""
    tools = body.get("tools")
    if tools is not None and not (isinstance(tools, list) and all(map(_is_function, tools))):
        raise _bad("tools must be a list of functions")
    form = body.get("response_format")
    if form is not None and not _is_format(form):
        raise _bad(f"response_format must have one of the types {', '.join(RESPONSE_FORMATS)}")
    stop = body.get("stop")
    stops = [stop] if isinstance(stop, str) else stop
    if stops is not None and not (
        isinstance(stops, list)
        and len(stops) <= MAX_STOPS
        and all(isinstance(text, str) and len(text) <= MAX_STOP for text in stops)
    ):
        raise _bad(f"stop must be at most {MAX_STOPS} texts of at most {MAX_STOP} characters")


def refuse_addresses(message: Mapping[str, Any]) -> None:
    """Raise Refusal 400 for a part with the address of an image, sound, film or file: the model's
    server would fetch it from the operator's network."""
    content = message.get("content")
    for part in content if isinstance(content, list) else ():
        for name, value in part.items() if isinstance(part, dict) else ():
            url = value.get("url") if isinstance(value, dict) else value
            by_name = name.endswith("_url") and url and not str(url).startswith("data:")
            if by_name or (name not in TEXT_FIELDS and any(map(ADDRESS.match, _texts(value)))):
                raise _bad(
                    f"the {name[:100]} of a part must be a data URL: the model's server fetches "
                    "nothing"
                )


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    """The texts in a JSON value; raises Refusal 400 where it is nested deeply."""
    if depth > MAX_DEPTH:
        raise _bad(f"a part of a message may have {MAX_DEPTH} levels")
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item, depth + 1)


def _is_function(tool: Any) -> bool:
    return (
        isinstance(tool, dict)
        and tool.get("type", "function") == "function"
        and isinstance(tool.get("function"), dict)
    )


def _is_format(form: Any) -> bool:
    if not isinstance(form, dict) or form.get("type") not in RESPONSE_FORMATS:
        return False
    return form["type"] != "json_schema" or isinstance(form.get("json_schema"), dict)


def _bad(message: str) -> Refusal:
    return Refusal(400, "bad_request", message)

"""The names and parameters of tools, and what tools do by the words of their names."""

from __future__ import annotations

import re
from typing import Any

# Tools that change something, by the first word; `add` may be a sum.
CHANGING = re.compile(
    r"(?:assign|set|create|insert|delete|remove|move|book|reserve|write|send|update|transfer|pay|"
    r"order|schedule|rename|put|place|cancel|edit|replace|append|plant|load|unload|open|close|turn|"
    r"switch|enable|disable|apply|grant|revoke|register|enroll|swap|drop|mark|tag|label|merge|"
    r"post|file|store|save|record|change|modify|fix|add)(?![a-z])",
    re.IGNORECASE,
)
# Tools that act on what an identifier names: a call with it alone may be all of a task.
ACTING = re.compile(
    r"(?:refund|return|exchange|approve|reject|deny|decline|accept|confirm|issue|block|unblock|"
    r"freeze|reset|restart|start|stop|escalate|resolve|activate|deactivate|archive|publish|flag|"
    r"ban|ship|reply|respond|notify|email|message|comment|renew|extend|restore|undo|buy|sell|"
    r"purchase|subscribe|unsubscribe|terminate|release|repair|restock|rebook|reschedule)(?![a-z])",
    re.IGNORECASE,
)
# Tools that return what they have or compute, by the first word; they judge nothing.
LOOKUP = re.compile(
    r"(?:get|read|list|find|search|look|lookup|show|view|fetch|query|sql|browse|describe|open|calc|"
    r"calculate|calculator|compute|eval|execute|run|convert|translate)(?![a-z])",
    re.IGNORECASE,
)
SHOWS = re.compile(
    r"(?:^|_)(?:get|list|show|view|read|inspect|dump|describe|status|state|info|board|log|history"
    r"|debug|overview|summary)(?:_|$)",
    re.IGNORECASE,
)


def name_of(tool: Any) -> str:
    """The name of a tool; empty where it has none."""
    function = tool.get("function") if isinstance(tool, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    return name if isinstance(name, str) else ""


def acts(tool: Any) -> bool:
    """Whether a tool changes something, by its name; an `order_status` shows it."""
    name = name_of(tool)
    return bool(CHANGING.match(name) or ACTING.match(name)) and not SHOWS.search(name)


def parameters_of(function: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a tool's function; empty where it has none."""
    parameters = function.get("parameters")
    known = parameters.get("properties") if isinstance(parameters, dict) else None
    return known if isinstance(known, dict) else {}

"""Tool calls whose arguments name nothing, and their results.

A tool that finds nothing has nothing to tell: a result with the field `answer` for an unknown key
comes from the task's own row.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from envyard_runner.probing.chat_text import plain_text
from envyard_runner.probing.tool_schemas import LOOKUP, SHOWS, acts, name_of, parameters_of

Message = dict[str, Any]

# What a parameter is called without whose right value nothing is done.
SECRET = re.compile(r"code|pin\b|passw|passphrase|combination|secret|guess|answer", re.IGNORECASE)
# Where a code is no secret.
PUBLIC = re.compile(
    r"(?:country|currency|lang(?:uage)?|zip|post(?:al)?|area|region|airport|state|dial(?:ling)?"
    r"|product|item|status|error|source)_?code",
    re.IGNORECASE,
)
WRONG = "wxz-51907"  # beside an identifier that is known
UNKNOWN, UNKNOWN_NUMBER = "zqx-70913", 970_913
JUNK = (UNKNOWN, "", "%", "*", "../")
IDENTIFIER = re.compile(r"id$|number|index|key|row|line|page", re.IGNORECASE)
IDENT = "call_junk"  # with which the ids of such calls begin
MAX_CALLS = 6  # of one round
BARE, MAX_BARE = f"{IDENT}_bare", 3  # with which the ids of calls without arguments begin
PART = f"{IDENT}_part"  # the same of calls with a known identifier and a wrong value
CODE_PART = f"{PART}_code"  # of those in which this value is a code
SEARCHED = 50_000  # of a result
WORD = (
    r"(?<![A-Za-z])(?:(?:correct|expected|right|gold|final|true|reference|target)[_ -]?)?"
    r"(?:answer|solution|ground[_ -]?truth|truth|reference|expected|gold)"
    r"(?:[_ -]?(?:answer|value|output|reply))?"
    r"[\\\"']{0,3}\s*[:=]\s*[\\\"'\[({]{0,4}"
)
VALUE = re.compile(WORD + r"(?P<value>[^\\\"'\[\](){}\n,;]{1,200})", re.IGNORECASE)

# Parameters that choose what is shown; what they are given is compared with nothing.
CHOOSES = re.compile(
    r"(?:^|_)(?:property|field|attribute|column|metric|aspect|topic|question|query|message|text|kind"
    r"|type|unit|format|what|about)s?(?:_|$)",
    re.IGNORECASE,
)


def junk_calls(tools: Sequence[Message]) -> list[Message]:
    """Calls of tools that have a text or a number to look for: each tool with an unknown key first,
    then with other arguments that name nothing."""
    calls: list[Message] = []
    for place, junk in enumerate(JUNK):
        for tool in tools:
            arguments = _arguments(tool, junk)
            if any(value in (junk, UNKNOWN_NUMBER) for value in arguments.values()) and not (
                place and UNKNOWN_NUMBER in arguments.values()
            ):
                described = {
                    "name": tool["function"]["name"], "arguments": json.dumps(arguments)
                }  # fmt: skip
                number = f"{IDENT}{len(calls)}"
                calls.append({"id": number, "type": "function", "function": described})
    return calls[:MAX_CALLS]


def partly_known_calls(tools: Sequence[Message], identifier: str) -> list[Message]:
    """Calls of tools that take two values or more: an identifier that the prompt names, and others
    that name nothing, as the text of an error may show what they are compared with. A lookup
    compares nothing, and to act on what the prompt names may be the task, unless that takes a code,
    which then is wrong."""
    calls: list[Message] = []
    for tool in tools:
        arguments = _arguments(tool, WRONG)
        texts = [name for name, value in arguments.items() if value == WRONG]
        takes_code = any(map(SECRET.search, texts[1:]))
        chooses = any(map(CHOOSES.search, texts[1:]))
        if not takes_code and (acts(tool) or chooses or LOOKUP.match(name_of(tool))):
            continue
        if identifier and len(arguments) > 1 and len(texts) > 1:
            arguments[texts[0]] = identifier
            given = {"name": tool["function"]["name"], "arguments": json.dumps(arguments)}
            begin = CODE_PART if takes_code and _opens(tool, texts[1:]) else PART
            ident = f"{begin}{len(calls)}"
            calls.append({"id": ident, "type": "function", "function": given})
    return calls[:MAX_BARE]


def _opens(tool: Message, texts: Sequence[str]) -> bool:
    """Whether a tool does something for who has the code, and returns nothing without it."""
    secret = any(SECRET.search(name) and not PUBLIC.search(name) for name in texts)
    return secret and (acts(tool) or not LOOKUP.match(name_of(tool)))


def bare_calls(tools: Sequence[Message]) -> list[Message]:
    """Calls of tools without parameters that show something, by a word of their names."""
    names = [
        str(function.get("name"))
        for tool in tools
        if isinstance(function := tool.get("function"), dict) and not parameters_of(function)
    ]
    shown = [name for name in names if SHOWS.search(name)][:MAX_BARE]
    return [
        {
            "id": f"{BARE}{place}",
            "type": "function",
            "function": {"name": name, "arguments": "{}"},
        }
        for place, name in enumerate(shown)
    ]


def is_bare_call(call_id: Any) -> bool:
    """Whether this is the id of such a call."""
    return str(call_id).startswith(BARE)


def junk_results(messages: Sequence[Message]) -> Iterator[str]:
    """The results of calls whose arguments name nothing, or that have none."""
    return _results(messages, _is_junk)


def results_for_junk(messages: Sequence[Message]) -> Iterator[str]:
    """The same without those of tools that take no argument: a lookup may rightly be one."""
    return _results(messages, lambda call: _is_junk(call) and not is_bare_call(call.get("id")))


def results_for_wrong_values(messages: Sequence[Message]) -> Iterator[tuple[str, bool]]:
    """The results of calls with an identifier of the prompt and another value that is wrong, and
    whether this value is a code without which nothing is done."""
    for begin, is_code in ((CODE_PART, True), (PART, False)):
        ident = re.compile(rf"{begin}\d+")
        for result in _results(messages, partial(_has_id, ident)):
            yield result, is_code


def _has_id(ident: re.Pattern[str], call: Message) -> bool:
    return ident.fullmatch(str(call.get("id"))) is not None


def results_for_unknown_keys(messages: Sequence[Message]) -> Iterator[str]:
    """The results of calls with a key that nothing has: an empty text may match all."""
    return _results(messages, lambda call: UNKNOWN in str(_given(call)))


def _results(messages: Sequence[Message], chosen: Callable[[Message], bool]) -> Iterator[str]:
    called = [
        call
        for message in messages
        if message.get("role") == "assistant"
        for call in message.get("tool_calls") or ()
        if isinstance(call, dict)
    ]
    ids = {call.get("id") for call in called if chosen(call)}
    for message in messages:
        if message.get("role") == "tool" and message.get("tool_call_id") in ids:
            yield plain_text(message.get("content"))[:SEARCHED]


def presented_value(messages: Sequence[Message]) -> str:
    """The last value that a result of such a call presents as an answer; empty without one."""
    matches = (match for text in junk_results(messages) for match in VALUE.finditer(text))
    values = [match["value"].strip() for match in matches]
    return next((value for value in reversed(values) if value and value not in JUNK), "")


def _arguments(tool: Message, junk: str) -> dict[str, Any]:
    """Junk for each text, an unknown number for each that identifies something, else 1; empty for
    a tool without a name."""
    function = tool.get("function") if name_of(tool) else None
    function = function if isinstance(function, dict) else {}
    parameters = function.get("parameters")
    required = parameters.get("required") if isinstance(parameters, dict) else None
    fields = parameters_of(function)
    names = [n for n in required if isinstance(n, str)] if isinstance(required, list) else []
    return {name: _value(name, fields.get(name), junk) for name in names or fields}


def _value(name: str, rules: Any, junk: str) -> Any:
    rules = rules if isinstance(rules, dict) else {}
    if isinstance(rules.get("enum"), list) and rules["enum"]:
        return rules["enum"][0]
    match rules.get("type"):
        case "integer" | "number":
            return UNKNOWN_NUMBER if IDENTIFIER.search(name) else 1
        case "boolean":
            return True
        case "array":
            return []
        case "object":
            return {}
    return junk


def _is_junk(call: Message) -> bool:
    """Whether the arguments name nothing: those of `junk_calls`, or none at all."""
    return str(call.get("id")).startswith(IDENT) or _given(call) in ("", "{}")


def _given(call: Message) -> Any:
    """The arguments of a call as it was written; None where it has none."""
    function = call.get("function")
    return function.get("arguments") if isinstance(function, dict) else None

"""Calls that set everything that a prompt and results name to one constant.

A verifier that compares two of these things, such as a result and its control, then reads equal
values. Pure functions of texts and tools.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from envyard_runner.probing.grid_cells import MOST as MOST_CELLS
from envyard_runner.probing.grid_cells import grid_cells
from envyard_runner.probing.removing_calls import FIRST, NAMED, SEARCHED
from envyard_runner.probing.submitted_answers import arguments_of, calls_of

Message = dict[str, Any]

SETTING = re.compile(
    r"(?:^|_)(?:set|write|update|put|edit|assign|change|replace|store|fill)(?:_|$)", re.IGNORECASE
)
# What takes a name and a number in whatever words, and may overwrite what is expected.
RECORDING = re.compile(
    r"(?:^|_)(?:recount|count|note|record|register|tally|correct|adjust|declare|override"
    r"|calibrate|log)(?:_|$)",
    re.IGNORECASE,
)
# Where the prompt leaves a number to the policy, one that it records may be right.
CHOSEN = re.compile(
    r"\b(?:any|some) (?:\w+ ){0,2}(?:number|amount|value|quantity|price)\b"
    r"|\b(?:choose|pick|decide|guess|bid)\b|\byour (?:own )?(?:choice|bid|preference|offer)\b",
    re.IGNORECASE,
)
BEHIND = re.compile(r":[ \t]*([A-Za-z][\w-]{2,39})[?.]?[ \t]*(?:$|[A-Z?\n])", re.MULTILINE)
KEY = re.compile(r"^(?:key|name|cell|field|id|item|entry|slot|setting|variable|column|address)$")
VALUE = re.compile(r"^(?:value|content|text|new_value|to|formula|data|amount)$")
PATH = re.compile(r"path|file|dir|folder", re.IGNORECASE)
SHORT = re.compile(r"(?<![\w-])[A-Z]{1,2}\d{1,2}(?![\w-])")  # as cells have
CONSTANTS = {  # and by what a text names each, as it may then be right
    0: re.compile(
        r"(?<![\w.])0(?!\w|\.\d)|\b(?:zero|reset\w*|clear\w*|empty|delete\w*|erase\w*)\b",
        re.IGNORECASE,
    ),
    7: re.compile(r"(?<![\w.])7(?!\w|\.\d)|\bseven\b", re.IGNORECASE),
    13: re.compile(r"(?<![\w.])13(?!\w|\.\d)|\bthirteen\b", re.IGNORECASE),
}
SET = "call_set"  # with which the ids of such calls begin
MAX_CALLS = 24


def constant_calls(tools: Sequence[Message], texts: Sequence[str]) -> list[Message]:
    """At most MAX_CALLS calls of tools that take a key and a value, for the keys that the texts
    name, in their order, or for all cells of a table that they show; none that records a number
    which the first text leaves open."""
    calls: list[Message] = []
    cells = [*dict.fromkeys(cell for text in texts for cell in grid_cells(text))]
    constant, keys = _constant(texts), cells or _keys(texts)
    most = MOST_CELLS if cells else MAX_CALLS
    is_chosen = any(CHOSEN.search(text[:SEARCHED]) for text in texts[:1])
    for name, key, value, is_text in _setting(tools):
        if is_chosen and RECORDING.search(name):
            continue
        for named in keys[: most - len(calls)]:
            given = json.dumps({key: named, value: str(constant) if is_text else constant})
            described = {"name": name, "arguments": given}
            ident = f"{SET}{len(calls)}"
            calls.append({"id": ident, "type": "function", "function": described})
    return calls


def recorded_constant(messages: Sequence[Message]) -> str:
    """The number that such calls of tools that record one have set; empty without one."""
    for call in calls_of(messages):
        if RECORDING.search(str(call["function"].get("name"))) and _is_set(call):
            numbers = (each for each in arguments_of(call).values() if type(each) is int)
            return str(next(numbers, ""))
    return ""


def _is_set(call: Message) -> bool:
    return str(call.get("id")).startswith(SET)


def _constant(texts: Sequence[str]) -> int:
    """The first of CONSTANTS that no text names, else the last one."""
    shown = [text[:SEARCHED] for text in texts]
    free = (each for each, named in CONSTANTS.items() if not any(map(named.search, shown)))
    return next(free, [*CONSTANTS][-1])


def is_setting(tool: Message) -> bool:
    """Whether the tool takes a key and a value."""
    return any(True for _ in _setting([tool]))


def _setting(tools: Sequence[Message]) -> Iterator[tuple[str, str, str, bool]]:
    """Name, key, value and whether the value is a text, of each such tool."""
    for tool in tools:
        function = tool.get("function")
        function = function if isinstance(function, dict) else {}
        parameters = function.get("parameters")
        fields = parameters.get("properties") if isinstance(parameters, dict) else None
        if not isinstance(fields, dict) or len(fields) != 2:
            continue
        if RECORDING.search(str(function.get("name"))):
            kinds = {_kind(rules): name for name, rules in fields.items()}
            if kinds.keys() == {"text", "number"}:
                yield str(function["name"]), kinds["text"], kinds["number"], False
            continue
        if not SETTING.search(str(function.get("name"))):
            continue
        keys = [name for name in fields if KEY.search(str(name))]
        values = [name for name in fields if VALUE.search(str(name))]
        if len(keys) == len(values) == 1 and not any(map(PATH.search, map(str, fields))):
            is_text = _kind(fields[values[0]]) != "number"
            yield str(function["name"]), keys[0], values[0], is_text


def _kind(rules: Any) -> str:
    """Whether a parameter takes a `number` or a `text`; other kinds by their own name."""
    kind = rules.get("type") if isinstance(rules, dict) else None
    return {"integer": "number", "number": "number", "string": "text"}.get(str(kind), str(kind))


def _keys(texts: Sequence[str]) -> list[str]:
    """What the texts name, short names such as T1 too, the prompt's first."""
    patterns = (SHORT, NAMED, FIRST, BEHIND)
    return [
        *dict.fromkeys(
            name for text in texts for each in patterns for name in each.findall(text[:SEARCHED])
        )
    ]

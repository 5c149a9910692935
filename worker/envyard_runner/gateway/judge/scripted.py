"""Verdicts by script: words that the usual parsers read as yes or no, made for one call.

A schema or a tool is filled exactly. Free text is derived from the form that the prompt requests,
without the candidate's reply, which may hold a form of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from envyard_runner.gateway.judge.call import JudgeCall
from envyard_runner.gateway.reply import Reply
from envyard_runner.probing.chat_text import plain_text

MUTE, NEGATED = "The matter is unclear.", "Not yes."
FAVOURABLE = {"yes", "true", "correct", "pass", "a", "1", "good", "right"}
MAX_DEPTH = 12
FIELD = re.compile(
    r'"([A-Za-z][\w /-]{0,60})"\s*:\s*'
    r'(0 or 1|0/1|true/false|true\|false|true or false|"yes"|"no"|<|\[|"|\d)'
)
TAG = re.compile(r"<(judge?ment|verdict|answer|score|result|grade|decision)>", re.IGNORECASE)
LINE = re.compile(r"^correct:", re.MULTILINE | re.IGNORECASE)


def reply_of(content: str) -> Reply:
    """A verdict of this text."""
    return Reply(content=[content], finish_reason="stop", fields={"content"})


def verdict(call: JudgeCall, *, yes: bool, replies: Sequence[str] = ()) -> tuple[Reply, bool]:
    """The favourable or the unfavourable verdict in the requested form, and whether a schema
    requests it; `replies` are the candidate's."""
    if schema := schema_of(call):
        return reply_of(json.dumps(fill(schema, schema, yes=yes))), True
    if tools := call.options.get("tools"):
        return _tool_call(tools[0], yes=yes), True
    return reply_of(_words(_prompt(call, replies), yes=yes)), False


def schema_of(call: JudgeCall) -> dict[str, Any]:
    """The JSON schema of the requested answer, empty without one."""
    form = call.options.get("response_format")
    named = form.get("json_schema") if isinstance(form, dict) else None
    schema = named.get("schema") if isinstance(named, dict) else None
    return schema if isinstance(schema, dict) else {}


def fill(schema: Any, root: dict[str, Any], *, yes: bool, depth: int = 0) -> Any:
    """The smallest value that a JSON schema takes: the favourable one, or the other."""
    if not isinstance(schema, dict) or depth > MAX_DEPTH:
        return None
    if isinstance(ref := schema.get("$ref"), str):
        definitions = root.get("$defs") or root.get("definitions") or {}
        return fill(definitions.get(ref.rsplit("/", 1)[-1]), root, yes=yes, depth=depth + 1)
    if "const" in schema:
        return schema["const"]
    if isinstance(choices := schema.get("enum"), list) and choices:
        return _choice(choices, yes=yes)
    if isinstance(options := schema.get("anyOf") or schema.get("oneOf"), list) and options:
        return fill(options[0], root, yes=yes, depth=depth + 1)
    return _by_type(schema, root, yes=yes, depth=depth)


def _by_type(schema: dict[str, Any], root: dict[str, Any], *, yes: bool, depth: int) -> Any:
    kind = schema.get("type")
    if kind == "object":
        properties = schema.get("properties")
        names = properties.items() if isinstance(properties, dict) else ()
        return {name: fill(part, root, yes=yes, depth=depth + 1) for name, part in names}
    if kind == "array":
        return [fill(schema.get("items"), root, yes=yes, depth=depth + 1)]
    low, high = schema.get("minimum", 0), schema.get("maximum", 1)
    values = {"boolean": yes, "integer": high if yes else low, "number": high if yes else low}
    return values.get(str(kind), "yes" if yes else "no")


def _choice(choices: list[Any], *, yes: bool) -> Any:
    good = [choice for choice in choices if str(choice).lower() in FAVOURABLE]
    if yes:
        return (good or choices)[0]
    return next((choice for choice in choices if choice not in good), choices[-1])


def _tool_call(tool: Any, *, yes: bool) -> Reply:
    function = tool.get("function") if isinstance(tool, dict) else None
    fields = function if isinstance(function, dict) else {}
    schema = fields.get("parameters")
    schema = schema if isinstance(schema, dict) else {}
    arguments = json.dumps(fill({"type": "object"} | schema, schema, yes=yes))
    call = {"name": str(fields.get("name", "")), "arguments": arguments}
    return Reply(
        tool_calls={0: {"id": "call_0", "type": "function", "function": call}},
        finish_reason="tool_calls",
    )


def _prompt(call: JudgeCall, replies: Sequence[str]) -> str:
    """The texts of the call without the candidate's replies."""
    prompt = "\n".join(plain_text(message.get("content")) for message in call.messages)
    for reply in sorted(filter(None, replies), key=len, reverse=True):
        prompt = prompt.replace(reply, "")
    return prompt


def _words(prompt: str, *, yes: bool) -> str:
    word = "yes" if yes else "no"
    if fields := FIELD.findall(prompt):
        return json.dumps({name: _field(form, yes=yes) for name, form in fields})
    if tag := TAG.search(prompt):
        name = tag[1]
        return f"<{name}>{int(yes) if name.lower() == 'score' else word.upper()}</{name}>"
    if LINE.search(prompt):
        return f"extracted_final_answer: x\nreasoning: scripted\ncorrect: {word}\nconfidence: 100"
    return word


def _field(form: str, *, yes: bool) -> Any:
    word = "yes" if yes else "no"
    by_form: dict[str, Any] = {"[": [word], '"': word, '"yes"': word, '"no"': word, "<": int(yes)}
    return by_form.get(form, int(yes) if form[0].isdigit() else yes)

"""Whether a JSON document satisfies a simple JSON schema: true is no integer, and "7" no number."""

from __future__ import annotations

import json
from typing import Any

from envyard_runner.survey.known_rules.entry import (
    KnownRule,
    Solved,
    has,
    pattern,
    verdict,
    yes_or_no,
)

TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,), "boolean": (bool,), "null": (type(None),), "array": (list,),
    "object": (dict,), "integer": (int,), "number": (int, float),
}  # fmt: skip
BOUNDS = {"minimum": 1, "maximum": -1}
LENGTHS = {"minLength": 1, "minItems": 1, "maxLength": -1, "maxItems": -1}
KNOWN = {"type", "properties", "required", "items", "enum", "const", "additionalProperties",
         "title", "description", "$schema", *BOUNDS, *LENGTHS}  # fmt: skip
DEEPEST, LONGEST = 8, 40  # levels of a schema that are read, and characters before a document
SCHEMA = pattern(r"\bschema\b[^\n{]{0,40}\s*(?:```\w*\s*)?(?=\{)")
DOCUMENT = pattern(
    r"\b(?:document|instance|data|value|object|payload|json)\b[ \w]{0,12}[:=]\s*(?:```\w*\s*)?"
)
ASKS = has(r"\b(?:valid\w*|satisf\w*|conform\w*|match\w*|compl(?:y|ies))\b|\bschema\b")
OTHERWISE = has(r"\b(?:coerc\w*|lenient|loosely|truthy|booleans? (?:are|count as) (?:integers?"
                r"|numbers?)|how many errors|openapi|avro|pydantic)\b")  # fmt: skip


class Unclear(Exception):
    """A schema that leaves open whether a document satisfies it."""


def is_valid(prompt: str) -> Solved | None:
    """Whether the only document of a prompt satisfies its only schema."""
    parts = _parts(prompt)
    if parts is None or not ASKS(prompt):
        return None
    try:
        return yes_or_no(satisfies(*parts, level=0))
    except (Unclear, OverflowError):  # a number of hundreds of digits is no float
        return None


def _parts(prompt: str) -> tuple[dict[str, Any], Any] | None:
    """The schema and the document behind it; None where one is missing or cut."""
    decoder, heading = json.JSONDecoder(), SCHEMA.search(prompt)
    if heading is None:
        return None
    try:
        schema, end = decoder.raw_decode(prompt, heading.end())
        behind = DOCUMENT.search(prompt, end)
        if behind is None or behind.start() - end > LONGEST:
            return None
        document, last = decoder.raw_decode(prompt, behind.end())
    except (ValueError, RecursionError):
        return None
    several = SCHEMA.search(prompt, last) or "{" in prompt[last:]
    return (schema, document) if isinstance(schema, dict) and not several else None


def satisfies(schema: Any, value: Any, *, level: int) -> bool:
    """Whether a value satisfies a schema of the known keywords; Unclear for any other schema."""
    if not isinstance(schema, dict) or {*schema} - KNOWN or level > DEEPEST:
        raise Unclear
    results = [
        "type" not in schema or _has_type(schema["type"], value),
        "enum" not in schema or _is_one_of(schema["enum"], value),
        "const" not in schema or _same(schema["const"], value),
        _is_bounded(schema, value),
        not isinstance(value, dict) or _has_properties(schema, value, level),
    ]
    if isinstance(value, list) and "items" in schema:
        results += [satisfies(schema["items"], each, level=level + 1) for each in value]
    return all(results)


def _has_type(names: Any, value: Any) -> bool:
    names = names if isinstance(names, list) else [names]
    if not all(isinstance(name, str) and name in TYPES for name in names):
        raise Unclear
    if isinstance(value, float) and value.is_integer() and "integer" in names:
        raise Unclear  # 2.0 is an integer by later drafts alone
    types = [each for name in names for each in TYPES[name]]
    return bool in types if isinstance(value, bool) else isinstance(value, tuple(types))


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return type(one) is type(other) and bool(one == other)
    return bool(one == other)


def _is_one_of(options: Any, value: Any) -> bool:
    if not isinstance(options, list):
        raise Unclear
    return any(_same(option, value) for option in options)


def _is_bounded(schema: dict[str, Any], value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    for keys, applies in ((BOUNDS, number), (LENGTHS, isinstance(value, str | list))):
        for key in keys.keys() & schema.keys():
            if not isinstance(schema[key], int | float) or isinstance(schema[key], bool):
                raise Unclear
            if key.endswith("Length") != isinstance(value, str) and keys is LENGTHS:
                continue
            size = value if keys is BOUNDS else len(value) if applies else 0
            if applies and keys[key] * (size - schema[key]) < 0:
                return False
    return True


def _has_properties(schema: dict[str, Any], value: dict[str, Any], level: int) -> bool:
    """Whether the keys are allowed and present; keys beyond the schema are unclear where it has no
    `additionalProperties`, as prompts often forbid them in words."""
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if not isinstance(properties, dict) or not isinstance(required, list):
        raise Unclear
    results = [key in value for key in required if isinstance(key, str)]
    results += [
        satisfies(properties[key], value[key], level=level + 1) for key in value.keys() & properties
    ]
    if not all(results):
        return False
    if properties and value.keys() - properties.keys():
        if not isinstance(schema.get("additionalProperties"), bool):
            raise Unclear
        return bool(schema["additionalProperties"])
    return True


RULES = (
    KnownRule(
        "whether its document satisfies its schema",
        pattern(r"\bschema\b"),
        is_valid,
        verdict,
        OTHERWISE,
    ),
)

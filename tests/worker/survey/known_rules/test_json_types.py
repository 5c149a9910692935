"""Documents and simple schemas: types, bounds, keys, and what schemas leave open."""

from __future__ import annotations

import json
from typing import Any

import pytest

from envyard_runner.survey.known_rules.json_types import Unclear, is_valid, satisfies
from envyard_runner.survey.labels import label_rule
from tests.worker.survey.known_rules.tasks import Rows, named, rows

FORM = "Schema:\n{}\n\nDocument:\n{}\n\nIs the document valid or invalid?"


@pytest.mark.parametrize(
    ("schema", "value", "valid"),
    [
        ({"type": "integer"}, True, False),
        ({"type": "number"}, False, False),
        ({"type": "boolean"}, 1, False),
        ({"type": "number"}, 3, True),
        ({"type": "integer"}, 2.5, False),
        ({"type": "string"}, 7, False),
        ({"type": ["string", "null"]}, None, True),
        ({"enum": [1, "a"]}, True, False),
        ({"const": 1}, 1, True),
        ({"type": "integer", "minimum": 3}, 2, False),
        ({"type": "string", "maxLength": 2}, "abc", False),
        ({"type": "array", "items": {"type": "integer"}, "minItems": 1}, [], False),
        ({"type": "array", "items": {"type": "integer"}}, [1, True], False),
        ({"type": "array", "minLength": 5}, [], True),
        ({"required": ["a"]}, {"b": 1}, False),
        ({"properties": {"a": {"type": "string"}}, "additionalProperties": False}, {"b": 1}, False),
        ({"properties": {"a": {"type": "object"}}}, {"a": {}}, True),
    ],
)
def test_documents(schema: Any, value: Any, valid: bool) -> None:
    assert satisfies(schema, value, level=0) is valid


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"pattern": "a"}, "a"),
        ({"type": "integer"}, 2.0),
        ({"type": "date"}, 2),
        ({"properties": {"a": {}}}, {"b": 1}),
        ({"minimum": "1"}, 1),
        ("true", 1),
        ({"items": {"items": {"items": {}}}}, [[[[[[[[[[1]]]]]]]]]]),
    ],
)
def test_schemas_that_leave_something_open(schema: Any, value: Any) -> None:
    if isinstance(schema, dict) and "items" in schema:
        assert satisfies(schema, value, level=0)
        for _ in range(9):
            schema = {"items": schema}
    with pytest.raises(Unclear):
        satisfies(schema, value, level=0)


@pytest.mark.parametrize(
    "prompt",
    [
        "Schema: {} Document:",
        "Schema: {",
        "Document: {} Schema: 3",
        FORM.format("{", 1),
        FORM.format("{}", "[" * 900),
        FORM.format("{}", "9" * 1500) + " {}",
        FORM.format('{"minimum": 0.5}', "9" * 400),
    ],
)
def test_cut_and_hostile_documents_are_left_alone(prompt: str) -> None:
    assert is_valid(prompt) is None


def tasks(*, booleans: bool) -> Rows:
    """Types and values; with `booleans` the labels of Python's isinstance()."""
    values = [True, False, 1, -2, 2.5, "7", None, [1], "x", 12]
    pairs = []
    for name in ("integer", "number", "string", "boolean"):
        for value in values:
            schema = {"type": "object", "properties": {"k": {"type": name}}, "required": ["k"]}
            valid = satisfies(schema, {"k": value}, level=0)
            if booleans and isinstance(value, bool) and name in ("integer", "number"):
                valid = True
            prompt = FORM.format(json.dumps(schema, indent=1), json.dumps({"k": value}))
            pairs.append((prompt, "valid" if valid else "invalid"))
    return rows(pairs)


def test_booleans_as_integers_are_named() -> None:
    assert label_rule(tasks(booleans=False)) is None
    rule = named(tasks(booleans=True))
    assert (rule.text, rule.broken) == ("whether its document satisfies its schema", 4)
    assert label_rule(tasks(booleans=True), "Booleans count as integers here.") is None

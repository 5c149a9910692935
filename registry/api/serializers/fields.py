"""Fields of requests, whose refusals name the value and the rule; the base adds the field's name.

JSON fields are strict: DRF's own take a number as a text, and a text of digits as a number.
"""

from __future__ import annotations

import math
from typing import Any

from rest_framework import serializers
from rest_framework.fields import empty

MISSING = "is missing and"


def shown(value: object) -> str:
    """The value as a message quotes it."""
    return MISSING if value is None else repr(value)[:80]


class Text(serializers.CharField):
    """A text, stripped, without NULs and lone surrogates, which JSON can spell and no database
    stores. An optional one may be null, which counts as left out."""

    default_error_messages = {
        "required": f"{MISSING} must be a text",
        "null": f"{MISSING} must be a text",
        "invalid": "{value} must be a text",
        "blank": "'' must not be empty",
        "not_storable": "{value} must hold no NUL and no lone surrogate",
        "max_length": "has {length} characters; the maximum is {max_length}",
    }

    def __init__(self, *, pattern: str = "", **options: Any) -> None:
        if not options.get("required", True):
            options = {"default": "", "allow_blank": True, **options}
        self.pattern = pattern  # only documented: services check it
        super().__init__(**options)

    def run_validation(self, data: Any = empty) -> Any:
        """The text; raises ValidationError."""
        if data is None and not self.required and not self.allow_null:
            data = empty
        if data is empty or data is None:
            return super().run_validation(data)
        if not isinstance(data, str):
            self.fail("invalid", value=shown(data))
        if "\0" in data or any("\ud800" <= letter <= "\udfff" for letter in data):
            self.fail("not_storable", value=shown(data))
        data = data.strip()
        if self.max_length is not None and len(data) > self.max_length:
            self.fail("max_length", length=len(data), max_length=self.max_length)
        return super().run_validation(data)


class Choice(serializers.ChoiceField):
    """One of the words."""

    default_error_messages = {
        "required": f"{MISSING} must be a text",
        "null": f"{MISSING} must be a text",
        "invalid_choice": "{input} must be one of {words}",
    }

    def run_validation(self, data: Any = empty) -> Any:
        """The word, stripped; raises ValidationError."""
        if not self.required and data in (None, ""):
            data = empty
        if isinstance(data, str):
            data = data.strip()
        if data is not empty and data is not None and data not in list(self.choices):
            words = ", ".join(map(str, self.choices))
            self.fail("invalid_choice", input=shown(data), words=words)
        return super().run_validation(data)


class Word(Choice):
    """One of the words, in any case."""

    def run_validation(self, data: Any = empty) -> Any:
        """The word in small letters; raises ValidationError."""
        return super().run_validation(data.strip().lower() if isinstance(data, str) else data)


class Whole(serializers.IntegerField):
    """A whole number of JSON."""

    default_error_messages = {
        "required": f"{MISSING} must be a whole number",
        "null": f"{MISSING} must be a whole number",
        "invalid": "{value} must be a whole number",
        "min_value": "{value} must be at least {minimum}",
    }

    def to_internal_value(self, data: Any) -> int:
        """The number; raises ValidationError."""
        if not isinstance(data, int) or isinstance(data, bool):
            self.fail("invalid", value=shown(data))
        if self.min_value is not None and data < self.min_value:
            self.fail("min_value", value=shown(data), minimum=self.min_value)
        return data


class Object(serializers.DictField):
    """An object of JSON with any fields."""

    default_error_messages = {
        "required": f"{MISSING} must be an object",
        "null": f"{MISSING} must be an object",
        "not_a_dict": "must be an object",
    }


class QueryWhole(serializers.IntegerField):
    """A whole number of a query string, within bounds; empty counts as left out."""

    default_error_messages = {"bounds": "{value!r} must be a whole number from {low} to {high}"}

    def __init__(self, *, max_value: int, min_value: int = 0, **options: Any) -> None:
        self.low, self.high = min_value, max_value
        super().__init__(required=False, min_value=min_value, max_value=max_value, **options)

    def run_validation(self, data: Any = empty) -> Any:
        """The number; raises ValidationError."""
        if data in (empty, ""):
            return super().run_validation(empty)
        text = str(data)
        digits = text.isascii() and text.isdigit() and len(text) < 19
        if not digits or not self.low <= int(text) <= self.high:
            self.fail("bounds", value=text[:40], low=self.low, high=self.high)
        return int(text)


class Number(serializers.FloatField):
    """A finite number of JSON."""

    default_error_messages = {
        "required": f"{MISSING} must be a number",
        "null": f"{MISSING} must be a number",
        "invalid": "{value} must be a number",
    }

    def to_internal_value(self, data: Any) -> float:
        """The number; raises ValidationError."""
        if not isinstance(data, int | float) or isinstance(data, bool) or not math.isfinite(data):
            self.fail("invalid", value=shown(data))
        return float(data)


class QueryNumber(serializers.FloatField):
    """A finite number of a query string; empty counts as left out."""

    default_error_messages = {"invalid": "{value!r} must be a number"}

    def run_validation(self, data: Any = empty) -> Any:
        """The number; raises ValidationError."""
        if data in (empty, ""):
            return super().run_validation(empty)
        try:
            number = float(data)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            self.fail("invalid", value=str(data)[:40])
        return number


class QueryFlag(serializers.BooleanField):
    """`true` or `false` of a query string; empty counts as left out."""

    default_error_messages = {"invalid": "{value!r} must be true or false"}

    def run_validation(self, data: Any = empty) -> Any:
        """The flag; raises ValidationError."""
        if data in (empty, ""):
            return super().run_validation(empty)
        if data not in ("true", "false"):
            self.fail("invalid", value=str(data)[:40])
        return data == "true"

"""What all serializers of the API stand on: request bodies, read models, lists, the error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request

from registry.errors import HubError


class Body(serializers.Serializer[Any]):
    """A JSON object that a request sends, read with `validated`."""

    # A misspelt field that narrows a right would otherwise be ignored, and the right be wider.
    refuses_unknown = False

    def to_internal_value(self, data: Any) -> Any:
        """The fields' values; raises ValidationError or HubError."""
        if self.refuses_unknown and (unknown := sorted(set(map(str, data)) - set(self.fields))):
            raise HubError(
                "request.invalid",
                f"the field {unknown[0][:40]!r} must be one of {', '.join(self.fields)}",
                details={"field": unknown[0][:40]},
            )
        return super().to_internal_value(data)


def validated(serializer: type[serializers.Serializer[Any]], request: Request) -> Any:
    """The fields of the request's body by name; raises 400 naming field, value and rule."""
    return _validated(serializer, request.data)


def validated_query(
    serializer: type[serializers.Serializer[Any]], request: Request
) -> dict[str, Any]:
    """The query string likewise; of a repeated parameter the last value counts."""
    fields: dict[str, Any] = _validated(serializer, request.query_params.dict())
    return fields


def _validated(serializer: type[serializers.Serializer[Any]], data: Any) -> Any:
    if not isinstance(data, Mapping):
        raise HubError("request.invalid", "the body must be a JSON object")
    bound = serializer(data={**data})  # of an empty body DRF makes a form
    bound.is_valid(raise_exception=True)
    return bound.validated_data


class ReadModelSerializer(serializers.Serializer[Any]):
    """Renders a dataclass field by field, and documents it by its annotations.

    Without declared fields, which would repeat the dataclass and take several times as long for a
    page of a hundred rows. `model` may have other dataclasses in its fields.
    """

    model: type

    def to_representation(self, instance: Any) -> Any:
        """The read model as JSON types and datetimes."""
        return as_json(instance)


class ContractSerializer(ReadModelSerializer):
    """A dataclass of the contract with `to_dict` and `from_dict`, which validates."""

    def to_representation(self, instance: Any) -> Any:
        """Its JSON form."""
        return instance.to_dict()

    def to_internal_value(self, data: Any) -> Any:
        """The dataclass; raises 400."""
        try:
            return self.model.from_dict(data)  # type: ignore[attr-defined]
        except ValueError as error:
            raise HubError("request.invalid", str(error)) from error


def as_json(value: Any) -> Any:
    """Dataclasses in fields and lists as objects; all else, stored JSON too, as it is."""
    if isinstance(value, list):
        return [as_json(item) for item in value]
    if names := _names(value.__class__):
        return {name: as_json(getattr(value, name)) for name in names}
    return value


@cache
def _names(model: Any) -> tuple[str, ...]:
    """The names of a dataclass's fields; none of another class."""
    return tuple(field.name for field in fields(model)) if is_dataclass(model) else ()


class ErrorBodySerializer(serializers.Serializer[Any]):
    """What went wrong and what to do about it."""

    code = serializers.CharField(help_text="Stable and dotted; branch on this.")
    message = serializers.CharField(help_text="Names the field, the value and the rule.")
    hint = serializers.CharField(help_text="The next step; may be empty.")
    details = serializers.DictField(help_text="`field`, `findings`, `retry_after` ...")
    request_id = serializers.CharField(help_text="Quote it to the hub's operator.")


class ErrorSerializer(serializers.Serializer[Any]):
    """Every refusal of the API has this shape."""

    error = ErrorBodySerializer()

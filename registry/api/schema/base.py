"""What every described shape has in common. The shapes describe; they are never built."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, Field, GetJsonSchemaHandler
from pydantic_core import CoreSchema

T = TypeVar("T")
Moment = Annotated[datetime, Field(description="ISO 8601, in UTC.")]


class Shape(BaseModel):
    """A JSON object. Fields without a default are always there."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Without the titles, which repeat the names."""
        schema = handler(core)
        told = handler.resolve_ref_schema(schema)
        told.pop("title", None)
        for field in told.get("properties", {}).values():
            field.pop("title", None)
        return schema


class Page(Shape, Generic[T]):
    """A page of a list; `next` is the address of the following one, null on the last."""

    results: list[T]
    next: Annotated[str | None, Field(json_schema_extra={"format": "uri"})]

    @classmethod
    def model_parametrized_name(cls, params: tuple[Any, ...]) -> str:
        """The name that the document has for it."""
        return f"{params[0].__name__}Page"


class All(Shape, Generic[T]):
    """A list that comes whole."""

    results: list[T]

    @classmethod
    def model_parametrized_name(cls, params: tuple[Any, ...]) -> str:
        """The name that the document has for it."""
        return f"{params[0].__name__}List"


def among(words: Iterable[str], description: str = "") -> Any:
    """Field of one of these words; for `Annotated`."""
    return Field(description=description or None, json_schema_extra={"enum": list(words)})


class ErrorBody(Shape):
    """What went wrong and what to do about it."""

    code: Annotated[str, Field(description="Stable and dotted; branch on this.")]
    message: Annotated[str, Field(description="Names the field, the value and the rule.")]
    hint: Annotated[str, Field(description="The next step; may be empty.")]
    details: Annotated[dict[str, Any], Field(description="`field`, `findings`, `retry_after` ...")]
    request_id: Annotated[str, Field(description="Quote it to the hub's operator.")]


class Error(Shape):
    """Every refusal of the API has this shape."""

    error: ErrorBody

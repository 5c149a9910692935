"""Types of read models' fields, with what the OpenAPI document adds to their schemas.

The API reads them with pydantic, which takes a second to import; nothing here imports it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Annotated, Any, TypeVar

from envyard.card.learnability import ModelResults
from envyard.card.measures import Measure
from envyard.card.scores import Score
from registry.card.summary import CardSummary

T = TypeVar("T")


class Spec:
    """Keywords of JSON Schema that an annotated field has besides those of its type."""

    def __init__(self, **keywords: Any) -> None:
        self.keywords = keywords

    def __get_pydantic_json_schema__(
        self, core: object, handler: Callable[[object], dict[str, Any]]
    ) -> dict[str, Any]:
        return handler(core) | self.keywords


@dataclass(frozen=True, slots=True)
class Stored:
    """Marks a JSON object as the stored form of that dataclass."""

    model: type

    def __get_pydantic_core_schema__(self, source: object, handler: Any) -> Any:
        return handler.generate_schema(self.model)


Moment = Annotated[datetime, Spec(description="ISO 8601, in UTC.")]
Uri = Annotated[str, Spec(format="uri")]
StoredScore = Annotated[dict[str, Any], Stored(Score)]
StoredCardSummary = Annotated[dict[str, Any], Stored(CardSummary)]
StoredModelResults = Annotated[dict[str, Any], Stored(ModelResults)]
StoredMeasure = Annotated[dict[str, Any], Stored(Measure)]
Sha256 = Annotated[str, Spec(pattern="^[0-9a-f]{64}$")]


def extended(model: type[T], base: Any, **more: Any) -> T:
    """The read model that adds `more` to the fields of another one."""
    known = {field.name: getattr(base, field.name) for field in fields(base)}
    return model(**known, **more)

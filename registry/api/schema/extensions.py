"""How drf-spectacular reads the serializers of dataclasses: by their types, with pydantic."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiSerializerExtension, OpenApiSerializerFieldExtension
from drf_spectacular.plumbing import ResolvedComponent
from pydantic import TypeAdapter


class ReadModelExtension(OpenApiSerializerExtension):
    """The schema of a read model, with a component for each dataclass in its fields."""

    target_class = "registry.api.serializers.base.ReadModelSerializer"
    match_subclasses = True

    def get_name(self, auto_schema: Any, direction: str) -> str:
        """The dataclass's name, which its component has wherever it is used."""
        return str(self.target.model.__name__)

    def get_identity(self, auto_schema: Any, direction: str) -> str:
        """The same, so that both are one component."""
        return str(self.target.model.__name__)

    def map_serializer(self, auto_schema: Any, direction: str) -> dict[str, Any]:
        """The schema; the dataclasses it refers to go into the registry."""
        schema: dict[str, Any] = TypeAdapter(self.target.model).json_schema(
            ref_template="#/components/schemas/{model}", mode="serialization"
        )
        for name, part in schema.pop("$defs", {}).items():
            component = ResolvedComponent(
                name=name,
                type=ResolvedComponent.SCHEMA,
                object=name,
                schema=without_titles(part),
            )
            auto_schema.registry.register_on_missing(component)
        return without_titles(schema)


class TextExtension(OpenApiSerializerFieldExtension):
    """The pattern of a text that its service checks."""

    target_class = "registry.api.serializers.fields.Text"
    match_subclasses = True

    def map_serializer_field(self, auto_schema: Any, direction: str) -> dict[str, Any]:
        """The schema of a text."""
        pattern = {"pattern": self.target.pattern} if self.target.pattern else {}
        return {"type": "string", **pattern}


def without_titles(schema: dict[str, Any]) -> dict[str, Any]:
    """Without the titles, which repeat the names."""
    schema.pop("title", None)
    for field in schema.get("properties", {}).values():
        field.pop("title", None)
    return schema

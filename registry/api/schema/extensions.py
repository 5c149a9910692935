"""How drf-spectacular reads the serializers of dataclasses: by their types, with pydantic."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.plumbing import ResolvedComponent
from pydantic import TypeAdapter


class ReadModelExtension(OpenApiSerializerExtension):
    """The schema of a read model, with a component for each dataclass in its fields."""

    target_class = "registry.api.serializers.base.ReadModelSerializer"
    match_subclasses = True

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


def without_titles(schema: dict[str, Any]) -> dict[str, Any]:
    """Without the titles, which repeat the names."""
    schema.pop("title", None)
    for field in schema.get("properties", {}).values():
        field.pop("title", None)
    return schema

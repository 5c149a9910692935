"""The OpenAPI document: drf-spectacular on the API's views, and the paths outside of it."""

from __future__ import annotations

from typing import Any

from drf_spectacular.generators import EndpointEnumerator, SchemaGenerator

from registry.api.schema import extensions as extensions
from registry.api.schema.outside import PATHS
from registry.api.schema.prose import ABOUT, SCHEMES, TAGS

PREFIX = "/api/v1/"
THEIRS = "registry.api.prime"  # another product's protocol; docs/prime.md has it


class Endpoints(EndpointEnumerator):
    """The API's own routes, without those that speak another product's protocol."""

    def should_include_endpoint(self, path: str, callback: Any) -> bool:
        """Whether the document has that route."""
        kept: bool = super().should_include_endpoint(path, callback)
        return kept and path.startswith(PREFIX) and not callback.__module__.startswith(THEIRS)


class Generator(SchemaGenerator):
    """The whole document."""

    endpoint_inspector_cls = Endpoints

    def get_schema(self, request: Any = None, public: bool = False) -> dict[str, Any]:
        """With the addresses outside the REST API that people and installers use."""
        document: dict[str, Any] = super().get_schema(request, public)
        _drop_enum_ids(document["components"]["schemas"])
        document["info"]["description"] = ABOUT
        document["tags"] = [{"name": name, "description": text} for name, text in TAGS.items()]
        document["paths"] |= PATHS
        document["components"]["securitySchemes"] = SCHEMES
        return document


def _drop_enum_ids(value: Any) -> None:
    """Remove the marks that drf-spectacular leaves for its hook on enumerations."""
    if isinstance(value, dict):
        value.pop("x-spec-enum-id", None)
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            _drop_enum_ids(item)

"""drf-spectacular, made to read the table of operations in place of guessing from the views."""

from __future__ import annotations

from typing import Any

from drf_spectacular.generators import EndpointEnumerator, SchemaGenerator
from drf_spectacular.openapi import AutoSchema

from registry.api.schema import extensions as extensions
from registry.api.schema.operation import Operation
from registry.api.schema.outside import PATHS
from registry.api.schema.prose import ABOUT, SCHEMES, TAGS
from registry.api.schema.table import OPERATIONS

PREFIX = "/api/v1/"
THEIRS = "registry.api.prime"  # another product's protocol; docs/prime.md has it
# What path parameters are, with an example each.
PLACES = {
    "owner": ("The user or organisation that it is published under.", "alice"),
    "name": ("Its name, in any spelling that PEP 503 holds equal.", "demo-env"),
    "number": ("The version, in any spelling of PEP 440; a rollout, its `pk`.", "0.1.0"),
    "id": ("Its `id`, as lists give it.", None),
    "public_id": ("The token's `public_id`; `current` is the request's own token.", "current"),
    "username": ("The member's user name.", "bob"),
    "platform": ("Interpreter and C library.", "cpython-311-x86_64-linux-gnu-2.36"),
}
ANYBODY: list[dict[str, list[str]]] = [{"bearer": []}, {"basic": []}, {"session": []}]


class Endpoints(EndpointEnumerator):
    """The API's own routes, without those that speak another product's protocol."""

    def should_include_endpoint(self, path: str, callback: Any) -> bool:
        """Whether the document tells of that route."""
        kept: bool = super().should_include_endpoint(path, callback)
        return kept and path.startswith(PREFIX) and not callback.__module__.startswith(THEIRS)


class Told(AutoSchema):
    """All that drf-spectacular asks about an operation, from its entry in the table."""

    @property
    def told(self) -> Operation:
        """The entry; KeyError where a route has none."""
        return OPERATIONS[f"{self.method} {self.path.removeprefix(PREFIX)}"]

    def get_operation_id(self) -> str:
        """What clients call it."""
        return self.told.id

    def get_tags(self) -> list[str]:
        """Its one group."""
        return [self.told.tag]

    def get_summary(self) -> str:
        """One line."""
        return self.told.summary

    def get_description(self) -> str:  # type: ignore[override]
        """All there is to know."""
        return self.told.text

    def get_override_parameters(self) -> list[Any]:
        """Its query string; the path tells of itself."""
        return list(self.told.query)

    def get_request_serializer(self) -> Any:
        """The body; an empty dict where it takes none."""
        return self.told.body or {}

    def get_response_serializers(self) -> Any:
        """Every status that it answers."""
        return self.told.responses(self.method, self.path)

    def get_auth(self) -> list[dict[str, list[str]]]:
        """Which credentials do; `{}` where none are needed."""
        if self.told.needs:
            return [{self.told.needs: []}]
        if not self.view.get_authenticators():
            return []
        return [*ANYBODY, {}] if self.told.free else ANYBODY

    def _is_list_view(self, serializer: Any = None) -> bool:
        """Lists are described as the objects that they are."""
        return False

    def _resolve_path_parameters(self, variables: list[str]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = super()._resolve_path_parameters(variables)
        for parameter in found:
            text, example = PLACES[parameter["name"]]
            parameter["description"] = text
            if example and parameter["schema"]["type"] == "string":
                parameter["example"] = example
        return found


class Generator(SchemaGenerator):
    """The whole document."""

    endpoint_inspector_cls = Endpoints

    def create_view(self, callback: Any, method: str, request: Any = None) -> Any:
        """The view, told of by the table."""
        view = super().create_view(callback, method, request)
        if not hasattr(callback.cls, "kwargs"):  # without @extend_schema
            self._set_schema_to_view(view, Told())
        return view

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

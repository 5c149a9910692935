"""What drf-spectacular cannot read from `@extend_schema`: refusals, sign-in, path parameters."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from drf_spectacular.openapi import AutoSchema as SpectacularSchema
from drf_spectacular.utils import OpenApiResponse

from registry.api.pagination import KeysetPagination
from registry.api.serializers.base import ErrorSerializer

REFUSALS = {
    301: "It moved: `Location` and `error.details.moved_to` name the new address.",
    400: "A parameter or the body is not valid; `error.details.field` names it.",
    401: "The token is not valid, or none was sent where one is needed.",
    403: "You may not do that, or not with this token; or the CSRF token is missing.",
    404: "There is nothing here, or you may not see it.",
    406: "The API answers application/json alone.",
    409: "It is not in the state for that, or it moved, or the name is taken.",
    410: "The code is over; begin again.",
    413: "The body is too long.",
    415: "The body must be application/json.",
    429: "Too many requests; `Retry-After` is the number of seconds to wait.",
    503: "What the hub needs for that is not reachable now.",
}
# What path parameters are, with an example each.
PARAMETERS = {
    "owner": ("The user or organisation that it is published under.", "alice"),
    "name": ("Its name, in any spelling that PEP 503 holds equal.", "demo-env"),
    "number": ("The version, in any spelling of PEP 440; a rollout, its `pk`.", "0.1.0"),
    "id": ("Its `id`, as lists give it.", None),
    "public_id": ("The token's `public_id`; `current` is the request's own token.", "current"),
    "username": ("The member's user name.", "bob"),
    "variable": ("The variable's name: capitals, digits and _.", "DIFFICULTY"),
    "key": ("The secret's name: capitals, digits and _.", "EXA_API_KEY"),
    "host": ("A host name, or `*.` before a domain.", "api.example.org"),
    "code": ("A finding code, or an error code of the API.", "card.floor"),
    "measure": ("The name of a measure of a card or of a model.", "floor"),
    "other": ("The id of another run.", "6b1d7f0a-3c55-4b6e-9a1b-0d2f4c8e7a11"),
    "platform": ("Interpreter and C library.", "cpython-311-x86_64-linux-gnu-2.36"),
}
ANYBODY: list[dict[str, list[str]]] = [{"bearer": []}, {"basic": []}, {"session": []}]


def refusals(*statuses: int) -> dict[int, OpenApiResponse]:
    """Responses that an operation has beyond the refusals of every operation of its kind."""
    return {status: OpenApiResponse(ErrorSerializer, REFUSALS[status]) for status in statuses}


class AutoSchema(SpectacularSchema):
    """The schema of each view: `@extend_schema`, docstring, and what follows from path and
    decorators."""

    def get_summary(self) -> str:
        """The first sentence of the view's docstring, where `@extend_schema` gives none."""
        return self._docstring().partition(". ")[0].removesuffix(".")

    def get_description(self) -> str:  # type: ignore[override] # as drf-spectacular has it
        """The other sentences, likewise."""
        return self._docstring().partition(". ")[2]

    def _docstring(self) -> str:
        return " ".join(super().get_description().split())

    def get_auth(self) -> list[dict[str, list[str]]]:
        """The credentials of the view's authentication classes; `{}` where none are needed."""
        schemes: list[dict[str, list[str]]] = [
            {scheme: []}
            for authenticator in self.view.get_authenticators()
            for scheme in getattr(authenticator, "schemes", ("session",))
        ]
        return [*schemes, {}] if schemes and self._is_public() else schemes

    def _is_public(self) -> bool:
        permissions = self.view.get_permissions()
        return all(getattr(p, "is_public", lambda _: True)(self.method) for p in permissions)

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        """Responses with the refusals that follow from the operation."""
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        for status, refusal in refusals(*sorted(self._refused_statuses())).items():
            if str(status) not in bodies:
                bodies[str(status)] = self._get_response_for_code(refusal, str(status))
        for status_code, body in bodies.items():
            body["description"] = body["description"] or HTTPStatus(int(status_code)).phrase
        return bodies

    def _refused_statuses(self) -> set[int]:
        """Moved environments answer 301 to a request that reads, 409 to all else."""
        statuses = {400, 401, 406}
        if "{" in self.path:
            statuses.add(404)
        if "{owner}/{name}" in self.path:
            statuses.add(301 if self.method == "GET" else 409)
        if self.method in ("POST", "PUT", "PATCH") and self.get_request_serializer():
            statuses |= {413, 415}
        if not (self.view.get_authenticators() == [] or {} in self.get_auth()):
            statuses.add(403)
        return statuses

    def map_parsers(self) -> list[str]:
        """The one content type of bodies, whichever limit their parser has."""
        return [parser.media_type for parser in self.view.parser_classes if parser.media_type]

    def _unwrap_list_serializer(self, serializer: Any, direction: Any) -> Any:
        """A list with its bounds, which drf-spectacular leaves out."""
        schema = super()._unwrap_list_serializer(serializer, direction)
        if schema and getattr(serializer, "max_length", None) and "items" in schema:
            schema |= {"minItems": serializer.min_length, "maxItems": serializer.max_length}
        return schema

    def _get_paginator(self) -> KeysetPagination:
        """Lists come in pages by a cursor."""
        return KeysetPagination()

    def get_paginated_name(self, serializer_name: str) -> str:
        """The component of a page."""
        return f"{serializer_name}Page"

    def _process_override_parameters(self, direction: Any = "request") -> Any:
        """Parameters without empty defaults, and enumerations without the keywords of bodies."""
        parameters = super()._process_override_parameters(direction)
        for schema in [parameter["schema"] for parameter in parameters.values() if parameter]:
            if schema.get("default") == "":
                del schema["default"]
            if "enum" in schema:
                schema.pop("minLength", None)
                schema.pop("x-spec-enum-id", None)
        return parameters

    def _resolve_path_parameters(self, variables: list[str]) -> list[dict[str, Any]]:
        parameters: list[dict[str, Any]] = super()._resolve_path_parameters(variables)
        for parameter in parameters:
            text, example = PARAMETERS[parameter["name"]]
            parameter["description"] = text
            if example and parameter["schema"]["type"] == "string":
                parameter["example"] = example
        return parameters

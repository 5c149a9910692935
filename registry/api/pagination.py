"""Lists in pages: `?limit=`, and the opaque `?cursor=` that the page before gave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from rest_framework import serializers
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.api.serializers.base import SharedFieldsSerializer, validated_query
from registry.api.serializers.fields import QueryWhole, Text
from registry.keyset import cursor_after, read_page

M = TypeVar("M", bound=Model)
LIMIT, MAX_LIMIT = 20, 100


class PageQuery(SharedFieldsSerializer):
    """Which page of a list."""

    limit = QueryWhole(
        min_value=1, max_value=MAX_LIMIT, default=LIMIT, help_text="How many on a page."
    )
    cursor = Text(
        required=False,
        help_text="Opaque; comes with the address in `next`. Leave it out to begin.",
    )


class KeysetPagination(BasePagination):
    """`{"results", "next"}` sorted by the fields of `by`, `-` for falling, the last one unique."""

    def __init__(self, *by: str) -> None:
        self.by = by
        self.cursor = ""

    def paginate_queryset(
        self, queryset: QuerySet[Any], request: Request, view: APIView | None = None
    ) -> list[Any]:
        """The rows of the page that the query string names; raises 400."""
        self.request = request
        rows, self.cursor = read_page(queryset, by=self.by, **validated_query(PageQuery, request))
        return rows

    def end_after(self, row: Model) -> None:
        """Let the next page begin after that row, where a page could not hold all of its rows."""
        self.cursor = cursor_after(row, by=self.by)

    def get_paginated_response(self, data: Any, **more: Any) -> Response:
        """A page, and the address of the next one."""
        return Response({"results": data, "next": self._next_address(), **more})

    def _next_address(self) -> str | None:
        if not self.cursor:
            return None
        query = self.request.query_params.copy()
        query["cursor"] = self.cursor
        return self.request.build_absolute_uri(f"{self.request.path}?{query.urlencode()}")

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The component of a page."""
        return {
            "type": "object",
            "description": "A page of a list; `next` is the address of the next one.",
            "properties": {
                "results": schema,
                "next": {"type": ["string", "null"], "format": "uri"},
            },
            "required": ["results", "next"],
        }

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """`limit` and `cursor`."""
        limit = {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": LIMIT}
        fields = PageQuery().fields
        return [
            {"in": "query", "name": name, "schema": schema, "description": fields[name].help_text}
            for name, schema in (("limit", limit), ("cursor", {"type": "string"}))
        ]


def page(
    request: Request,
    queryset: QuerySet[M],
    serializer: type[serializers.Serializer[Any]],
    *,
    by: tuple[str, ...],
    read: Callable[[list[M]], Sequence[Any]] = list,
    context: dict[str, Any] | None = None,
) -> Response:
    """A page of the queryset's rows, each as the serializer renders it, or its read model."""
    paginator = KeysetPagination(*by)
    rows = paginator.paginate_queryset(queryset, request)
    rendered = serializer(read(rows), many=True, context=context or {})
    return paginator.get_paginated_response(rendered.data)

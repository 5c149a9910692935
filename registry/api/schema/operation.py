"""What is told of one operation, and what follows from its path and method."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from pydantic import BaseModel

from registry.api.paging import LIMIT, MOST
from registry.api.schema.base import Error

Model = type[BaseModel]
REFUSALS = {
    301: "It moved: `Location` and `error.details.moved_to` say where to.",
    400: "A parameter or the body is not valid; `error.details.field` names it.",
    401: "The token is no good, or none was sent where one is needed.",
    403: "You may not do that, or not with this token; or the CSRF token is missing.",
    404: "There is nothing here, or you may not see it.",
    406: "The API answers application/json alone.",
    409: "It is not in the state for that, or it moved, or the name is taken.",
    410: "The code is over; begin again.",
    413: "The body is too long.",
    415: "The body must be application/json.",
    429: "Too many requests; `Retry-After` says in how many seconds to come back.",
    503: "What the hub needs for that is not reachable now.",
}


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one path.

    `answers` are its good statuses with their bodies, `refusals` those beyond what every
    operation of its kind has. `needs` names the one security scheme of a runner's operation;
    `free` means that nobody has to sign in.
    """

    id: str
    tag: str
    summary: str
    text: str
    answers: Mapping[int, Model | None]
    body: Model | None = None
    query: tuple[OpenApiParameter, ...] = ()
    refusals: tuple[int, ...] = ()
    free: bool = False
    needs: str = ""
    said: Mapping[int, str] = field(default_factory=dict)

    def responses(self, method: str, path: str) -> dict[int, OpenApiResponse]:
        """Status to body and meaning, the good ones first."""
        good = {
            status: OpenApiResponse(model, self.said.get(status, self._good(status, model)))
            for status, model in self.answers.items()
        }
        return good | {
            status: OpenApiResponse(Error, self.said.get(status, REFUSALS[status]))
            for status in sorted(self._refusals(method, path))
        }

    def _refusals(self, method: str, path: str) -> set[int]:
        """Moved environments answer 301 to a request that reads, 409 to all else."""
        found = {400, 401, 406, *self.refusals}
        if "{" in path:
            found.add(404)
        if "{owner}/{name}" in path:
            found.add(301 if method == "GET" else 409)
        if self.body:
            found |= {413, 415}
        if not self.free:
            found.add(403)
        return found

    @staticmethod
    def _good(status: int, model: Model | None) -> str:
        if model is None:
            return "Done; no body."
        return "Made." if status == 201 else re.sub(r"\s+", " ", inspect.getdoc(model) or "")


def query(name: str, text: str, kind: Any = str, **more: Any) -> OpenApiParameter:
    """A parameter of the query string."""
    return OpenApiParameter(name, kind, OpenApiParameter.QUERY, description=text, **more)


PAGED = (
    query(
        "limit",
        "How many on a page.",
        {"type": "integer", "minimum": 1, "maximum": MOST, "default": LIMIT},
    ),
    query("cursor", "Opaque; comes with the address in `next`. Leave it out to begin."),
)

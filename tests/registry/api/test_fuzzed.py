"""Requests that schemathesis makes up from the OpenAPI document, good and bad, for everybody.

No answer is the hub's own failure, has a status or content type that the document does not tell,
or a body of another shape. FUZZ_EXAMPLES asks for more of them. And each success that the document
tells is reached.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from registry.models import Organisation, User
from tests.registry.api import fits
from tests.registry.api.fits import Fit
from tests.registry.api.hub import Hub, build
from tests.registry.publishers.conftest import issuer
from tests.registry.publishers.issuer import Issuer

__all__ = ["issuer"]

pytestmark = pytest.mark.once

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "4"))


@pytest.fixture
def hub(alice: User, lab: Organisation, root: User) -> Hub:
    return build(alice, lab, root)


@pytest.fixture
def known(alice: User, hub: Hub, issuer: Issuer, settings: Any) -> dict[tuple[str, int], Fit]:
    """What operations need to succeed."""
    return fits.build(alice, issuer, settings.HUB_URL)


@pytest.fixture
def dice() -> Random:
    """The same throws for each operation every time."""
    return Random(1)


@pytest.fixture(autouse=True)
def one_connection() -> Iterator[None]:
    """Requests leave the test's connection open, as they do for Django's own client."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def whole(environ: dict[str, Any], start: Any) -> list[bytes]:
    """The hub; answer and body are closed as by a server, which werkzeug's client forgets."""
    answer = WSGIHandler()(environ, start)
    try:
        return [b"".join(answer)]
    finally:
        answer.close()
        environ["wsgi.input"].close()


API: Any = schemathesis.openapi.from_wsgi("/api/v1/schema", whole)


@API.parametrize()
@settings(
    max_examples=EXAMPLES,
    derandomize=EXAMPLES < 100,
    database=None,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
def test_every_response_is_documented(
    case: schemathesis.Case, hub: Hub, known: dict[tuple[str, int], Fit], dice: Random
) -> None:
    fit = known.get((_id(case.operation), 200), Fit())
    if dice.random() < 0.75:
        case.path_parameters = hub.place(case.operation.path) | fit.place
    if fit.body is not None and not fit.headers and dice.random() < 0.5:
        case.body = fit.body
    elif isinstance(case.body, dict):
        case.body |= {
            name: hub.fields[name]
            for name in case.body
            if name in hub.fields and dice.random() < 0.75
        }
    headers = {"Accept-Encoding": "identity", **_credentials(case, hub, dice)}
    with transaction.atomic():
        answer = case.call(headers=headers)
        transaction.set_rollback(True)
    case.validate_response(answer, checks=CHECKS)


def test_every_documented_success_is_reached(hub: Hub, known: dict[tuple[str, int], Fit]) -> None:
    missed = []
    for found in API.get_all_operations():
        operation = found.ok()
        for status in sorted(int(s) for s in operation.definition.raw["responses"] if s[0] == "2"):
            fit = known.get((_id(operation), status), Fit())
            with transaction.atomic():
                if fit.before:
                    fit.before()
                answer = _meant(operation, hub, fit)
                transaction.set_rollback(True)
            if answer.status_code != status:
                missed.append(f"{_id(operation)} {status}: {answer.status_code} {answer.text}")
    assert missed == []


def _meant(operation: Any, hub: Hub, fit: Fit) -> Any:
    """The answer to a request by somebody who may, with all the words that there are."""
    headers = {"Accept-Encoding": "identity", **hub.bearer(_may(operation)), **fit.headers}
    raw = operation.definition.raw.get("requestBody", {"content": {}})["content"]
    body = fit.body
    if raw and body is None:
        wanted = _fields(operation, next(iter(raw.values()))["schema"])
        body = {name: hub.fields[name] for name in wanted if name in hub.fields}
    fields = {"body": body, "media_type": next(iter(raw))} if raw else {}
    place = hub.place(operation.path) | fit.place
    case = operation.Case(path_parameters=place, query={}, headers={}, **fields)
    answer = case.call(headers=headers)
    case.validate_response(answer, checks=CHECKS)
    return answer


def _fields(operation: Any, schema: dict[str, Any]) -> list[str]:
    """The names that a body may hold."""
    shapes = operation.schema.raw_schema["components"]["schemas"]
    while "$ref" in schema:
        schema = shapes[schema["$ref"].rpartition("/")[2]]
    return list(schema["properties"])


def _id(operation: Any) -> str:
    return str(operation.definition.raw["operationId"])


def _may(operation: Any) -> str:
    """Who may do it; runners' operations have their own tokens."""
    raw = operation.definition.raw
    own = [name for name in ("runner", "run") if {name: []} in raw.get("security", ())]
    return own[0] if own else "root" if raw["description"].startswith("For staff") else "admin"


def _credentials(case: schemathesis.Case, hub: Hub, dice: Random) -> dict[str, str]:
    """Those of an actor by chance, more often of one who may."""
    get_actor = dice.choice([_may(case.operation)] * 4 + ["root", "admin", "read", ""])
    return hub.bearer(get_actor) if get_actor else {}

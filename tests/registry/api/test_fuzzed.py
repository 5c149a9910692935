"""Requests that schemathesis makes up from the OpenAPI document, good and bad, for everybody.

No answer is the hub's own failure, has a status or content type that the document does not tell,
or a body of another shape. And each success in the document is reached. FUZZ_EXAMPLES is
the number of random requests to each operation (default 4). With it, or with CI=true,
schemathesis' coverage phase runs too: some twenty requests more to each, at the boundaries of
every parameter.

All tests share the rows of one module; each request happens in a savepoint that is rolled back.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
import schemathesis
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from django.test import override_settings
from hypothesis import HealthCheck, Phase
from hypothesis import settings as hypothesis_settings
from schemathesis.checks import not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.people import make_lab, person
from tests.registry.api import fits
from tests.registry.api.fits import Fit
from tests.registry.api.hub import Hub, build
from tests.registry.publishers.issuer import serving

# Each test is a savepoint in the module's transaction.
pytestmark = [pytest.mark.django_db, pytest.mark.once]

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "4"))
COVERAGE_PHASE = "FUZZ_EXAMPLES" in os.environ or bool(os.environ.get("CI"))
CONFIG = SchemathesisConfig.from_dict({"phases": {"coverage": {"enabled": COVERAGE_PHASE}}})


@pytest.fixture(scope="module")
def hub_and_fits(
    django_db_setup: None, django_db_blocker: Any
) -> Iterator[tuple[Hub, dict[tuple[str, int], Fit]]]:
    """The rows of everything, and what operations need besides to succeed."""
    with django_db_blocker.unblock(), serving() as issuer, transaction.atomic():
        alice = person("alice")
        hub = build(alice, make_lab(alice, person("bob")), person("root", staff=True))
        with override_settings(HUB_OIDC_ISSUERS={issuer.url: "github"}):
            yield hub, fits.build(alice, issuer, settings.HUB_URL)
        transaction.set_rollback(True)


@pytest.fixture
def hub(hub_and_fits: tuple[Hub, dict[tuple[str, int], Fit]]) -> Hub:
    return hub_and_fits[0]


@pytest.fixture
def known(hub_and_fits: tuple[Hub, dict[tuple[str, int], Fit]]) -> dict[tuple[str, int], Fit]:
    """What operations need to succeed."""
    return hub_and_fits[1]


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


@functools.cache
def handler() -> WSGIHandler:
    """One for all requests: it loads the middleware."""
    return WSGIHandler()


def wsgi_app(environ: dict[str, Any], start: Any) -> list[bytes]:
    """The hub; answer and body are closed as by a server, which werkzeug's client does not do."""
    answer = handler()(environ, start)
    try:
        return [b"".join(answer)]
    finally:
        answer.close()
        environ["wsgi.input"].close()


API: Any = schemathesis.openapi.from_wsgi("/api/v1/schema", wsgi_app, config=CONFIG)


@API.parametrize()
@hypothesis_settings(
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
    if fit.query and dice.random() < 0.5:
        case.query = dict(fit.query)
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
    for result in API.get_all_operations():
        operation = result.ok()
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
    case = operation.Case(path_parameters=place, query=fit.query, headers={}, **fields)
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

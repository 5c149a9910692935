"""Requests that schemathesis makes up from the OpenAPI document, good and bad, for everybody.

No answer is the hub's own failure, has a status or content type that the document does not tell,
or a body of another shape. FUZZ_EXAMPLES asks for more of them.
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
from tests.registry.api.hub import Hub, build

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
def test_every_answer_is_one_that_the_document_tells(
    case: schemathesis.Case, hub: Hub, dice: Random
) -> None:
    if dice.random() < 0.75:
        case.path_parameters = hub.place(case.operation.path)
    if isinstance(case.body, dict):
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


def _credentials(case: schemathesis.Case, hub: Hub, dice: Random) -> dict[str, str]:
    """Those of an asker by chance, more often of one who may; runners' operations have theirs."""
    raw = case.operation.definition.raw
    own = [name for name in ("runner", "run") if {name: []} in raw.get("security", ())]
    fit = own or ["root" if raw["description"].startswith("For staff") else "admin"]
    asker = dice.choice(fit * 4 + ["root", "admin", "read", ""])
    return hub.bearer(asker) if asker else {}

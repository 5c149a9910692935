"""A trusted issuer, and publishers of environments."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache

from registry.models import Environment, Owner, TrustedPublisher, User
from registry.publishers import services
from tests.registry.publishers.issuer import Issuer, serving

FIELDS = {"repository": "lab/envs", "workflow": "publish.yml"}


@pytest.fixture
def issuer(settings: Any, db: None) -> Iterator[Issuer]:
    """An issuer that this hub trusts as a GitHub, none of its keys known yet."""
    cache.clear()
    with serving() as running:
        settings.HUB_OIDC_ISSUERS = {running.url: "github"}
        yield running
    cache.clear()


def publisher(to: Environment | Owner, by: User, **changes: Any) -> TrustedPublisher:
    """lab/envs' publish.yml as a publisher."""
    said: dict[str, Any] = {"kind": "github", "fields": FIELDS} | changes
    return services.add(to=to, by=by, **said)

"""A trusted issuer, and publishers of environments."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings as live
from django.core.cache import cache

from registry.errors import HubError
from registry.models import Environment, Owner, Token, TrustedPublisher, User
from registry.publishers import exchange, services
from registry.publishers.exchange import Minted
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
    fields: dict[str, Any] = {"kind": "github", "fields": FIELDS} | changes
    return services.add(to=to, by=by, **fields)


def mint(issuer: Issuer, **claims: Any) -> Minted:
    return exchange.mint(identity_token=issuer.token(live.HUB_URL, **claims))


def used(minted: Minted, owner: User, name: str = "demo-env") -> Token:
    """The token as an upload to that environment finds it."""
    token = exchange.verify(minted.text)
    assert token is not None
    return exchange.reach(token=token, owner=owner.owner, name=name)


def no_match(issuer: Issuer, **claims: Any) -> str:
    with pytest.raises(HubError) as caught:
        mint(issuer, **claims)
    assert (caught.value.code, caught.value.status) == ("publisher.no_match", 422)
    return caught.value.message

"""A trusted publisher acts for a person, and is bound as they are."""

from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.conf import settings as live

from registry.accounts import tokens
from registry.accounts.permissions import can
from registry.errors import HubError
from registry.models import User
from registry.publishers import exchange
from tests.factories import make_environment
from tests.registry.publishers.conftest import publisher
from tests.registry.publishers.issuer import Issuer


def test_without_the_second_factor_of_its_person_a_publisher_publishes_nothing(
    issuer: Issuer, alice: User, settings: Any
) -> None:
    environment = make_environment(alice)
    publisher(environment, alice)
    before = exchange.mint(identity_token=issuer.token(live.HUB_URL))
    settings.HUB_REQUIRE_MFA = "publish"
    token = tokens.verify(before.text)
    assert token
    assert not can(token.user, "environment.publish", environment, token)
    with pytest.raises(HubError):
        exchange.mint(identity_token=issuer.token(live.HUB_URL))
    Authenticator.objects.create(user=alice, type="totp", data={})
    assert can(token.user, "environment.publish", environment, token)
    exchange.mint(identity_token=issuer.token(live.HUB_URL))

"""Owner names that the hub keeps for its own addresses."""

from __future__ import annotations

import pytest
from django.conf import settings

from envyard.contract.names import OWNER
from registry.accounts.services import RESERVED
from tests.registry.access import routes

pytestmark = pytest.mark.once


def test_first_path_part_of_every_route_is_a_reserved_name() -> None:
    paths = [route.path.lstrip("^") for route in routes.every()]
    paths += ["admin/", settings.STATIC_URL.lstrip("/")]
    parts = {part for path in paths if OWNER.fullmatch(part := path.partition("/")[0])}
    assert parts >= {"api", "envs", "settings", "login", "static"}
    assert parts - RESERVED == set()

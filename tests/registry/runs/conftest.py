"""A version with the suite that leaderboards of its tests are about."""

import pytest

from registry.accounts.models import User
from registry.catalog.models import Version
from registry.runs import suites
from registry.runs.suite_models import Suite
from tests.factories import make_version


@pytest.fixture
def version(alice: User) -> Version:
    return make_version(alice)


@pytest.fixture
def full(db: None) -> Suite:
    return suites.built_in("full")

"""The health page."""

import pytest
from django.db import connection
from django.test import Client


@pytest.mark.django_db
def test_health_is_json_and_checks_the_database(client: Client) -> None:
    response = client.get("/healthz")
    assert response.status_code == 200
    assert response.json() == {"status": "ok", "database": "ok"}


@pytest.mark.django_db
def test_suite_runs_on_the_database_it_was_asked_for(pytestconfig: pytest.Config) -> None:
    asked = "postgresql" if pytestconfig.getoption("postgresql") else "sqlite"
    assert connection.vendor == asked

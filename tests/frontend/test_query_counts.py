"""The number of queries of every public page, by its route."""

from __future__ import annotations

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from benchmarks.registry import sample

pytestmark = [pytest.mark.once, pytest.mark.django_db, pytest.mark.timeout(300)]
# Route -> the most queries of one of its pages, the caches being filled by the request before.
MAXIMA: dict[str, int] = {}


def test_no_public_page_costs_more_queries_than_stated(client: Client) -> None:
    addresses = sample.make()
    for cache in caches.all():
        cache.clear()
    counts = {
        route: max(queries(client, path) for path in paths) for route, paths in addresses.items()
    }
    assert {route: n for route, n in counts.items() if n > MAXIMA.get(route, 0)} == {}


def queries(client: Client, path: str) -> int:
    """Of the second request."""
    client.get(path)
    with CaptureQueriesContext(connection) as captured:
        assert client.get(path).status_code in (200, 302), path
    return len(captured)

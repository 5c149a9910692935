"""The number of queries of every public page, by its route."""

from __future__ import annotations

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from benchmarks.registry import sample

pytestmark = [pytest.mark.once, pytest.mark.django_db, pytest.mark.timeout(900)]
# Route -> the most queries of one of its pages, the caches being filled by the request before.
MAXIMA = {
    "home": 9,
    "browse": 16,
    "owner": 5,
    "leaderboards": 13,
    "compare": 10,
    "status": 1,
    "hub-feed": 4,  # three ranges of events, where the newest are private
    "owner-feed": 4,  # and where their newest events begin
    "environment-feed": 3,
    "sitemap": 1,
    "sitemap-section": 2,
    "environment": 27,  # the tab Evaluations has leaderboard, runs and claims
    "environment-preview": 3,
    "environment-changes": 13,
    "version": 18,
    "version-live": 14,
    "version-lock": 3,
    "version-leaderboard": 17,
    # These count the requests of an address in the cache, and look for the archive's files.
    "version-files": 3,
    "version-tree": 22,
    "version-file": 22,
    "version-raw": 7,
    "run": 10,
    "run-live": 9,
    "run-queue": 11,
    "run-queue-live": 8,
    "run-comparison": 10,
    "task-comparison": 5,
    "rollout": 5,
    "rollout-difference": 5,
    "evaluation": 4,
    "evaluation-samples": 4,
    "evaluation-sample": 4,
}


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

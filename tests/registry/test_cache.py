"""The cache that web processes share."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.cache import caches
from django.db import connection

from registry.cache import CacheRow, SharedCache

cache = caches["default"]


def test_the_default_cache_is_the_databases(db: None) -> None:
    assert isinstance(caches["default"], SharedCache)
    cache.set("word", {"a": 1}, 60)
    assert cache.get("word") == {"a": 1}
    assert CacheRow.objects.count() == 1


def test_counting_keeps_the_time_at_which_the_count_ends(db: None) -> None:
    cache.add("knocks", 0, timeout=4000)
    before = CacheRow.objects.get().expires
    assert [cache.incr("knocks"), cache.incr("knocks")] == [1, 2]
    assert CacheRow.objects.get().expires == before
    with pytest.raises(ValueError, match="not found"):
        cache.incr("nothing")


@pytest.mark.django_db(transaction=True)
def test_no_count_is_lost_between_processes() -> None:
    cache.add("knocks", 0, timeout=60)

    def count_request(_: int) -> int:
        try:
            return caches["default"].incr("knocks")
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(count_request, range(20))) == list(range(1, 21))

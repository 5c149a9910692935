"""The mirror's folder on disk: what is under way counts, and only verified bytes get a name."""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from envyard_runner.data.listing_store import TRIM_AFTER, ListingStore
from envyard_runner.data.store import LISTING_SHARE, Store, StoreFull
from envyard_runner.data.upstream import UpstreamFault

MEBIBYTE = 1 << 20


async def parts(content: bytes, pause: asyncio.Event | None = None) -> AsyncIterator[bytes]:
    """The bytes of a file; with `pause`, the second half after it is set."""
    half = len(content) // 2
    yield content[:half]
    if pause is not None:
        await pause.wait()
    yield content[half:]


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


async def add(store: Store, content: bytes, pause: asyncio.Event | None = None) -> None:
    stream = parts(content, pause)
    stored = await store.add(stream, object_id=sha256(content), size=len(content))
    stored.close()


async def until_reserved(store: Store, size: int) -> None:
    while store.size() < size:  # noqa: ASYNC110 - another thread reserves
        await asyncio.sleep(0.01)


def test_a_file_that_is_being_fetched_counts_with_its_final_size(tmp_path: Path) -> None:
    async def scenario() -> None:
        store, pause = Store(tmp_path, 5 * MEBIBYTE), asyncio.Event()
        fetching = asyncio.create_task(add(store, b"a" * (3 * MEBIBYTE), pause))
        await until_reserved(store, 3 * MEBIBYTE)
        with pytest.raises(StoreFull, match="RUNNER_DATA_MB"):
            await add(store, b"b" * (3 * MEBIBYTE))
        pause.set()
        await fetching
        await add(store, b"b" * (3 * MEBIBYTE))  # nobody holds the other any more
        assert store.size() == 3 * MEBIBYTE
        assert store.open(sha256(b"a" * (3 * MEBIBYTE))) is None

    asyncio.run(scenario())


def test_a_fetch_that_ends_early_leaves_nothing(tmp_path: Path) -> None:
    async def scenario() -> None:
        store, content = Store(tmp_path, 5 * MEBIBYTE), b"a" * MEBIBYTE
        stream = parts(content[:-1])
        with pytest.raises(UpstreamFault, match="shorter"):
            await store.add(stream, object_id=sha256(content), size=len(content))
        fetching = asyncio.create_task(add(store, content, asyncio.Event()))
        await until_reserved(store, MEBIBYTE)
        fetching.cancel()
        await asyncio.gather(fetching, return_exceptions=True)
        assert (store.size(), store.open(sha256(content))) == (0, None)

    asyncio.run(scenario())


def test_the_number_of_listings_is_limited_and_not_counted_at_each(tmp_path: Path) -> None:
    listings = ListingStore(tmp_path, 64 * MEBIBYTE, max_listings=10)
    for number in range(250):
        listings.put(str(number), number)
    assert len(list(tmp_path.iterdir())) <= 10 + TRIM_AFTER
    assert listings.get("249") == 249
    ListingStore(tmp_path, 64 * MEBIBYTE, max_listings=10).put("more", 1)
    assert len(list(tmp_path.iterdir())) == 10


def test_listings_keep_to_their_share_of_the_limit(tmp_path: Path) -> None:
    listings = Store(tmp_path, 2 * MEBIBYTE).listings
    share = 2 * MEBIBYTE // LISTING_SHARE
    for number in range(10):
        listings.put(str(number), "x" * (share // 3))
        os.utime(tmp_path / "listings" / sha256(str(number).encode()), (number, number))
        assert sum(path.stat().st_size for path in listings.folder.iterdir()) <= share
    assert [n for n in range(10) if listings.get(str(n)) is not None] == [8, 9]


def test_the_total_is_that_of_the_files_whatever_happens_to_them(tmp_path: Path) -> None:
    async def scenario() -> None:
        store = Store(tmp_path, 10 * MEBIBYTE)

        def total() -> int:
            return int((tmp_path / "total").read_text())

        await add(store, b"a" * MEBIBYTE)
        with pytest.raises(UpstreamFault):
            await store.add(parts(b"b"), object_id=sha256(b"c"), size=1)
        assert total() == store.size() == MEBIBYTE
        (tmp_path / "total").unlink()
        await add(store, b"b" * MEBIBYTE)
        assert total() == store.size() == 2 * MEBIBYTE
        store.free(1)
        assert total() == store.size() == MEBIBYTE
        (tmp_path / "total").write_text(str(10 * MEBIBYTE))  # another hand deleted files
        await add(store, b"c" * MEBIBYTE)
        assert total() == store.size() == 2 * MEBIBYTE

    asyncio.run(scenario())


def test_a_disk_without_room_gets_that_of_unused_files(tmp_path: Path) -> None:
    async def scenario() -> None:
        store = Store(tmp_path / "data", 9 * MEBIBYTE)
        store.free(MEBIBYTE)  # before any run
        contents = [bytes([number]) * MEBIBYTE for number in range(3)]
        for content in contents:
            await add(store, content)
        held = store.open(sha256(contents[0]))
        assert held is not None
        store.free(2 * MEBIBYTE)
        assert store.size() == MEBIBYTE
        store.free(MEBIBYTE)
        assert store.size() == MEBIBYTE  # a run reads it
        held.close()

    asyncio.run(scenario())


def test_drafts_of_a_killed_runner_are_removed_after_a_day(tmp_path: Path) -> None:
    store = Store(tmp_path, 5 * MEBIBYTE)
    drafts = tmp_path / "drafts"
    drafts.mkdir()
    for name, age in (("old", 25 * 3600), ("new", 3600)):
        (drafts / name).write_bytes(b"x")
        os.utime(drafts / name, (time.time() - age,) * 2)
    ids = tmp_path / "ids"
    ids.mkdir()
    (ids / ("0" * 40)).write_text("1" * 64)  # of a file that was removed
    os.utime(ids / ("0" * 40), (0, 0))
    store.clear_up()
    assert [path.name for path in drafts.iterdir()] == ["new"]
    assert not list(ids.iterdir())

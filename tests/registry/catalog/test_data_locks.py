"""A version's data lock: extended by its first runs, frozen by the first that succeeds."""

from __future__ import annotations

import hashlib
import threading
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from envyard.contract.data_lock import MAX_FILES, DataLock, parse, render
from registry.accounts.models import User
from registry.catalog import data_locks
from registry.catalog.data_locks import VersionDataLock
from registry.errors import HubError
from registry.models import Version
from registry.upkeep.deleted import empty_deleted
from tests.data_locks import COMMIT, GSM8K, OTHER, locked
from tests.factories import make_version


@pytest.fixture
def version(alice: User) -> Version:
    return make_version(alice)


def extend(version: Version, offered: DataLock) -> DataLock:
    with transaction.atomic():
        return data_locks.extend(version=version, offered=offered)


def test_runs_extend_the_lock_and_the_first_commit_of_a_branch_stands(version: Version) -> None:
    assert data_locks.of(version) == (DataLock(), False)
    assert extend(version, locked("train.parquet")) == locked("train.parquet")
    assert extend(version, locked("test.parquet")) == locked("test.parquet", "train.parquet")
    moved = extend(version, locked("more.parquet", commit=OTHER))
    assert moved.commit("dataset", GSM8K, "main") == COMMIT
    assert moved.file("dataset", GSM8K, COMMIT, "more.parquet") is None
    both = extend(version, locked("rows.csv", name="allenai/ai2_arc"))
    assert [each.name for each in both.repositories] == ["allenai/ai2_arc", GSM8K]
    row = VersionDataLock.objects.get()
    assert (row.repositories, row.files, row.size) == (2, 3, both.size)
    assert row.sha256 == hashlib.sha256(render(both).encode()).hexdigest()
    assert row.lock == both


def test_a_commit_that_is_named_itself_stands_beside_the_branch(version: Version) -> None:
    extend(version, locked("train.parquet"))
    lock = extend(version, locked("old.parquet", commit=OTHER, revisions=()))
    assert lock.commit("dataset", GSM8K, OTHER) == OTHER
    assert lock.commit("dataset", GSM8K, "main") == COMMIT
    assert lock.file("dataset", GSM8K, OTHER, "old.parquet") is not None


def test_the_first_hashes_of_a_file_stand(version: Version) -> None:
    first = extend(version, locked("train.parquet"))
    (entry,) = first.repositories
    forged = render(first).replace(entry.files[0].sha256, "0" * 64)
    assert extend(version, parse(forged)) == first


def test_a_frozen_lock_never_changes(version: Version) -> None:
    lock = extend(version, locked("train.parquet"))
    data_locks.freeze(version)
    frozen_at = VersionDataLock.objects.get().frozen_at
    assert extend(version, locked("test.parquet")) == lock
    assert extend(version, locked("rows.csv", name="allenai/ai2_arc")) == lock
    data_locks.freeze(version)
    assert data_locks.of(version) == (lock, True)
    assert VersionDataLock.objects.get().frozen_at == frozen_at


def test_a_version_whose_first_run_read_nothing_is_frozen_too(version: Version) -> None:
    data_locks.freeze(version)
    assert extend(version, locked("train.parquet")) == DataLock()
    assert data_locks.of(version) == (DataLock(), True)


def test_a_lock_does_not_grow_beyond_its_bounds(version: Version) -> None:
    half = [f"{number}.parquet" for number in range(MAX_FILES // 2)]
    lock = extend(version, locked(*half))
    others = [f"{number}.csv" for number in range(MAX_FILES // 2 + 1)]
    with pytest.raises(HubError) as refusal:
        extend(version, locked(*others))
    assert refusal.value.code == "request.invalid"
    assert data_locks.of(version)[0] == lock


@pytest.mark.django_db(transaction=True)
def test_two_runs_agree_on_one_commit(alice: User) -> None:
    if connection.vendor == "sqlite":
        pytest.skip("SQLite has one writer at a time")
    version = make_version(alice)
    offers = [locked("a.parquet"), locked("b.parquet", commit=OTHER)]
    results: list[str | None] = []

    def offer(lock: DataLock) -> None:
        try:
            standing = extend(version, lock)
            results.append(standing.commit("dataset", GSM8K, "main"))
        finally:
            connection.close()

    threads = [threading.Thread(target=offer, args=(lock,)) for lock in offers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lock, _ = data_locks.of(version)
    assert results == [lock.commit("dataset", GSM8K, "main")] * 2
    assert len(lock.repositories) == 1


def test_the_data_lock_of_a_deleted_version_goes_with_its_bytes(alice: User, settings: Any) -> None:
    settings.HUB_DELETED_DAYS = 0
    version = make_version(alice, deleted_at=timezone.now())
    extend(version, locked("train.parquet"))
    assert empty_deleted(now=timezone.now()) == 1
    assert not VersionDataLock.objects.exists()


def test_a_lock_that_nobody_could_read_again_is_refused(version: Version) -> None:
    names = ['"' * 990 + f"{number}" for number in range(1500)]
    with pytest.raises(HubError, match="long paths"):
        extend(version, locked(*names))
    assert data_locks.of(version)[0] == DataLock()
    extend(version, locked(*names[:900]))
    assert data_locks.of(version)[0].files == 900

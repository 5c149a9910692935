"""Rows and stored bytes agree, or `verify` reports the difference."""

import hashlib
import io
import json
import os
import typing
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import Settings

from registry import storage
from registry.models import User, Version
from registry.storage import base
from registry.upkeep import kinds
from registry.upkeep.verify import Outcome, verify
from registry.uploads import staging
from tests.factories import make_version
from tests.wheels import make_wheel


@pytest.fixture(autouse=True)
def files(settings: Settings, tmp_path: Path) -> Path:
    settings.HUB_STORAGE_PATH = tmp_path / "files"
    return tmp_path / "files"


def put(key: str, data: bytes = b"x", *, days: float = 2) -> str:
    """An object that was put that long ago."""
    store = storage.get()
    store.put(key, io.BytesIO(data), hashlib.sha256(data).hexdigest())
    age(key, days)
    return key


def age(key: str, days: float) -> None:
    then = timezone.now().timestamp() - days * 86400
    os.utime(Path(storage.get().root) / key, (then, then))  # type: ignore[attr-defined]


def problems_of(outcome: Outcome) -> list[tuple[str, str]]:
    return [(problem.kind, problem.key) for problem in outcome.problems]


def wheel_of(version: Version) -> str:
    return storage.key("wheels", version.sha256)


def published(by: User, version: str = "0.1.0") -> Version:
    return make_version(by, version=version, wheel=make_wheel(version=version))


def test_a_hub_whose_rows_and_bytes_agree_has_no_problem(alice: User, carol: User) -> None:
    published(alice)
    published(alice, "0.2.0")
    published(carol)  # the same bytes once more
    outcome = verify(now=timezone.now())
    assert (problems_of(outcome), outcome.objects, outcome.young) == ([], 4, 0)
    assert outcome.bytes == sum(stored.size for stored in storage.get().list())


def test_missing_and_changed_bytes_are_found(alice: User, files: Path) -> None:
    gone, changed = published(alice), published(alice, "0.2.0")
    storage.get().delete(wheel_of(gone))
    place = files / wheel_of(changed)
    place.write_bytes(place.read_bytes()[:-1] + b"!")
    outcome = verify(now=timezone.now())
    keys = sorted([("missing", wheel_of(gone)), ("corrupt", wheel_of(changed))], key=lambda p: p[1])
    assert problems_of(outcome) == keys
    assert {problem.message.partition(" has ")[0] for problem in outcome.problems} == {
        "alice/demo-env==0.1.0",
        "alice/demo-env==0.2.0",
    }


def test_what_no_row_names_is_an_orphan_once_it_is_a_day_old(alice: User) -> None:
    kept = published(alice)
    orphan, young = (storage.key("wheels", letter * 64) for letter in "ab")
    put(orphan)
    put(young, days=0.5)
    outcome = verify(now=timezone.now())
    assert (problems_of(outcome), outcome.young) == ([("orphan", orphan)], 1)
    outcome = verify(now=timezone.now(), delete_orphans=True)
    assert (problems_of(outcome), outcome.deleted) == ([], 1)
    assert not storage.get().exists(orphan)
    assert storage.get().exists(young)
    assert storage.get().exists(wheel_of(kept))


def test_verify_lists_objects_under_unknown_names_and_never_deletes_them(db: None) -> None:
    unknown_key = put("notes/1", days=400)
    outcome = verify(now=timezone.now(), delete_orphans=True)
    assert problems_of(outcome) == [("unknown", unknown_key)]
    assert storage.get().exists(unknown_key)


def test_what_is_staged_belongs_to_its_row_and_to_nobody_without_one(alice: User) -> None:
    version = published(alice)
    Version.objects.update(status="uploaded", listed_at=None, staged="a" * 32)
    put(staging.wheel_key("a" * 32))
    litter = [put(staging.metadata_key("b" * 32)), put("staging/.put-x")]
    outcome = verify(now=timezone.now())
    assert sorted(problems_of(outcome)) == sorted(("orphan", key) for key in litter)
    storage.get().delete(wheel_of(version))  # not promoted yet, so it need not be there
    assert sorted(problems_of(verify(now=timezone.now()))) == sorted(
        ("orphan", key) for key in litter
    )
    assert staging.discard_old(now=timezone.now()) == 2
    assert [stored.key for stored in storage.get().list("staging/")] == [
        staging.wheel_key("a" * 32)
    ]


def test_what_a_row_comes_to_name_while_it_is_looked_at_is_not_deleted(alice: User) -> None:
    """The upload of the same bytes commits after the rows were read."""
    data = b"alice demo-env 0.1.0"  # what the factory takes for a wheel
    key = put(storage.key("wheels", hashlib.sha256(data).hexdigest()), data)
    put(storage.key("wheels", "b" * 64))

    def upload(outcome: Outcome) -> None:
        if outcome.objects == 1:
            make_version(alice)

    outcome = verify(now=timezone.now(), delete_orphans=True, progress=upload)
    assert outcome.deleted == 1
    assert [stored.key for stored in storage.get().list()] == [key]


def test_many_rows_are_read_page_by_page(
    alice: User, django_assert_num_queries: typing.Any
) -> None:
    versions = [published(alice, f"0.{number}") for number in range(5)]
    wheels = next(kind for kind in kinds.KINDS if kind.prefix == "wheels")
    with django_assert_num_queries(4):
        names = list(wheels.references(timezone.now(), page_size=2))
    assert [named.sha256 for named in names] == sorted(version.sha256 for version in versions)


def test_verify_checks_rows_beyond_a_page_of_staged_ones(
    alice: User, bob: User, carol: User
) -> None:
    """All three say the same sha256, and only the last one's bytes must be there."""
    for person in (alice, bob):
        make_version(person, status="uploaded", wheel=make_wheel(), staged=f"{person.pk:032}")
    version = published(carol)
    wheels = next(kind for kind in kinds.KINDS if kind.prefix == "wheels")
    for size in (1, 2, 3):
        (reference,) = wheels.references(timezone.now(), page_size=size)
        assert (reference.sha256, reference.needed) == (version.sha256, True)


def test_every_kind_that_a_storage_can_name_is_watched() -> None:
    watched = {kind.prefix for kind in kinds.KINDS}
    assert set(typing.get_args(base.Kind)) | {staging.PREFIX} <= watched
    assert [kind.prefix for kind in kinds.KINDS] == sorted(watched)


def run(*options: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("verify_storage", *options, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_command_prints_its_results(alice: User) -> None:
    published(alice)
    out, err = run()
    assert out == ""
    assert err.startswith("2 objects, ")
    assert json.loads(run("--json")[0])["problems"] == []


def test_the_command_ends_with_1_and_a_line_for_each_problem(alice: User) -> None:
    version = published(alice)
    storage.get().delete(wheel_of(version))
    out = StringIO()
    with pytest.raises(CommandError, match="1 problem") as ended:
        call_command("verify_storage", stdout=out, stderr=StringIO())
    assert ended.value.returncode == 1
    assert out.getvalue() == f"missing: {wheel_of(version)}: alice/demo-env==0.1.0 has no bytes\n"

"""A version's data lock at the API: offered by runners, read by all who may see the version."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from envyard.contract.data_lock import MAX_REPOSITORIES, DataLock
from envyard.contract.job import JobSpec
from registry.accounts import runners, tokens
from registry.accounts.models import User
from registry.catalog import data_locks
from registry.catalog.data_locks import VersionDataLock
from registry.models import Run, Version
from tests.data_locks import COMMIT, GSM8K, OTHER, gated, locked
from tests.factories import make_version
from tests.registry import run_factories
from tests.registry.api.test_runner import Caller, code

FILE = locked("rows.csv").repositories[0].files[0]
URL = "/api/v1/environments/alice/demo-env/versions/0.1.0/data-lock/"


@pytest.fixture
def gpu(db: None) -> Caller:
    """An enabled runner."""
    return Caller(runners.create(name="gpu-1")[1])


@pytest.fixture
def job(gpu: Caller, alice: User) -> JobSpec:
    """A job that the runner has just leased."""
    run_factories.make_run(run_factories.make_version(alice.owner))
    return JobSpec.from_dict(gpu.post("poll/", {}).json())


def offer(gpu: Caller, job: JobSpec, lock: Any, token: str = "") -> Any:
    fields = {"attempt": job.attempt, "lock": lock}
    return gpu.post(f"runs/{job.run}/data-lock/", fields, token=token or job.run_token)


def test_a_lock_is_offered_extended_and_sent_to_later_runs(gpu: Caller, job: JobSpec) -> None:
    assert (job.data_lock, job.data_frozen) == (DataLock(), False)
    first = locked("train.parquet")
    assert offer(gpu, job, first.to_dict()).json() == {"lock": first.to_dict()}
    moved = offer(gpu, job, locked("test.parquet", commit=OTHER).to_dict()).json()["lock"]
    assert moved == first.to_dict()
    ended = gpu.post(
        f"runs/{job.run}/finish/", {"attempt": 1, "outcome": "succeeded"}, token=job.run_token
    )
    assert ended.status_code == 200
    run_factories.make_run(Version.objects.get())
    later = JobSpec.from_dict(gpu.post("poll/", {}).json())
    assert (later.data_lock, later.data_frozen) == (first, True)
    more = offer(gpu, later, locked("test.parquet").to_dict())
    assert more.json() == {"lock": first.to_dict()}


def test_a_run_that_errors_freezes_nothing(gpu: Caller, job: JobSpec) -> None:
    offer(gpu, job, locked("train.parquet").to_dict())
    gpu.post(f"runs/{job.run}/finish/", {"attempt": 1, "outcome": "errored"}, token=job.run_token)
    Run.objects.update(not_before=None)  # the pause before the next attempt is over
    again = JobSpec.from_dict(gpu.post("poll/", {}).json())
    assert (again.data_lock, again.data_frozen) == (locked("train.parquet"), False)


def entry(**fields: Any) -> dict[str, Any]:
    """A lock whose single repository has these fields."""
    (valid,) = locked("rows.csv").to_dict()["repositories"]
    return {"repositories": [valid | fields]}


def file_entry(**fields: Any) -> dict[str, Any]:
    """A lock whose single file has these fields."""
    (valid,) = locked("rows.csv").to_dict()["repositories"][0]["files"]
    return entry(files=[valid | fields])


@pytest.mark.parametrize(
    "lock",
    [
        None, 5, "x", [], {}, {"repositories": 5}, {"repositories": ["x"]},
        {"repositories": [entry()["repositories"][0]] * 2},
        {"repositories": [entry(name=f"a/b{n}")["repositories"][0] for n in range(51)]},
        entry(kind="space"), entry(name="../x"), entry(name="a/b/c"), entry(name="a/b..c"),
        entry(name="https://evil.example/x"), entry(name=None), entry(commit="main"),
        entry(commit="A" * 40), entry(revisions="main"), entry(revisions=["../x"]),
        entry(revisions=["a b"]), entry(revisions=[f"b{n}" for n in range(21)]),
        entry(files=5), entry(files=["x"]),
        file_entry(path="../x"), file_entry(path="/etc/passwd"), file_entry(path="a//b"),
        file_entry(path="a\\b"), file_entry(path="a\0b"), file_entry(path="a\u202eb"),
        file_entry(path="x" * 1001), file_entry(size=-1), file_entry(size=1.5),
        file_entry(size=True), file_entry(size=1 << 50), file_entry(sha256="0"),
        file_entry(sha256="../../x"), file_entry(object_id="x"), file_entry(object_id=None),
    ],
)  # fmt: skip
def test_an_invalid_lock_is_refused_and_nothing_is_kept(
    gpu: Caller, job: JobSpec, lock: Any
) -> None:
    assert code(offer(gpu, job, lock)) == (400, "request.invalid")
    assert not VersionDataLock.objects.exists()


def test_fields_that_a_lock_does_not_have_are_not_kept(gpu: Caller, job: JobSpec) -> None:
    lock = entry(url="https://evil.example", licence="m\0i\nt" + "x" * 100, gated="yes")
    standing = offer(gpu, job, lock).json()["lock"]["repositories"][0]
    assert set(standing) == set(entry()["repositories"][0])
    assert (standing["gated"], len(standing["licence"]) < 70) == (False, True)
    assert standing["licence"].isprintable()


def test_an_offer_beyond_the_bounds_of_a_lock_changes_nothing(gpu: Caller, job: JobSpec) -> None:
    rows = [entry(name=f"a/b{n}")["repositories"][0] for n in range(MAX_REPOSITORIES)]
    assert offer(gpu, job, {"repositories": rows}).status_code == 200
    assert code(offer(gpu, job, entry(name="a/more"))) == (400, "request.invalid")
    assert VersionDataLock.objects.get().repositories == MAX_REPOSITORIES


def test_a_superseded_attempt_and_another_runs_token_change_nothing(
    gpu: Caller, job: JobSpec, alice: User
) -> None:
    run_factories.make_run(run_factories.make_version(alice.owner, name="other-env"))
    other = JobSpec.from_dict(gpu.post("poll/", {}).json())
    assert offer(gpu, job, entry(), token=other.run_token).status_code == 403
    Run.objects.filter(pk=job.run).update(
        attempt=2, status="queued", runner=None, lease_expires_at=None
    )
    assert code(offer(gpu, job, entry())) == (409, "runner.superseded")
    assert not VersionDataLock.objects.exists()


def headers(user: User) -> dict[str, str]:
    return {"Authorization": f"Bearer {tokens.mint(user=user, name='t', scope='read')[1]}"}


def test_the_data_lock_of_a_version_is_read(client: Client, alice: User) -> None:
    version = make_version(alice)
    missing = client.get(URL)
    assert code(missing) == (404, "request.not_found")
    assert "has read a data set" in missing.json()["error"]["message"]
    data_locks.extend(version=version, offered=locked("rows.csv"))
    detail = client.get(URL).json()
    assert (detail["ref"], detail["files"], detail["size"]) == (
        "alice/demo-env==0.1.0", 1, FILE.size,
    )  # fmt: skip
    assert detail["frozen_at"] is None
    assert detail["repositories"] == locked("rows.csv").to_dict()["repositories"]
    assert (detail["repositories"][0]["commit"], GSM8K) == (COMMIT, "openai/gsm8k")
    data_locks.freeze(version)
    assert client.get(URL).json()["frozen_at"] <= timezone.now().isoformat()


def test_a_version_shows_what_its_runs_read(client: Client, alice: User) -> None:
    version = make_version(alice)
    url = "/api/v1/environments/alice/demo-env/versions/0.1.0/"
    assert client.get(url).json()["data_sets"] == []
    assert "Data sets" not in client.get("/envs/alice/demo-env/0.1.0/").content.decode()
    data_locks.extend(version=version, offered=gated(locked("a.csv", "b.csv")))
    assert client.get(url).json()["data_sets"] == [
        {
            "kind": "dataset", "name": GSM8K, "commit": COMMIT, "files": 2,
            "size": 2 * FILE.size, "licence": "mit", "gated": True,
        }
    ]  # fmt: skip
    page = client.get("/envs/alice/demo-env/0.1.0/").content.decode()
    assert "Data sets" in page
    assert all(text in page for text in (GSM8K, COMMIT, "mit", "gated"))


def test_the_data_lock_of_what_one_may_not_see_is_not_there(
    client: Client, alice: User, carol: User
) -> None:
    version = make_version(alice, visibility="private")
    data_locks.extend(version=version, offered=locked("rows.csv"))
    assert client.get(URL).status_code == 404
    assert client.get(URL, headers=headers(carol)).status_code == 404
    assert client.get(URL, headers=headers(alice)).json()["files"] == 1

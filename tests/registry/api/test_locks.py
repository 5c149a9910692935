"""A version's locks: offered by runners, kept by the hub, read by who sees the version."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from envyard.contract.job import JobSpec
from registry.accounts import runners, tokens
from registry.accounts.models import User
from registry.catalog import locks
from registry.catalog.locks import VersionLock
from registry.models import Run, Version
from registry.upkeep.deleted import empty_deleted
from tests.factories import make_version
from tests.registry import run_factories
from tests.registry.api.test_runner import Caller, code

PLATFORM = "cpython-311-x86_64-linux-gnu-2.36"
FIRST = f"dep==1.0 \\\n    --hash=sha256:{'1' * 64}\n"
SECOND = f"dep==2.0 \\\n    --hash=sha256:{'2' * 64}\n"


@pytest.fixture
def gpu(db: None) -> Caller:
    """An enabled runner."""
    return Caller(runners.create(name="gpu-1")[1])


@pytest.fixture
def job(gpu: Caller, alice: User) -> JobSpec:
    """A job that the runner has just been given."""
    run_factories.make_run(run_factories.make_version(alice.owner))
    return JobSpec.from_dict(gpu.post("poll/", {}).json())


def offer(gpu: Caller, job: JobSpec, lock: Any, platform: Any = PLATFORM) -> Any:
    fields = {"attempt": job.attempt, "platform": platform, "lock": lock}
    return gpu.post(f"runs/{job.run}/lock/", fields, token=job.run_token)


def test_first_lock_of_a_platform_is_kept(gpu: Caller, job: JobSpec) -> None:
    assert offer(gpu, job, None).json() == {"lock": None}
    assert offer(gpu, job, FIRST).json() == {"lock": FIRST}
    assert offer(gpu, job, SECOND).json() == {"lock": FIRST}
    assert offer(gpu, job, None).json() == {"lock": FIRST}
    kept = VersionLock.objects.get(platform=PLATFORM)
    assert (kept.text, kept.packages, str(kept.run_id)) == (FIRST, 1, job.run)


def test_job_has_the_upload_time_of_its_version(job: JobSpec) -> None:
    assert job.uploaded_at == Version.objects.get().uploaded_at.isoformat()


@pytest.mark.parametrize(
    "lock",
    [
        f"{FIRST}--index-url https://evil.example/simple\n",
        f"dep @ https://evil.example/dep.whl --hash=sha256:{'1' * 64}",
        "dep==1.0",
        5,
        ["dep==1.0"],
        "\0",
    ],
)
def test_a_hostile_lock_is_refused_and_nothing_is_kept(
    gpu: Caller, job: JobSpec, lock: Any
) -> None:
    assert code(offer(gpu, job, lock)) == (400, "request.invalid")
    assert not VersionLock.objects.exists()


@pytest.mark.parametrize("platform", ["", "../x", "Linux", "x" * 81, "a\nb", None, 7])
def test_a_platform_is_a_plain_word(gpu: Caller, job: JobSpec, platform: Any) -> None:
    assert code(offer(gpu, job, FIRST, platform)) == (400, "request.invalid")


def test_a_version_has_locks_for_so_many_platforms(gpu: Caller, job: JobSpec) -> None:
    version = Version.objects.get()
    for number in range(locks.MAX_PLATFORMS):
        for text in (FIRST, SECOND):
            place = {"version": version, "platform": f"cpython-{number}"}
            assert locks.agree(**place, run_id=None, offered=text, attempt=99) == FIRST
    assert code(offer(gpu, job, FIRST, "one-more")) == (400, "request.invalid")
    assert offer(gpu, job, SECOND, "cpython-0").json() == {"lock": FIRST}


def test_a_runner_decides_for_no_platform_but_its_own(gpu: Caller, job: JobSpec) -> None:
    assert offer(gpu, job, FIRST).json() == {"lock": FIRST}
    assert code(offer(gpu, job, FIRST, "cpython-313-other")) == (400, "request.invalid")
    assert [row.platform for row in VersionLock.objects.all()] == [PLATFORM]


def test_the_next_attempt_may_be_on_another_platform(gpu: Caller, job: JobSpec) -> None:
    assert offer(gpu, job, FIRST).json() == {"lock": FIRST}
    gpu.post(f"runs/{job.run}/finish/", {"attempt": 1, "outcome": "errored"}, token=job.run_token)
    Run.objects.update(not_before=None)  # the pause before the next attempt is over
    again = JobSpec.from_dict(gpu.post("poll/", {}).json())
    assert offer(gpu, again, SECOND, "cpython-313-other").json() == {"lock": SECOND}


def test_a_superseded_attempt_has_no_say(gpu: Caller, job: JobSpec) -> None:
    Run.objects.update(attempt=2, status="queued", runner=None, lease_expires_at=None)
    assert code(offer(gpu, job, FIRST)) == (409, "runner.superseded")
    assert not VersionLock.objects.exists()


def headers(user: User) -> dict[str, str]:
    return {"Authorization": f"Bearer {tokens.mint(user=user, name='t', scope='read')[1]}"}


def test_locks_are_listed_and_read(client: Client, alice: User) -> None:
    version = make_version(alice)
    locks.agree(version=version, run_id=None, platform=PLATFORM, offered=FIRST)
    url = "/api/v1/environments/alice/demo-env/versions/0.1.0/locks/"
    (listed,) = client.get(url).json()["results"]
    assert (listed["platform"], listed["packages"], listed["run"]) == (PLATFORM, 1, None)
    assert client.get(f"{url}{PLATFORM}/").json() == {**listed, "text": FIRST}
    unknown = client.get(f"{url}cpython-399/")
    assert code(unknown) == (404, "request.not_found")
    assert PLATFORM in unknown.json()["error"]["message"]
    page = client.get("/envs/alice/demo-env/0.1.0/")
    (link,) = [part for part in page.content.decode().split('"') if part.endswith(".txt")]
    assert client.get(link.replace("-311-", "-399-")).status_code == 404
    text = client.get(link)
    assert (text.headers["Content-Type"], text.content.decode()) == (
        "text/plain; charset=utf-8",
        FIRST,
    )


def test_locks_of_what_one_may_not_see_are_not_there(
    client: Client, alice: User, carol: User
) -> None:
    version = make_version(alice, visibility="private")
    locks.agree(version=version, run_id=None, platform=PLATFORM, offered=FIRST)
    url = f"/api/v1/environments/alice/demo-env/versions/0.1.0/locks/{PLATFORM}/"
    assert client.get(url, headers=headers(carol)).status_code == 404
    assert client.get(f"/envs/alice/demo-env/0.1.0/locks/{PLATFORM}.txt").status_code == 404
    assert client.get(url, headers=headers(alice)).json()["text"] == FIRST


def test_the_locks_of_a_deleted_version_go_with_its_bytes(alice: User, settings: Any) -> None:
    settings.HUB_DELETED_DAYS = 0
    version = make_version(alice, deleted_at=timezone.now())
    locks.agree(version=version, run_id=None, platform=PLATFORM, offered=FIRST)
    assert empty_deleted(now=timezone.now()) == 1
    assert not VersionLock.objects.exists()

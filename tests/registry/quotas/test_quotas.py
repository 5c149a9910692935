"""Storage, queue and upload limits of owners."""

from __future__ import annotations

import io
import json
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from registry.catalog.transfer import transfer
from registry.errors import HubError
from registry.models import Environment, Event, Organisation, Owner, Source, User, Version
from registry.moderation import journal
from registry.quotas import services as quotas
from registry.uploads.services import accept
from tests.factories import bearer, make_environment, make_version
from tests.registry.api.prime.test_push import Pusher
from tests.registry.sources.archives import make_archive
from tests.registry.uploads.forms import form_of
from tests.registry.uploads.test_endpoint import UV_ACCEPT, basic, body
from tests.wheels import filename, make_wheel

JSON = "application/json"


@pytest.fixture(autouse=True)
def files(settings: Settings, tmp_path: Path) -> Path:
    settings.HUB_STORAGE_PATH = tmp_path / "files"
    return tmp_path / "files"


def wheel(number: int) -> tuple[str, bytes]:
    version = f"0.{number}.0"
    return filename(version=version), make_wheel(version=version)


def upload(by: User, number: int = 1, owner: Owner | None = None) -> Version:
    name, data = wheel(number)
    return accept(
        wheel=io.BytesIO(data), filename=name, form=form_of(data), owner=owner or by.owner,
        by=by, token=None,
    ).version  # fmt: skip


def refusal(by: User, number: int, owner: Owner | None = None) -> HubError:
    with pytest.raises(HubError) as refused:
        upload(by, number, owner)
    return refused.value


def stored(whose: User | Organisation) -> int:
    return quotas.measure(owner=whose.owner)[1].storage_bytes


def objects(files: Path) -> int:
    return sum(path.is_file() for path in files.rglob("*"))


def test_uploads_of_a_person_are_limited_by_the_hour(alice: User, files: Path) -> None:
    quotas.change(owner=alice.owner, by=None, uploads_per_hour=2)
    upload(alice, 1)
    upload(alice, 2)
    kept = objects(files)
    refused = refusal(alice, 3)
    assert (refused.code, refused.status) == ("quota.rate", 429)
    assert 3590 <= refused.details["retry_after"] <= 3600
    assert objects(files) == kept
    assert not upload(alice, 2).deleted_at  # the same wheel again is no new upload
    Version.objects.filter(version="0.1.0").update(
        uploaded_at=timezone.now() - timedelta(minutes=59, seconds=59)
    )
    assert refusal(alice, 3).details["retry_after"] <= 1
    Version.objects.filter(version="0.1.0").update(uploaded_at=timezone.now() - quotas.HOUR)
    upload(alice, 3)


def test_deleting_a_version_gives_no_upload_back(alice: User) -> None:
    quotas.change(owner=alice.owner, by=None, uploads_per_hour=1)
    upload(alice)
    Version.objects.update(deleted_at=timezone.now(), status="rejected", staged="")
    assert refusal(alice, 2).code == "quota.rate"


def test_an_organisations_upload_counts_for_its_storage_and_the_persons_rate(
    alice: User, lab: Organisation
) -> None:
    size = len(wheel(1)[1])
    quotas.change(owner=lab.owner, by=None, storage_bytes=size + size // 2)
    upload(alice, 1, lab.owner)
    assert quotas.measure(owner=alice.owner)[1].uploads_per_hour == 1
    assert stored(alice) == 0
    assert stored(lab) == size
    assert refusal(alice, 2, lab.owner).code == "quota.storage"
    quotas.change(owner=alice.owner, by=None, uploads_per_hour=1)
    assert refusal(alice, 2, lab.owner).code == "quota.rate"


def test_storage_is_full_at_its_limit_and_free_again_once_files_are_gone(alice: User) -> None:
    first = upload(alice)
    size = len(wheel(2)[1])
    quotas.change(owner=alice.owner, by=None, storage_bytes=first.size + size)
    second = upload(alice, 2)  # to the byte
    refused = refusal(alice, 3)
    assert (refused.code, refused.status) == ("quota.storage", 413)
    assert refused.details["used"] == first.size + second.size
    now = timezone.now()
    Version.objects.filter(pk=first.pk).update(deleted_at=now, status="rejected", staged="")
    assert refusal(alice, 3).code == "quota.storage"  # its bytes are still kept
    Version.objects.filter(pk=first.pk).update(emptied_at=now)
    upload(alice, 3)


def test_a_queue_takes_no_more_versions_than_its_limit(alice: User) -> None:
    quotas.change(owner=alice.owner, by=None, queued_versions=1)
    waiting = upload(alice)
    refused = refusal(alice, 2)
    assert (refused.code, refused.status) == ("quota.queue", 429)
    assert refused.details["retry_after"] == 60
    Version.objects.filter(pk=waiting.pk).update(status="held", staged="")
    upload(alice, 2)


def test_the_settings_hold_where_staff_set_nothing(alice: User, settings: Settings) -> None:
    settings.HUB_UPLOADS_PER_HOUR = 0
    assert refusal(alice, 1).code == "quota.rate"
    quotas.change(owner=alice.owner, by=None, uploads_per_hour=5)
    upload(alice)
    quotas.change(owner=alice.owner, by=None, uploads_per_hour=None)
    assert refusal(alice, 2).code == "quota.rate"


def test_a_transfer_does_not_exceed_the_new_owners_storage(alice: User, lab: Organisation) -> None:
    upload(alice)
    environment = Environment.objects.get()
    quotas.change(owner=lab.owner, by=None, storage_bytes=10)
    with pytest.raises(HubError) as refused:
        transfer(environment=environment, to=lab.owner, by=alice)
    assert refused.value.code == "quota.storage"
    environment.refresh_from_db()
    assert environment.owner == alice.owner
    quotas.change(owner=lab.owner, by=None, storage_bytes=None)
    transfer(environment=environment, to=lab.owner, by=alice)
    assert stored(lab) > 0
    assert stored(alice) == 0


def test_a_transfer_does_not_exceed_the_new_owners_queue(alice: User, lab: Organisation) -> None:
    decided = make_version(alice, "decided").environment
    waiting = make_version(alice, "waiting", status="evaluating").environment
    make_version(lab, "other", status="checking")
    quotas.change(owner=lab.owner, by=None, queued_versions=1)
    transfer(environment=decided, to=lab.owner, by=alice)
    with pytest.raises(HubError) as refused:
        transfer(environment=waiting, to=lab.owner, by=alice)
    assert (refused.value.code, refused.value.status) == ("quota.queue", 429)
    assert refused.value.details["retry_after"] == 60
    quotas.change(owner=lab.owner, by=None, queued_versions=2)
    transfer(environment=waiting, to=lab.owner, by=alice)


def test_source_archives_and_samples_count_too(client: Client, alice: User) -> None:
    version = make_version(alice)
    pusher, archive = Pusher(client, alice), make_archive()
    pk = f"env_{version.environment_id}"
    used = stored(alice)
    quotas.change(owner=alice.owner, by=None, storage_bytes=used + len(archive) - 1)
    status, body = pusher.announce(pk, "versions", archive, size=len(archive))
    assert (status, body["error"]["code"]) == (413, "quota.storage")
    status, body = pusher.send(pk, "versions", archive)  # without a size it is found out later
    assert (status, body["error"]["code"]) == (413, "quota.storage")
    assert not Source.objects.exists()
    quotas.change(owner=alice.owner, by=None, storage_bytes=used + len(archive))
    assert pusher.send(pk, "versions", archive)[0] == 200
    assert stored(alice) == used + len(archive)
    response = pusher.client.post(
        "/api/v1/evaluations/",
        {"name": "e", "environments": [{"id": pk}], "model_name": "m"},
        content_type=JSON,
        headers=pusher.headers,
    ).json()
    path = f"/api/v1/evaluations/{response['evaluation_id']}/samples"
    sent = {"samples": [{"reward": 1.0}]}
    refused = client.post(path, sent, content_type=JSON, headers=pusher.headers)
    assert (refused.status_code, refused.json()["error"]["code"]) == (413, "quota.storage")
    quotas.change(owner=alice.owner, by=None, storage_bytes=None)
    assert client.post(path, sent, content_type=JSON, headers=pusher.headers).status_code == 201
    assert stored(alice) > used + len(archive)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("limit", "code"),
    [("uploads_per_hour", "quota.rate"), ("storage_bytes", "quota.storage"),
     ("queued_versions", "quota.queue")],
)  # fmt: skip
def test_uploads_at_the_same_moment_do_not_exceed_a_limit(
    alice: User, limit: str, code: str
) -> None:
    wheels = [wheel(number) for number in range(10, 16)]
    maximum = 2 * max(len(data) for _, data in wheels) if limit == "storage_bytes" else 2
    quotas.change(owner=alice.owner, by=None, **{limit: maximum})
    answers: list[str] = []
    ready = threading.Barrier(len(wheels))

    def send(number: int) -> None:
        try:
            ready.wait(30)
            upload(User.objects.get(), number)
            answers.append("created")
        except HubError as refused:
            answers.append(refused.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=send, args=(n,)) for n in range(10, 16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(answers) == ["created"] * 2 + [code] * 4
    assert Version.objects.count() == 2


@pytest.mark.parametrize("accept_header", ["*/*", "text/plain", UV_ACCEPT])
def test_uploaders_are_answered_in_the_form_that_they_show(
    client: Client, alice: User, accept_header: str
) -> None:
    upload(alice, 2)
    quotas.change(owner=alice.owner, by=None, uploads_per_hour=1)
    key = bearer(alice, "publish")["Authorization"].removeprefix("Bearer ")
    name, data = wheel(1)
    answer = client.post(
        "/legacy/alice/",
        body(form_of(data), data, name=name),
        content_type="multipart/form-data; boundary=4c1d2f",
        headers={"Authorization": basic(key), "Accept": accept_header},
    )
    seconds = int(answer["Retry-After"])
    assert (answer.status_code, 3500 < seconds <= 3600) == (429, True)
    assert f"Try again in {seconds} seconds" in answer.reason_phrase
    assert "within an hour" in answer.content.decode()
    if accept_header == UV_ACCEPT:
        assert json.loads(answer.content)["error"]["code"] == "quota.rate"


def test_staff_set_a_quota_and_the_journal_keeps_it(
    client: Client, alice: User, root: User
) -> None:
    path = "/api/v1/owners/alice/quota/"
    headers = bearer(root, "admin")
    sent = {"storage_bytes": 5, "queued_versions": None}
    answer = client.patch(path, sent, content_type=JSON, headers=headers).json()
    assert answer["limits"]["storage_bytes"] == 5
    assert answer["usage"] == {"uploads_per_hour": 0, "storage_bytes": 0, "queued_versions": 0}
    event = Event.objects.get(verb="quota.changed")
    assert (event.actor, event.owner) == (root, alice.owner)
    assert "storage_bytes 5, queued_versions default" in journal.sentence(event)
    for wrong in ({"storage_bytes": -1}, {"storage_bytes": 1 << 60}, {"bytes": 1}, {"x": "y"}):
        refused = client.patch(path, wrong, content_type=JSON, headers=headers)
        assert refused.status_code == 400, wrong
    assert client.get(path, headers=bearer(alice)).json()["limits"]["storage_bytes"] == 5


def test_pages_show_usage_and_let_staff_change_limits(
    client: Client, alice: User, lab: Organisation, root: User
) -> None:
    make_version(alice)
    client.force_login(alice)
    page = client.get("/settings/usage/").content.decode()
    assert page.index(">alice<") < page.index(">lab<")
    assert "of 10.0 GiB" in page
    assert 'pill warn">full' not in page
    assert "Save" not in client.get("/owners/lab/quota/").content.decode()
    client.force_login(root)
    form: dict[str, Any] = {"uploads_per_hour": "", "storage_bytes": "2048", "queued_versions": ""}
    assert client.post("/owners/lab/quota/", form).status_code == 302
    assert quotas.measure(owner=lab.owner)[0].storage_bytes == 2048
    form_page = client.get("/owners/lab/quota/").content.decode()
    assert 'value="2048"' in form_page
    assert "Storage, in bytes" in form_page
    assert f'placeholder="{quotas.default_limits().queued_versions}"' in form_page
    quotas.change(owner=alice.owner, by=root, storage_bytes=1)
    page = " ".join(client.get("/owners/alice/quota/").text.split())
    assert '1 byte <span class="pill warn">full</span>' in page
    bad = client.post("/owners/lab/quota/", form | {"storage_bytes": str(1 << 60)})
    assert "must lie between" in bad.content.decode()


def test_the_operator_sets_a_quota_on_the_command_line(
    alice: User, capsys: pytest.CaptureFixture[str]
) -> None:
    make_environment(alice)
    call_command("set_quota", "alice", "--uploads-per-hour", "7")
    assert "uploads_per_hour 0 of 7" in capsys.readouterr().out
    call_command("set_quota", "alice", "--uploads-per-hour", "default")
    assert "uploads_per_hour 0 of 100" in capsys.readouterr().out
    with pytest.raises(CommandError, match="there is no owner"):
        call_command("set_quota", "nobody")
    with pytest.raises(CommandError, match="must be a number"):
        call_command("set_quota", "alice", "--storage-bytes", "10G")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("limit", ["uploads_per_hour", "storage_bytes", "queued_versions"])
def test_the_same_wheel_several_times_at_once_counts_once(alice: User, limit: str) -> None:
    maximum = len(wheel(1)[1]) + 5 if limit == "storage_bytes" else 1
    quotas.change(owner=alice.owner, by=None, **{limit: maximum})
    answers: list[object] = []
    ready = threading.Barrier(4)

    def send() -> None:
        try:
            ready.wait(30)
            answers.append(upload(User.objects.get()).pk)
        except HubError as refused:
            answers.append(refused.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=send) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert answers == [Version.objects.get().pk] * 4


@pytest.mark.parametrize("limit", ["uploads_per_hour", "queued_versions"])
def test_a_limit_of_zero_does_not_suggest_to_try_again(alice: User, limit: str) -> None:
    quotas.change(owner=alice.owner, by=None, **{limit: 0})
    refused = refusal(alice, 1)
    assert refused.status == 403
    assert "Try again" not in refused.hint
    assert "closed" in refused.message
    assert "retry_after" not in refused.details

"""What only a bucket does, on a server that checks signatures."""

import hashlib
import io
import secrets
import time
import urllib.error
from typing import Any
from urllib.request import Request, urlopen

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from registry import pipeline, storage
from registry.catalog import lifecycle
from registry.models import Run, User, Version
from registry.runs import runner_events, transcripts
from registry.storage import Corrupt, Storage
from registry.storage.s3 import PART_BYTES, S3Storage
from registry.upkeep.verify import verify
from registry.uploads.services import accept
from tests.ceph import Ceph
from tests.registry.conftest import Queues
from tests.registry.run_factories import (
    make_events,
    make_leased_run,
    make_rollout,
    make_transcript,
    make_version,
)
from tests.registry.uploads.forms import form_of
from tests.wheels import filename, make_wheel

pytestmark = pytest.mark.s3

DATA = bytes(range(256)) * 1000
SHA256 = hashlib.sha256(DATA).hexdigest()
KEY = storage.key("wheels", SHA256)
NAME = "demo_env-0.1.0-py3-none-any.whl"


def status(url: str) -> int:
    """What the server answers."""
    try:
        with urlopen(url, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_a_bucket_serves_by_itself_under_the_files_name_and_in_parts(bucket: S3Storage) -> None:
    bucket.put(KEY, io.BytesIO(DATA), SHA256)
    url = bucket.url(KEY, NAME)
    assert url is not None
    assert f"/{bucket.bucket}/hub/{KEY}?" in url
    assert "X-Amz-Expires=600" in url
    with urlopen(Request(url, headers={"Range": "bytes=10-19"}), timeout=10) as answer:
        assert answer.status == 206
        assert answer.read() == DATA[10:20]
        assert answer.headers["Content-Disposition"] == f'attachment; filename="{NAME}"'


def test_an_address_that_was_changed_or_is_over_serves_nothing(
    bucket: S3Storage,
) -> None:
    bucket.put(KEY, io.BytesIO(DATA), SHA256)
    url = bucket.url(KEY, NAME)
    assert url is not None
    assert status(url) == 200
    assert status(url.replace("demo_env", "evil_env")) == 403
    assert status(url.partition("?")[0]) == 403
    assert status(url.replace("Expires=600", "Expires=6000")) == 403
    short = bucket.client.generate_presigned_url(
        "get_object", Params={"Bucket": bucket.bucket, "Key": f"hub/{KEY}"}, ExpiresIn=1
    )
    assert status(short) == 200
    time.sleep(2.1)
    assert status(short) == 403


def test_a_wrong_secret_opens_nothing(bucket: S3Storage, s3_server: Ceph) -> None:
    bucket.put(KEY, io.BytesIO(DATA), SHA256)
    liar = S3Storage(
        bucket=bucket.bucket,
        prefix="hub",
        endpoint_url=s3_server.endpoint,
        region="us-east-1",
        access_key_id=s3_server.access_key_id,
        secret_access_key="x" * 40,
    )
    with pytest.raises(liar.client.exceptions.ClientError, match="SignatureDoesNotMatch"):
        liar.open(KEY)
    url = liar.url(KEY, NAME)
    assert url is not None
    assert status(url) == 403


def test_a_long_object_goes_up_in_parts_and_its_file_stays_open(bucket: S3Storage) -> None:
    data = secrets.token_bytes(PART_BYTES + 12345)
    sha256 = hashlib.sha256(data).hexdigest()
    key = storage.key("wheels", sha256)
    source = io.BytesIO(data)
    calls = []
    bucket.client.meta.events.register(
        "before-call.s3", lambda model, **_: calls.append(model.name)
    )
    bucket.put(key, source, sha256)
    assert not source.closed
    assert calls.count("UploadPart") == 2
    assert "PutObject" not in calls
    with bucket.open(key) as reader:
        assert reader.read() == data
    bucket.move(key, "wheels/moved")
    assert [(stored.key, stored.size) for stored in bucket.list()] == [("wheels/moved", len(data))]


def test_parts_that_never_became_an_object_are_listed_and_deleted(bucket: S3Storage) -> None:
    begun = bucket.client.create_multipart_upload(Bucket=bucket.bucket, Key="hub/staging/1.wheel")
    bucket.client.upload_part(
        Bucket=bucket.bucket, Key="hub/staging/1.wheel", PartNumber=1, Body=b"x" * 6_000_000,
        UploadId=begun["UploadId"],
    )  # fmt: skip
    assert [(stored.key, stored.size) for stored in bucket.list()] == [("staging/1.wheel", 0)]
    bucket.delete("staging/1.wheel")
    assert list(bucket.list()) == []


def test_bytes_that_change_on_the_wire_to_a_bucket_are_not_kept(bucket: S3Storage) -> None:
    def change(params: dict[str, Any], **_: object) -> None:
        params["body"] = io.BytesIO(b"X" + DATA[1:])

    bucket.client.meta.events.register("before-call.s3.PutObject", change)
    with pytest.raises(Corrupt):
        bucket.put(KEY, io.BytesIO(DATA), SHA256)
    assert not bucket.exists(KEY)


def test_other_answers_of_a_bucket_are_errors_not_absence(
    bucket: S3Storage, s3_server: Ceph
) -> None:
    elsewhere = S3Storage(
        bucket="not-made",
        endpoint_url=s3_server.endpoint,
        region="us-east-1",
        access_key_id=s3_server.access_key_id,
        secret_access_key=s3_server.secret_access_key,
    )
    with pytest.raises(elsewhere.client.exceptions.NoSuchBucket):
        elsewhere.open(KEY)


@pytest.fixture
def hub_on_s3(bucket: S3Storage, s3_server: Ceph, settings: Settings) -> Storage:
    """The hub's settings name the bucket."""
    settings.HUB_STORAGE, settings.HUB_S3_BUCKET = "s3", bucket.bucket
    settings.HUB_S3_PREFIX, settings.HUB_S3_REGION = "hub", "us-east-1"
    settings.HUB_S3_ENDPOINT_URL = s3_server.endpoint
    settings.HUB_S3_ACCESS_KEY_ID = s3_server.access_key_id
    settings.HUB_S3_SECRET_ACCESS_KEY = s3_server.secret_access_key
    return storage.get()


def test_a_wheel_goes_through_a_bucket_from_upload_to_download(
    hub_on_s3: Storage, alice: User, client: Client, queues: Queues
) -> None:
    data = make_wheel()
    version = accept(
        wheel=io.BytesIO(data), filename=filename(), form=form_of(data), owner=alice.owner,
        by=alice, token=None,
    ).version  # fmt: skip
    assert version.staged == ""
    assert [stored.key.partition("/")[0] for stored in hub_on_s3.list()] == ["metadata", "wheels"]
    pipeline.check(version.pk)
    version.refresh_from_db()
    assert version.status == Version.Status.EVALUATING
    lifecycle.move(version, Version.Status.LISTED)
    path = f"/files/{version.sha256[:2]}/{version.sha256}/{version.filename}"
    answer = client.get(path)
    assert answer.status_code == 302
    with urlopen(answer["Location"], timeout=10) as download:
        assert download.read() == data
        assert version.filename in download.headers["Content-Disposition"]
    assert client.get(f"{path}.metadata").content.startswith(b"Metadata-Version:")
    assert verify(now=timezone.now()).problems == []


def test_transcripts_are_packed_into_a_bucket_and_read_by_their_range(
    hub_on_s3: Storage, alice: User
) -> None:
    run = make_leased_run(make_version(alice.owner), policies=("silent",))
    results = [
        make_rollout("silent", n, transcript=make_transcript(f"漢 {n}" * 99)) for n in range(3)
    ]
    runner_events.record(run_id=run.pk, events=make_events(rollouts=results))
    rows = list(run.rollouts.select_related("pack").order_by("task"))
    assert [stored.key.partition("/")[0] for stored in hub_on_s3.list()] == [
        "transcripts",
        "wheels",
    ]
    assert transcripts.read(rows[1]) == results[1].transcript
    assert [transcript for _, transcript in transcripts.read_many(rows)] == [
        stored.transcript for stored in results
    ]
    Run.objects.update(attempt=2)
    assert transcripts.delete_expired(now=timezone.now()) == 1
    assert list(hub_on_s3.list("transcripts/")) == []

"""An S3 store whose gateway is killed, stopped, restarted or cut off during the request for a
wheel, the second part of a long one, a transcript or a page of the index."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.buckets import new_bucket
from tests.ceph import Ceph
from tests.faults.cases import S3_STAGES
from tests.faults.deployment import Deployment, add_runners, deploy
from tests.faults.faults import Fault, sandboxes
from tests.faults.injection import follow
from tests.faults.invariants import Case, problems, stuck
from tests.faults.proxy import Hold
from tests.faults.test_matrix import at_the_end, left
from tests.faults.upload import Upload

pytestmark = [pytest.mark.faults, pytest.mark.s3, pytest.mark.timeout(900)]

ACCEPTED_SECONDS = 400


@pytest.fixture(scope="module")
def deployment(s3_server: Ceph) -> Iterator[Deployment]:
    """A hub on a bucket, with one runner."""
    with deploy("redis", s3_server, new_bucket(s3_server)) as deployment:
        add_runners(deployment, ["one"])
        yield deployment


def test_whatever_happens_to_the_store_each_version_is_listed_once(
    deployment: Deployment, table: list[tuple[str, Case]], of_store: tuple[str, str]
) -> None:
    stage, name = of_store
    part, request, bulk = S3_STAGES[stage]
    fault = Fault("storage", name)
    proxy = deployment.proxies["storage"][("web", "worker").index(part)]
    hold = proxy.stop_at(Hold(request, before=True))
    upload = Upload(deployment.url, deployment.token, f"s3-{next(deployment.pushed)}", bulk)
    upload.go_on()
    upload.start()
    deployment.wait(hold.caught.is_set, f"{stage} on its way")
    case = Case("S3", name, stage, upload.name, f"{request.decode()} on its way")
    began = time.monotonic()
    with fault.inject(deployment) as observed:
        proxy.release()
        fault.wait_out(deployment)
    assert upload.accepted(ACCEPTED_SECONDS), upload.answers
    follow(deployment, [case], began)
    case.seen = f"{case.seen}; {observed.text}"
    case.wrong += problems(deployment, case)
    table.append((deployment.broker_kind, case))
    assert not case.wrong, "\n".join(case.wrong)
    deployment.wait(
        lambda: not sandboxes(deployment) and not left(deployment), "the runner to be tidy"
    )
    deployment.wait(lambda: not stuck(deployment), f"nothing to wait: {stuck(deployment)}")


def test_no_bytes_of_the_bucket_are_nobodys(
    deployment: Deployment, table: list[tuple[str, Case]]
) -> None:
    at_the_end(deployment, [case for _, case in table])

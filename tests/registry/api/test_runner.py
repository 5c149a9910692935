"""The runner's routes over HTTP: tokens, reports, and whatever a liar may send."""

import gzip
import json
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from envyard.contract.job import JobSpec
from registry.accounts import runners, tokens
from registry.accounts.models import Runner, User
from registry.api.runner_protocol import BatchParser
from registry.runs import services
from registry.runs.models import Run
from registry.runs.tokens import sign_run_token
from tests.registry.run_factories import (
    honest_rollouts,
    make_events,
    make_facts,
    make_finish,
    make_run,
    make_version,
)

pytestmark = pytest.mark.once

ROOT = "/api/v1/runner/"


class Caller:
    """A runner's HTTP client."""

    def __init__(self, token: str) -> None:
        self.client, self.token = Client(), token

    def post(
        self,
        path: str,
        body: Any = None,
        *,
        token: str = "",
        raw: bytes | None = None,
        **headers: str,
    ) -> Any:
        """POST JSON, or raw bytes, with the runner's token or another one."""
        return self.client.post(
            ROOT + path,
            json.dumps({} if body is None else body).encode() if raw is None else raw,
            content_type="application/json",
            headers={"Authorization": f"Bearer {token or self.token}", **headers},
        )


@pytest.fixture
def gpu(db: None) -> Caller:
    """An enabled runner."""
    return Caller(runners.create(name="gpu-1")[1])


@pytest.fixture
def job(gpu: Caller, alice: User) -> JobSpec:
    """A job that the runner has just been given."""
    make_run(make_version(alice.owner))
    return JobSpec.from_dict(gpu.post("poll/", {"capabilities": {"gpus": 1}}).json())


def packed(batch: dict[str, Any]) -> bytes:
    return gzip.compress(json.dumps(batch).encode())


def code(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


def test_runner_whoami_returns_the_name(gpu: Caller) -> None:
    headers = {"Authorization": f"Bearer {gpu.token}"}
    assert gpu.client.get(f"{ROOT}whoami/", headers=headers).json() == {
        "runner": "gpu-1",
        "draining": False,
    }


@pytest.mark.parametrize("token", ["", "hubr_nonsense", "hub_nonsense", "\x7f"])
@pytest.mark.parametrize("path", ["poll/", "present/"])
def test_without_a_runners_token_nothing_is_given(db: None, token: str, path: str) -> None:
    response = Caller(token).post(path)
    assert code(response) == (401, "token.invalid")


def test_a_persons_token_is_no_runners_token(alice: User) -> None:
    _, text = tokens.mint(user=alice, name="laptop", scope="admin")
    assert code(Caller(text).post("poll/")) == (401, "token.invalid")


def test_a_disabled_runner_is_turned_away(gpu: Caller) -> None:
    Runner.objects.update(enabled=False)
    assert gpu.post("poll/").status_code == 401


def test_polling_an_empty_queue_gives_204(gpu: Caller) -> None:
    response = gpu.post("poll/", {"capabilities": {"gpus": 2, "\0": float("1e300")}})
    assert (response.status_code, response.content) == (204, b"")
    assert Runner.objects.get().capabilities["gpus"] == 2


def test_the_wheel_of_the_run_can_be_downloaded_with_its_token(gpu: Caller, job: JobSpec) -> None:
    headers = {"Authorization": f"Bearer {job.run_token}"}
    response = gpu.client.get(job.wheel.url, headers=headers)
    assert response.status_code == 200
    assert len(response.getvalue()) == job.wheel.size
    assert gpu.client.get(job.wheel.url).status_code == 404


def test_a_run_is_reported_from_first_batch_to_ending(gpu: Caller, job: JobSpec) -> None:
    batch = make_events(log="hello\n", rollouts=honest_rollouts(), facts=make_facts()).to_dict()
    response = gpu.post(f"runs/{job.run}/events/", batch, token=job.run_token)
    assert response.json() == {"lease_seconds": 60.0, "cancel": False}
    ending = {"attempt": 1, "outcome": "succeeded"}
    for _ in range(2):
        assert gpu.post(f"runs/{job.run}/finish/", ending, token=job.run_token).json() == {}
    run = Run.objects.get()
    assert (run.status, run.done) == ("succeeded", 25)
    late = gpu.post(f"runs/{job.run}/events/", {**batch, "seq": 2}, token=job.run_token)
    assert code(late) == (409, "runner.superseded")


def test_a_run_token_is_good_for_its_run_and_attempt_alone(gpu: Caller, job: JobSpec) -> None:
    batch = make_events().to_dict()
    path = f"runs/{job.run}/events/"
    assert code(gpu.post(path, batch)) == (401, "token.invalid")
    other = sign_run_token(run_id=uuid4(), attempt=1)
    assert code(gpu.post(path, batch, token=other)) == (403, "token.scope")
    second = make_events(attempt=2).to_dict()
    assert code(gpu.post(path, second, token=job.run_token)) == (409, "runner.superseded")
    Run.objects.update(attempt=2, status="queued", runner=None, lease_expires_at=None)
    assert code(gpu.post(path, batch, token=job.run_token)) == (409, "runner.superseded")


def test_gap_between_batches_is_refused_with_the_next_number(gpu: Caller, job: JobSpec) -> None:
    response = gpu.post(f"runs/{job.run}/events/", make_events(5).to_dict(), token=job.run_token)
    assert code(response) == (409, "request.conflict")
    assert response.json()["error"]["details"] == {"last_seq": 0}


LIES: list[bytes] = [
    b"",
    b"null",
    b"[]",
    b'"text"',
    b"{",
    b"\xff\xfe",
    b"[" * 100_000,
    b'{"attempt": 1}',
    b'{"attempt": true, "seq": 1, "phase": "running"}',
    b'{"attempt": 1, "seq": "1", "phase": "running"}',
    b'{"attempt": 1, "seq": 1, "phase": "dancing"}',
    b'{"attempt": 1, "seq": 1, "phase": {}}',
    b'{"attempt": 1, "seq": 1, "phase": ["running"]}',
    b'{"attempt": 1, "outcome": {}, "seq": 1}',
    b'{"attempt": 1, "seq": 9' + b"9" * 400 + b', "phase": "running"}',
    b'{"attempt": 1' + b"0" * 5000 + b', "seq": 1, "phase": "running"}',
]


@pytest.mark.parametrize("raw", LIES, ids=range(len(LIES)))
def test_a_report_that_makes_no_sense_is_refused_not_a_crash(
    gpu: Caller, job: JobSpec, raw: bytes
) -> None:
    for part in ("events", "finish"):
        response = gpu.post(f"runs/{job.run}/{part}/", raw=raw, token=job.run_token)
        assert response.status_code in (400, 409)
        assert response.json()["error"]["message"]
    assert Run.objects.get().status == "leased"


@pytest.mark.parametrize(
    "batch",
    [
        b'"log": "\\u0000\\ud800", "done": -1, "total": 1e999',
        b'"rollouts": [{"policy": "silent", "ok": true, "reward": NaN, "seconds": Infinity}]',
        b'"rollouts": [{"policy": "silent", "ok": true, "reward": 1' + b"0" * 400 + b"}]",
        b'"rollouts": 5, "facts": {"tasks": [[]], "hashes_again": [{}], "packages": NaN}',
        b'"facts": {"tasks": ' + b"[" * 500 + b"]" * 500 + b"}",
    ],
)
def test_a_hostile_report_in_the_right_shape_is_kept_clean(
    gpu: Caller, job: JobSpec, batch: bytes
) -> None:
    raw = b'{"attempt": 1, "seq": 1, "phase": "running", ' + batch + b"}"
    response = gpu.post(f"runs/{job.run}/events/", raw=raw, token=job.run_token)
    assert response.status_code == 200
    ending = (
        b'{"attempt": 1, "outcome": "failed", "findings": [{"code": {}, "details": {"x": NaN}}]}'
    )
    response = gpu.post(f"runs/{job.run}/finish/", raw=ending, token=job.run_token)
    assert response.status_code == 200


def test_a_report_beyond_the_bound_is_refused(gpu: Caller, job: JobSpec) -> None:
    response = gpu.post(
        f"runs/{job.run}/events/", raw=b" " * (BatchParser.max_bytes + 1), token=job.run_token
    )
    assert code(response) == (413, "request.too_large")


def test_a_packed_batch_is_taken(gpu: Caller, job: JobSpec) -> None:
    batch = packed({"attempt": 1, "seq": 1, "phase": "running", "log": "hello\n"})
    path, gzipped = f"runs/{job.run}/events/", {"Content-Encoding": "gzip"}
    assert gpu.post(path, token=job.run_token, raw=batch, **gzipped).status_code == 200
    assert Run.objects.get().log.get().text == "hello\n"


@pytest.mark.parametrize(
    ("raw", "refusal"),
    [
        (packed({"log": "x" * BatchParser.max_bytes}), (413, "request.too_large")),
        (packed({"attempt": 1})[:-9], (400, "request.invalid")),
        (b"{}", (400, "request.invalid")),
    ],
    ids=["bomb", "broken off", "not gzip"],
)
def test_a_packed_batch_is_never_inflated_beyond_its_bound(
    gpu: Caller, job: JobSpec, raw: bytes, refusal: tuple[int, str]
) -> None:
    path, gzipped = f"runs/{job.run}/events/", {"Content-Encoding": "gzip"}
    assert len(raw) < 100_000
    assert code(gpu.post(path, token=job.run_token, raw=raw, **gzipped)) == refusal
    assert Run.objects.get().last_seq == 0


def test_a_new_token_loses_no_run_that_is_under_way(gpu: Caller, job: JobSpec) -> None:
    """A run reports with a token of its own: renewing the runner's token does not wait for it."""
    runner = Runner.objects.get()
    new = Caller(services.renew(runner=runner))
    assert gpu.post("poll/").status_code == 401
    batch = make_events(log="hello\n").to_dict()
    assert gpu.post(f"runs/{job.run}/events/", batch, token=job.run_token).status_code == 200
    assert new.post("poll/").status_code == 204
    done = make_finish("failed").to_dict()
    assert gpu.post(f"runs/{job.run}/finish/", done, token=job.run_token).status_code == 200
    run = Run.objects.get()
    assert (run.status, run.attempt) == ("failed", 1)


def test_who_got_a_run_by_a_leaked_token_loses_it_for_good(gpu: Caller, job: JobSpec) -> None:
    runners.revoke_leaked(gpu.token, where="a log")
    new = Caller(services.renew(runner=Runner.objects.get()))
    done = make_finish("succeeded").to_dict()
    refused = gpu.post(f"runs/{job.run}/finish/", done, token=job.run_token)
    assert refused.status_code in (401, 409)
    run = Run.objects.get()
    assert (run.status, run.attempt) == ("queued", 2)
    assert "was disabled while the run was leased" in run.log.get().text
    assert new.post("poll/").json()["attempt"] == 2

"""Reports of a runner that means harm: small to send, large to read, or odd to keep."""

import gzip
import json
from typing import Any

import pytest
from django.test import Client

from envyard.contract.job import JobSpec
from registry.accounts import runners
from registry.accounts.models import User
from registry.catalog.models import Version
from registry.runs.models import Run
from tests.registry.run_factories import make_run, make_version

ROOT = "/api/v1/runner/"
BOMBS = {
    "lists": b"[],",
    "objects": b"{},",
    "numbers": b"1,",
    "texts": b'"",',
    "escaped quotes": b'"\\"",',
}


@pytest.fixture
def job(db: None, alice: User) -> JobSpec:
    """A job that a runner has just been given."""
    version = make_version(alice.owner)
    make_run(version)
    token = runners.create(name="gpu-1")[1]
    return JobSpec.from_dict(_post("poll/", b"{}", token).json())


def _post(path: str, raw: bytes, token: str) -> Any:
    headers = {"Authorization": f"Bearer {token}", "Content-Encoding": "gzip"}
    body = gzip.compress(raw, compresslevel=1)
    return Client().post(ROOT + path, body, content_type="application/json", headers=headers)


def send(job: JobSpec, raw: bytes, part: str = "events") -> Any:
    return _post(f"runs/{job.run}/{part}/", raw, job.run_token)


@pytest.mark.parametrize("piece", BOMBS.values(), ids=BOMBS)
def test_more_values_than_any_report_has_are_refused_before_they_are_read(
    job: JobSpec, piece: bytes
) -> None:
    raw = b'{"attempt": 1, "seq": 1, "phase": "running", "rollouts": [' + piece * 1_200_000 + b"1]}"
    answer = send(job, raw)
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "request.too_large")
    assert "values" in answer.json()["error"]["message"]


def test_a_long_text_is_no_bomb(job: JobSpec) -> None:
    fields = {"attempt": 1, "seq": 1, "phase": "running", "log": 'a,["\\{' * 700_000}
    assert send(job, json.dumps(fields).encode()).status_code == 200


FIELDS = ("log", "rollouts", "facts", "done", "total", "phase")
PARTS = ("code", "message", "hint", "severity", "where", "details")


@pytest.mark.parametrize("depth", [300, 600, *range(900, 1000, 9)])
def test_nothing_is_nested_too_deep_to_be_answered(job: JobSpec, depth: int) -> None:
    deep = b"[" * depth + b"]" * depth
    fields = b", ".join(b'"%s": %s' % (name.encode(), deep) for name in FIELDS[:-1])
    rollout_json = b'{"policy": %s, "reward": %s, "error": {"type": %s}}' % (deep, deep, deep)
    answers = [
        send(job, b'{"attempt": 1, "seq": 1, "phase": "running", %s}' % fields),
        send(job, b'{"attempt": 1, "seq": 1, "phase": "running", "rollouts": [%s]}' % rollout_json),
        send(
            job,
            b'{"attempt": 1, "outcome": "errored", "findings": [{%s}]}'
            % b", ".join(b'"%s": %s' % (name.encode(), deep) for name in PARTS),
            "finish",
        ),
    ]
    assert {answer.status_code for answer in answers} <= {200, 400, 409}


@pytest.mark.parametrize("number", ["1e308", "-1e308", "1e400", "NaN", "1" + "0" * 400, "-1"])
def test_no_number_breaks_what_is_shown_of_a_run(
    job: JobSpec, alice: User, client: Client, number: str
) -> None:
    facts = ("install_seconds", "load_seconds", "packages", "peak_memory_bytes")
    usage = ("prompt_tokens", "completion_tokens", "calls", "model_seconds")
    rollout = {
        "policy": "silent", "task": 0, "attempt": 0, "ok": True, "reward": "N", "seconds": "N",
        "scoring_seconds": "N", "turns": "N", "usage": dict.fromkeys(usage, "N"),
        "rewards": {"a": {"score": "N", "weight": "N"}}, "metrics": {"m": "N"},
        "transcript": {"calls": [{"asked": "N", "at": "N", "seconds": "N", "prompt_tokens": "N"}]},
    }  # fmt: skip
    fields = {"attempt": 1, "seq": 1, "phase": "running", "done": "N", "total": "N",
            "facts": dict.fromkeys(facts, "N"), "rollouts": [rollout]}  # fmt: skip
    raw = json.dumps(fields).replace('"N"', number).encode()
    assert send(job, raw).status_code == 200
    assert send(job, b'{"attempt": 1, "outcome": "succeeded"}', "finish").status_code == 200
    client.force_login(alice)
    run = Run.objects.get()
    row = run.rollouts.get()
    name = str(Version.objects.get().environment)
    for path in (
        f"/api/v1/runs/{run.pk}/", f"/api/v1/runs/{run.pk}/rollouts/",
        f"/api/v1/runs/{run.pk}/rollouts/{row.pk}/", f"/api/v1/runs/{run.pk}/samples/",
        f"/runs/{run.pk}", f"/runs/{run.pk}/rollouts/{row.pk}", f"/envs/{name}/",
    ):  # fmt: skip
        answer = client.get(path, follow=True)
        assert answer.status_code == 200, path
        if path.startswith("/api/"):
            assert len(answer.content) < 10_000
            json.loads(answer.content, parse_constant=pytest.fail)
    facts = client.get(f"/api/v1/runs/{run.pk}/").json()["facts"]
    assert 0 <= (facts.get("packages") or 0) < 1 << 31
    assert 0 <= (facts.get("peak_memory_bytes") or 0) <= 1 << 53

"""Samples of transcripts that were made to be large: a page is bounded, and none is lost."""

from typing import Any

import pytest
from django.test import Client

from envyard.contract.transcript import Exchange, Node, Transcript
from registry.accounts.models import User
from registry.runs import runner_events
from registry.runs.models import Run
from tests.registry.run_factories import make_events, make_leased_run, make_rollout, make_version

pytestmark = pytest.mark.once

MEBIBYTE = 1 << 20


@pytest.fixture
def run(alice: User) -> Run:
    """Of a listed version, so that strangers may read it; a runner has it."""
    version = make_version(alice.owner)
    taken = make_leased_run(version, policies=("silent", "parrot"))
    type(version).objects.update(status="listed", listed_at=version.uploaded_at)
    return taken


def pages(client: Client, run: Run) -> list[Any]:
    """Every answer, with as many rows as one may ask for."""
    address, responses = f"/api/v1/runs/{run.pk}/samples/?limit=100", []
    while address:
        responses.append(client.get(address))
        address = responses[-1].json()["next"]
    return responses


def asked_often(calls: int, characters: int) -> Transcript:
    """A long first message that every call repeats and a short one of its own, and no reply."""
    pieces = [Node(at - 1, {"role": "system", "content": "x" * 90_000})
              for at in range(characters // 90_000)]  # fmt: skip
    last = len(pieces) - 1
    questions = [Node(last, {"role": "user", "content": str(n)}) for n in range(calls)]
    exchanges = [Exchange(asked=last + 1 + n, error="the model was gone") for n in range(calls)]
    return Transcript([*pieces, *questions], exchanges)


def test_a_conversation_that_every_call_repeats_is_not_repeated_without_end(
    client: Client, run: Run
) -> None:
    record = asked_often(64, MEBIBYTE)
    sent = [make_rollout("silent", task, transcript=record) for task in range(5)]
    runner_events.record(run_id=run.pk, events=make_events(rollouts=sent))
    answers = pages(client, run)
    assert max(len(answer.content) for answer in answers) < 24 * MEBIBYTE
    rows = [row for answer in answers for row in answer.json()["results"]]
    assert [row["example_id"] for row in rows] == [0, 1, 2, 3, 4]
    for row in rows:
        assert row["info"]["shortened"]
        assert 0 < len(row["trajectory"]) < 64
        assert len(row["prompt"]) == len(record.messages)


def test_many_large_transcripts_come_on_many_pages(client: Client, run: Run) -> None:
    record = asked_often(1, 3 * MEBIBYTE)
    sent = [
        make_rollout(p, task, transcript=record) for p in ("silent", "parrot") for task in (0, 1)
    ]
    runner_events.record(run_id=run.pk, events=make_events(rollouts=sent))
    answers = pages(client, run)
    assert [len(answer.json()["results"]) for answer in answers] == [2, 2]
    assert not any(row["info"]["shortened"] for a in answers for row in a.json()["results"])

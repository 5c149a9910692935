"""Labels that models dispute: on the leaderboard, among the findings of a run, and signed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from django.conf import settings as hub_settings
from django.core.cache import caches
from django.core.management import call_command
from django.test import Client

from registry import pipeline
from registry.accounts.models import User
from registry.card import disputed_labels, signing
from registry.catalog.models import Version
from registry.models import Rollout, Run
from registry.runs import suites
from tests.factories import make_version
from tests.registry.run_factories import (
    honest_rollouts,
    make_facts,
    make_leased_run,
    make_transcript,
    record_attempt,
)
from tests.registry.run_factories import make_version as make_uploaded
from tests.registry.runs.measured_models import TASKS, digest, evaluated

PAGE = "/envs/alice/demo-env/0.1.0/leaderboard/?suite=full"
AT = "/api/v1/environments/alice/demo-env/versions/0.1.0/leaderboard/?suite=full"
CODE = "card.disputed_labels"

pytestmark = [pytest.mark.once, pytest.mark.django_db]


@pytest.fixture
def version(alice: User) -> Version:
    caches["local"].clear()
    return make_version(alice, "demo-env", status="listed")


def answered(run: Run, *, attempts: int = 2) -> Run:
    """The run with one answer a task, unpaid at the first three."""
    rows = list(run.rollouts.all())
    for row in rows:
        row.answer, row.reward = f"answer {row.task}", float(row.task >= 3)
    Rollout.objects.bulk_update(rows, ["answer", "reward"])
    extra = [
        Rollout(run=run, policy="model", task=row.task, attempt=attempt, ok=True,
                reward=row.reward, answer=row.answer)
        for attempt in range(2, attempts)
        for row in rows
        if row.attempt == 0
    ]  # fmt: skip
    Rollout.objects.bulk_create(extra)
    return run


def test_the_leaderboard_names_labels_that_models_dispute(version: Version, client: Client) -> None:
    full = suites.built_in("full")
    answered(evaluated(version, "one", full, rate=1.0))
    assert client.get(AT).json()["disputed_labels"] is None
    answered(evaluated(version, "other", full, rate=1.0))
    disputed = client.get(AT).json()["disputed_labels"]
    assert (disputed["code"], disputed["severity"]) == (CODE, "warning")
    assert [row["task"] for row in disputed["tasks"]] == [0, 1, 2]
    assert (disputed["models"], disputed["agreed"], disputed["paid"]) == (2, TASKS - 1, TASKS - 3)
    page = " ".join(client.get(PAGE).content.decode().split())
    assert "Tasks with a disputed label" in page
    assert "task 1: 4 of 4 rollouts answer <code>answer 1</code>, and none is paid" in page
    assert "At 37 of 39 other tasks where they agree (95%) the answer is paid." in page


def test_tasks_that_runs_loaded_differently_are_left_out(version: Version, client: Client) -> None:
    full = suites.built_in("full")
    answered(evaluated(version, "one", full, rate=1.0))
    other = answered(evaluated(version, "other", full, rate=1.0))
    other.facts["tasks"][0]["hash"] = digest("another task")
    other.save()
    assert client.get(AT).json()["disputed_labels"] is None


def test_the_run_of_one_model_with_four_attempts_has_the_finding(
    version: Version, client: Client
) -> None:
    run = answered(evaluated(version, "one", suites.built_in("full"), rate=1.0), attempts=4)
    [row] = client.get(f"/api/v1/runs/{run.pk}/").json()["findings"]
    assert (row["code"], row["stage"], row["severity"]) == (CODE, "card", "warning")
    assert row["details"]["tasks"][2] == {
        "task": 2, "answer": "answer 2", "agreeing": 4, "rollouts": 4,
    }  # fmt: skip
    assert "nearly all attempts of the model agree" in row["message"]
    assert CODE in client.get(f"/runs/{run.pk}/").content.decode()


def test_rollouts_that_do_not_count_are_no_votes(version: Version) -> None:
    run = answered(evaluated(version, "one", suites.built_in("full"), rate=1.0), attempts=4)
    assert disputed_labels.findings_of(run)
    run.facts["not_counted"] = {f"model/{task}/0": "run.prompt_not_sent" for task in range(3)}
    assert disputed_labels.findings_of(run) == []


def test_the_answer_of_a_models_last_reply_is_stored(alice: User) -> None:
    run = make_leased_run(make_uploaded(alice.owner))
    played = replace(honest_rollouts(["silent"])[0], transcript=make_transcript("q"))
    record_attempt(run, [played])
    assert Rollout.objects.get().answer == ""
    hub_policies = ["model"]
    other = make_leased_run(make_uploaded(alice.owner, version="0.2.0"), hub_policies, run.runner)
    reply = replace(played, policy="model", transcript=make_transcript("Answer: 1,000"))
    record_attempt(other, [reply])
    assert Rollout.objects.get(run=other).answer == "re: answer: 1000"
    Rollout.objects.update(answer="")  # as of an earlier release
    call_command("read_answers")
    answers = Rollout.objects.order_by("policy").values_list("policy", "answer")
    assert list(answers) == [("model", "re: answer: 1000"), ("silent", "")]


def test_a_run_that_decides_stores_and_signs_the_finding_once(alice: User, settings: Any) -> None:
    policies = ["oracle", "model"]
    settings.HUB_REQUIRED_POLICIES = ["oracle"]
    run = make_leased_run(make_uploaded(alice.owner), policies)
    Run.objects.filter(pk=run.pk).update(tasks=TASKS, attempts=4)
    run.refresh_from_db()
    record_attempt(run, honest_rollouts(policies, n=TASKS), known=make_facts(TASKS))
    for row in run.rollouts.filter(policy="model"):
        row.answer, row.reward = f"answer {row.task}", float(row.task >= 3)
        row.save()
    pipeline.judge(str(run.pk))
    run.refresh_from_db()
    assert run.version.findings.filter(code=CODE).count() == 1
    disputed_labels.keep(run)
    assert run.findings.filter(code=CODE).count() == 1
    signed = signing.sign(run=run, required_policies=hub_settings.HUB_REQUIRED_POLICIES)
    assert f'"code":"{CODE}"' in signed.payload

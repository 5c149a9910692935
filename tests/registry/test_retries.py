"""How a held version goes on, and a rejected one whose rule was changed."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from envyard.contract.findings import finding
from registry import pipeline
from registry.accounts.models import User
from registry.catalog.lifecycle import move
from registry.catalog.models import Version
from registry.catalog.related_models import VersionFinding
from registry.errors import Forbidden, HubError, Stale
from registry.moderation.journal import sentence
from registry.runs import endings, services
from registry.runs.models import Run
from tests.factories import bearer
from tests.registry.conftest import Queues
from tests.registry.run_factories import (
    honest_rollouts,
    make_leased_run,
    make_run,
    make_version,
    record_attempt,
)
from tests.registry.uploads.forms import form_of
from tests.wheels import filename, make_wheel

Status = Version.Status


def push(client: Client, user: User, wheel: bytes) -> HttpResponse:
    """Upload the wheel as twine does, with a token that may publish."""
    file = SimpleUploadedFile(filename(), wheel, "application/zip")
    sent = form_of(wheel) | {"content": file}
    headers = bearer(user, "publish")
    answer: HttpResponse = client.post(f"/legacy/{user.username}/", sent, headers=headers)
    return answer


def hold(version: Version) -> None:
    """Cancel the run of the version and hold it, as the hub's worker does."""
    services.cancel(run=version.runs.get(status="queued"), by=User.objects.get(username="alice"))
    move(version, Status.HELD)


@pytest.fixture
def held(alice: User, queues: Queues) -> Version:
    version = make_version(alice.owner)
    Version.objects.update(framework="verifiers", api="v1", module="demo_env")
    version.refresh_from_db()
    make_run(version)
    hold(version)
    return version


def test_its_author_retries_a_held_version(held: Version, alice: User) -> None:
    pipeline.retry(version=held, by=alice)
    assert (held.status, held.runs.filter(status="queued").count()) == ("evaluating", 1)
    assert held.events.filter(verb="version.evaluating").latest("pk").actor == alice


def test_a_version_under_way_is_not_retried(held: Version, alice: User) -> None:
    pipeline.retry(version=held, by=alice)
    with pytest.raises(Stale, match="is evaluating; only a held version") as refused:
        pipeline.retry(version=held, by=alice)
    assert "under way" in refused.value.hint
    assert held.runs.filter(status="queued").count() == 1


def test_the_second_retry_within_a_day_waits_and_each_further_one_twice_as_long(
    held: Version, alice: User, root: User
) -> None:
    for seconds in (60, 120, 240):
        pipeline.retry(version=held, by=alice)
        hold(held)
        with pytest.raises(HubError, match="the next retry is in") as refused:
            pipeline.retry(version=held, by=alice)
        assert refused.value.status == 429
        assert seconds - 5 < refused.value.details["retry_after"] <= seconds
        Version.objects.update(status_at=timezone.now() - timedelta(seconds=seconds))
        held.refresh_from_db()
    pipeline.retry(version=held, by=alice)
    hold(held)
    pipeline.retry(version=held, by=root)  # staff need no pause


def test_a_version_in_quarantine_is_retried_by_staff_alone(
    held: Version, alice: User, root: User
) -> None:
    Version.objects.update(quarantined_at=timezone.now(), quarantine_reason="spam")
    held.refresh_from_db()
    with pytest.raises(Forbidden, match="quarantine"):
        pipeline.retry(version=held, by=alice)
    pipeline.retry(version=held, by=root)


def test_a_run_that_the_platform_failed_is_run_again_by_its_author(
    held: Version, alice: User
) -> None:
    Run.objects.update(status="errored")
    run = held.runs.select_related("version__environment__owner").get()
    again = pipeline.retry_run(run=run, by=alice)
    assert (again.status, again.version.status) == ("queued", "evaluating")
    with pytest.raises(Stale, match="is not the newest"):
        pipeline.retry_run(run=Run.objects.get(pk=run.pk), by=alice)
    with pytest.raises(Stale, match="is queued"):
        pipeline.retry_run(run=again, by=alice)


def test_no_message_of_a_held_version_promises_an_automatic_retry(
    held: Version,
) -> None:
    from envyard.contract.codes import CODES

    for code, known in CODES.items():
        assert "by itself" not in known.hint, code
        assert "staff can retry" not in known.hint.lower(), code


def reject(version: Version, stage: str, run_status: str = "", code: str = "card.floor") -> Run:
    """Reject the version by that stage, its run ended so."""
    run = make_run(version)
    VersionFinding.objects.all().delete()
    Run.objects.filter(pk=run.pk).update(status=run_status or "failed", ended_at=timezone.now())
    run.refresh_from_db()
    endings.store_findings(version, stage, [finding(code)], None if stage == "check" else run)
    move(version, Status.REJECTED, reason="a rule")
    return run


@pytest.fixture
def evaluating(alice: User, queues: Queues) -> Version:
    version = make_version(alice.owner)
    Version.objects.update(framework="verifiers", api="v1", module="demo_env")
    version.refresh_from_db()
    return version


def test_a_rejection_by_the_card_is_judged_again_by_the_same_run(
    evaluating: Version, root: User, queues: Queues
) -> None:
    run = make_leased_run(evaluating)
    with queues.committed():
        record_attempt(run, honest_rollouts())
    VersionFinding.objects.all().delete()
    endings.store_findings(evaluating, "card", [finding("card.floor")], run)
    move(evaluating, Status.REJECTED, reason="floor")
    queues.read("hub")
    with queues.committed():
        pipeline.rejudge(version=evaluating, reason="the floor was lowered", by=root)
    assert evaluating.status == "evaluating"
    assert queues.work() == ["registry.judge"]
    evaluating.refresh_from_db()
    assert evaluating.status == "listed"
    assert evaluating.runs.count() == 1
    event = evaluating.events.get(verb="version.rejudged")
    assert (event.actor, event.data["reason"]) == (root, "the floor was lowered")
    assert "judged again: the floor was lowered" in sentence(event)


@pytest.mark.parametrize("stage_and_run", [("run", "failed"), ("run", "succeeded")])
def test_a_rejection_by_the_run_takes_a_new_run(
    evaluating: Version, root: User, stage_and_run: tuple[str, str]
) -> None:
    stage, status = stage_and_run
    reject(evaluating, stage, status, code="run.no_model_call")
    pipeline.rejudge(version=evaluating, reason="the driver was mended", by=root)
    assert evaluating.status == "evaluating"
    assert evaluating.runs.filter(status="queued").count() == 1
    assert not evaluating.findings.filter(stage="run").exists()


def test_a_rejection_by_the_check_is_checked_again(
    evaluating: Version, root: User, queues: Queues
) -> None:
    reject(evaluating, "check", code="env.framework_unknown")
    queues.read("hub")
    with queues.committed():
        pipeline.rejudge(version=evaluating, reason="the detector was mended", by=root)
    assert queues.work() == ["registry.check_version"]
    evaluating.refresh_from_db()
    assert evaluating.status == "evaluating"
    assert not evaluating.findings.filter(code="env.framework_unknown").exists()


@pytest.mark.parametrize("reason", ["", "   ", "x" * 401])
def test_judging_again_takes_a_reason(evaluating: Version, root: User, reason: str) -> None:
    reject(evaluating, "run")
    with pytest.raises(HubError, match="1 to 400 characters") as refused:
        pipeline.rejudge(version=evaluating, reason=reason, by=root)
    assert refused.value.details == {"field": "reason"}


def test_what_is_not_rejected_is_not_judged_again(held: Version, root: User) -> None:
    with pytest.raises(Stale, match="is held; only a rejected version"):
        pipeline.rejudge(version=held, reason="because", by=root)


def test_the_command_judges_all_again_that_one_rule_rejected(
    evaluating: Version, root: User
) -> None:
    reject(evaluating, "run", code="run.crashed")
    out = StringIO()
    fields: dict[str, Any] = {"code": "run.crashed", "reason": "mended", "stdout": out}
    call_command("rejudge", **fields, dry_run=True)
    assert out.getvalue() == "alice/demo-env==0.1.0 is rejected\n"
    call_command("rejudge", **fields, by="root")
    assert "is evaluating" in out.getvalue()
    assert evaluating.events.get(verb="version.rejudged").actor == root
    with pytest.raises(CommandError, match="1 of 1 were refused"):
        call_command("rejudge", "alice/demo-env==0.1.0", reason="again", stderr=StringIO())
    for wrong in (["alice/demo-env==9.9"], ["alice"], []):
        with pytest.raises(CommandError):
            call_command("rejudge", *wrong, reason="x")


def test_pushing_the_same_bytes_again_retries_a_held_version(
    client: Client, alice: User, queues: Queues
) -> None:
    wheel = make_wheel()
    assert push(client, alice, wheel).status_code == 200
    version = Version.objects.get()
    Version.objects.update(status="held", framework="verifiers", api="v1", module="reverse_words")
    answer = push(client, alice, wheel)
    assert (answer.status_code, "it was held and is evaluated again" in answer.text) == (200, True)
    version.refresh_from_db()
    assert version.status == "evaluating"
    assert "already here" in push(client, alice, wheel).text
    version.runs.update(status="errored", ended_at=timezone.now())
    Version.objects.update(status="held")
    answer = push(client, alice, wheel)
    assert (answer.status_code, "the next retry is in" in answer.text) == (200, True)


def test_author_and_staff_find_their_buttons_on_the_page(
    client: Client, held: Version, alice: User, carol: User, root: User
) -> None:
    page = f"/envs/{held.environment}/0.1.0/"
    client.force_login(alice)
    shown = client.get(page).text
    assert "Evaluate again" in shown
    assert "hub retry alice/" in shown
    client.post(f"{page}retry/")
    held.refresh_from_db()
    assert held.status == "evaluating"
    Version.objects.update(status="rejected")
    assert "Decide again" not in client.get(page).text
    assert client.post(f"{page}rejudge/", {"reason": "x"}).status_code == 403
    client.force_login(root)
    assert "Decide again" in client.get(page).text
    Run.objects.update(status="failed", ended_at=timezone.now())
    client.post(f"{page}rejudge/", {"reason": "the driver was mended"})
    held.refresh_from_db()
    assert held.status == "evaluating"


def test_staff_judge_again_over_the_api(client: Client, evaluating: Version, root: User) -> None:
    reject(evaluating, "run")
    url = f"/api/v1/environments/{evaluating.environment}/versions/0.1.0/rejudge/"
    headers = bearer(root, "admin")
    answer = client.post(url, {}, content_type="application/json", headers=headers)
    assert answer.status_code == 400
    reason = {"reason": "the driver was mended"}
    answer = client.post(url, reason, content_type="application/json", headers=headers)
    assert (answer.status_code, answer.json()["status"]) == (200, "evaluating")

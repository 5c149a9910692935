"""Each run names the environment of its version; the page of an environment lists the newest."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from registry.accounts.models import User
from registry.catalog.models import Version
from registry.runs import services
from registry.runs.models import Run
from tests.factories import make_run, make_version
from tests.registry.runs.test_shards import THREE, requested

pytestmark = pytest.mark.django_db


@THREE
def test_runs_of_every_kind_have_the_environment_of_their_version(alice: User, bob: User) -> None:
    listed = make_version(alice)
    assert requested(listed, alice).status == Run.Status.SHARDED
    services.request(version=make_version(bob, "other", status="evaluating"), policies=["silent"])
    services.request(version=listed, policies=["silent"], purpose=Run.Purpose.REMEASUREMENT)
    rows = Run.with_shards.all()
    assert {run.purpose for run in rows} == {"listing", "remeasured", "evaluation"}
    assert rows.exclude(parent=None).count() > 1
    assert not rows.exclude(environment=F("version__environment")).exists()


def test_run_without_environment_is_refused(alice: User) -> None:
    run = make_run(make_version(alice))
    with pytest.raises(IntegrityError), transaction.atomic():
        Run.objects.filter(pk=run.pk).update(environment=None)


def test_page_lists_runs_of_all_visible_versions_newest_first(alice: User, client: Client) -> None:
    versions = [make_version(alice, version=number) for number in ("1.0", "2.0", "3.0")]
    hidden = make_version(alice, version="4.0", status="rejected")
    now = timezone.now()
    ages = {
        made(version, now - timedelta(hours=hours)): hours
        for version, hours in zip([*versions, hidden, *versions], range(7), strict=True)
    }
    made(make_version(alice, "another"), now)
    newest = sorted(ages, key=lambda key: ages[key])
    wanted = [key for key in newest if of(key) != hidden]
    with CaptureQueriesContext(connection) as queries:
        response = client.get("/envs/alice/demo-env/?tab=evaluations")
    assert [str(row.id) for row in response.context["runs"]] == wanted
    listing = [row["sql"] for row in queries if "registry_runner" in row["sql"]]
    assert len(listing) == 1
    client.force_login(alice)
    response = client.get("/envs/alice/demo-env/?tab=evaluations")
    assert [str(row.id) for row in response.context["runs"]] == newest


def made(version: Version, at: object) -> str:
    """The key of an ended run of the version from that time."""
    run = make_run(version)
    Run.objects.filter(pk=run.pk).update(created_at=at)
    return str(run.pk)


def of(key: str) -> Version:
    return Run.objects.get(pk=key).version

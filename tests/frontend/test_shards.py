"""The page of a run that was split, and those of its shards."""

from __future__ import annotations

import pytest
from django.test import Client, override_settings

from registry.accounts import runners
from registry.models import Run, User
from registry.runs import evaluations, runner_events, services, shards, suites
from tests.factories import make_version
from tests.frontend.people import text
from tests.registry.run_factories import honest_rollouts, make_events, make_runner

pytestmark = pytest.mark.once


@pytest.fixture
def run(alice: User) -> Run:
    """Ten tasks in shards of four; the first one is played."""
    with override_settings(HUB_SHARD_ROLLOUTS=4):
        version = make_version(alice)
        suite = suites.create(
            environment=version.environment, name="many", tasks=10, attempts=1, by=alice
        )
        row = evaluations.request(version=version, model="tiny", suite=suite, by=alice)
    runner = make_runner()
    runners.describe(runner=runner, capabilities={"models": ["tiny"]})
    shard = services.lease(runner=runner, models=["tiny"])
    assert shard is not None
    events = make_events(rollouts=honest_rollouts(("model",), 4, 1), log="loaded\n", total=4)
    runner_events.record(run_id=shard.pk, events=events)
    row.refresh_from_db()
    return row


def test_the_page_of_a_run_lists_its_shards(client: Client, run: Run) -> None:
    page = text(client, f"/runs/{run.pk}/")
    assert "4 of 10 rollouts" in page
    for tasks in ("0 to 3", "4 to 7", "8 to 9"):
        assert f">{tasks}</td>" in page
    first = shards.of(run)[0]
    assert f"/runs/{first.pk}/" in page
    assert "split into 3 shards of up to 4 tasks" in page


def test_the_page_of_a_shard_has_its_log_and_names_its_run(
    client: Client, run: Run, alice: User
) -> None:
    client.force_login(alice)
    page = text(client, f"/runs/{shards.of(run)[0].pk}/")
    assert f'A shard of <a href="/runs/{run.pk}/">a run</a>: tasks 0 to 3.' in page
    assert "loaded" in page
    assert "Cancel this run" not in page
    assert "Cancel this run" in text(client, f"/runs/{run.pk}/")


def test_lists_of_runs_leave_shards_out(client: Client, run: Run, root: User) -> None:
    assert text(client, "/envs/alice/demo-env/?tab=evaluations").count("/runs/") >= 1
    rows = client.get("/api/v1/environments/alice/demo-env/runs/").json()["results"]
    assert [row["id"] for row in rows] == [str(run.pk)]
    detail = client.get(f"/api/v1/runs/{run.pk}/").json()
    assert [(row["first_task"], row["status"], row["done"]) for row in detail["shards"]] == [
        (0, "running", 4), (4, "queued", 0), (8, "queued", 0),
    ]  # fmt: skip
    client.force_login(root)
    assert str(shards.of(run)[0].pk) in text(client, "/moderation/")

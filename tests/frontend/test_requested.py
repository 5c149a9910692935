"""The page that requests an evaluation, and the one of its place in the queue."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from registry.accounts import runners
from registry.models import Run, Runner, User, Version
from registry.runs import evaluations, services, suites
from tests.factories import make_version
from tests.frontend.people import text
from tests.registry.run_factories import make_runner

pytestmark = pytest.mark.once
PATH = "/envs/alice/demo-env/0.1.0/evaluate/"
HOSTILE = '"><script>alert(1)</script>\u202e'


@pytest.fixture
def version(alice: User) -> Version:
    return make_version(alice)


def serve(*models: str) -> Runner:
    """A live runner with these models."""
    runner = make_runner()
    runners.describe(runner=runner, capabilities={"models": list(models)})
    Runner.objects.update(last_seen_at=timezone.now())
    return runner


def queued(version: Version, by: User, model: str = "tiny") -> Run:
    suite = suites.named(version.environment, "full")
    return evaluations.request(version=version, model=model, suite=suite, by=by)


def test_a_stranger_requests_an_evaluation_and_sees_its_place_in_the_queue(
    client: Client, version: Version, carol: User
) -> None:
    serve("org/tiny", "org/other")
    client.force_login(carol)
    assert f'href="{PATH}"' in text(client, "/envs/alice/demo-env/0.1.0/")
    page = text(client, PATH)
    assert 'value="org/other"' in page.split("<datalist")[0]  # the first of those that are ready
    assert '<option value="full" selected>full: up to 100 tasks × 4 attempts</option>' in page
    assert "You have 0 of 10 evaluations that wait or run." in page
    assert "Those who manage alice/demo-env define further suites." in page
    assert 'name="tasks"' not in page
    answer = client.post(PATH, {"model": "org/tiny", "suite": "smoke"})
    run = Run.objects.get()
    assert answer.headers["Location"] == f"/runs/{run.pk}/queue/"
    assert (run.model, str(run.suite), run.requested_by) == ("org/tiny", "smoke", carol)
    place = text(client, f"/runs/{run.pk}/queue/")
    assert "1 of 1 waiting" in place
    assert "1 with the model online" in place
    assert f'href="/runs/{run.pk}/cancel/"' in place
    assert f"hub runs watch {run.pk}" in place
    assert "You have 1 of 10" in text(client, PATH)


def test_who_manages_the_environment_chooses_tasks_and_attempts(
    client: Client, version: Version, alice: User
) -> None:
    client.force_login(alice)
    assert 'name="tasks" value="50"' in text(client, PATH)
    size = {"model": "tiny", "suite": "own-size"}
    for tasks, attempts in ((30, 2), (100, 4), (30, 2)):
        client.post(PATH, size | {"tasks": tasks, "attempts": attempts})
    names = [str(run.suite) for run in Run.objects.order_by("created_at")]
    assert names == ["30x2", "full"]  # the numbers of `full` are `full`, the last is the first
    page = client.post(PATH, size | {"tasks": 0, "attempts": 4}).content.decode()
    assert "Tasks 0 must be a whole number from 1 to 100000" in html.unescape(page)
    assert Run.objects.count() == 2


def test_own_numbers_are_no_choice_of_strangers(
    client: Client, version: Version, carol: User
) -> None:
    client.force_login(carol)
    fields = {"model": "tiny", "suite": "own-size", "tasks": 3, "attempts": 1}
    assert "own-size is not one of the available choices" in text_of(client.post(PATH, fields))
    assert not Run.objects.exists()
    assert not version.environment.suites.exists()


def text_of(response: Any) -> str:
    return html.unescape(response.content.decode())


def test_a_refusal_stays_on_the_form_with_its_reason(
    client: Client, version: Version, carol: User
) -> None:
    client.force_login(carol)
    queued(version, carol)
    with override_settings(HUB_ACTIVE_EVALUATIONS=1):
        page = text_of(client.post(PATH, {"model": "other", "suite": "full"}))
    assert "Carol has 1 active evaluations; the limit is 1." in page
    assert 'value="other"' in page
    page = text_of(client.post(PATH, {"model": "a\x07b", "suite": "full"}))
    assert "must be the name of a model" in page
    assert Run.objects.count() == 1


def test_a_hub_without_a_model_says_what_to_do(
    client: Client, version: Version, carol: User
) -> None:
    client.force_login(carol)
    page = text(client, PATH)
    assert "No runner of this hub has a model ready." in page
    assert "hub eval --local alice/demo-env" in page
    run = queued(version, carol)
    serve("other")
    assert "No runner has the model tiny ready (1 runner is connected)" in text(
        client, f"/runs/{run.pk}/queue/"
    )


def test_a_version_that_is_not_listed_has_no_form(client: Client, alice: User) -> None:
    make_version(alice, status="held")
    client.force_login(alice)
    page = text(client, PATH)
    assert "Version 0.1.0 is held." in page
    assert "Request the evaluation" not in page
    assert "Request an evaluation" not in text(client, "/envs/alice/demo-env/0.1.0/")


def test_the_place_updates_until_the_run_begins(
    client: Client, version: Version, alice: User, carol: User
) -> None:
    first, run = queued(make_version(alice, "first"), alice), queued(version, carol)
    page = text(client, f"/runs/{run.pk}/queue/")
    assert "2 of 2 waiting" in page
    assert "Cancel it" not in page  # signed out
    (live,) = [html.unescape(path) for path in re.findall(r'hx-get="([^"]+)"', page)]
    assert client.get(live).status_code == 204
    runner = serve("tiny")
    assert services.lease(runner=runner, models=["tiny"]) == first
    page = text(client, live)
    assert "1 of 1 waiting" in page
    assert f'/runs/{first.pk}/">alice/first==0.1.0</a>' in page
    assert services.lease(runner=runner, models=["tiny"]) == run
    assert client.get(live).headers["HX-Redirect"] == f"/runs/{run.pk}/"
    assert client.get(f"/runs/{run.pk}/queue/").headers["Location"] == f"/runs/{run.pk}/"


def test_runs_of_private_environments_are_counted_and_not_named(
    client: Client, version: Version, alice: User, carol: User
) -> None:
    queued(make_version(alice, "secret-env", visibility="private"), alice)
    run = queued(version, carol)
    services.lease(runner=serve("tiny"), models=["tiny"])
    path = f"/runs/{run.pk}/queue/"
    assert "<dt>Running now</dt><dd>1</dd>" in text(client, path)
    assert "secret-env" not in text(client, path)
    client.force_login(alice)
    assert "secret-env" in text(client, path)


def test_hostile_names_of_models_are_only_text(
    client: Client, version: Version, alice: User
) -> None:
    serve(HOSTILE[:-1])
    client.force_login(alice)
    page = client.get(PATH).content.decode()
    assert "<script>alert" not in page
    run = queued(version, alice, HOSTILE[:-1])
    Run.objects.update(model=HOSTILE)
    page = client.get(f"/runs/{run.pk}/queue/").content.decode()
    assert "<script>alert" not in page
    assert "\u202e" not in page


def test_the_page_of_a_waiting_run_computes_its_position_once(
    client: Client, version: Version, alice: User
) -> None:
    run = queued(version, alice)
    with CaptureQueriesContext(connection) as queries:
        assert "Position 1 of 1" in text(client, f"/runs/{run.pk}/")
    positions = [query for query in queries if ' AS "oldest"' in query["sql"]]
    assert len(positions) == 1


def test_a_long_queue_costs_no_more_queries(
    client: Client, version: Version, alice: User, django_assert_max_num_queries: Any
) -> None:
    runner = serve("tiny")
    for number in range(9):
        queued(make_version(alice, f"env-{number}"), alice)
    for _ in range(8):
        services.lease(runner=runner, models=["tiny"])
    with override_settings(HUB_ACTIVE_EVALUATIONS=99):
        run = queued(version, alice)
    with django_assert_max_num_queries(16):
        page = text(client, f"/runs/{run.pk}/queue/")
    assert "/runs/" in page
    client.force_login(alice)
    with django_assert_max_num_queries(20):
        text(client, PATH)

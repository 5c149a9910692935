"""Evaluations, comparisons, profiles, sessions in a browser: they fit, read well, run nothing."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from registry.accounts import runners
from registry.models import Organisation, User
from registry.runs import evaluations, services, suites
from registry.self_reported import samples
from registry.self_reported.models import Evaluation
from tests import chromium
from tests.factories import make_version
from tests.frontend.gallery import HOSTILE
from tests.frontend.test_gallery import signed_in, walk, wrong
from tests.frontend.test_profiles import published
from tests.frontend.test_sessions import EDGE, SAFARI, browser
from tests.registry.run_factories import make_runner
from tests.registry.runs.measured_models import TASKS, evaluated, pushed

pytestmark = [
    pytest.mark.browser,
    pytest.mark.once,
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(300),
]
EVIL = HOSTILE + "\u202egnirts" + "x" * 90
DARK = ("compare", "compare-pushed", "sample-hostile", "sessions", "owner")


def pages(alice: User, carol: User) -> dict[str, str]:
    """The address of each page by a name for it."""
    version = make_version(alice, "calculations-with-several-steps")
    published(version, alice)
    full = suites.built_in("full")
    weak = evaluated(version, "organisation/a-model-of-7-billion-weights-base", full, rate=0.2)
    strong = evaluated(version, "strong", full, rate=0.7)
    smoke = evaluated(version, "strong", suites.built_in("smoke"), rate=0.7)
    claim = pushed(version, carol, full, "strong", [1.0] * TASKS, 0.5)
    call = {"id": "1", "type": "function", "function": {"name": EVIL, "arguments": EVIL}}
    message = {"role": "assistant", "content": EVIL, "tool_calls": [call], "reasoning": EVIL}
    sample = {"example_id": 1, "prompt": EVIL, "completion": [message], "metrics": {EVIL: 1.0}}
    samples.add(evaluation=claim, samples=[sample | {"error": EVIL, "stop_condition": EVIL}])
    Evaluation.objects.filter(pk=claim.pk).update(name=EVIL[:200])
    own = f"/envs/alice/{version.environment.name}/evaluations/{claim.pk}/"
    return {
        "compare": f"/compare/?first={strong.pk}&second={weak.pk}",
        "compare-task": f"/runs/{strong.pk}/comparison/{weak.pk}/tasks/9/",
        "compare-pushed": f"/compare/?first={claim.pk}&second={strong.pk}",
        "compare-one": f"/compare/?first={strong.pk}",
        "compare-refused": f"/compare/?first={strong.pk}&second={smoke.pk}",
        "compare-nothing": "/compare/",
        "pushed": own,
        "samples": f"{own}samples/",
        "samples-of-task": f"{own}samples/?task=1",
        "samples-none": f"{own}samples/?task=77",
        "sample-hostile": f"{own}samples/{TASKS + 1}/",
        "evaluate-no-model": f"/envs/alice/{version.environment.name}/0.1.0/evaluate/",
        "owner": "/owners/alice/",
        "owner-nothing": "/owners/carol/",
        "organisation": "/owners/lab/",
        "sessions": "/settings/sessions/",
    }


def beside(act: Callable[[], object]) -> None:
    """Do it in a thread: Django uses no database where Playwright's event loop runs."""

    def work() -> None:
        try:
            act()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(work).result(timeout=30)


@pytest.mark.extended
def test_pages_of_evaluations_and_people_fit_read_well_and_run_nothing(
    live_server: LiveServer, alice: User, carol: User, lab: Organisation
) -> None:
    addresses = pages(alice, carol)
    browser(SAFARI, "2001:db8:1:2::5")
    browser(EDGE, "198.51.100.4")
    dark = {f"{name}-dark": addresses[name] for name in DARK}
    problems = [
        # The answer to a refused comparison is 409, which a console shows as an error.
        *(
            problem
            for problem in walk(live_server.url, "alice", addresses)
            if "409 (Conflict)" not in problem
        ),
        *walk(live_server.url, "alice", dark, "dark"),
    ]
    assert not problems, "\n".join(problems)


def test_the_place_in_the_queue_updates_itself_and_leads_to_the_run(
    live_server: LiveServer, alice: User
) -> None:
    suite = suites.built_in("smoke")
    for name in ("first-env", "second-env"):
        run = evaluations.request(
            version=make_version(alice, name), model="tiny", suite=suite, by=alice
        )
    runner = make_runner()
    runners.describe(runner=runner, capabilities={"models": ["tiny"]})
    with chromium.running() as started:
        page, problems = signed_in(started, live_server.url, "alice")
        page.goto(f"{live_server.url}/runs/{run.pk}/queue/")
        expect(page.get_by_text("2 of 2 waiting")).to_be_visible()
        problems += wrong(page, "queue")
        beside(lambda: services.lease(runner=runner, models=["tiny"]))
        expect(page.get_by_text("1 of 1 waiting")).to_be_visible(timeout=10_000)
        expect(page.get_by_role("link", name="alice/first-env==0.1.0")).to_be_visible()
        beside(lambda: services.lease(runner=runner, models=["tiny"]))
        page.wait_for_url(f"**/runs/{run.pk}/", timeout=10_000)
    assert not problems, "\n".join(problems)

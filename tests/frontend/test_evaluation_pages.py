"""Leaderboards and comparisons on a phone, light and dark: nothing is beyond the screen's edge."""

import os
from pathlib import Path

import pytest
from pytest_django.live_server_helper import LiveServer

from registry.models import User
from registry.runs import suites
from registry.self_reported import samples
from tests import chromium
from tests.factories import make_version
from tests.frontend.test_narrow import BEYOND, SCREEN
from tests.registry.runs.measured_models import TASKS, evaluated, probed, pushed

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.extended)])
@pytest.mark.extended
def test_pages_of_evaluations_fit_a_narrow_screen(
    scheme: str, live_server: LiveServer, alice: User, carol: User
) -> None:
    version = make_version(alice, "calculations-with-several-steps")
    suite = suites.create(
        environment=version.environment,
        name="a-suite-with-a-rather-long-name",
        attempts=2,
        indexes=[*range(0, TASKS * 2, 2)],
        by=alice,
    )
    probed(version)
    weak = evaluated(version, "organisation/a-model-of-7-billion-weights-base", suite, rate=0.05)
    strong = evaluated(version, "organisation/a-model-of-7-billion-weights", suite, rate=0.95)
    for model in (weak.model, "organisation/another-model"):
        claim = pushed(version, carol, suite, model, [1.0] * TASKS, 0.5)
        assert samples.results_of(evaluation=claim)
    board = f"/envs/alice/{version.environment.name}/0.1.0/leaderboard/?suite={suite.name}"
    shots, wrong = os.environ.get("SHOTS"), {}
    paths = {
        "leaderboard": board,
        "leaderboards": f"/leaderboards/?suite={suite.name}",
        "comparison": f"/runs/{strong.pk}/comparison/{weak.pk}/",
        "compare-pushed": f"/compare/?first={claim.pk}&second={claim.pk}",
        "compare-one": f"/compare/?first={claim.pk}",
        "compare": "/compare/",
        "evaluation": f"/envs/alice/{version.environment.name}/evaluations/{claim.pk}/",
        "samples": f"/envs/alice/{version.environment.name}/evaluations/{claim.pk}/samples/",
        "sample": f"/envs/alice/{version.environment.name}/evaluations/{claim.pk}/samples/3/",
        "run": f"/runs/{strong.pk}/",
        "version": f"/envs/alice/{version.environment.name}/0.1.0/",
    }
    with chromium.running() as browser:
        context = browser.new_context(viewport=SCREEN, color_scheme=scheme)  # type: ignore[arg-type]
        page = context.new_page()
        for name, path in paths.items():
            answer = page.goto(f"{live_server.url}{path}")
            assert answer is not None
            assert answer.ok, path
            if overflow := page.evaluate(BEYOND):
                wrong[path] = overflow
            if shots:
                page.screenshot(path=Path(shots, f"{name}-{scheme}.png"), full_page=True)
    assert wrong == {}

"""The pages of an evaluation in a browser: they fit, read well and run nothing."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from registry.models import User
from tests import chromium
from tests.frontend import gallery_rollouts
from tests.frontend.test_gallery import signed_in, walk
from tests.frontend.test_narrow import BEYOND

pytestmark = [
    pytest.mark.browser,
    pytest.mark.once,
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(300),
]
WIDTHS = (768, 1440)


@pytest.mark.extended
def test_the_pages_of_an_evaluation_fit_read_well_and_run_nothing(
    live_server: LiveServer, alice: User
) -> None:
    pages = gallery_rollouts.pages(alice)
    dark = {f"{name}-dark": path for name, path in pages.items()}
    problems = [
        *walk(live_server.url, "alice", pages),
        *walk(live_server.url, "alice", dark, "dark"),
    ]
    with chromium.running() as browser:
        page, messages = signed_in(browser, live_server.url, "alice")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            for name, path in pages.items():
                page.goto(live_server.url + path)
                problems += [f"{name}-{width}: {each}" for each in page.evaluate(BEYOND)]
    assert not problems + messages, "\n".join(problems + messages)


def test_keys_lead_from_rollout_to_rollout_and_from_message_to_message(
    live_server: LiveServer, alice: User
) -> None:
    run = gallery_rollouts.evaluation(alice)
    numbers = list(
        run.rollouts.filter(task=0, policy="model")
        .order_by("-attempt")
        .values_list("pk", flat=True)
    )
    first = f"/runs/{run.pk}/rollouts/{numbers[-1]}/?policy=model&task=0"
    with chromium.running() as browser:
        page, messages = signed_in(browser, live_server.url, "alice")
        page.goto(live_server.url + first)
        for key, number in (("n", numbers[-2]), ("ArrowRight", numbers[-3]), ("p", numbers[-2])):
            with page.expect_navigation():
                page.keyboard.press(key)
            assert f"/rollouts/{number}/?policy=model&task=0" in page.url
        prompt = page.locator("#turn-0 details")
        assert prompt.get_attribute("open") is None
        for key, anchor in (("j", 0), ("j", 1), ("j", 2), ("j", 3), ("k", 2), ("k", 1)):
            page.keyboard.press(key)
            expect(page.locator(f"#turn-{anchor}:target")).to_be_visible()
        assert prompt.get_attribute("open") is not None
        page.locator("#find").fill("jnp")
        assert page.url.endswith("#turn-1")  # what is typed into a field is no command
    assert not messages


CUT_SUITES = """() => [...document.querySelectorAll(".rollouts td[data-label=Run]")]
    .filter(cell => cell.scrollWidth > cell.clientWidth).length"""


def test_the_rollouts_of_several_runs_fit_between_phone_and_desk(
    live_server: LiveServer, alice: User
) -> None:
    run = gallery_rollouts.evaluation(alice)
    env = run.version.environment
    with chromium.running() as browser:
        page, _ = signed_in(browser, live_server.url, "alice")
        for width in (602, 768, 861):
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(f"{live_server.url}/envs/{env.owner.name}/{env.name}/?tab=rollouts")
            assert page.locator(".rollouts tbody tr").count() > 1
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.evaluate(CUT_SUITES) == 0

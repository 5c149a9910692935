"""Pages on a phone, light and dark: nothing lies beyond the screen's edge."""

import os
from pathlib import Path

import pytest
from django.db.models import CharField, Value
from django.db.models.functions import Cast, Concat
from pytest_django.live_server_helper import LiveServer

from registry import events
from registry.accounts import invitations, tokens
from registry.models import Organisation, User
from registry.publishers import services as publishers
from registry.runs import suites
from tests import chromium
from tests.factories import make_version
from tests.frontend import gallery_learnability
from tests.registry.runs.measured_models import evaluated

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
REWARDS = [[0.0, 1.0, 0.5, 0.5]] * 10
SCREEN = {"width": 390, "height": 844}
SIGNED_OUT = ("/", "/publish/", "/runner/", "/login/", "/signup/", "/password/reset/")
SIGNED_IN = (
    "/owners/alice/journal/",
    "/envs/alice/demo-env/journal/",
    "/orgs/lab/",
    "/owners/lab/journal/",
    "/owners/lab/quota/",
    "/settings/usage/",
    "/settings/organisations/",
    "/envs/alice/demo-env/settings/publishers/",
    "/envs/alice/demo-env/settings/provisions/",
    "/settings/tokens/",
    "/settings/security/",
    "/password/change/",
    "/email/",
    "/reauthenticate/",
)
# What the page, or a box in it that scrolls by itself, has beyond its right edge.
BEYOND = """() => [document.documentElement, ...document.querySelectorAll(".scroll")]
    .filter(box => box.scrollWidth > box.clientWidth)
    .map(box => `${box.tagName} ${box.scrollWidth} > ${box.clientWidth}`)"""


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.extended)])
@pytest.mark.extended
def test_pages_fit_a_narrow_screen(
    scheme: str, live_server: LiveServer, lab: Organisation, alice: User
) -> None:
    version = make_version(alice)
    to = "somebody.with-a-long-name@department.example.com"
    invitations.invite(organisation=lab, to=to, role="maintainer", by=alice)
    reason = (
        "the reward of multi-turn tasks is wrong: see https://example.com/a/rather/long/address"
    )
    events.record("version.yanked", by=alice, environment=version.environment, reason=reason)
    maker, _ = tokens.mint(user=alice, name="rotation-of-the-laboratory-cluster", scope="admin")
    tokens.mint(user=alice, name="nightly-evaluations", scope="read", parent=maker)
    workflow = {"repository": "a-laboratory/rl-environments", "workflow": "publish-wheels.yml"}
    publishers.add(to=version.environment, kind="github", fields=workflow, by=alice)
    shots, wrong = os.environ.get("SHOTS"), {}
    with chromium.running() as browser:
        context = browser.new_context(viewport=SCREEN, color_scheme=scheme)  # type: ignore[arg-type]
        page = context.new_page()

        def look(path: str) -> None:
            page.goto(f"{live_server.url}{path}")
            if overflow := page.evaluate(BEYOND):
                wrong[path] = overflow
            if shots:
                name = path.strip("/").replace("/", "-") or "home"
                page.screenshot(path=Path(shots, f"{name}-{scheme}.png"), full_page=True)

        for path in SIGNED_OUT:
            look(path)
        page.goto(f"{live_server.url}/login/")
        page.get_by_label("Username").fill("alice")
        page.get_by_label("Password").fill("alice")
        page.get_by_role("button", name="Sign in", exact=True).click()
        for path in SIGNED_IN:
            look(path)
    assert wrong == {}


# The hidden headers of a table whose rows fold, if they take room on the screen.
HEADERS = """() => [...document.querySelectorAll(".fold thead")]
    .map(head => head.getBoundingClientRect())
    .filter(box => box.width > 1).length"""


@pytest.mark.parametrize("width", [390, 768])
def test_a_leaderboard_of_many_environments_stays_within_its_page(
    width: int, live_server: LiveServer, alice: User
) -> None:
    suite = suites.built_in("full")
    for number in range(12):
        version = make_version(alice, f"environment-number-{number}")
        evaluated(version, "organisation/model", suite, rate=0.5)
    with chromium.running() as browser:
        page = browser.new_page(viewport={"width": width, "height": 844})
        page.goto(f"{live_server.url}/leaderboards/")
        assert page.get_by_role("heading", name="Verified").is_visible()
        root = page.evaluate("document.documentElement.scrollWidth")
        assert root <= width
        if width == SCREEN["width"]:
            assert page.evaluate(HEADERS) == 0


LINES = """() => [...document.querySelectorAll(".environments > li")]
    .map(row => Math.round(row.clientHeight / 36))"""


def test_a_row_of_the_catalogue_has_two_lines_and_filters_are_in_reach_on_a_phone(
    live_server: LiveServer, alice: User
) -> None:
    make_version(alice, "short")
    make_version(alice, "a-name-of-forty-characters-which-is-long", summary="Many words " * 18)
    with chromium.running() as browser:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"{live_server.url}/envs/")
        assert page.evaluate(LINES) == [2, 2]
        page.set_viewport_size({"width": 768, "height": 900})
        assert page.evaluate(LINES) == [2, 2]
        page.set_viewport_size({"width": 1440, "height": 900})
        assert not page.get_by_role("link", name="Filters").is_visible()
        page.set_viewport_size(SCREEN)
        page.get_by_role("link", name="Filters").click()
        assert page.locator("#filters").bounding_box()["y"] < SCREEN["height"]  # type: ignore[index]


def test_the_footer_ends_a_short_page(live_server: LiveServer) -> None:
    with chromium.running() as browser:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"{live_server.url}/compare/")
        box = page.locator(".foot").bounding_box()
        assert box is not None
        assert round(box["y"] + box["height"]) == 900


def test_sources_costs_and_disputed_labels_fit_a_narrow_screen(
    live_server: LiveServer, alice: User
) -> None:
    gallery_learnability.played(alice, "useful", REWARDS, model="org/tiny", part="format")
    version = make_version(alice, "demo-env", status="listed")
    for model in ("organisation/one", "organisation/other"):
        run = evaluated(version, model, suites.built_in("full"), rate=1.0)
        run.rollouts.update(answer=Concat(Value("a long answer " * 4), Cast("task", CharField())))
        run.rollouts.filter(task__lt=3).update(reward=0.0)
    shots = os.environ.get("SHOTS")
    pages = {
        "card": "/envs/alice/useful/?tab=card&prices=0.15/0.60",
        "board": "/envs/alice/demo-env/0.1.0/leaderboard/?suite=full",
    }
    with chromium.running() as browser:
        page = browser.new_page(viewport=SCREEN)  # type: ignore[arg-type]
        for name, path in pages.items():
            page.goto(f"{live_server.url}{path}")
            assert page.evaluate(BEYOND) == [], name
            assert page.evaluate(HEADERS) == 0
            if shots:
                page.screenshot(path=Path(shots, f"{name}.png"), full_page=True)
        assert page.get_by_role("heading", name="Tasks with a disputed label").is_visible()

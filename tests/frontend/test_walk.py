"""Every page of the hub in a browser, with strangers' texts that attack it wherever they may stand.

The pages come from the table of routes, so that a new one is walked without an entry here. With
WALK_WHOLE=1 each is opened in every theme at every width, with and without JavaScript.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.db import transaction
from playwright.sync_api import Browser, ConsoleMessage, Page, Response
from pytest_django.live_server_helper import LiveServer

from tests import chromium
from tests.frontend import walk_data, xss
from tests.frontend.test_gallery import COLOURS, VIOLATED, WHOLE
from tests.frontend.test_narrow import BEYOND
from tests.frontend.walk_data import Stop, Walk
from tests.registry.access import routes
from tests.registry.access.table import PAGES, SIGNING_IN

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.once,
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(1200),  # some hundred pages, an audit of each
]
NARROW, MIDDLE, WIDE = 390, 768, 1440
HEIGHTS = {NARROW: 844, MIDDLE: 1024, WIDE: 900}
VIOLATIONS = """document.addEventListener("securitypolicyviolation",
    event => console.error("policy violated", event.violatedDirective, event.blockedURI))"""
SERIOUS = ("serious", "critical")
OPEN = "document.querySelectorAll('details').forEach(each => { each.open = true; })"


class Visitor:
    """The tab of one person, and what went wrong on its pages."""

    def __init__(self, browser: Browser, url: str, session: str, *, scripts: bool = True) -> None:
        self.url, self.problems = url, list[str]()
        self.context = browser.new_context(
            viewport={"width": NARROW, "height": HEIGHTS[NARROW]},
            java_script_enabled=scripts,
            reduced_motion="reduce",
        )
        if session:
            self.context.add_cookies([{"name": "sessionid", "value": session, "url": url}])
        self.page = self.context.new_page()
        self.page.add_init_script(VIOLATIONS)
        self.page.on("console", self._message)
        self.page.on("pageerror", lambda error: self.note(str(error)))

    def _message(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.note(message.text)

    def note(self, problem: str) -> None:
        """A problem of the page that is shown."""
        self.problems.append(f"{urlsplit(self.page.url).path}: {problem}")

    def open(self, stop: Stop) -> Page:
        """The page, which must answer 200 at this address and hold nothing that would run."""
        response = self.page.goto(self.url + stop.path)
        assert isinstance(response, Response)
        shown = urlsplit(self.page.url)
        if response.status != 200 or shown.path != urlsplit(stop.path).path:
            self.note(f"{stop.route}: {response.status} instead of the page {stop.path}")
        # The pages that sign people in show no stranger's text, and the library's data in scripts.
        for problem in () if stop.route in SIGNING_IN else xss.problems(response.text()):
            self.note(f"{stop.route}: not inert: {problem}")
        if self.page.title() == "owned":
            self.note(f"{stop.route}: owned")
        return self.page

    def resize(self, width: int) -> None:
        """Show the page at that width; nothing may lie beyond its edge."""
        self.page.set_viewport_size({"width": width, "height": HEIGHTS[width]})
        for problem in self.page.evaluate(BEYOND):
            self.note(f"beyond the edge at {width}: {problem}")

    def audit(self, label: str, **options: object) -> None:
        """Note what axe finds serious or critical."""
        for violation in Axe().run(self.page, options=VIOLATED | options).response["violations"]:
            if violation["impact"] in SERIOUS:
                for node in violation["nodes"]:
                    self.note(f"{label}: {violation['id']} {node['html'][:200]}")

    def picture(self, stop: Stop, label: str) -> None:
        """Keep a picture where SHOTS names a folder."""
        if shots := os.environ.get("SHOTS"):
            name = "-".join(stop.route.replace("<", "").replace(">", "").split("/")) or "home"
            self.page.screenshot(path=Path(shots, f"{name}-{label}.png"), full_page=True)


@pytest.fixture
def walk(db: None) -> Walk:
    """The hub's pages."""
    with transaction.atomic():
        return walk_data.build()


@contextmanager
def visitors(walk: Walk, url: str, *, scripts: bool = True) -> Iterator[dict[str, Visitor]]:
    """A tab for each person."""
    with chromium.running() as browser:
        yield {
            name: Visitor(browser, url, walk.sessions.get(name, ""), scripts=scripts)
            for name in walk_data.PEOPLE
        }


def report(people: dict[str, Visitor]) -> None:
    """Fail with all problems."""
    problems = [problem for visitor in people.values() for problem in visitor.problems]
    assert not problems, "\n".join(problems)


def test_every_page_is_walked() -> None:
    pages = {
        route.path
        for route in routes.every()
        if route.view.__module__.startswith(("frontend.", "allauth."))
    }
    rows = PAGES | SIGNING_IN
    missing = sorted(pages - rows.keys())
    assert not missing, f"add to tests/registry/access/table.py who may open: {missing}"
    assert sorted(walk_data.NO_PAGE - rows.keys()) == []


def test_every_page_fits_reads_well_and_runs_nothing(live_server: LiveServer, walk: Walk) -> None:
    """Light and dark, at each width, with JavaScript."""
    with visitors(walk, live_server.url) as people:
        for stop in walk.stops:
            visitor = people[stop.person]
            page = visitor.open(stop)
            visitor.resize(NARROW)
            visitor.picture(stop, "390-light")
            page.evaluate(OPEN)
            for width in (NARROW, MIDDLE, WIDE):
                visitor.resize(width)
                if WHOLE or width == NARROW:
                    visitor.audit(f"light at {width}")
            page.emulate_media(color_scheme="dark")
            visitor.audit("dark", **({} if WHOLE else COLOURS))
            visitor.picture(stop, "1440-dark")
            if WHOLE:
                for width in (NARROW, MIDDLE):
                    visitor.resize(width)
                    visitor.audit(f"dark at {width}")
            page.emulate_media(color_scheme="light")
        report(people)


@pytest.mark.extended
def test_every_page_shows_the_same_without_javascript(live_server: LiveServer, walk: Walk) -> None:
    with visitors(walk, live_server.url, scripts=False) as people:
        for stop in walk.stops:
            visitor = people[stop.person]
            page = visitor.open(stop)
            for width in (NARROW, MIDDLE, WIDE) if WHOLE else (NARROW,):
                visitor.resize(width)
            if not page.locator("main").inner_text().strip():
                visitor.note("an empty page")
            # What only a script could do is not offered.
            if stop.route in walk_data.WITH_SCRIPTS:
                continue
            for label in page.locator("button[type=button]:visible").all_inner_texts():
                visitor.note(f"a button that does nothing: {label}")
        report(people)


@pytest.mark.extended
def test_install_is_on_the_first_screen_and_the_printed_card_fits(
    live_server: LiveServer, walk: Walk
) -> None:
    stops = [stop for stop in walk.stops if stop.route.startswith(("tab ", "envs/<owner>/<name>/"))]
    with visitors(walk, live_server.url) as people:
        visitor = people["alice"]
        for stop in stops:
            if not stop.route.startswith("tab ") and stop.route != "envs/<owner>/<name>/":
                continue
            page = visitor.open(stop)
            visitor.resize(NARROW)
            box = page.locator(".use .copy").first.bounding_box()
            if box is None or box["y"] + box["height"] > HEIGHTS[NARROW]:
                visitor.note(f"{stop.route}: Install is below the first screen: {box}")
            page.emulate_media(media="print")
            visitor.resize(MIDDLE)
            visitor.picture(stop, "print")
            page.emulate_media(media="screen")
        report(people)

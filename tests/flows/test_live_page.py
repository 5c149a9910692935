"""A run's live page: it shows runner events in time, without executing them, while it is read.

The test is the runner, so it has the time at which the hub stored each event.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import pytest
import requests
from playwright.sync_api import Page, expect

from envyard.contract.job import JobSpec
from envyard.contract.runner_events import Events, Finish, RolloutResult
from tests import chromium
from tests.flows.hub import Hub
from tests.wheels import make_wheel

pytestmark = [pytest.mark.flow, pytest.mark.browser, pytest.mark.timeout(600)]

PROMISED = 2.0  # seconds from stored to seen
PATIENCE = 60_000  # milliseconds, for one answer of a busy machine
HOSTILE = (
    "</pre><script>window.owned = 1</script><img src=x onerror='window.owned = 1'>"
    "\x1b[31mred\x1b[0m\x07 \x1b]0;owned\x07\u202edne\n"
)
# When the page first shows a line of the log, and a number of rollouts; whether it was left.
WATCH = """() => {
    window.shown = {};
    const look = () => {
        const log = document.getElementById("log")?.textContent ?? "";
        const done = document.querySelector("progress")?.value ?? 0;
        for (const [line] of log.matchAll(/tick \\d+/g)) window.shown[line] ??= Date.now();
        window.shown[`done ${done}`] ??= Date.now();
    };
    new MutationObserver(look).observe(document.body, {childList: true, subtree: true});
}"""
# Seconds that one answer takes just now.
ASK = """async () => {
    const begun = performance.now();
    await (await fetch(location.pathname + "live/")).text();
    return (performance.now() - begun) / 1000;
}"""


@dataclass
class LeasedRun:
    """A run that the test has leased, and the times at which the hub stored its events."""

    hub: Hub
    job: JobSpec
    seq: int = 0
    stored: dict[str, float] = field(default_factory=dict)

    def post(self, endpoint: str, body: dict[str, Any]) -> dict[str, Any]:
        """Send one request; repeated while the hub is away."""
        url = f"{self.hub.url}/api/v1/runner/runs/{self.job.run}/{endpoint}/"
        headers = {"Authorization": f"Bearer {self.job.run_token}"}
        answer = self.hub.wait(lambda: _posted(url, headers, body), f"{endpoint} to be taken")
        answer.raise_for_status()
        body_: dict[str, Any] = answer.json()
        return body_

    def tick(self, text: str = "") -> dict[str, Any]:
        """Send one more line of log and one more rollout; the hub's answer."""
        self.seq += 1
        line = f"tick {self.seq}"
        policy, task = divmod(self.seq - 1, self.job.tasks)
        batch = Events(
            self.job.attempt,
            self.seq,
            "running",
            log=f"{text}{line}\n",
            done=self.seq,
            total=len(self.job.policies) * self.job.tasks,
            rollouts=[RolloutResult(self.job.policies[policy], task, 0, ok=True, reward=0.0)],
        )
        answer = self.post("events", batch.to_dict())
        self.stored[line] = self.stored[f"done {self.seq}"] = time.time()
        return answer


def _posted(url: str, headers: dict[str, str], body: dict[str, Any]) -> Any:
    try:
        return requests.post(url, headers=headers, json=body, timeout=20)
    except requests.ConnectionError:
        return None


@pytest.fixture(scope="module")
def leased(hub: Hub, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LeasedRun]:
    """alice/live-page, leased by the test and not by the hub's own runner."""
    token = hub.manage("create_runner", "by-hand")
    hub.manage("drain_runner", hub.runner)
    try:
        wheel = tmp_path_factory.mktemp("wheel") / "live_page-0.1.0-py3-none-any.whl"
        wheel.write_bytes(make_wheel("live-page"))
        hub.run("push", "--no-wait", wheel)
        poll = f"{hub.url}/api/v1/runner/poll/"
        headers = {"Authorization": f"Bearer {token}"}
        claim = hub.wait(
            lambda: requests.post(poll, headers=headers, json={}, timeout=20).content, "a run"
        )
        yield LeasedRun(hub, JobSpec.from_dict(json.loads(claim)))
    finally:
        hub.manage("drain_runner", hub.runner, "--resume")


@dataclass
class Reader:
    """alice's tab with the run's page, its requests and its errors."""

    page: Page
    requested: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def count_requests(self, seconds: float) -> int:
        """The number of its polls in that time."""
        self.requested.clear()
        self.page.wait_for_timeout(1000 * seconds)
        return len(self.requested)

    def shown_at(self, text: str) -> float:
        """The Unix time at which it first showed that text."""
        self.page.wait_for_function("(what) => window.shown[what]", arg=text, timeout=PATIENCE)
        return float(self.page.evaluate("(what) => window.shown[what]", text)) / 1000


@pytest.fixture(scope="module")
def reader(leased: LeasedRun) -> Iterator[Reader]:
    """Signed in, with the page open before the first event."""
    expect.set_options(timeout=PATIENCE)
    passwords = json.loads((leased.hub.home / "demo.json").read_text())
    with chromium.running() as browser:
        reader = Reader(browser.new_page())
        page = reader.page
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: reader.problems.append(str(error)))
        page.on(
            "request",
            lambda request: "/live/" in request.url and reader.requested.append(request.url),
        )
        page.on("requestfailed", lambda request: reader.failed.append(request.url))
        page.on(
            "console",
            lambda message: "olicy" in message.text and reader.problems.append(message.text),
        )
        page.goto(f"{leased.hub.url}/login/?next=/runs/{leased.job.run}/")
        page.get_by_label("Username").fill("alice")
        page.get_by_label("Password").fill(passwords["alice"])
        page.get_by_role("button", name="Sign in", exact=True).click()
        expect(page.locator("#live")).to_be_visible()
        page.evaluate(WATCH)
        yield reader
        assert reader.problems == []


def test_runner_events_are_on_the_page_within_two_seconds(
    leased: LeasedRun, reader: Reader
) -> None:
    answers = []
    for phase in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):  # within a polling interval
        reader.page.wait_for_timeout(1000 * phase)
        leased.tick()
        answers.append(reader.page.evaluate(ASK))
        for text in (f"tick {leased.seq}", f"done {leased.seq}"):
            reader.shown_at(text)
    took = [reader.shown_at(text) - at for text, at in leased.stored.items()]
    assert median(took) < PROMISED + median(answers), (took, answers)


def test_codes_and_markup_in_a_log_do_nothing(leased: LeasedRun, reader: Reader) -> None:
    leased.tick(HOSTILE)
    reader.shown_at(f"tick {leased.seq}")
    log = reader.page.locator("#log")
    expect(log).to_contain_text("<script>window.owned = 1</script>")
    shown = log.inner_text()
    assert "red" in shown
    assert not [sign for sign in shown if sign != "\n" and not sign.isprintable()]
    for width in (1280, 390):
        reader.page.set_viewport_size({"width": width, "height": 844})
        assert reader.page.evaluate("document.documentElement.scrollWidth") <= width
    assert reader.page.evaluate("window.owned") is None
    assert reader.problems == []


def test_focus_stays_where_the_reader_has_it(leased: LeasedRun, reader: Reader) -> None:
    reader.page.locator("#cancel").focus()
    leased.tick()
    reader.shown_at(f"tick {leased.seq}")
    assert reader.page.evaluate("document.activeElement.id") == "cancel"


def test_a_hidden_tab_sends_no_requests(leased: LeasedRun, reader: Reader) -> None:
    hide = "(hidden) => Object.defineProperty(document, 'hidden', {value: hidden, configurable: 1})"
    assert reader.count_requests(2.5) >= 1
    reader.page.evaluate(hide, True)
    reader.page.wait_for_timeout(1000)
    assert reader.count_requests(2.5) == 0
    reader.page.evaluate(hide, False)
    leased.tick()
    reader.shown_at(f"tick {leased.seq}")


def test_the_page_goes_on_when_the_hub_was_away(leased: LeasedRun, reader: Reader) -> None:
    before = leased.hub.pid("web")
    os.kill(before, signal.SIGKILL)
    reader.page.context.set_offline(True)  # a new process may be there before the page polls
    reader.page.wait_for_timeout(2000)
    reader.page.context.set_offline(False)
    assert [url for url in reader.failed if "/live/" in url]
    leased.hub.wait(lambda: leased.hub.pid("web") != before, "another web process")
    leased.tick()
    reader.shown_at(f"tick {leased.seq}")  # in the same page, without a reload


def test_a_run_is_cancelled_once_the_reader_is_sure(leased: LeasedRun, reader: Reader) -> None:
    page = reader.page
    page.get_by_role("link", name="Cancel this run").click()
    page.get_by_role("link", name="Keep it running").click()
    expect(page.locator("#live .pill").first).to_have_text("running")
    page.get_by_role("link", name="Cancel this run").click()
    page.get_by_role("button", name="Cancel the run").click()
    expect(page.locator("#live .pill").first).to_have_text("cancelling")
    expect(page.locator("#cancel")).to_have_count(0)
    assert leased.tick()["cancel"] is True
    expect(page.locator("#log")).to_contain_text(f"tick {leased.seq}")
    expect(page.locator("#live .pill").first).to_have_text("cancelling")
    leased.post("finish", Finish(leased.job.attempt, "cancelled").to_dict())
    expect(page.locator("#live .pill").first).to_have_text("cancelled")
    expect(page.get_by_role("button", name="Evaluate again")).to_be_visible()
    assert reader.count_requests(2.5) == 0  # it has ended

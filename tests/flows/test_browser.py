"""What a person does in the browser: a newcomer from sign-up to a listed environment."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect

from tests import chromium
from tests.flows.hub import BIN, Hub, clean_environ
from tests.wheels import TASKSET, make_wheel

pytestmark = [pytest.mark.flow, pytest.mark.browser, pytest.mark.timeout(600)]

PATIENCE = 60_000  # milliseconds, for one answer of a busy machine
NAME, PASSWORD = "nora", "quite-a-long-one"
# Slow enough to be watched, and with something to read.
SLOW = TASKSET.replace("import verifiers.v1", "import asyncio\n\nimport verifiers.v1").replace(
    "        return float(",
    '        print("scoring", repr(trace.last_reply[:40]), flush=True)\n'
    "        await asyncio.sleep(1.5)\n        return float(",
)


@dataclass
class Visitor:
    """One browser tab, where it is, and everything that went wrong on its pages."""

    browser: Browser
    page: Page
    url: str
    problems: list[str] = field(default_factory=list)

    def tab(self) -> Page:
        """Another tab of the same person."""
        return watched(self.page.context.new_page(), self.problems)

    def open(self, path: str, page: Page | None = None) -> Page:
        """Go there by its address; it must answer 200."""
        page = page or self.page
        answer = page.goto(self.url + path if path.startswith("/") else path)
        assert answer is not None
        assert answer.status == 200, path
        return page


def watched(page: Page, problems: list[str]) -> Page:
    """The page, its errors and violations of the content security policy noted down."""

    def record_message(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            problems.append(f"{page.url}: {message.text}")

    page.set_default_timeout(PATIENCE)
    page.on("console", record_message)
    page.on("pageerror", lambda error: problems.append(f"{page.url}: {error}"))
    page.add_init_script(
        "document.addEventListener('securitypolicyviolation',"
        " (e) => console.error('policy violated', e.violatedDirective, e.blockedURI))"
    )
    return page


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One for all of these tests."""
    with chromium.running() as browser:
        yield browser


@pytest.fixture(scope="module")
def visitor(browser: Browser, hub: Hub) -> Iterator[Visitor]:
    """nora, who has just signed up."""
    expect.set_options(timeout=PATIENCE)
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    problems: list[str] = []
    nora = Visitor(browser, watched(context.new_page(), problems), hub.url, problems)
    page = nora.open("/")
    page.get_by_role("link", name="Sign up").click()
    page.get_by_label("Username").fill(NAME)
    page.get_by_label("Email").fill("nora@example.com")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign up").click()
    expect(page.get_by_role("link", name=NAME)).to_be_visible()
    yield nora
    context.close()


@pytest.fixture(autouse=True)
def spotless(visitor: Visitor) -> Iterator[None]:
    """No page of a test may log an error."""
    yield
    problems, visitor.problems[:] = list(visitor.problems), []
    assert not problems, "\n".join(problems)


@pytest.fixture(scope="module")
def token(visitor: Visitor) -> str:
    """A token made on the Tokens page, where it is seen once."""
    page = visitor.open("/settings/tokens/")
    page.get_by_label("Name").fill("laptop")
    page.get_by_role("button", name="Create token").click()
    text = page.locator(".note.good code").inner_text()
    assert text.startswith("hub_")
    visitor.open("/settings/tokens/")
    expect(page.locator("td", has_text="laptop")).to_be_visible()
    assert text not in page.content()
    return text


@dataclass
class Pushed:
    """The addresses of a version and of its run, and what its live pages showed on the way."""

    version: str
    run: str
    progress: list[int]
    log: list[int]
    reloaded: bool


@pytest.fixture(scope="module")
def pushed(
    visitor: Visitor, token: str, hub: Hub, tmp_path_factory: pytest.TempPathFactory
) -> Pushed:
    """nora/watch-me, pushed with her token and watched from checking to listed."""
    wheel = tmp_path_factory.mktemp("wheel") / "watch_me-0.1.0-py3-none-any.whl"
    wheel.write_bytes(make_wheel("watch-me", files={"watch_me/__init__.py": SLOW}))
    hub.run("push", "--no-wait", wheel, by="", HUB_TOKEN=token)
    page = visitor.open(f"/envs/{NAME}/watch-me/0.1.0/")
    page.evaluate("window.sameDocument = true")
    link = page.locator("#live a", has_text="Run ")
    expect(link).to_be_visible()
    address = str(link.get_attribute("href"))
    run = visitor.open(address, visitor.tab())
    run.evaluate("window.sameDocument = true")
    result = Pushed(page.url, run.url, [], [], reloaded=False)
    while run.locator("#live[hx-get]").count():
        progress = run.evaluate(
            """() => [document.querySelector("progress")?.value ?? -1,
                document.querySelector(".log")?.textContent.length ?? 0,
                window.sameDocument === true]"""
        )
        if progress[0] >= 0:
            result.progress.append(progress[0])
            result.log.append(progress[1])
            result.reloaded |= not progress[2]
        run.wait_for_timeout(500)
    expect(run.locator("#live .pill").first).to_have_text("succeeded")
    expect(page.locator("h2 .pill")).to_have_text("listed")
    run.close()
    return result


def test_one_signs_out_and_in_again(visitor: Visitor) -> None:
    page = visitor.open("/")
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("link", name="Sign in").click()
    page.get_by_label("Username").fill(NAME)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("link", name=NAME)).to_be_visible()


def test_hub_login_is_confirmed_on_the_page_it_names(
    visitor: Visitor, hub: Hub, tmp_path: Path
) -> None:
    config = {"XDG_CONFIG_HOME": str(tmp_path)}
    login = subprocess.Popen(
        [BIN / "hub", "login", "--no-browser"],
        env=clean_environ() | config | {"HUB_URL": hub.url},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert login.stderr
        line = next(line for line in login.stderr if "/device/" in line)
        page = visitor.open(line.strip())
        expect(page.locator(".code")).to_have_text(line.strip()[-9:])
        page.get_by_role("button", name="Confirm").click()
        expect(page.get_by_text("Return to your terminal")).to_be_visible()
        _, output = login.communicate(timeout=60)
    finally:
        login.kill()
        login.communicate()
    assert login.returncode == 0, output
    assert hub.run("whoami", by="", **config).stdout.strip() == NAME


def test_a_push_is_watched_live_until_it_is_listed(visitor: Visitor, pushed: Pushed) -> None:
    assert not pushed.reloaded
    assert len(set(pushed.progress)) > 2, pushed.progress
    assert pushed.progress == sorted(pushed.progress)
    assert len(set(pushed.log)) > 2, pushed.log
    page = visitor.open(pushed.version)
    expect(page.locator(".strip .done")).to_have_count(4)
    expect(page.locator(".copy code").first).to_have_text(f"hub install {NAME}/watch-me==0.1.0")
    expect(page.get_by_text("Yank this version")).to_be_visible()


def test_a_decided_version_and_an_ended_run_ask_no_more(visitor: Visitor, pushed: Pushed) -> None:
    requests: list[str] = []
    page = visitor.tab()

    def note(request: Request) -> None:
        if "/live/" in request.url:
            requests.append(request.url)

    page.on("request", note)
    for path in (pushed.version, pushed.run):
        visitor.open(path, page).wait_for_timeout(3000)  # the live part polls every 2 s
    page.close()
    assert not requests


def test_arrow_keys_step_through_the_rollouts(visitor: Visitor, pushed: Pushed) -> None:
    page = visitor.open(pushed.run)
    page.locator("tbody a", has_text="oracle · task").first.click()
    expect(page.locator("section.turn.assistant")).to_contain_text("The word is ")
    page.wait_for_load_state()  # the text is there before the script that reads keys
    first = page.url
    for key, moved in (("ArrowRight", True), ("ArrowLeft", False)):
        with page.expect_navigation():
            page.keyboard.press(key)
        assert (page.url != first) is moved


def test_slash_searches_from_every_page(visitor: Visitor, pushed: Pushed) -> None:
    page = visitor.open(pushed.run)
    page.keyboard.press("/")
    page.keyboard.type("watch me")
    page.keyboard.press("Enter")
    expect(page.locator(".rows .name", has_text=f"{NAME}/watch-me")).to_be_visible()
    page.get_by_title("Remove this filter").click()
    page.wait_for_url("**/envs/?*")
    assert "q=" not in page.url


def test_a_yank_is_shown_and_undone(visitor: Visitor, pushed: Pushed) -> None:
    page = visitor.open(pushed.version)
    page.get_by_label("Reason to yank").fill("the reward was wrong")
    page.get_by_role("button", name="Yank this version").click()
    expect(page.locator(".note.warn")).to_contain_text("the reward was wrong")
    page.get_by_role("button", name="Un-yank this version").click()
    expect(page.locator(".note.warn")).to_have_count(0)


def test_a_second_listed_version_is_compared_with_the_first(
    visitor: Visitor, pushed: Pushed, token: str, hub: Hub, tmp_path: Path
) -> None:
    wheel = tmp_path / "watch_me-0.1.1-py3-none-any.whl"
    wheel.write_bytes(make_wheel("watch-me", "0.1.1"))
    hub.run("push", wheel, by="", HUB_TOKEN=token)
    page = visitor.open(f"/envs/{NAME}/watch-me/")
    page.locator(".tabs").get_by_role("link", name="Versions").click()
    page.get_by_role("link", name="since 0.1.0").click()
    expect(page.get_by_role("heading", name="Changes from 0.1.0 to 0.1.1")).to_be_visible()
    floor = page.locator("tr", has=page.get_by_role("link", name="Floor", exact=True))
    expect(floor.locator(".pill")).to_have_count(2)
    expect(page.get_by_text("watch_me/__init__.py").first).to_be_visible()
    page.locator(".tabs").get_by_role("link", name="Rollouts").click()
    page.get_by_label("Policy").select_option("oracle")
    page.get_by_role("button", name="Filter").click()
    page.locator(".rollouts tbody a", has_text="oracle · task").first.click()
    expect(page.locator("section.turn.assistant")).to_contain_text("The word is ")


@pytest.fixture(scope="module")
def pages(visitor: Visitor, pushed: Pushed) -> list[str]:
    """One address of each kind of page."""
    page = visitor.open(pushed.run)
    rollout = page.locator("tbody a", has_text="babble · task").first.get_attribute("href")
    environment = pushed.version.removesuffix("0.1.0/")
    tabs = [f"{environment}?tab={tab}" for tab in ("card", "readme", "rollouts", "versions")]
    plain = ["/", "/envs/", "/envs/?q=watch", "/publish/", "/settings/tokens/", "/device/"]
    own = ["/settings/security/", "/settings/security/totp/activate/", "/email/"]
    own += ["/password/change/", "/settings/organisations/", "/settings/invitations/"]
    return [
        *plain,
        *own,
        "/password/reset/",
        f"/owners/{NAME}/",
        *tabs,
        pushed.version,
        pushed.run,
        str(rollout),
    ]


def test_no_page_is_wider_than_a_phone(visitor: Visitor, pages: list[str]) -> None:
    page = visitor.tab()
    page.set_viewport_size({"width": 390, "height": 844})
    wide = []
    for path in pages:
        width = visitor.open(path, page).evaluate("document.documentElement.scrollWidth")
        if width > 390:
            wide.append(f"{path}: {width}")
    page.close()
    assert not wide, wide


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_can_be_read_in_either_light(
    visitor: Visitor, pages: list[str], scheme: Any
) -> None:
    page = visitor.tab()
    page.emulate_media(color_scheme=scheme)
    for path in pages:
        visitor.open(path, page)
        background, text = (brightness(page, name) for name in ("backgroundColor", "color"))
        assert (text - background > 0.6) if scheme == "dark" else (background - text > 0.6), path
    page.close()


def brightness(page: Page, name: str) -> float:
    """0 to 1, of the body's colour of that name."""
    colour = page.evaluate("(name) => getComputedStyle(document.body)[name]", name)
    return sum(int(part) for part in re.findall(r"\d+", colour)[:3]) / 765

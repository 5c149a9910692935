"""From a line in the sandbox to the reader's page: the whole way, over real HTTP, in time."""

import asyncio
import html
import re
import time
from statistics import median

import aiohttp
import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from envyard.contract.job import JobSpec
from envyard_runner.hub_api.client import HubClient
from envyard_runner.hub_api.event_outbox import EventOutbox
from frontend.pages.refresh_interval import pace
from registry.models import Run, User
from registry.runs.queue import Position
from registry.runs.spec import job_spec
from tests.registry.run_factories import make_leased_run, make_version

pytestmark = [pytest.mark.once, pytest.mark.django_db(transaction=True)]
PROMISED = 2.0  # seconds
LINES = 5


def page_of(run: Run) -> tuple[str, float]:
    """The address that the run's page polls, and the interval in seconds."""
    text = Client().get(f"/runs/{run.pk}/").content.decode()
    address = re.search(r'hx-get="([^"]+)"\s+hx-trigger="every (\d+)s"', text)
    assert address is not None
    return html.unescape(address[1]), float(address[2])


async def follow(url: str, address: str, every: float, shown: dict[str, float]) -> None:
    """Poll as the page does until all lines have come: each answer has the next address, and 204
    changes nothing."""
    async with aiohttp.ClientSession() as session:
        while len(shown) < LINES:
            await asyncio.sleep(every)
            async with session.get(url + address) as answer:
                if answer.status == 204:
                    continue
                text = await answer.text()
            address = html.unescape(re.findall(r'hx-get="([^"]+)"', text)[0])
            for line in re.findall(r"line \d", text):
                shown.setdefault(line, time.monotonic())


async def play(url: str, job: JobSpec, address: str, every: float) -> list[float]:
    """Seconds from saying each line to the page that shows it."""
    sent: dict[str, float] = {}
    shown: dict[str, float] = {}
    async with aiohttp.ClientSession() as session:
        reports = EventOutbox(HubClient(session, url=url, token="hubr_x"), job)
        reports.phase = "running"
        talking = asyncio.create_task(reports.keep_sending())
        following = asyncio.create_task(follow(url, address, every, shown))
        for number in range(LINES):
            await asyncio.sleep(1.3)
            sent[f"line {number}"] = time.monotonic()
            reports.add_output(f"line {number}\n".encode())
        await asyncio.wait_for(following, timeout=20)
        talking.cancel()
    return [shown[line] - at for line, at in sent.items()]


def test_what_the_sandbox_prints_is_on_the_page_within_two_seconds(
    live_server: LiveServer, alice: User
) -> None:
    version = make_version(alice.owner, status="evaluating")
    run = make_leased_run(version, policies=("silent",))
    type(version).objects.update(status="listed", listed_at=version.uploaded_at)
    address, every = page_of(run)
    took = asyncio.run(play(live_server.url, job_spec(run), address, every))
    assert median(took) < PROMISED, took


@pytest.mark.parametrize(("before", "seconds"), [(0, 1), (4, 1), (5, 2), (37, 8), (500, 10)])
def test_page_of_a_run_far_back_in_the_queue_refreshes_more_rarely(
    before: int, seconds: int
) -> None:
    assert pace(Position(before, 501, 2, timezone.now(), 0)) == seconds
    assert pace(None) == 1

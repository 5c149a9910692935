"""The pages of an evaluation in a browser: they fit, read well and run nothing."""

from __future__ import annotations

import pytest
from pytest_django.live_server_helper import LiveServer

from registry.models import User
from tests import chromium
from tests.frontend import gallery_rollouts
from tests.frontend.test_gallery import signed_in, walk, wrong

pytestmark = [
    pytest.mark.browser,
    pytest.mark.once,
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(300),
]
WIDTHS = (768, 1440)


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
                problems += wrong(page, f"{name}-{width}")
    assert not problems + messages, "\n".join(problems + messages)

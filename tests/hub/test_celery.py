"""The queue: the clock rings tasks that exist, and a message reaches the folder it is meant for."""

import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from celery import current_app
from django.conf import settings
from kombu import Connection

from envyard.messaging.celery_settings import filesystem_options
from hub.celery import app

OWN = (
    "envyard.messaging.filesystem_transport:Transport",
    "envyard.messaging.filesystem_transport:Transport",
)  # the hub's and the runner's
SEND = """
import django; django.setup()
from celery import current_app
import threading
transport = current_app.connection_for_write().transport_cls
assert transport == "envyard.messaging.filesystem_transport:Transport"
send = lambda: current_app.send_task("envyard.run", queue="runs")
thread = threading.Thread(target=send); thread.start(); thread.join()
"""


def test_every_task_of_the_clock_exists() -> None:
    app.loader.import_default_modules()
    scheduled = {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert scheduled <= set(app.tasks)
    assert len(scheduled) == 8


def test_web_threads_send_through_the_hubs_own_app() -> None:
    brokers: list[str] = []
    thread = threading.Thread(target=lambda: brokers.append(current_app.main))
    thread.start()
    thread.join()
    assert brokers == ["hub"]


def test_message_for_runners_is_a_file_in_the_embedded_brokers_folder(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-W", "error", "-c", SEND],
        env={"DJANGO_SETTINGS_MODULE": "hub.settings", "HUB_HOME": str(tmp_path), "PATH": "/bin"},
        cwd=settings.BASE_DIR,
        check=True,
        timeout=60,
    )
    (message,) = (tmp_path / "broker" / "messages").iterdir()
    body = json.loads(message.read_text())
    assert body["headers"]["task"] == "envyard.run"
    assert body["properties"]["delivery_info"]["routing_key"] == "runs"


@pytest.mark.parametrize("own", OWN)
def test_who_waits_for_mail_looks_up_every_moment(tmp_path: Path, own: str) -> None:
    """Otherwise Ctrl-C would wait for Celery's two seconds."""
    options = filesystem_options(f"filesystem://{tmp_path}")
    with Connection("filesystem://", transport=own, transport_options=options) as broker:
        broker.channel()
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            broker.drain_events(timeout=2.0)
        assert time.monotonic() - began < 1.5


@pytest.mark.parametrize("own", OWN)
def test_nobody_takes_a_message_that_is_still_being_written(tmp_path: Path, own: str) -> None:
    options = filesystem_options(f"filesystem://{tmp_path}")
    with Connection("filesystem://", transport=own, transport_options=options) as broker:
        channel: Any = broker.channel()

        class Slow:
            def __json__(self) -> str:
                with pytest.raises(Empty):
                    channel._get("hub")
                return "whole"

        channel._put("hub", {"body": Slow()})
        assert channel._get("hub") == {"body": "whole"}

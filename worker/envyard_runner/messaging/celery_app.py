"""The Celery side: a message notifies the worker that a run is queued, and the task leases it from
the hub."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from billiard import active_children
from celery import Celery
from celery.signals import setup_logging, worker_process_init, worker_shutting_down
from celery.worker import state

from envyard.contract.job import RUNS
from envyard.messaging.celery_settings import FILESYSTEM, SETTINGS, broker_settings, direct_queue
from envyard.messaging.parent import die_with_parent
from envyard.messaging.reconnect import ReconnectAfterLostAck
from envyard_runner.config import Config
from envyard_runner.execution.run import RunnerContext
from envyard_runner.hub_api.client import HubRefused, HubUnreachable
from envyard_runner.messaging.poll import DiskTooFull, hub_session, poll_once
from envyard_runner.messaging.queue_subscription import QueueSubscription
from envyard_runner.sandbox import reap_orphans
from envyard_runner.sandbox.cgroup import limit_mechanism
from envyard_runner.state.process_state import is_draining, runner_process
from envyard_runner.state.service import NotInService

log = logging.getLogger(__name__)

TASK = "envyard.run"
CLEANUP_SECONDS = 120.0


def make_app(machine: RunnerContext, broker_folder: Path) -> Celery:
    """The runner's Celery app; `broker_folder` holds the messages where no broker is configured.

    It must be the hub's own folder, $HUB_HOME/broker or that of `filesystem:///folder`.
    """
    url = machine.config.broker_url or f"{FILESYSTEM}{broker_folder}"
    app = Celery("envyard_runner", broker=url, set_as_current=False)
    app.conf.update(
        SETTINGS,
        worker_redirect_stdouts=False,
        worker_proc_alive_timeout=CLEANUP_SECONDS,
        task_queues=[direct_queue(RUNS)],
        task_default_queue=RUNS,
        **broker_settings(url),
    )
    app.steps["consumer"].add(QueueSubscription)
    app.steps["consumer"].add(ReconnectAfterLostAck)
    app.conf.envyard_config = machine.config
    app.conf.envyard_self_check = machine.self_check

    @app.task(name=TASK, shared=False)  # else Celery adds it to every app of this process
    def run() -> None:
        asyncio.run(run_next(machine))

    return app


async def run_next(machine: RunnerContext) -> None:
    """Perform the next run, if one is still queued."""
    async with hub_session(machine.config) as (hub, stopping):
        try:
            await poll_once(machine, hub, stopping, patience=None)
        except (HubUnreachable, HubRefused, DiskTooFull, NotInService) as error:
            log.warning("the run stays queued until the hub's next notification: %s", error)


def serve(app: Celery) -> NoReturn:
    """Work until stopped, then end the process. One child does the runs, on its main thread, one
    at a time."""
    name = f"--hostname=runner-{os.getpid()}@%h"
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    config: Config = app.conf.envyard_config
    home = config.home
    worker_process_init.connect(partial(_clean_up, config), weak=False)
    worker_shutting_down.connect(partial(_hand_back, home, []), weak=False)
    work: Callable[[list[str]], object] = app.worker_main  # it returns, unlike its type
    with runner_process(home, "broker", limit_mechanism(config.cgroup)):
        work(["--quiet", "worker", "--pool=prefork", "--concurrency=1", name, *quiet])
    # All has ended, yet Python would wait for a thread of the pool that sleeps for a second.
    logging.shutdown()
    os._exit(0)


@setup_logging.connect
def _keep_logging(**_: Any) -> None:
    """Celery leaves logging alone when this signal has a receiver."""


@worker_process_init.connect
def _end_with_parent(**_: Any) -> None:
    """A child whose parent was killed hands its run back instead of continuing alone."""
    die_with_parent()


def _clean_up(config: Config, **_: Any) -> None:
    """A new child removes what a killed one left, whether or not another message arrives."""
    reap_orphans(config)


def _hand_back(home: Path, signals: list[bool], **_: Any) -> None:
    """Signal the child to hand its run back: a stopped worker would wait for it, for minutes.

    A draining worker does wait, until it is stopped a second time.
    """
    signals.append(True)
    if is_draining(home) and len(signals) == 1:
        return
    for child in active_children() if state.active_requests else ():
        if child.pid is not None:
            os.kill(child.pid, signal.SIGTERM)

"""Runs that need a model: which runners are notified, which lease them, and their page."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from envyard.contract.job import MODEL, queue_for
from envyard.contract.probes import PROBE_NAMES
from registry.accounts import runners
from registry.accounts.models import Runner, User
from registry.runs import endings, services
from registry.runs.models import Run
from registry.runs.waiting import lacking
from tests.registry.conftest import Queues
from tests.registry.run_factories import make_runner, make_version

NAME = "org/Large-7B.v2"


def queue_run(owner: User, model: str = NAME) -> Run:
    """A queued run of the model."""
    version = make_version(owner.owner)
    return services.request(version=version, policies=(*PROBE_NAMES, MODEL), model=model)


def runner_with(*models: object, name: str = "gpu-1") -> Runner:
    """An enabled runner that has just sent its capabilities."""
    runner, key = runners.create(name=name)
    runners.describe(runner=runner, capabilities={"models": list(models)})
    assert runners.verify(key) == runner
    return runner


def test_a_queues_name_fits_every_broker_and_models_share_none() -> None:
    names = ["", NAME, "org/Large-7B_v2", "org-Large-7B.v2", "ж" * 300]
    queues = [queue_for(name) for name in names]
    assert queues[0] == "runs"
    assert len(set(queues)) == len(names)
    assert all(len(queue) < 60 for queue in queues)
    assert all(re.fullmatch("[A-Za-z0-9_-]+", queue) for queue in queues)


def test_a_run_rings_only_those_who_listen_for_its_model(alice: User, queues: Queues) -> None:
    with queues.committed():
        queue_run(alice)
    assert len(queues.read(queue_for(NAME))) == 1
    assert queues.read("runs") == []
    Run.objects.update(last_notified_at=timezone.now() - timedelta(minutes=1))
    services.notify_again()
    assert len(queues.read(queue_for(NAME))) == 1
    taken = services.lease(runner=make_runner(), models=[NAME])
    assert taken is not None
    with queues.committed():
        endings.next_attempt(run=taken, findings=[], now=timezone.now() + timedelta(minutes=1))
    assert len(queues.read(queue_for(NAME))) == 1


def test_run_of_probes_needs_no_model(alice: User) -> None:
    version = make_version(alice.owner)
    assert services.request(version=version, policies=PROBE_NAMES, model=NAME).model == ""


def test_a_polling_runner_gets_what_it_has_the_model_for(alice: User) -> None:
    run = queue_run(alice)
    gpu = make_runner()
    assert services.lease(runner=gpu) is None
    assert services.lease(runner=gpu, models=["other"]) is None
    assert services.lease(runner=gpu, models=["other", NAME]) == run


@pytest.mark.parametrize("capabilities", ["x", {"models": 5}, {"models": [5, None, NAME]}])
def test_odd_words_of_a_runner_do_no_harm(db: None, capabilities: object) -> None:
    runner = make_runner()
    runners.describe(
        runner=runner, capabilities=capabilities if isinstance(capabilities, dict) else {}
    )
    assert runners.models(runner) in ([], [NAME])


def test_run_whose_model_no_runner_serves_stays_queued_with_the_reason(
    alice: User, client: Client
) -> None:
    run = queue_run(alice)
    client.force_login(alice)
    assert f"No runner has the model {NAME} ready (no runners are connected)" in page(client, run)

    gpu = runner_with("another")
    assert "(1 runner is connected)" in lacking(run)
    runners.describe(runner=gpu, capabilities={"models": [NAME]})
    assert "No runner has" not in page(client, run)

    Runner.objects.update(last_seen_at=timezone.now() - timedelta(minutes=10))
    assert "(no runners are connected)" in lacking(run)
    Runner.objects.update(last_seen_at=timezone.now(), enabled=False)
    assert lacking(run)
    run.refresh_from_db()
    assert run.status == Run.Status.QUEUED


def test_a_run_that_is_under_way_or_of_probes_lacks_nothing(alice: User) -> None:
    run = queue_run(alice)
    run.status = Run.Status.RUNNING
    assert lacking(run) == ""
    run.status, run.model = Run.Status.QUEUED, ""
    assert lacking(run) == ""


def page(client: Client, run: Run) -> str:
    return client.get(f"/runs/{run.pk}/").content.decode()

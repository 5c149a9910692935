"""Five hundred queued runs of a dozen owners, taken by four runners until the queue is empty."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import count, cycle, islice
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from registry.accounts.models import Owner, Runner, User
from registry.catalog.models import Environment, Version
from registry.catalog.sorting import sort_key
from registry.runs import queue, runner_events, services
from registry.runs.models import Run
from registry.runs.sweep import sweep
from tests.people import person
from tests.registry.run_factories import make_finish, make_run, make_runner
from tests.registry.runs.test_concurrent import at_once

SHARES = (200, 120, 60, 40, 25, 20, 12, 8, 6, 4, 3, 2)
KINDS = (("first",), ("again", "first", "further"), ("further",), ("again",))  # owner by owner
RUNNERS, CANCEL_EVERY = 4, 6
ASIDE = 2 * RUNNERS  # simultaneous requests are served in any order


def versions(owner: Owner, kinds: tuple[str, ...]) -> list[Version]:
    """A version to be evaluated for each kind: of an environment of its own where it is a first."""
    shared, *_ = environments = Environment.objects.bulk_create(
        Environment(owner=owner, name=f"env-{number}") for number in range(1 + kinds.count("first"))
    )
    own = iter(environments[1:])
    rows = Version.objects.bulk_create(
        Version(
            environment=next(own) if kind == "first" else shared, version=f"{number}.0",
            sort_key=sort_key(f"{number}.0"), status="evaluating",
            filename=f"env-{number}.0-py3-none-any.whl", sha256="0" * 64, size=1,
            metadata_sha256="0" * 64,
        )
        for number, kind in enumerate(kinds)
    )  # fmt: skip
    Run.objects.bulk_create(
        Run(
            version=version, environment=version.environment, owner=owner, policies=["silent"],
            tasks=1, attempts=1, status="cancelled", ended_at=timezone.now(),
        )
        for kind, version in zip(kinds, rows, strict=True)
        if kind == "again"
    )  # fmt: skip
    return rows


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: whose, what for, and how many the owner had made before."""

    owner: str
    kind: str
    number: int


@pytest.mark.once
@pytest.mark.timeout(300)
@pytest.mark.django_db(transaction=True)
@pytest.mark.extended
def test_five_hundred_runs_of_uneven_owners_are_taken_in_turns_and_each_once(
    root: User, settings: Settings
) -> None:
    settings.HUB_OWNER_RUNS = 3
    sent: dict[UUID, Asked] = {}
    for number, (share, pattern) in enumerate(zip(SHARES, cycle(KINDS), strict=False)):
        kinds = tuple(islice(cycle(pattern), share))
        owner = person(f"owner-{number}").owner
        for turn, version in enumerate(versions(owner, kinds)):
            run = make_run(version, ["silent"])
            sent[run.pk] = Asked(owner.name, kinds[turn], turn)
    assert len(sent) == Run.objects.filter(status="queued").count() == 500

    order, cancelled = _worked_off(root)

    assert len(cancelled) >= 15
    assert Counter(order) == Counter(sent.keys() - cancelled.keys())
    assert not Run.objects.filter(status__in=Run.ACTIVE).exists()
    had = [sent[pk] for pk in order]
    _begins_early(had)
    _takes_turns(had, sent, cancelled)
    again = next(n for n, run in enumerate(had) if run.kind == "again")
    early = [
        n for n, run in enumerate(had) if run.kind == "first" and run.number < queue.RERUN_DELAY
    ]
    assert max(early) < again + ASIDE


def _worked_off(by: User) -> tuple[list[UUID], dict[UUID, int]]:
    """The runs in the order in which runners who ask at the same moment got them, and of those
    that were cancelled while they waited how many had been taken by then."""
    machines = [make_runner(f"gpu-{n}") for n in range(RUNNERS)]
    order: list[UUID] = []
    cancelled: dict[UUID, int] = {}
    leases = [partial(services.lease, runner=machine) for machine in machines]
    for number in count():
        calls: list[Callable[[], Any]] = [*leases]
        if number % CANCEL_EVERY == 0:
            calls.append(partial(_cancel_next, by))
        *taken, gone = [*at_once(*calls), None][: RUNNERS + 1]
        if gone:
            cancelled[gone] = len(order)
        if not any(taken):
            return order, cancelled
        for run in taken:
            if run is not None:
                order.append(run.pk)
                runner_events.finish(run_id=run.pk, finish=make_finish("failed"))
    raise AssertionError("never here")


def _cancel_next(by: User) -> UUID | None:
    """Cancel the run that is next, and where a runner was faster, the one that then is."""
    waiting = Run.objects.filter(status="queued").order_by("priority", "created_at")
    while (run := waiting.first()) is not None:
        services.cancel(run=run, by=by)
        if Run.objects.get(pk=run.pk).status == "cancelled":
            return run.pk
    return None


def _begins_early(had: list[Asked]) -> None:
    """Each owner soon has a run: the first that it requested."""
    for number in range(len(SHARES)):
        first = next(n for n, run in enumerate(had) if run.owner == f"owner-{number}")
        patient = KINDS[number % len(KINDS)] == ("again",)
        places = 1 + (queue.RERUN_DELAY if patient else queue.FURTHER_VERSION_DELAY)
        assert first < places * len(SHARES) + ASIDE, f"owner-{number} waited for {first}"


def _takes_turns(had: list[Asked], sent: dict[UUID, Asked], cancelled: dict[UUID, int]) -> None:
    """Of those who wait nobody is further behind than by what a re-run yields to others."""
    left = Counter(run.owner for run in sent.values())
    turns = Counter(dict.fromkeys(left, 0))
    gone = sorted((n, sent[pk].owner) for pk, n in cancelled.items())
    for n, run in enumerate(had):
        while gone and gone[0][0] <= n:  # it was next: its owner's turn is over
            turns[gone[0][1]] += 1
            left[gone.pop(0)[1]] -= 1
        turns[run.owner] += 1
        left[run.owner] -= 1
        waiting = [turns[owner] for owner in left if left[owner]]
        assert not waiting or max(waiting) - min(waiting) <= queue.RERUN_DELAY + ASIDE


def statements(act: Callable[[], Any]) -> int:
    with CaptureQueriesContext(connection) as queries:
        act()
    return len(queries)


def test_queue_needs_as_many_queries_for_sixty_runs_as_for_five(alice: User, carol: User) -> None:
    gpu = make_runner()
    Runner.objects.update(last_seen_at=timezone.now())
    requested = iter(versions(carol.owner, ("first", "first")))

    def each() -> list[int]:
        last = Run.objects.filter(owner=alice.owner, status="queued").order_by("-priority")[0]
        version = next(requested)
        acts: list[Callable[[], Any]] = [
            lambda: make_run(version, ["silent"]),
            lambda: queue.assign(last.version),
            lambda: queue.position(last),
            services.notify_again,
            lambda: sweep(now=timezone.now()),
            lambda: services.lease(runner=gpu),
        ]
        return [statements(act) for act in acts]

    sent = versions(alice.owner, ("first", "further") * 30)
    for version in sent[:5]:
        make_run(version, ["silent"])
    assert services.lease(runner=gpu)
    few = each()
    for version in sent[5:]:
        make_run(version, ["silent"])
    assert each() == few

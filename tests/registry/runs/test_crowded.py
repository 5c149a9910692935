"""Five hundred queued runs of eleven owners, taken by two runners until the queue is empty."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import cycle
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from registry.accounts import runners
from registry.accounts.models import Owner, Runner, User
from registry.catalog.models import Environment, Version
from registry.catalog.sorting import sort_key
from registry.runs import queue, reports, services
from registry.runs.models import Run
from registry.runs.sweep import sweep
from tests.conftest import person
from tests.registry import story
from tests.registry.api.test_runner import Caller

KINDS = ("again",) * 3 + ("further",) * 4 + ("first",) * 3  # what each of the others asks for
OTHERS, ALICES, AT_ONCE = 10, 400, 6


def versions(owner: Owner, kinds: tuple[str, ...]) -> Iterator[tuple[str, Version]]:
    """A version to be evaluated for each kind: of an environment of its own where it is a first."""
    shared = Environment.objects.create(owner=owner, name="shared")
    for number, kind in enumerate(kinds):
        environment = shared
        if kind == "first":
            environment = Environment.objects.create(owner=owner, name=f"own-{number}")
        text = f"{number}.0"
        version = Version.objects.create(
            environment=environment, version=text, sort_key=sort_key(text), status="evaluating",
            filename=f"{environment.name}-{text}-py3-none-any.whl", sha256="0" * 64, size=1,
            metadata_sha256="0" * 64,
        )  # fmt: skip
        if kind == "again":
            Run.objects.create(
                version=version, owner=owner, policies=["silent"], tasks=1, attempts=1,
                status="cancelled", ended_at=timezone.now(),
            )  # fmt: skip
        yield kind, version


def crowd(alice: Owner) -> dict[str, tuple[str, str]]:
    """Owner and kind of each run: alice asked for all of hers before anybody else did."""
    sent = {}
    for owner, kinds in (
        (alice, ("first", "further") + ("further",) * (ALICES - 2)),
        *((person(f"other-{n}").owner, KINDS) for n in range(OTHERS)),
    ):
        for kind, version in versions(owner, kinds):
            sent[str(story.make_run(version, ["silent"]).pk)] = (owner.name, kind)
    return sent


def statements(act: Callable[[], Any]) -> tuple[int, Any]:
    with CaptureQueriesContext(connection) as queries:
        found = act()
    return len(queries), found


def worked_off(settings: Settings) -> tuple[list[str], list[int]]:
    """The runs in the order that two runners got them in, and how many statements each took."""
    machines = [Caller(runners.create(name=name)[1]) for name in ("gpu-1", "gpu-2")]
    order: list[str] = []
    cost: list[int] = []
    held: list[str] = []
    for machine in cycle(machines):
        spent, got = statements(lambda m=machine: m.post("poll/", {"capabilities": {}}))
        if got.status_code == 200:
            order.append(got.json()["run"])
            cost.append(spent)
            held.append(order[-1])
            owners = Run.objects.filter(status__in=Run.HELD).order_by().values_list("owner")
            assert max(Counter(owners).values()) <= settings.HUB_OWNER_RUNS
        elif not held:
            return order, cost
        if got.status_code == 204 or len(held) == AT_ONCE:
            reports.finish(run_id=held.pop(0), finish=story.finish("failed"))
    raise AssertionError("never here")


def test_five_hundred_runs_are_taken_in_turns_by_urgency_and_each_once(
    alice: User, settings: Settings
) -> None:
    settings.HUB_OWNER_RUNS = 2
    sent = crowd(alice.owner)
    assert len(sent) == Run.objects.filter(status="queued").count() == 500

    order, cost = worked_off(settings)

    assert sorted(order) == sorted(sent)
    assert not Run.objects.filter(status__in=Run.ACTIVE).exists()
    others = [sent[run] for run in order if sent[run][0] != "alice"]
    last = max(n for n, run in enumerate(order) if sent[run][0] != "alice")
    assert last < len(others) + len(KINDS) + queue.AGAIN  # in each turn alice has one, no more
    had = Counter({owner: 0 for owner, _ in others})
    for owner, _ in others:  # two of one owner's may stand at the same place
        had[owner] += 1
        assert max(had.values()) - min(had.values()) <= 2
    for owner in {owner for owner, _ in others}:
        kinds = [kind for name, kind in others if name == owner]
        assert kinds.index("again") > max(n for n, kind in enumerate(kinds) if kind == "first")
    assert max(cost) <= 12
    assert max(cost) - min(cost) <= 1  # every ten seconds one notes that the runner lives


def test_what_asks_the_queue_asks_as_often_of_five_hundred_runs_as_of_five(
    alice: User, carol: User
) -> None:
    story.make_runner()
    Runner.objects.update(last_seen_at=timezone.now())
    asked = iter(list(versions(carol.owner, ("first", "first"))))

    def each() -> list[int]:
        last = Run.objects.filter(owner=alice.owner, status="queued").order_by("-place")[0]
        version = next(asked)[1]
        acts: list[Callable[[], Any]] = [
            lambda: story.make_run(version, ["silent"]),
            lambda: queue.place(last.version),
            lambda: queue.position(last),
            services.ring_again,
            lambda: sweep(now=timezone.now()),
        ]
        return [statements(act)[0] for act in acts]

    sent = list(versions(alice.owner, ("first", "further") * 250))
    for _, version in sent[:5]:
        story.make_run(version, ["silent"])
    few = each()
    for _, version in sent[5:]:
        story.make_run(version, ["silent"])
    assert each() == few

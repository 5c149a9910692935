"""Whose run is next: fair between owners, urgent ones first, the same however many wait."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from registry.accounts import runners
from registry.accounts.models import Owner, Runner, User
from registry.catalog.models import Environment, Version
from registry.catalog.sorting import sort_key
from registry.runs import queue, services, suites
from registry.runs.models import Run
from tests.registry.conftest import Queues
from tests.registry.run_factories import (
    honest_rollouts,
    make_run,
    make_runner,
    make_version,
    record_attempt,
)

SHA = "0" * 64


def queue_many(owner: Owner, count: int) -> None:
    """So many queued runs of the owner, each a version of its own, as requests would place them."""
    environment = Environment.objects.create(owner=owner, name="crowd")
    versions = Version.objects.bulk_create(
        Version(
            environment=environment, version=f"{n}.0", sort_key=sort_key(f"{n}.0"),
            status="evaluating", filename=f"crowd-{n}.0-py3-none-any.whl", sha256=SHA, size=1,
            metadata_sha256=SHA,
        )
        for n in range(count)
    )  # fmt: skip
    Run.objects.bulk_create(
        Run(
            version=version, environment=environment, owner=owner, turn=turn,
            priority=turn + queue.FURTHER_VERSION_DELAY, policies=["silent"], tasks=1, attempts=1,
        )
        for turn, version in enumerate(versions)
    )  # fmt: skip


def queue_run(owner: Owner, name: str = "demo-env", version: str = "1.0") -> Run:
    return make_run(make_version(owner, name=name, version=version))


def taken(count: int, runner: Runner) -> list[Run]:
    runs = [services.lease(runner=runner) for _ in range(count)]
    return [run for run in runs if run is not None]


def test_who_comes_after_five_hundred_of_another_is_next(alice: User, carol: User) -> None:
    gpu = make_runner()
    queue_many(alice.owner, 500)
    assert [run.owner for run in taken(3, gpu)] == [alice.owner] * 3
    hers = queue_run(carol.owner)
    assert services.lease(runner=gpu) == hers
    assert Run.objects.filter(owner=alice.owner, status="queued").count() == 497


def test_two_owners_with_many_runs_take_turns(alice: User, carol: User) -> None:
    for owner in (alice.owner, carol.owner):
        for number in range(3):
            queue_run(owner, name=f"env-{number}")
    names = [run.owner.name for run in taken(6, make_runner())]
    assert names == ["alice", "carol"] * 3


def test_a_first_version_comes_before_a_further_one_and_both_before_a_re_run(
    alice: User, bob: User, carol: User
) -> None:
    old = make_version(bob.owner)
    services.cancel(run=make_run(old), by=bob)
    again = make_run(old)
    make_version(carol.owner, version="1.0", status="held")
    further = queue_run(carol.owner, version="2.0")
    first = queue_run(alice.owner)
    assert taken(3, make_runner()) == [first, further, again]


def test_not_even_a_re_run_waits_for_all_that_another_owner_sends(alice: User, carol: User) -> None:
    queue_many(alice.owner, 50)
    old = make_version(carol.owner)
    services.cancel(run=make_run(old), by=carol)
    again = make_run(old)
    gpu = make_runner()
    taken_runs = []
    while again not in taken_runs:
        taken_runs += taken(1, gpu)
        Run.objects.filter(pk=taken_runs[-1].pk).update(status="succeeded", ended_at=timezone.now())
        assert len(taken_runs) <= queue.RERUN_DELAY + 2


def test_one_owner_never_has_more_runs_under_way_than_the_hub_allows(
    alice: User, carol: User, settings: Settings
) -> None:
    settings.HUB_OWNER_RUNS = 2
    for number in range(4):
        queue_run(alice.owner, name=f"env-{number}")
    gpu = make_runner()
    held = taken(4, gpu)
    assert len(held) == 2
    hers = queue_run(carol.owner)
    assert services.lease(runner=gpu) == hers
    assert services.lease(runner=gpu) is None
    record_attempt(held[0], honest_rollouts())
    assert services.lease(runner=gpu) is not None


def test_a_draining_runner_gets_nothing_until_it_is_resumed(alice: User) -> None:
    run = queue_run(alice.owner)
    gpu = make_runner()
    runners.drain(runner=gpu)
    assert services.lease(runner=gpu) is None
    runners.resume(runner=gpu)
    assert services.lease(runner=gpu) == run


def test_a_runner_that_is_about_to_end_is_not_counted_on(alice: User) -> None:
    run = queue_run(alice.owner)
    gpu = make_runner()
    Runner.objects.update(last_seen_at=timezone.now())
    for capabilities, present in (({}, 1), ({"draining": True}, 0), ({"draining": False}, 1)):
        runners.describe(runner=gpu, capabilities=capabilities)
        assert placed(run) == (0, 1, present)


def test_position_counts_the_runs_before_a_queued_one(alice: User, carol: User) -> None:
    mine = [queue_run(alice.owner, name=f"env-{number}") for number in range(3)]
    hers = queue_run(carol.owner)
    assert placed(mine[2]) == (3, 4, 0)
    assert placed(hers) == (1, 4, 0)
    gpu = make_runner()
    Runner.objects.update(last_seen_at=timezone.now())
    assert placed(hers) == (1, 4, 1)
    [run] = taken(1, gpu)
    assert queue.position(run) is None


def test_position_says_since_when_the_oldest_waits_and_what_is_under_way(
    alice: User, carol: User
) -> None:
    for number in range(3):
        queue_run(alice.owner, name=f"env-{number}")
    hers = queue_run(carol.owner)
    taken(1, make_runner())
    Run.objects.filter(status="queued").update(created_at=F("created_at") - timedelta(hours=2))
    other = queue_run(alice.owner, name="of-a-model")
    Run.objects.filter(pk=other.pk).update(model="m")
    row = Run.objects.get(pk=hers.pk)
    position = queue.position(row)
    assert position is not None
    assert (position.waiting, position.under_way) == (3, 1)
    assert position.oldest_at == min(
        run.created_at for run in Run.objects.filter(status="queued", model="")
    )
    other.refresh_from_db()
    alone = queue.position(other)
    assert alone is not None
    assert (alone.waiting, alone.under_way, alone.oldest_at) == (1, 0, other.created_at)


def placed(run: Run) -> tuple[int, int, int]:
    """Those before it, those that wait and the runners of its position."""
    position = queue.position(run)
    assert position is not None
    return position.before, position.waiting, position.runners


def explained(sql: str, how: str) -> list[Any]:
    """The database's plan for a statement: one row a step, or one document."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {how} {sql.replace('%', '%%')}")
        return cursor.fetchall()


def rows_read(node: dict[str, Any]) -> int:
    """How many rows of tables PostgreSQL has looked at for one step of a plan and all below."""
    below = sum(rows_read(part) for part in node.get("Plans", ()))
    if "Relation Name" not in node:
        return below
    passed = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
    return below + int((node["Actual Rows"] + passed) * node["Actual Loops"])


def analyzed() -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE registry_run, registry_version")  # both are joined


@pytest.mark.extended
def test_the_next_of_ten_thousand_is_read_from_the_index(alice: User, carol: User) -> None:
    queue_many(alice.owner, 10_000)
    analyzed()
    gpu = make_runner()
    suites.built_in("smoke")
    with CaptureQueriesContext(connection) as queries:
        assert services.lease(runner=gpu, models=["m"]) is not None
    [query] = [q["sql"] for q in queries if "ORDER BY" in q["sql"] and "priority" in q["sql"]]
    how = "" if connection.vendor == "postgresql" else "QUERY PLAN"
    plan = "\n".join(str(row) for row in explained(query, how))
    assert "run_by_priority" in plan
    assert not re.search("Sort|TEMP B-TREE|Seq Scan on registry_run|SCAN registry_run$", plan)
    many = len(queries)
    Run.objects.filter(turn__gt=10).delete()
    with CaptureQueriesContext(connection) as queries:
        services.lease(runner=gpu, models=["m"])
    assert len(queries) == many <= 14


def test_lease_and_position_read_no_finished_run(alice: User, carol: User) -> None:
    queue_many(alice.owner, 500)
    waiting = list(Run.objects.select_related("version").order_by("priority"))
    Run.objects.bulk_create(
        Run(
            version=run.version, environment=run.version.environment, owner=carol.owner, turn=turn,
            priority=turn, policies=["silent"], tasks=1, attempts=1, status="succeeded",
            ended_at=timezone.now(),
        )
        for turn in range(10)
        for run in waiting
    )  # fmt: skip
    analyzed()
    gpu = make_runner()
    acts: list[tuple[Callable[[], Any], int]] = [
        (lambda: services.lease(runner=gpu, models=["m"]), 7),
        (lambda: queue.assign(waiting[-1].version), 5),
        (lambda: queue.position(waiting[-1]), 505),
    ]
    for act, maximum in acts:
        with CaptureQueriesContext(connection) as queries:
            act()
        statements = [
            q["sql"] for q in queries if re.match('SELECT.* FROM "registry_run"', q["sql"])
        ]
        assert statements
        for sql in statements:
            if connection.vendor == "postgresql":
                [[[document]]] = explained(sql, "(ANALYZE, FORMAT JSON)")
                assert rows_read(document["Plan"]) <= maximum, sql
            else:
                plan = "\n".join(str(row) for row in explained(sql, "QUERY PLAN"))
                assert re.search("SEARCH registry_run USING .*INDEX", plan), (sql, plan)
                assert "SCAN registry_run" not in plan, (sql, plan)


def test_ringing_looks_at_each_queue_once_however_many_runs_wait(alice: User) -> None:
    queue_many(alice.owner, 500)
    Run.objects.update(last_notified_at=timezone.now())
    with CaptureQueriesContext(connection) as queries:
        assert services.notify_again() == 0
    assert len(queries) == 3


def test_five_hundred_queued_runs_send_at_most_max_notifications(
    alice: User, queues: Queues
) -> None:
    with queues.committed():
        for number in range(services.MAX_NOTIFICATIONS + 5):
            queue_run(alice.owner, name=f"env-{number}")
    assert len(queues.read("runs")) == services.MAX_NOTIFICATIONS
    ago = timezone.now() - timedelta(minutes=5)
    Run.objects.update(created_at=ago, last_notified_at=ago)
    assert services.notify_again() == 1  # no live runner: one message for the next one
    make_runner()
    make_runner("gpu-2")
    Runner.objects.update(last_seen_at=timezone.now())
    Run.objects.update(last_notified_at=ago)
    assert services.notify_again() == 3
    queues.read("runs")
    with queues.committed():
        record_attempt(taken(1, make_runner("gpu-3"))[0], honest_rollouts())
    assert queues.read("runs") == [("envyard.run", {})]


@pytest.mark.django_db(transaction=True)
def test_a_limit_holds_for_runners_that_ask_at_the_same_moment(
    alice: User, settings: Settings
) -> None:
    from tests.registry.runs.test_concurrent import at_once

    settings.HUB_OWNER_RUNS = 2
    for number in range(6):
        queue_run(alice.owner, name=f"env-{number}")
    gpus = [make_runner(f"gpu-{n}") for n in range(6)]
    results = at_once(*(lambda g=g: services.lease(runner=g) for g in gpus))
    assert len({run.pk for run in results if run is not None}) == 2
    assert Run.objects.filter(status="leased").count() == 2

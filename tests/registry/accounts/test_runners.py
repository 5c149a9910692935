"""Runners and their tokens."""

from typing import Any

import pytest

from registry.accounts import runners, tokens
from registry.errors import HubError
from registry.events import Event
from registry.models import Runner, User
from registry.moderation.journal import sentence


def test_a_runner_is_found_by_its_token_and_noted_as_seen(db: None) -> None:
    runner, text = runners.create(name="gpu-1")
    assert text.startswith("hubr_")
    assert Runner.objects.get().last_seen_at is None
    assert runners.verify(text) == runner
    last_seen = Runner.objects.get().last_seen_at
    assert last_seen is not None
    runners.verify(text)
    assert Runner.objects.get().last_seen_at == last_seen


def test_a_disabled_runner_has_no_token(db: None) -> None:
    text = runners.create(name="gpu-1")[1]
    Runner.objects.update(enabled=False)
    assert runners.verify(text) is None


def test_a_new_token_ends_the_old_one(db: None) -> None:
    runner, old = runners.create(name="gpu-1")
    new = runners.renew(runner=runner)
    assert (runners.verify(old), runners.verify(new)) == (None, runner)


def test_two_runners_cannot_have_one_name(db: None) -> None:
    runners.create(name="gpu-1")
    with pytest.raises(HubError, match="there is a runner 'gpu-1' already") as refused:
        runners.create(name="gpu-1")
    assert refused.value.status == 409


def test_a_runner_is_no_person_and_a_person_no_runner(alice: User) -> None:
    person = tokens.mint(user=alice, name="laptop", scope="admin")[1]
    machine = runners.create(name="gpu-1")[1]
    assert runners.verify(person) is None
    assert tokens.verify(machine) is None


def test_capabilities_are_kept(db: None) -> None:
    runner, text = runners.create(name="gpu-1")
    runners.describe(runner=runner, capabilities={"gpu": "H100"})
    runner_found = runners.verify(text)
    assert runner_found is not None
    assert runner_found.capabilities == {"gpu": "H100"}


OUT = {"since": "2026-11-22T10:00:00+00:00", "reason": "3 runs in a row", "check": "uv: no cache"}


def test_runner_out_of_service_gets_no_runs_and_a_journal_entry(db: None) -> None:
    runner, text = runners.create(name="gpu-1")
    runners.verify(text)
    assert list(runners.alive()) == [runner]
    runners.describe(runner=runner, capabilities={"out_of_service": OUT})
    assert not runners.alive().exists()
    assert "out of service" in runners.state_names(runner)
    out = runners.out_of_service(runner)
    assert out is not None
    assert (out.reason, out.check) == ("3 runs in a row", "uv: no cache")
    runners.describe(runner=runner, capabilities={"out_of_service": OUT | {"check": "again"}})
    runners.describe(runner=runner, capabilities={})
    assert list(runners.alive()) == [runner]
    verbs = Event.objects.filter(verb__contains="service").order_by("pk")
    assert [event.verb for event in verbs] == ["runner.out_of_service", "runner.in_service"]
    assert "took itself out of service: 3 runs in a row" in sentence(verbs[0])


@pytest.mark.parametrize(
    "reported", [True, [], "x", {"since": 5}, {"since": "soon"}, {"since": "2026-11-22"}, {}]
)
def test_any_out_of_service_report_can_be_shown(db: None, reported: Any) -> None:
    runner, _ = runners.create(name="gpu-1")
    runners.describe(runner=runner, capabilities={"out_of_service": reported})
    out = runners.out_of_service(runner)
    assert out is not None
    assert out.since is None

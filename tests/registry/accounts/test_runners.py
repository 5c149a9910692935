"""Runners and their tokens."""

import pytest

from registry.accounts import runners, tokens
from registry.errors import HubError
from registry.models import Runner, User


def test_a_runner_is_found_by_its_token_and_noted_as_seen(db: None) -> None:
    runner, text = runners.create(name="gpu-1")
    assert text.startswith("hubr_")
    assert Runner.objects.get().last_seen_at is None
    assert runners.verify(text) == runner
    seen = Runner.objects.get().last_seen_at
    assert seen is not None
    runners.verify(text)
    assert Runner.objects.get().last_seen_at == seen


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
    found = runners.verify(text)
    assert found is not None
    assert found.capabilities == {"gpu": "H100"}

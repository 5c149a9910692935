"""manage.py commands for operators."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from registry.accounts import runners, tokens
from registry.events import Event
from registry.models import Membership, Owner, User
from tests.factories import make_version


def run(*words: str) -> tuple[str, str]:
    """What the command wrote to stdout and to stderr."""
    out, err = StringIO(), StringIO()
    call_command(*words, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_create_runner_prints_the_token_alone_on_stdout(db: None) -> None:
    out, err = run("create_runner", "gpu-1")
    runner = runners.verify(out.strip())
    assert runner is not None
    assert runner.name == "gpu-1"
    assert out.strip() not in err
    assert "HUB_RUNNER_TOKEN" in err
    with pytest.raises(CommandError, match="--renew"):
        run("create_runner", "gpu-1")
    renewed = run("create_runner", "gpu-1", "--renew")[0].strip()
    assert runners.verify(renewed) == runner
    assert runners.verify(out.strip()) is None
    with pytest.raises(CommandError, match="no runner 'gpu-2'"):
        run("create_runner", "gpu-2", "--renew")


def test_a_runner_is_drained_and_resumed_by_name(db: None) -> None:
    runner, _ = runners.create(name="gpu-1")
    for _ in range(2):
        assert run("drain_runner", "gpu-1")[0] == "gpu-1 is given no new runs; it is idle\n"
    runner.refresh_from_db()
    assert runner.draining_since is not None
    assert run("drain_runner", "gpu-1", "--resume")[0] == "gpu-1 is given runs again\n"
    runner.refresh_from_db()
    assert runner.draining_since is None
    with pytest.raises(CommandError, match="but: gpu-1"):
        run("drain_runner", "gpu-2")


def test_a_token_is_made_for_a_person_within_bounds(alice: User) -> None:
    make_version(alice)
    words = ("--scope", "read", "--environment", "alice/demo-env", "--days", "7")
    token = tokens.verify(run("create_token", "alice", *words)[0].strip())
    assert token is not None
    assert (token.user, token.scope, str(token.environment)) == (alice, "read", "alice/demo-env")
    assert token.expires_at is not None
    for wrong in (("nobody",), ("alice", "--days", "0"), ("alice", "--environment", "alice/x")):
        with pytest.raises(CommandError):
            run("create_token", *wrong)


def test_demo_accounts_are_created_once_and_their_passwords_shown_only_on_request(
    db: None, settings: Any, tmp_path: Any
) -> None:
    settings.HUB_HOME = tmp_path
    quiet = run("seed_demo")[0]
    shown = run("seed_demo", "--show-passwords")[0]
    assert set(Owner.objects.values_list("name", flat=True)) == {
        *("alice", "bob", "carol", "root", "lab")
    }
    assert Membership.objects.get(user__username="alice").role == "owner"
    root = User.objects.get(username="root")
    assert root.is_staff
    assert root.is_superuser
    password = next(line.split()[1] for line in shown.splitlines() if line.startswith("root"))
    assert root.check_password(password)
    assert password not in quiet


def test_a_person_is_made_staff_and_taken_out_again_with_a_journal_entry(alice: User) -> None:
    for words, staff, verb in (
        (("alice",), True, "user.staff_added"),
        (("alice", "--remove"), False, "user.staff_removed"),
    ):
        assert "now" in run("make_staff", *words)[0]
        alice.refresh_from_db()
        assert (alice.is_staff, alice.is_superuser) == (staff, staff)
        assert "already" in run("make_staff", *words)[0]
        event = Event.objects.get(verb=verb)
        assert (event.owner, event.actor) == (alice.owner, None)
    with pytest.raises(CommandError, match=r"there is no user 'nobody'. Sign up"):
        run("make_staff", "nobody")

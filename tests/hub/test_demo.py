"""What `serve` puts into an empty hub, and that a second start changes nothing."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from hub import demo, publish_examples
from hub.management.commands import serve
from registry.accounts import runners, services
from registry.models import Membership, Organisation, Runner, Token, User

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def home(settings: Any, tmp_path: Path) -> Iterator[Path]:
    settings.HUB_HOME = tmp_path
    return tmp_path


def test_four_people_can_sign_in_and_bob_is_in_alices_lab(home: Path) -> None:
    passwords = demo.people()
    assert list(passwords) == ["alice", "bob", "carol", "root"]
    for name, password in passwords.items():
        user = User.objects.get(username=name)
        assert user.check_password(password)
        assert user.is_staff == (name == "root")
    lab = Organisation.objects.get(owner__name="lab")
    assert set(lab.memberships.values_list("user__username", "role")) == {
        ("alice", Membership.Role.OWNER),
        ("bob", Membership.Role.MEMBER),
    }
    assert (home / "demo.json").stat().st_mode & 0o777 == 0o600


def test_a_second_start_keeps_people_and_passwords() -> None:
    first = demo.people()
    assert demo.people() == first
    assert User.objects.count() == 4


def test_a_stranger_who_took_the_name_root_does_not_become_staff() -> None:
    services.register(username="root", email="eve@example.com", password="eve's own password")
    assert "root" not in demo.people()
    assert not User.objects.get(username="root").is_staff


def test_passwords_that_were_changed_or_lost_are_not_shown(home: Path) -> None:
    demo.people()
    (home / "demo.json").write_text(json.dumps({"bob": "x"}))
    assert demo.people() == {"bob": "x"}


def test_the_runners_token_stays_until_its_file_or_its_runner_is_gone(home: Path) -> None:
    first = demo.runner_token()
    assert demo.runner_token() == first
    assert (home / "runner.token").stat().st_mode & 0o777 == 0o600
    (home / "runner.token").unlink()
    second = demo.runner_token()
    assert runners.verify(first) is None
    assert runners.verify(second) == Runner.objects.get(name="embedded")
    Runner.objects.all().delete()
    assert runners.verify(demo.runner_token())


def test_no_random_password_is_refused() -> None:
    with pytest.raises(ValidationError):  # letters of `example`: it was drawn once
        validate_password("lvXeM5udEkAp", User(email="carol@example.com"))
    shape = re.compile(r"[0-9a-f]{4}(-[0-9a-f]{4}){3}")
    for name in demo.PEOPLE:
        person = User(username=name, email=f"{name}@example.com")
        assert shape.fullmatch(demo.new_password())
        letters = "".join(letter for letter in person.email if letter in "abcdef")
        likest = f"{letters:0<16}"[:16]
        validate_password("-".join(likest[at : at + 4] for at in range(0, 16, 4)), person)
        validate_password("0000-0000-0000-0000", person)


def test_the_token_for_the_examples_may_only_publish_and_ends_soon() -> None:
    demo.people()
    demo.publish_token("alice")
    token = Token.objects.get()
    assert (token.user.username, token.scope) == ("alice", Token.Scope.PUBLISH)
    assert token.expires_at
    assert (token.expires_at - token.created_at).days <= 1


def test_examples_wait_where_publishing_requires_a_second_factor(
    home: Path, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    demo.people()
    settings.HUB_REQUIRE_MFA = "publish"
    assert serve.Command()._publisher(home) is None
    assert "the examples are not published: this hub" in capsys.readouterr().out


def test_every_example_waits_to_be_published_in_an_empty_hub() -> None:
    waiting, watching = publish_examples.undecided()
    assert {"reverse-text", "double-check", "tic-tac-toe"} <= {e.name for e in waiting}
    assert watching == {}
    assert publish_examples.listed() == (0, len(waiting))

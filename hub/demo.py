"""The accounts that `serve` creates: four people, an organisation and a runner.

Passwords and tokens are random and stored in files under HUB_HOME that only this user can read.
"""

import json
import os
import secrets
from pathlib import Path

from django.conf import settings
from django.db import transaction

from registry.accounts import runners, services, tokens
from registry.accounts.models import Membership, Owner, Runner, Token, User

PEOPLE = {
    "alice": "publishes the examples, owns the organisation lab",
    "bob": "member of lab",
    "carol": "no member of lab",
    "root": "staff",
}
RUNNER = "embedded"


def people() -> dict[str, str]:
    """Create the missing people; the passwords by name, as far as the file contains them."""
    file = settings.HUB_HOME / "demo.json"
    passwords: dict[str, str] = json.loads(file.read_text()) if file.exists() else {}
    for name in PEOPLE:
        if not Owner.objects.filter(name=name).exists():
            passwords[name] = new_password()
            _private(file, json.dumps(passwords, indent=2))
            email = f"{name}@example.com"
            with transaction.atomic():  # a person who took the name earlier never becomes staff
                user = services.register(
                    username=name, email=email, password=passwords[name], verified=True
                )
                if name == "root":
                    User.objects.filter(pk=user.pk).update(is_staff=True, is_superuser=True)
    if not Owner.objects.filter(name="lab").exists():
        alice = User.objects.get(username="alice")
        lab = services.create_organisation(name="lab", title="The lab", by=alice)
        services.add_member(
            organisation=lab,
            user=User.objects.get(username="bob"),
            role=Membership.Role.MEMBER,
            by=alice,
        )
    return {name: passwords[name] for name in PEOPLE if name in passwords}


def new_password() -> str:
    """A random password of 64 bits, such as `9f86-d081-884c-7d65`.

    Letters beyond `f` could form one that is refused because it resembles the name or the address.
    """
    return "-".join(secrets.token_hex(2) for _ in range(4))


def publish_token(name: str) -> str:
    """A new token of that person with scope publish, for one day."""
    user = User.objects.get(username=name)
    return tokens.mint(user=user, name="make run", scope=Token.Scope.PUBLISH, days=1)[1]


def runner_token() -> str:
    """The token of the embedded runner: the one in the file while it is valid, else a new one."""
    file = settings.HUB_HOME / "runner.token"
    if file.exists() and runners.verify(stored := file.read_text().strip()):
        return stored
    runner = Runner.objects.filter(name=RUNNER).first()
    token = runners.renew(runner=runner) if runner else runners.create(name=RUNNER)[1]
    _private(file, token)
    return token


def _private(file: Path, text: str) -> None:
    """Write a file that only this user can read, by one rename."""
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
        out.write(text)
    draft.replace(file)

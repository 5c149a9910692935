"""Variables, secrets, hosts and needs in the browser."""

from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.test import Client, override_settings

from envyard.contract.data_lock import DataLock, LockedRepository
from registry.catalog import data_locks
from registry.models import Environment, EnvironmentSecret, User, Version
from registry.provisions import cipher, hosts, services
from tests.factories import make_run, make_version
from tests.frontend.people import text
from tests.frontend.test_environment_settings import post

pytestmark = pytest.mark.once

PAGE = "/envs/alice/demo-env/"
SETTINGS = f"{PAGE}settings/provisions/"
VALUE = "sk-the-value-of-the-secret"


@pytest.fixture
def env(alice: User, client: Client) -> Any:
    """alice/demo-env with one listed version, alice signed in, on a hub with a key for secrets."""
    client.force_login(alice)
    with override_settings(HUB_SECRETS_KEYS=(Fernet.generate_key().decode(),)):
        yield make_version(alice).environment


def test_empty_provisions_name_the_next_step(client: Client, env: Environment) -> None:
    shown = text(client, SETTINGS)
    for sentence in ("No variables.", "No hosts:", "No secrets.", "declare the host</a> that"):
        assert sentence in shown
    Version.objects.update(variables={"DIFFICULTY": "<hard>"})
    assert '0.1.0 declares <span class="mono">DIFFICULTY=&lt;hard&gt;' in text(client, SETTINGS)
    with override_settings(HUB_SECRETS_KEYS=()):
        assert "manage.py create_secrets_key" in text(client, SETTINGS)
    assert SETTINGS in text(client, f"{PAGE}settings/")


def test_an_owner_sets_and_deletes_a_variable(client: Client, env: Environment) -> None:
    fields = {"variable-name": "MODE", "variable-value": "<b>hard</b>"}
    post(client, f"{SETTINGS}variables/", **fields)
    assert "&lt;b&gt;hard&lt;/b&gt;" in text(client, SETTINGS)
    answer = post(client, f"{SETTINGS}variables/", 400, **{"variable-name": "PATH"})
    assert "is set by the runner" in answer.content.decode()
    post(client, f"{SETTINGS}variables/MODE/delete/")
    assert not env.variables.exists()
    post(client, f"{SETTINGS}variables/MODE/delete/", 404)


def test_a_secret_is_never_shown_not_even_in_a_refused_form(
    client: Client, env: Environment, alice: User
) -> None:
    hosts.add(environment=env, host="api.exa.ai", by=alice)
    fields = {"secret-name": "lower", "secret-value": VALUE, "secret-hosts": "api.exa.ai"}
    refused = post(client, f"{SETTINGS}secrets/", 400, **fields)
    assert VALUE not in refused.content.decode()
    post(client, f"{SETTINGS}secrets/", **(fields | {"secret-name": "EXA_API_KEY"}))
    row = EnvironmentSecret.objects.get()
    assert cipher.decrypt(row.encrypted, row.bound) == VALUE
    shown = text(client, SETTINGS)
    assert "EXA_API_KEY" in shown
    assert VALUE not in shown
    other = post(client, f"{SETTINGS}secrets/", 400, **(fields | {"secret-hosts": "evil.org"}))
    assert "evil.org" in other.content.decode()
    post(client, f"{SETTINGS}secrets/EXA_API_KEY/delete/", confirm="EXA")
    assert "EXA_API_KEY was not deleted" in text(client, SETTINGS)
    assert EnvironmentSecret.objects.exists()
    post(client, f"{SETTINGS}secrets/EXA_API_KEY/delete/", confirm="EXA_API_KEY")
    assert not EnvironmentSecret.objects.exists()


def test_staff_approve_a_host_from_the_moderation_page(
    client: Client, env: Environment, alice: User, root: User
) -> None:
    post(client, f"{SETTINGS}hosts/", **{"host-host": "API.exa.ai"})
    assert "not approved" in text(client, SETTINGS)
    post(client, f"{SETTINGS}hosts/api.exa.ai/approve/", 403)
    assert "may use the network" not in text(client, PAGE)
    client.force_login(root)
    assert "Approve api.exa.ai for alice/demo-env" in text(client, "/moderation/")
    answer = client.post(f"{SETTINGS}hosts/api.exa.ai/approve/", {"next": "moderation"})
    assert answer.headers["Location"] == "/moderation/"
    assert "Hosts to approve" not in text(client, "/moderation/")
    assert "may use the network" in text(client, PAGE)
    post(client, f"{SETTINGS}hosts/api.exa.ai/refuse/")
    assert "may use the network" not in text(client, PAGE)
    post(client, f"{SETTINGS}hosts/evil.org/approve/", 404)


def test_the_page_of_a_held_version_names_what_is_missing_and_blames_nobody(
    client: Client, env: Environment
) -> None:
    version = make_version(env.owner.user, version="0.2.0", status="held")
    run = make_run(version, status="errored")
    for code, severity, message in (
        ("needs.judge", "error", "It called a judge 3 times, and this hub has none."),
        ("needs.data", "error", "It needs the data set <i>a/b</i>."),
        ("run.crashed", "info", "Every rollout failed."),
    ):
        version.findings.create(
            stage="run", run=run, code=code, severity=severity, message=message,
            hint="The operator sets `HUB_JUDGE_MODEL`.",
        )  # fmt: skip
    shown = text(client, f"{PAGE}0.2.0/")
    for sentence in ("needs_judge", "needs_data", "3 times", "&lt;i&gt;a/b&lt;/i&gt;", "by itself"):
        assert sentence in shown
    assert "could not evaluate" not in shown
    assert shown.count("It called a judge") == 1
    assert SETTINGS not in shown
    assert "Every rollout failed." in shown


def test_an_owner_reaches_the_secrets_from_a_version_that_lacks_one(
    client: Client, env: Environment
) -> None:
    version = make_version(env.owner.user, version="0.2.0", status="held")
    message = "It reads keys that are not set: A_KEY. An owner sets each with `hub secret set`."
    run = make_run(version, status="errored")
    version.findings.create(
        stage="run", run=run, code="needs.secret", severity="error", message=message
    )
    shown = text(client, f"{PAGE}0.2.0/")
    assert "<code>hub secret set</code>" in shown
    assert f'href="{SETTINGS}"' in shown


def test_the_page_of_a_version_shows_its_predicted_needs(
    client: Client, env: Environment, alice: User
) -> None:
    version = Version.objects.get()
    version.needs.create(kind="data", names=["openai/gsm8k"], where="demo_env/__init__.py:3")
    shown = text(client, f"{PAGE}0.1.0/")
    assert "It probably needs data sets: openai/gsm8k." in shown
    assert "demo_env/__init__.py:3" in shown


def test_the_page_of_a_version_shows_what_its_runs_used_in_place_of_predictions(
    client: Client, env: Environment
) -> None:
    version = Version.objects.get()
    version.needs.create(kind="judge", where="demo_env/__init__.py:3")
    version.needs.create(kind="secret", names=["A_KEY"], where="demo_env/__init__.py:4")
    version.needs.create(kind="machine", declared=True)
    run = make_run(version, status="succeeded")
    lock = DataLock((LockedRepository("dataset", "openai/gsm8k", "a" * 40),))
    data_locks.extend(version=version, offered=lock)
    reached = {"host": "api.exa.ai", "port": 443, "route": "tunnel"}
    refused = {"host": "evil.example.org", "port": 443, "route": "refused"}
    run.facts = {"connections": [reached, refused], "judge": {"model": "j", "calls": 2}}
    run.save()
    shown = text(client, f"{PAGE}0.1.0/")
    for sentence in (
        "Its runs called a judge model.",
        "Its runs read data sets: openai/gsm8k.",
        "Its runs connected to hosts: api.exa.ai.",
        "It probably needs secrets: A_KEY.",
        "It declares that it needs container images.",
    ):
        assert sentence in shown
    assert "evil.example.org" not in shown
    assert "demo_env/__init__.py:3" not in shown
    make_run(version, status="errored")
    assert "Its runs called a judge model." in text(client, f"{PAGE}0.1.0/")


def test_a_run_shows_the_variables_that_it_had(client: Client, env: Environment) -> None:
    run = make_run(Version.objects.get(), status="succeeded")
    run.provided = {"variables": {"MODE": "hard"}, "hosts": ["api.exa.ai"]}
    run.save()
    services.set_variable(environment=env, name="MODE", value="other", by=env.owner.user)
    shown = text(client, f"/runs/{run.pk}/")
    assert "MODE" in shown
    assert "hard" in shown
    assert "api.exa.ai" in shown

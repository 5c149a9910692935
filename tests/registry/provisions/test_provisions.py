"""Variables, secrets and hosts: who may set them, what is stored, and which runs receive them."""

import json
from datetime import timedelta
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command
from django.test import Client, override_settings
from django.utils import timezone

from envyard.contract.job import BoundSecret, JobSpec
from registry.accounts import runners, tokens
from registry.accounts.models import Organisation, Owner, User
from registry.catalog.deletion import delete_environment
from registry.catalog.models import Environment, Version
from registry.catalog.transfer import transfer
from registry.errors import HubError
from registry.events import Event
from registry.moderation import journal
from registry.provisions import cipher, grants, hosts, services
from registry.provisions.models import EnvironmentHost, EnvironmentSecret
from registry.runs import services as runs
from tests.registry.api.test_runner import Caller, code
from tests.registry.run_factories import make_run, make_version

KEY, NEXT_KEY = Fernet.generate_key().decode(), Fernet.generate_key().decode()
VALUE = "sk-the-value-of-the-secret"
EXA = "api.exa.ai"
URL = "/api/v1/environments/alice/demo-env/"

pytestmark = pytest.mark.usefixtures("key")


@pytest.fixture
def key() -> Any:
    with override_settings(HUB_SECRETS_KEYS=(KEY,)):
        yield


@pytest.fixture
def version(alice: User) -> Version:
    return make_version(alice.owner)


@pytest.fixture
def environment(version: Version, alice: User, root: User) -> Environment:
    """With an approved host and a secret for it."""
    environment = version.environment
    hosts.add(environment=environment, host=EXA, by=alice)
    hosts.approve(environment=environment, host=EXA, by=root)
    set_secret(environment, alice)
    return environment


def set_secret(environment: Environment, by: User, name: str = "EXA_API_KEY") -> None:
    services.set_secret(environment=environment, name=name, value=VALUE, to_hosts=[EXA], by=by)


def put(by: User, path: str, body: Any = None, scope: str = "admin") -> Any:
    token = tokens.mint(user=by, name=f"t{timezone.now().timestamp()}", scope=scope)[1]
    return Client().put(
        URL + path,
        json.dumps(body or {}),
        content_type="application/json",
        headers={"Authorization": f"Bearer {token}"},
    )


def test_the_value_of_a_secret_is_nowhere_but_encrypted(
    environment: Environment, alice: User
) -> None:
    row = EnvironmentSecret.objects.get()
    assert VALUE not in row.encrypted
    assert cipher.decrypt(row.encrypted, row.bound) == VALUE
    journal = json.dumps(list(Event.objects.values_list("data", flat=True)))
    assert "EXA_API_KEY" in journal
    assert VALUE not in journal
    response = put(alice, "secrets/EXA_API_KEY/", {"value": VALUE, "hosts": [EXA]})
    assert response.status_code == 200
    assert VALUE not in response.content.decode()
    assert response.json()["hosts"] == [EXA]


def test_without_a_key_a_secret_is_refused_with_the_next_step(
    environment: Environment, alice: User
) -> None:
    with override_settings(HUB_SECRETS_KEYS=()):
        response = put(alice, "secrets/OTHER_KEY/", {"value": VALUE, "hosts": [EXA]})
        assert code(response) == (409, "request.no_secrets_key")
        assert "HUB_SECRETS_KEYS" in response.json()["error"]["hint"]
        assert grants.of(environment.versions.get(), requested_by=None).secrets == ()


@pytest.mark.parametrize(
    ("path", "body", "text"),
    [
        ("secrets/HF_TOKEN/", {"value": VALUE, "hosts": [EXA]}, "HF_TOKEN"),
        ("secrets/LD_PRELOAD/", {"value": VALUE, "hosts": [EXA]}, "LD_PRELOAD"),
        ("secrets/lower/", {"value": VALUE, "hosts": [EXA]}, "lower"),
        ("secrets/A_KEY/", {"value": "short", "hosts": [EXA]}, "8 to"),
        ("secrets/A_KEY/", {"value": VALUE, "hosts": []}, "needs a host"),
        ("secrets/A_KEY/", {"value": VALUE, "hosts": ["other.org"]}, "other.org"),
        ("secrets/A_KEY/", {"value": VALUE}, "hosts"),
        ("secrets/A_KEY/", {"value": "a-key-of-two\nlines: x", "hosts": [EXA]}, "line break"),
        ("secrets/A_KEY/", {"value": "a-key-\N{EURO SIGN}-of-mine", "hosts": [EXA]}, "Latin-1"),
        ("secrets/A_KEY/", {"value": VALUE, "hosts": ["a\r\nx: y.example.org"]}, "no host name"),
        ("secrets/A_KEY/", {"value": VALUE, "hosts": ["<b>.example.org"]}, "no host name"),
        ("variables/HTTPS_PROXY/", {"value": "x"}, "HTTPS_PROXY"),
        ("variables/OPENSSL_CONF/", {"value": "/tmp/x"}, "OPENSSL_CONF"),
        ("variables/A/", {"value": "x" * 4097}, "4096"),
        ("variables/A/", {"value": "x\0"}, "NUL"),
        ("hosts/localhost/", {}, "localhost"),
        ("hosts/10.0.0.1/", {}, "10.0.0.1"),
        ("hosts/*.org/", {}, "*.org"),
    ],
)
def test_what_would_harm_runs_is_refused_by_name(
    environment: Environment, alice: User, path: str, body: Any, text: str
) -> None:
    hosts.add(environment=environment, host="*.example.org", by=alice)
    response = put(alice, path, body)
    assert code(response) == (400, "request.invalid")
    assert text in json.dumps(response.json())


def test_a_name_is_a_variable_or_a_secret(environment: Environment, alice: User) -> None:
    assert code(put(alice, "variables/EXA_API_KEY/", {"value": "x"})) == (409, "request.conflict")
    assert put(alice, "variables/MODE/", {"value": "hard"}).status_code == 200
    response = put(alice, "secrets/MODE/", {"value": VALUE, "hosts": [EXA]})
    assert code(response) == (409, "request.conflict")


def test_the_number_of_variables_is_limited(environment: Environment, alice: User) -> None:
    now = timezone.now()
    for number in range(services.MAX_ROWS):
        environment.variables.create(name=f"V{number}", value="", set_at=now)
    assert code(put(alice, "variables/MORE/", {"value": "x"})) == (409, "quota.provisions")
    assert put(alice, "variables/V1/", {"value": "changed"}).status_code == 200
    environment.variables.filter(name__in=[f"V{n}" for n in range(2, 65)]).update(value="x" * 4096)
    assert code(put(alice, "variables/V1/", {"value": "x" * 4097})) == (400, "request.invalid")
    response = put(alice, "variables/V1/", {"value": "\N{EURO SIGN}" * 1400})
    assert code(response) == (409, "quota.provisions")
    assert "262144 bytes" in response.json()["error"]["message"]
    assert put(alice, "variables/V2/", {"value": "y" * 4096}).status_code == 200


def test_a_run_of_the_owners_version_receives_the_secret_for_its_attempt(
    environment: Environment, version: Version, alice: User
) -> None:
    make_run(version)
    gpu = Caller(runners.create(name="gpu-1")[1])
    job = JobSpec.from_dict(gpu.post("poll/", {}).json())
    assert job.hosts == (EXA,)
    assert job.secrets == (BoundSecret("EXA_API_KEY", (EXA,)),)
    assert VALUE not in json.dumps(job.to_dict())
    path, body = f"runs/{job.run}/secrets/", {"attempt": job.attempt}
    answer = gpu.post(path, body, token=job.run_token)
    assert answer.json() == {"secrets": {"EXA_API_KEY": VALUE}}
    assert Event.objects.get(verb="run.secrets_sent").data["names"] == "EXA_API_KEY"
    assert gpu.post(path, body).status_code == 401  # the runner's own token is not enough
    assert gpu.post(path, {"attempt": 2}, token=job.run_token).status_code == 409
    runs.cancel(run=version.runs.get(), by=alice)
    gpu.post(f"runs/{job.run}/finish/", {"attempt": 1, "outcome": "errored", "findings": []},
             token=job.run_token)  # fmt: skip
    assert gpu.post(path, body, token=job.run_token).status_code in (401, 409)


def test_a_secret_is_bound_to_approved_hosts_alone(
    environment: Environment, version: Version, root: User, alice: User
) -> None:
    hosts.add(environment=environment, host="other.exa.ai", by=alice)
    services.set_secret(
        environment=environment,
        name="EXA_API_KEY",
        value=VALUE,
        to_hosts=[EXA, "other.exa.ai"],
        by=alice,
    )
    granted = grants.of(version, requested_by=None)
    assert granted.secrets == (BoundSecret("EXA_API_KEY", (EXA,)),)
    hosts.refuse(environment=environment, host=EXA, by=root)
    assert grants.of(version, requested_by=None).secrets == ()
    assert grants.values(version, requested_by=None) == {}


def test_runs_that_others_request_receive_no_secrets(
    environment: Environment, version: Version, root: User, alice: User, carol: User
) -> None:
    assert grants.values(version, requested_by=alice) == {"EXA_API_KEY": VALUE}
    assert grants.values(version, requested_by=root) == {}
    assert grants.values(version, requested_by=carol) == {}


def test_a_transfer_deletes_secrets_and_ends_approvals(
    environment: Environment, version: Version, alice: User, carol: User, root: User
) -> None:
    transfer(environment=environment, to=carol.owner, by=root)
    assert EnvironmentSecret.objects.count() == 0
    assert EnvironmentHost.objects.get().approved_at is None
    hosts.approve(environment=environment, host=EXA, by=root)
    set_secret(environment, carol)
    version.refresh_from_db()
    assert grants.values(version, requested_by=None) == {}  # alice published that version
    Version.objects.filter(pk=version.pk).update(uploaded_at=timezone.now() + timedelta(hours=1))
    version.refresh_from_db()
    assert grants.values(version, requested_by=None) == {"EXA_API_KEY": VALUE}


def test_a_deleted_environment_has_no_provisions_once_it_is_revived(
    environment: Environment, alice: User
) -> None:
    services.set_variable(environment=environment, name="MODE", value="hard", by=alice)
    delete_environment(environment=environment, by=alice)
    assert environment.secrets.count() == 0
    assert environment.variables.count() == 0
    assert environment.hosts.count() == 0


def test_a_host_of_a_wheel_holds_for_versions_that_declare_it(
    version: Version, alice: User, root: User
) -> None:
    environment = version.environment
    version.needs.create(kind="host", names=["new.org"], declared=True)
    other = make_version(alice.owner, version="0.2.0")
    hosts.declare_by_wheel(version, ["new.org"])
    assert hosts.granted(version) == ()
    hosts.approve(environment=environment, host="new.org", by=root)
    assert hosts.granted(version) == ("new.org",)
    assert hosts.granted(other) == ()
    hosts.add(environment=environment, host="new.org", by=alice)
    assert hosts.granted(other) == ("new.org",)
    hosts.remove(environment=environment, host="new.org", by=alice)
    assert hosts.granted(other) == ()
    assert hosts.granted(version) == ("new.org",)


def test_a_judge_host_needs_no_approval(version: Version, alice: User) -> None:
    """The proxy never reaches it; a wheel may declare it all the same."""
    hosts.declare_by_wheel(version, ["api.openai.com", "new.org"])
    assert [row.host for row in hosts.of(version.environment)][-1] == "new.org"
    assert not version.environment.hosts.filter(host="api.openai.com").exists()
    with pytest.raises(HubError, match="the hub's judge answers it"):
        hosts.add(environment=version.environment, host="api.openai.com", by=alice)


@pytest.mark.parametrize(
    "address",
    ["https://API.example.com:443/v1", "api.example.com/v1?q=1", "https://a@api.example.com"],
)
def test_the_error_of_an_address_names_its_host(
    environment: Environment, alice: User, address: str
) -> None:
    with pytest.raises(HubError, match=r"path: api\.example\.com$"):
        hosts.add(environment=environment, host=address, by=alice)


@pytest.mark.parametrize("address", ["https://", "::::", "a b", "https://[::1]/", "x" * 5000, "@@"])
def test_the_error_of_what_holds_no_host_gives_an_example(
    environment: Environment, alice: User, address: str
) -> None:
    with pytest.raises(HubError, match=r"such as api\.example\.com"):
        hosts.add(environment=environment, host=address, by=alice)


def test_case_of_a_host_does_not_matter(environment: Environment, alice: User, root: User) -> None:
    hosts.add(environment=environment, host="API.Example.org", by=alice)
    assert hosts.approve(environment=environment, host="Api.EXAMPLE.org", by=root).approved_at
    hosts.remove(environment=environment, host="API.EXAMPLE.ORG", by=alice)
    assert [row.host for row in hosts.of(environment)] == [EXA]


def test_a_predicted_host_is_not_declared(version: Version, root: User) -> None:
    version.needs.create(kind="host", names=["new.org"], declared=False)
    with pytest.raises(HubError, match="does not declare"):
        hosts.approve(environment=version.environment, host="new.org", by=root)


def test_a_new_key_is_put_first_and_encrypts_all_secrets(environment: Environment) -> None:
    with override_settings(HUB_SECRETS_KEYS=(NEXT_KEY, KEY)):
        call_command("rotate_secrets")
    with override_settings(HUB_SECRETS_KEYS=(NEXT_KEY,)):
        row = EnvironmentSecret.objects.get()
        assert cipher.decrypt(row.encrypted, row.bound) == VALUE


def test_a_secret_whose_key_is_lost_is_named_and_left_out(
    environment: Environment, version: Version
) -> None:
    with override_settings(HUB_SECRETS_KEYS=(NEXT_KEY,)):
        assert grants.values(version, requested_by=None) == {}
        with pytest.raises(CommandError, match="EXA_API_KEY of alice/demo-env"):
            call_command("rotate_secrets")


def test_a_value_that_is_moved_in_the_database_is_not_decrypted(
    environment: Environment, version: Version, bob: User, root: User
) -> None:
    other = make_version(bob.owner, name="other-env").environment
    for name in (EXA, "evil.example.org"):
        hosts.add(environment=other, host=name, by=bob)
        hosts.approve(environment=other, host=name, by=root)
    set_secret(other, bob, "BOB_KEY")
    row, moved = environment.secrets.get(), other.secrets.get()
    assert grants.values(other.versions.get(), requested_by=None) == {"BOB_KEY": VALUE}
    EnvironmentSecret.objects.filter(pk=moved.pk).update(encrypted=row.encrypted)
    assert grants.values(other.versions.get(), requested_by=None) == {}
    hosts.add(environment=environment, host="evil.example.org", by=bob)
    hosts.approve(environment=environment, host="evil.example.org", by=root)
    for change in ({"hosts": [EXA, "evil.example.org"]}, {"name": "OTHER_KEY"}):
        EnvironmentSecret.objects.filter(pk=row.pk).update(**change)
        assert grants.values(version, requested_by=None) == {}


@pytest.mark.parametrize("encrypted", ["", "gAAAAA", "\N{EURO SIGN}", "x" * 5000])
def test_a_damaged_value_is_left_out_and_named(
    environment: Environment, version: Version, encrypted: str
) -> None:
    EnvironmentSecret.objects.update(encrypted=encrypted)
    assert grants.values(version, requested_by=None) == {}
    assert grants.unreadable(environment.secrets.all()) == ["EXA_API_KEY"]
    with pytest.raises(CommandError, match="EXA_API_KEY of alice/demo-env"):
        call_command("rotate_secrets")


def test_maintainers_set_secrets_and_staff_do_not(lab: Organisation, root: User) -> None:
    make_version(Owner.objects.get(name="lab"), name="lab-env")
    path = "/api/v1/environments/lab/lab-env/secrets/A_KEY/"
    token = tokens.mint(user=root, name="t", scope="admin")[1]
    response = Client().put(path, headers={"Authorization": f"Bearer {token}"})
    assert response.status_code == 403


def test_the_journal_has_a_sentence_for_each_change_and_no_value(
    environment: Environment, alice: User, root: User
) -> None:
    services.set_variable(environment=environment, name="MODE", value="hard", by=alice)
    services.delete_variable(environment=environment, name="MODE", by=alice)
    services.delete_secret(environment=environment, name="EXA_API_KEY", by=alice)
    hosts.refuse(environment=environment, host=EXA, by=root)
    hosts.remove(environment=environment, host=EXA, by=alice)
    shown = [journal.sentence(event) for event in journal.of_environment(environment)]
    assert "alice set the secret EXA_API_KEY of alice/demo-env for api.exa.ai" in shown
    assert "alice set the variable MODE of alice/demo-env to 'hard'" in shown
    assert "root approved the host api.exa.ai for alice/demo-env" in shown
    assert not any(VALUE in sentence for sentence in shown)


def test_staff_approve_hosts_by_command(
    environment: Environment, alice: User, capsys: pytest.CaptureFixture[str]
) -> None:
    hosts.add(environment=environment, host="*.example.org", by=alice)
    call_command("hosts")
    assert "alice/demo-env *.example.org" in capsys.readouterr().out
    call_command("hosts", "alice/demo-env", approve=["*.example.org"])
    assert EnvironmentHost.objects.get(host="*.example.org").approved_at is not None
    call_command("hosts", "alice/demo-env", refuse=["*.example.org"])
    assert EnvironmentHost.objects.get(host="*.example.org").approved_at is None
    with pytest.raises(CommandError, match=r"evil.org; it declares \*.example.org"):
        call_command("hosts", "alice/demo-env", approve=["evil.org"])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DIFFICULTY", "sk-proj-abcdefghijklmnopqrstuvwxyz0123"),
        ("DIFFICULTY", " hf_abcdefghijklmnopqrstuv\n"),
        ("SEARCH_API_KEY", "8c1f0a3e-55d2-4b6a-9c1d-aa20"),
        ("NOTES", "-----BEGIN PRIVATE KEY-----"),
    ],
)
def test_a_value_that_looks_like_a_key_is_never_public(
    version: Version, alice: User, name: str, value: str
) -> None:
    env = version.environment
    with pytest.raises(HubError, match="looks like a key") as info:
        services.set_variable(environment=env, name=name, value=value, by=alice)
    assert f"hub secret set {env} {name}" in info.value.hint
    assert value.strip() not in str(info.value) + info.value.hint
    assert not env.variables.exists()
    assert not Event.objects.filter(verb="variable.set").exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MAX_TOKENS", "128000000000000000000000"),
        ("SEARCH_API_KEY", "EMPTY"),
        ("STOP_TOKEN", "<|end_of_text_2024_long|>"),
        ("INDEX_URL", "https://example.org/a-long-path/2026"),
        ("PRIMARY_KEY", "the name of a long column"),
    ],
)
def test_values_of_another_kind_stay_variables(
    version: Version, alice: User, name: str, value: str
) -> None:
    services.set_variable(environment=version.environment, name=name, value=value, by=alice)
    assert version.environment.variables.get(name=name).value == value

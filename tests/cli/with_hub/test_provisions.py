"""Variables, secrets, hosts and needs from the command line, against a real hub."""

import io
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.test import override_settings
from pytest_django.live_server_helper import LiveServer

from envyard.__main__ import main
from registry.accounts import tokens
from registry.catalog.search import documents
from registry.models import EnvironmentSecret, User, Version
from registry.provisions import cipher, hosts
from tests.cli.with_hub.test_manage import json_of, stderr_of
from tests.factories import make_run, make_version

pytestmark = pytest.mark.django_db(transaction=True)
ENV = "alice/demo-env"


@pytest.fixture
def version(live_server: LiveServer, alice: User, monkeypatch: pytest.MonkeyPatch) -> Any:
    """alice/demo-env==0.1.0 on a hub with a key for secrets, where alice is signed in."""
    monkeypatch.setenv("HUB_URL", live_server.url)
    monkeypatch.setenv("HUB_TOKEN", tokens.mint(user=alice, name="cli", scope="admin")[1])
    with override_settings(HUB_SECRETS_KEYS=(Fernet.generate_key().decode(),)):
        yield make_version(alice)


def test_variables_are_set_listed_and_deleted(
    version: Version, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "public" in stderr_of(capsys, "variable", "set", ENV, "MODE", "hard")
    [row] = json_of(capsys, "variable", "list", ENV)
    assert (row["name"], row["value"], row["set_by"]) == ("MODE", "hard", "alice")
    assert "PATH" in stderr_of(capsys, "variable", "set", ENV, "PATH", "x", exit_code=1)
    stderr_of(capsys, "variable", "delete", ENV, "MODE")
    assert json_of(capsys, "variable", "list", ENV) == []


def test_a_secret_is_read_from_stdin_and_never_printed(
    version: Version,
    alice: User,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    value = "sk-of-the-secret"
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{value}\n"))
    words = ("secret", "set", ENV, "EXA_API_KEY", "--host", "api.exa.ai")
    assert "hub host add alice/demo-env api.exa.ai" in stderr_of(capsys, *words, exit_code=1)
    assert "staff" in stderr_of(capsys, "host", "add", ENV, "api.exa.ai")
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{value}\n"))
    assert value not in stderr_of(capsys, *words)
    row = EnvironmentSecret.objects.get()
    assert cipher.decrypt(row.encrypted, row.bound) == value
    assert main(["secret", "list", ENV]) == 0
    shown = capsys.readouterr().out
    assert "EXA_API_KEY\tapi.exa.ai\talice" in shown
    assert value not in shown
    monkeypatch.setattr("sys.stdin", io.StringIO("\n"))
    assert "no value" in stderr_of(capsys, *words, exit_code=2)
    stderr_of(capsys, "secret", "delete", ENV, "EXA_API_KEY")
    assert json_of(capsys, "secret", "list", ENV) == []


def test_hosts_are_listed_with_their_state(
    version: Version, root: User, capsys: pytest.CaptureFixture[str]
) -> None:
    for host in ("api.exa.ai", "*.example.org"):
        stderr_of(capsys, "host", "add", ENV, host)
    hosts.approve(environment=version.environment, host="api.exa.ai", by=root)
    main(["host", "list", ENV])
    assert capsys.readouterr().out.splitlines() == [
        "*.example.org\towner\tnot approved",
        "api.exa.ai\towner\tapproved by root",
    ]
    stderr_of(capsys, "host", "remove", ENV, "*.example.org")
    assert [row["host"] for row in json_of(capsys, "host", "list", ENV)] == ["api.exa.ai"]


def test_info_shows_what_a_held_version_lacked_and_no_fault(
    version: Version, capsys: pytest.CaptureFixture[str]
) -> None:
    Version.objects.filter(pk=version.pk).update(status="held")
    version.findings.create(
        run=make_run(version),
        stage="run",
        code="needs.data",
        severity="error",
        message="It needs the data set a/b.",
        details={"names": ["a/b"], "reasons": ["no_mirror"]},
    )
    assert main(["info", f"{ENV}==0.1.0"]) == 0
    out = capsys.readouterr().out
    assert "needs_data: It needs the data set a/b." in out
    assert "The operator of a runner sets RUNNER_DATA_URL." in out
    assert "The hub evaluates it again once all of that is provided." in out
    assert "Findings" not in out
    [row] = json_of(capsys, "info", f"{ENV}==0.1.0")["requirements"]
    assert (row["state"], row["names"]) == ("needs_data", ["a/b"])
    version.findings.update(details={"names": ["a/b"], "reasons": ["not_found"]})
    main(["info", f"{ENV}==0.1.0"])
    out = capsys.readouterr().out
    assert "Correct the name" in out
    assert "evaluates it again once" not in out


def test_search_filters_by_needs_and_info_shows_them(
    version: Version, alice: User, capsys: pytest.CaptureFixture[str]
) -> None:
    version.needs.create(kind="data", names=["openai/gsm8k"])
    make_version(alice, "other-env")
    documents.rebuild()
    refs = [row["ref"] for row in json_of(capsys, "search", "--needs", "data")]
    assert refs == [ENV]
    main(["info", ENV])
    assert "It probably needs data sets: openai/gsm8k." in capsys.readouterr().out


def test_empty_lists_name_the_next_step(
    version: Version, alice: User, capsys: pytest.CaptureFixture[str]
) -> None:
    for kind, step in (
        ("variable", "hub variable set alice/demo-env NAME VALUE"),
        ("secret", "hub secret set alice/demo-env NAME --host HOST"),
        ("host", "hub host add alice/demo-env HOST"),
    ):
        assert step in stderr_of(capsys, kind, "list", ENV)
        assert main([kind, "list", ENV, "--json"]) == 0
        assert capsys.readouterr().err == ""
    hosts.add(environment=version.environment, host="api.exa.ai", by=alice)
    assert "once the hub's staff approve it" in stderr_of(capsys, "host", "list", ENV)
    with override_settings(HUB_SECRETS_KEYS=()):
        assert "HUB_SECRETS_KEYS" in stderr_of(capsys, "secret", "list", ENV)


@pytest.mark.parametrize(
    "address", ["https://api.exa.ai", "https://api.exa.ai:443/v1", "API.exa.ai."]
)
def test_an_address_in_place_of_a_host_names_the_host(
    version: Version, capsys: pytest.CaptureFixture[str], address: str
) -> None:
    text = stderr_of(capsys, "host", "add", ENV, address, exit_code=1)
    assert f"hub host add {ENV} api.exa.ai" in text
    assert "/api/v1/" not in text


def test_what_is_set_before_the_first_push_names_the_push(
    version: Version, capsys: pytest.CaptureFixture[str]
) -> None:
    text = stderr_of(capsys, "variable", "set", "alice/not-yet", "LEVEL", "1", exit_code=1)
    assert "once the first version of it is pushed" in text


def test_a_token_that_no_header_can_hold_is_an_error(
    version: Version, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUB_TOKEN", "Tokens \u2013 Envyard")
    assert "HUB_TOKEN is not a token" in stderr_of(capsys, "host", "list", ENV, exit_code=2)

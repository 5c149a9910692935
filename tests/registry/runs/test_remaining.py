"""The steps that a held version still needs, with who takes each."""

import pytest
from cryptography.fernet import Fernet
from django.test import override_settings

from registry.accounts.models import User
from registry.catalog.models import Version
from registry.provisions import hosts, services
from registry.runs import remaining
from tests.registry.run_factories import make_version
from tests.registry.runs.test_provided import runner_with

KEYS = override_settings(HUB_SECRETS_KEYS=(Fernet.generate_key().decode(),))


@pytest.fixture
def version(alice: User) -> Version:
    return make_version(alice.owner)


def steps(version: Version, kind: str, *names: str, reasons: tuple[str, ...] = ()) -> str:
    return remaining.steps(Version.objects.get(pk=version.pk), kind, names, reasons)


@KEYS
def test_steps_of_a_secret_follow_what_is_provided_by_now(
    version: Version, alice: User, root: User
) -> None:
    """Each person reads their own step, and never one that is done."""
    env = version.environment
    version.needs.create(kind="host", names=["api.exa.ai"])
    runner_with("able", host="1")
    add, put = f"`hub host add {env} api.exa.ai`", f"`hub secret set {env} EXA --host api.exa.ai`"
    text = steps(version, "secret", "EXA")
    assert f"{add}, {put}." in text
    assert "approve" not in text

    hosts.add(environment=env, host="api.exa.ai", by=alice)
    text = steps(version, "secret", "EXA")
    assert put in text
    assert add not in text

    services.set_secret(
        environment=env, name="EXA", value="s" * 20, to_hosts=["api.exa.ai"], by=alice
    )
    assert steps(version, "secret", "EXA") == "The hub's staff approve api.exa.ai."

    hosts.approve(environment=env, host="api.exa.ai", by=root)
    assert steps(version, "secret", "EXA").startswith("It is provided by now")


def test_a_secret_whose_key_was_removed_is_set_again(
    version: Version, alice: User, root: User
) -> None:
    env = version.environment
    runner_with("able", host="1")
    hosts.add(environment=env, host="api.exa.ai", by=alice)
    hosts.approve(environment=env, host="api.exa.ai", by=root)
    with KEYS:
        services.set_secret(
            environment=env, name="EXA", value="s" * 20, to_hosts=["api.exa.ai"], by=alice
        )
    with override_settings(HUB_SECRETS_KEYS=(Fernet.generate_key().decode(),)):
        assert f"`hub secret set {env} EXA --host api.exa.ai`" in steps(version, "secret", "EXA")


@override_settings(HUB_SECRETS_KEYS=())
def test_a_hub_without_a_key_for_secrets_names_the_operator_first(version: Version) -> None:
    text = steps(version, "secret", "EXA")
    assert text.startswith("The hub's operator sets HUB_SECRETS_KEYS")
    assert text.endswith("The operator of a runner sets RUNNER_HOSTS=yes.")


def test_a_host_is_declared_then_approved_then_allowed_by_a_runner(
    version: Version, alice: User, root: User
) -> None:
    env = version.environment
    text = steps(version, "host", "api.exa.ai")
    assert f"`hub host add {env} api.exa.ai`" in text
    hosts.add(environment=env, host="*.exa.ai", by=alice)
    text = steps(version, "host", "api.exa.ai")
    assert "hub host add" not in text
    assert "staff approve api.exa.ai" in text
    hosts.approve(environment=env, host="*.exa.ai", by=root)
    assert steps(version, "host", "api.exa.ai") == "The operator of a runner sets RUNNER_HOSTS=yes."


@pytest.mark.parametrize("name", ["x; rm -rf ~", "`id`", "--help", "localhost"])
def test_no_command_contains_a_name_that_is_no_host_or_variable(
    version: Version, name: str
) -> None:
    version.needs.create(kind="host", names=[name])
    assert "hub host add" not in steps(version, "host", name)
    assert name not in steps(version, "secret", "EXA")
    assert "hub secret set" not in steps(version, "secret", name)


@override_settings(HUB_JUDGE_MODEL="")
def test_hub_and_runner_together_provide_a_judge(version: Version) -> None:
    assert steps(version, "judge", "judge") == (
        "The hub's operator sets HUB_JUDGE_MODEL. The operator of a runner sets RUNNER_JUDGE_URL."
    )
    runner_with("able", judge="1")
    assert steps(version, "judge", "judge") == "The hub's operator sets HUB_JUDGE_MODEL."


def test_a_data_set_that_does_not_exist_is_the_authors_step_and_never_automatic(
    version: Version,
) -> None:
    runner_with("able", data="1")
    text = steps(version, "data", "acme/typo", reasons=("not_found",))
    assert "Correct the name" in text
    assert f"`hub retry {version}`" in text
    assert not remaining.is_automatic("data", ["gated", "not_found"])
    assert remaining.is_automatic("data", ["gated"])
    assert steps(version, "data", "a/b", reasons=("no_mirror",)).startswith("The evaluation is")


def test_a_data_set_without_any_mirror_names_the_setting(version: Version) -> None:
    assert "RUNNER_DATA_URL" in steps(version, "data", "a/b", reasons=("no_mirror",))


@KEYS
def test_versions_from_before_a_transfer_are_named_as_the_reason(
    version: Version, alice: User, root: User
) -> None:
    env = version.environment
    hosts.add(environment=env, host="api.exa.ai", by=alice)
    services.set_secret(
        environment=env, name="EXA", value="s" * 20, to_hosts=["api.exa.ai"], by=alice
    )
    hosts.approve(environment=env, host="api.exa.ai", by=root)
    env.former_names.create(owner=root.owner, name="older", at="2099-01-01T00:00:00Z")
    assert "publish a new version" in steps(version, "secret", "EXA")

"""The options of a run on the author's machine."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

import pytest

from envyard.contract import local_access
from envyard.contract.job import BoundSecret
from envyard.contract.local_access import BadOption

KEY = "value-of-the-key-1234"


def parsed(*words: str) -> Namespace:
    parser = ArgumentParser()
    local_access.add_options(parser)
    return parser.parse_args(words)


def test_no_option_gives_a_run_nothing() -> None:
    access = local_access.read(parsed(), {"HF_ENDPOINT": "https://mirror.example"})
    assert access == local_access.LocalAccess()


def test_a_judge_becomes_settings_of_the_runner() -> None:
    options = parsed("--judge-url", "http://127.0.0.1:9/v1", "--judge-model", "arbiter")
    assert local_access.read(options, {}).settings == {
        "RUNNER_JUDGE_URL": "http://127.0.0.1:9/v1",
        "HUB_JUDGE_MODEL": "arbiter",
    }


@pytest.mark.parametrize(
    ("words", "environ", "accepted"),
    [
        (["--judge-model", "arbiter"], {}, False),
        (["--judge-url", "http://127.0.0.1:9/v1"], {}, False),
        (["--judge-model", "arbiter"], {"RUNNER_JUDGE_URL": "http://127.0.0.1:9/v1"}, True),
    ],
)
def test_half_a_judge_is_refused(words: list[str], environ: dict[str, str], accepted: bool) -> None:
    if accepted:
        assert local_access.read(parsed(*words), environ).settings == {"HUB_JUDGE_MODEL": "arbiter"}
        return
    with pytest.raises(BadOption, match="both --judge-url and --judge-model"):
        local_access.read(parsed(*words), environ)


def test_data_sets_come_from_the_authors_own_hub() -> None:
    environ = {"HF_ENDPOINT": "https://mirror.example", "HF_TOKEN": "hf_mine"}
    settings = local_access.read(parsed("--data"), environ).settings
    assert settings["RUNNER_DATA_URL"] == "https://mirror.example"
    assert settings["RUNNER_DATA_TOKEN"] == "hf_mine"
    assert local_access.read(parsed("--data"), {}).settings["RUNNER_DATA_URL"] == (
        "https://huggingface.co"
    )


def test_a_secrets_value_comes_from_the_environment_and_its_host_is_reached() -> None:
    options = parsed(
        *("--secret", "EXA_API_KEY=api.exa.ai", "--secret", "EXA_API_KEY=eu.exa.ai"),
        *("--host", "example.org", "--variable", "LEVEL=a=b"),
    )
    access = local_access.read(options, {"EXA_API_KEY": KEY})
    assert access.secrets == (BoundSecret("EXA_API_KEY", ("api.exa.ai", "eu.exa.ai")),)
    assert access.values == {"EXA_API_KEY": KEY}
    assert access.hosts == ("example.org", "api.exa.ai", "eu.exa.ai")
    assert access.variables == {"LEVEL": "a=b"}
    assert access.settings == {"RUNNER_HOSTS": "yes"}
    assert KEY not in repr(access)
    assert KEY not in " ".join(local_access.arguments(options))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--secret", "EXA_API_KEY=api.exa.ai"], "EXA_API_KEY is not set"),
        (["--secret", KEY], "NAME=HOST"),
        (["--secret", "EXA_API_KEY="], "NAME=HOST"),
        (["--secret", "OPENAI_API_KEY=api.openai.com"], "is set by the runner"),
        (["--variable", "LEVEL"], "NAME=VALUE"),
        (["--variable", "LD_PRELOAD=x.so"], "is set by the runner"),
        (["--host", "https://example.org/"], "is no host name"),
    ],
)
def test_a_wrong_option_is_refused_with_its_rule(words: list[str], message: str) -> None:
    with pytest.raises(BadOption, match=message) as caught:
        local_access.read(parsed(*words), {})
    assert KEY not in str(caught.value)


def test_another_program_gets_the_same_options() -> None:
    options = parsed(
        *("--data", "--judge-url", "http://127.0.0.1:9/v1", "--judge-model", "arbiter"),
        *("--host", "example.org", "--variable", "LEVEL=-x", "--secret", "KEY=example.org"),
    )
    assert parsed(*local_access.arguments(options)) == options

"""The runner's settings: defaults, secrets from files, and errors that name a bad value."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from envyard.contract.job import RunLimits
from envyard_runner.config import SYSTEM_HOME, Config, ConfigError
from envyard_runner.limits import Limits


def test_nothing_set_means_a_hub_on_this_machine() -> None:
    config = Config.from_environment({})
    assert config.hub_url == "http://127.0.0.1:8000"
    assert (config.token, config.broker_url, config.model) == (None, None, None)
    assert config.limits == Limits()
    assert config.uv.name == "uv"


def test_a_secret_is_read_from_a_file_and_never_printed(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("hub_secret\n", encoding="utf-8")
    config = Config.from_environment({"HUB_RUNNER_TOKEN_FILE": str(file)})
    assert config.token == "hub_secret"
    assert "hub_secret" not in repr(config)


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [
        ("HUB_URL", "hub.example", "must start with http:// or https://"),
        ("HUB_MODEL_URL", "localhost:9000", "must start with http:// or https://"),
        ("RUNNER_MEMORY_MB", "lots", "must be a whole number above 0"),
        ("RUNNER_WALL_SECONDS", "0", "must be a whole number above 0"),
        ("RUNNER_PIDS", "-1", "must be a whole number above 0"),
        ("RUNNER_PYTHON", "/nowhere/python3", "is not a program"),
        ("HUB_RUNNER_TOKEN_FILE", "/nowhere/token", "cannot be read"),
        ("RUNNER_NLTK_DATA", "/nowhere/nltk", "is no folder"),
        ("RUNNER_NLTK_DATA", "nltk_data", "absolute path"),
    ],
)
def test_a_bad_value_names_the_variable_the_value_and_the_rule(
    name: str, value: str, rule: str
) -> None:
    with pytest.raises(ConfigError, match=rule) as caught:
        Config.from_environment({name: value})
    assert name in str(caught.value)
    assert value in str(caught.value)


def test_a_secret_given_twice_is_an_error() -> None:
    with pytest.raises(ConfigError, match="keep one"):
        Config.from_environment({"HUB_RUNNER_TOKEN": "a", "HUB_RUNNER_TOKEN_FILE": "/b"})


def test_uv_gets_the_variables_of_the_index_and_its_certificates_only() -> None:
    environ = {
        "PIP_INDEX_URL": "http://mirror/simple",
        "https_proxy": "http://proxy",
        "EDITOR": "vi",
    }
    assert Config.from_environment(environ).index_environment == {
        "UV_SYSTEM_CERTS": "1",
        "UV_DEFAULT_INDEX": "http://mirror/simple",
        "https_proxy": "http://proxy",
    }
    named = environ | {"UV_DEFAULT_INDEX": "http://other/simple", "UV_SYSTEM_CERTS": "0"}
    variables = Config.from_environment(named).index_environment
    assert variables["UV_DEFAULT_INDEX"] == "http://other/simple"
    assert variables["UV_SYSTEM_CERTS"] == "0"


def test_sizes_are_in_mebibytes() -> None:
    limits = Config.from_environment({"RUNNER_MEMORY_MB": "512", "RUNNER_TMP_MB": "64"}).limits
    assert (limits.memory_bytes, limits.tmp_bytes) == (512 << 20, 64 << 20)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root changes to uids that need to reach it")
def test_roots_state_is_never_kept_below_a_closed_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    assert Config.from_environment({"HUB_HOME": str(tmp_path)}).home == SYSTEM_HOME
    assert Config.from_environment({"HUB_HOME": "/var/tmp/hub"}).home == Path("/var/tmp/hub/runner")


def test_a_job_may_ask_for_less_but_not_for_more() -> None:
    ceiling = Limits(wall_seconds=100, memory_bytes=1 << 30, tmp_bytes=1 << 20, pids=10,
                     judge_calls=20, judge_tokens=1000)  # fmt: skip
    limits = RunLimits(wall_seconds=50, memory_bytes=8 << 30, tmp_bytes=8 << 20, pids=5)
    result = ceiling.lowered(limits)
    assert (result.wall_seconds, result.memory_bytes, result.tmp_bytes, result.pids) == (
        50,
        1 << 30,
        1 << 20,
        5,
    )
    asked = RunLimits(judge_calls=10, judge_tokens=5000, judge_max_tokens=2000)
    budgets = ceiling.judge_budgets(asked)
    assert (budgets.judge_calls, budgets.judge_tokens, budgets.judge_max_tokens) == (10, 1000, 1000)
    assert budgets.wall_seconds == asked.wall_seconds


@pytest.mark.parametrize(
    ("settings", "rule"),
    [
        ({"RUNNER_DATA_URL": "data.example"}, "must start with http:// or https://"),
        ({"RUNNER_DATA_URL": "http://mirror.lab:8080/hf"}, "RUNNER_DATA_PLAIN_HTTP=1"),
        ({"RUNNER_DATA_URL": "http://127.0.0.1.evil.example"}, "RUNNER_DATA_PLAIN_HTTP=1"),
        (
            {
                "RUNNER_DATA_URL": "http://mirror.lab", "RUNNER_DATA_TOKEN": "hf_secret",
                "RUNNER_DATA_PLAIN_HTTP": "1",
            },
            "http would reveal it",
        ),
        ({"RUNNER_DATA_URL": "https://data.example", "RUNNER_DATA_MB": "all"}, "whole number"),
        (
            {"RUNNER_DATA_URL": "https://data.example", "RUNNER_DATA_ALLOW": "openai/* allenai/x"},
            "'openai/\\* allenai/x' is no pattern of repositories",
        ),
        (
            {"RUNNER_DATA_URL": "https://data.example", "RUNNER_DATA_ALLOW": "a,https://b/c"},
            "'https://b/c' is no pattern",
        ),
    ],
)  # fmt: skip
def test_an_unsafe_or_unreadable_setting_of_data_sets_is_refused(
    settings: dict[str, str], rule: str
) -> None:
    with pytest.raises(ConfigError, match=rule) as refusal:
        Config.from_environment(settings)
    assert "hf_secret" not in str(refusal.value)


@pytest.mark.parametrize(
    "settings",
    [
        {"RUNNER_DATA_URL": "https://huggingface.co/", "RUNNER_DATA_TOKEN": "hf_secret"},
        {"RUNNER_DATA_URL": "http://localhost:8080", "RUNNER_DATA_TOKEN": "hf_secret"},
        {"RUNNER_DATA_URL": "http://mirror.lab:8080/hf", "RUNNER_DATA_PLAIN_HTTP": "1"},
    ],
)
def test_data_sets_come_from_https_loopback_or_a_mirror_of_ones_own(
    settings: dict[str, str],
) -> None:
    config = Config.from_environment(settings)
    assert config.data_source is not None
    assert config.data_source.url == settings["RUNNER_DATA_URL"].rstrip("/")
    assert config.data_source.allowed == ("*",)
    assert "hf_secret" not in repr(config)

"""What a runner reports that runs may have from outside, and that it reveals no token."""

from dataclasses import replace
from pathlib import Path

from envyard_runner.config import Config
from envyard_runner.data.source import DataSource
from envyard_runner.messaging.heartbeat import capabilities, provides

BARE = Config.from_environment({"RUNNER_HOME": "/nowhere", "RUNNER_HOSTS": "no"})


def test_a_runner_without_settings_provides_nothing() -> None:
    assert provides(BARE) == {}
    assert capabilities([], provides=provides(BARE))["provides"] == {}


def test_a_fingerprint_changes_with_each_setting_and_shows_none(tmp_path: Path) -> None:
    source = DataSource("https://huggingface.co", token="hf_secret", allowed=("a/*",))
    config = replace(BARE, token="hubr_x", data_source=source, judge_url="http://judge/v1")
    first = provides(config)
    assert set(first) == {"data", "judge"}
    for other in (
        replace(source, token=None),
        replace(source, allowed=("*",)),
        replace(source, url="https://mirror.example"),
    ):
        changed = provides(replace(config, data_source=other))
        assert changed["data"] != first["data"]
        assert changed["judge"] == first["judge"]
    assert provides(config) == first
    assert provides(replace(config, token="hubr_y"))["data"] != first["data"]
    assert "hf_secret" not in str(first)


def test_hosts_are_provided_unless_the_operator_switches_them_off() -> None:
    assert set(provides(replace(BARE, hosts_allowed=True))) == {"host"}

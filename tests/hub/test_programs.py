"""What the programs of one machine are started with."""

from pathlib import Path

import pytest

from hub import programs

pytestmark = pytest.mark.once


def test_the_runner_is_given_no_credential_of_the_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = (
        *("DATABASE_URL", "DATABASE_URL_FILE", "PGPASSWORD", "PGSERVICEFILE", "HUB_SECRET_KEY"),
        *("HUB_SECRET_KEY_FILE", "HUB_S3_SECRET_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY"),
    )
    for name in secrets:
        monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("HUB_MODEL_KEY", "the runner's own")
    web, *_, runner = programs.children(logs=tmp_path, runner_token="hubr_x")
    assert [child.name for child in (web, runner)] == ["web", "runner"]
    assert set(secrets) <= set(web.environ)
    assert set(secrets).isdisjoint(runner.environ)
    assert runner.environ["HUB_RUNNER_TOKEN"] == "hubr_x"
    assert "HUB_MODEL_KEY" in runner.environ
    assert not any("hubr_x" in word for word in runner.command)

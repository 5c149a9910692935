"""Settings as an operator meets them: documented, and refused in one sentence when wrong."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from hub import checks

pytestmark = pytest.mark.once

ROOT = Path(settings.BASE_DIR)
READ = re.compile(r'"((?:HUB|RUNNER)_[A-Z0-9_]+|DATABASE_URL)"')


@pytest.mark.parametrize("file", ["hub/settings.py", "worker/envyard_runner/config.py"])
def test_every_variable_is_documented(file: str) -> None:
    documented = set(re.findall(r"`([A-Z0-9_]+)`", (ROOT / "docs/settings.md").read_text()))
    read = set(READ.findall((ROOT / file).read_text()))
    assert len(read) > 10
    assert read - documented == set()


def start(tmp_path: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """`manage.py check` in a process of its own, with these variables and no others of ours."""
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "check"],
        env={"PATH": "/usr/bin:/bin", "HUB_HOME": str(tmp_path)} | environ,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("HUB_PORT", "http", "HUB_PORT='http': must be a whole number"),
        ("HUB_PROBES", "silent,loud", "'loud' must be one of silent, parrot"),
        ("HUB_REQUIRED_POLICIES", "model", "'model' must be one of silent, parrot"),
        ("HUB_ALLOWED_HOSTS", "https://hub.example.org", "must be a host name, without scheme"),
        ("HUB_ALLOWED_HOSTS", "hub.example.org:443", "must be a host name, without scheme"),
        ("HUB_ALLOWED_HOSTS", "*.example.org", "must be a host name, without scheme"),
        ("HUB_URL", "http://hub.example.org:port", "HUB_URL='http://hub.example.org:port': must"),
        ("HUB_BROKER_URL", "rabbit.example.org", "HUB_BROKER_URL='rabbit.example.org://…'"),
        ("DATABASE_URL", "postgresql://hub:pass/word@db/hub", "%2F"),
        ("HUB_PACKAGE_INDEX", "https://u:secret@pypi.example.org/simple", "HUB_PACKAGE_INDEX='…'"),
        ("HUB_STORAGE", "s3", "HUB_STORAGE='s3' needs HUB_S3_BUCKET"),
        ("HUB_MODEL_URL", "http://127.0.0.1:1/v1", "HUB_MODEL is not"),
        ("HUB_S3_ACCESS_KEY_ID", "k", "HUB_S3_SECRET_ACCESS_KEY must be set together"),
    ],
)
def test_bad_setting_stops_the_start_with_the_reason(
    tmp_path: Path, name: str, value: str, message: str
) -> None:
    done = start(tmp_path, **{name: value})
    assert done.returncode != 0
    assert message in done.stderr
    assert "secret@" not in done.stderr


def test_the_address_that_serve_listens_on_is_always_allowed(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from hub import settings; print(settings.ALLOWED_HOSTS)"],
        env={
            "HUB_HOME": str(tmp_path),
            "HUB_BIND": "192.0.2.7",
            "HUB_ALLOWED_HOSTS": "hub.example.org",
        },
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    hosts = ast.literal_eval(done.stdout)
    assert {"hub.example.org", "127.0.0.1", "192.0.2.7"} <= set(hosts)


def test_the_defaults_start_and_keep_their_key(tmp_path: Path) -> None:
    assert start(tmp_path).returncode == 0
    key = (tmp_path / "secret_key").read_text()
    assert start(tmp_path).returncode == 0
    assert (tmp_path / "secret_key").read_text() == key


def test_clear_text_outside_this_machine_is_warned_of(settings: object) -> None:
    settings.HUB_URL = "http://hub.example.org"  # type: ignore[attr-defined]
    assert [message.id for message in checks.plain_http()] == ["hub.W002"]
    settings.HUB_URL = "https://hub.example.org"  # type: ignore[attr-defined]
    assert checks.plain_http() == []


def test_mail_that_reaches_nobody_is_warned_of(settings: object) -> None:
    assert checks.mail_in_files() == []
    settings.HUB_URL = "https://hub.example.org"  # type: ignore[attr-defined]
    assert [message.id for message in checks.mail_in_files()] == ["hub.W003"]
    settings.HUB_EMAIL_URL = "smtp://mail.example.org"  # type: ignore[attr-defined]
    assert checks.mail_in_files() == []


def test_a_misspelt_variable_is_warned_of(tmp_path: Path) -> None:
    done = start(tmp_path, HUB_ALLOWED_HOST="x", HUB_RUNNER_TOKEN="y", HUB_SECRET_KEY="z")
    assert done.returncode == 0
    assert "HUB_ALLOWED_HOST is set, and the hub has no such setting" in done.stderr
    assert "Did you mean HUB_ALLOWED_HOSTS?" in done.stderr
    assert done.stderr.count("hub.W004") == 1

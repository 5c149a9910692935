"""Stock clients against the hub: twine, uv and pip, without special options."""

import hashlib
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import requests

from tests.flows.hub import BIN, ROOT, Hub, clean_environ
from tests.wheels import make_wheel

pytestmark = [pytest.mark.flow, pytest.mark.timeout(600)]


def run(*command: str | Path, expect: int = 0, **environ: str) -> str:
    """The output of a client, whose exit code must be `expect`."""
    done = subprocess.run(
        [str(part) for part in command],
        env=clean_environ() | environ,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    output = done.stdout + done.stderr
    assert done.returncode == expect, f"{command}: {done.returncode}\n{output}"
    return output


def wheel(folder: Path, name: str, version: str = "0.1.0", description: str = "# One\n") -> Path:
    """A wheel that needs nothing but verifiers."""
    path = folder / f"{name.replace('-', '_')}-{version}-py3-none-any.whl"
    path.write_bytes(make_wheel(name, version, description=description))
    return path


def twine(hub: Hub, path: Path, expect: int = 0) -> str:
    """`twine upload` with alice's token."""
    url = f"{hub.url}/legacy/alice/"
    return run(
        *(BIN / "twine", "upload", "--non-interactive", "--verbose", "--repository-url", url, path),
        expect=expect,
        TWINE_USERNAME="__token__",
        TWINE_PASSWORD=hub.token("alice"),
        COLUMNS="400",
    )


def test_twine_uploads_and_the_same_bytes_again_are_no_mistake(hub: Hub, tmp_path: Path) -> None:
    path = wheel(tmp_path, "by-twine")
    twine(hub, path)
    twine(hub, path)
    assert hub.version("alice/by-twine==0.1.0")["version"] == "0.1.0"
    (other := tmp_path / "other").mkdir()
    output = twine(hub, wheel(other, "by-twine", description="# Two\n"), expect=1)
    assert "File already exists" in output


def test_uv_publishes_then_uv_and_pip_install_from_the_index(hub: Hub, tmp_path: Path) -> None:
    path = wheel(tmp_path, "by-uv")
    publish = (BIN / "uv", "publish", "--publish-url", f"{hub.url}/legacy/alice/", "--token")
    run(*publish, hub.token("alice"), path)
    assert hub.decided("alice/by-uv==0.1.0")["status"] == "listed"
    index = f"{hub.url}/alice/simple/"
    run(*publish, hub.token("alice"), "--check-url", index, path)

    run(BIN / "uv", "venv", "-q", "--seed", "--python", sys.executable, tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    run(BIN / "uv", "pip", "install", "--python", python, "--no-deps", "--index", index, "by-uv")
    assert "by_uv" in run(BIN / "uv", "pip", "show", "--python", python, "--files", "by-uv")
    run(BIN / "uv", "pip", "uninstall", "--python", python, "by-uv")
    run(python, "-m", "pip", "install", "--no-deps", "--index-url", index, "by-uv==0.1.0")
    newer = ("--exclude-newer", "2020-01-01T00:00:00Z")
    output = run(
        *(BIN / "uv", "pip", "install", "--python", python, "--no-deps", "--reinstall", *newer),
        *("--default-index", index, "by-uv"),
        expect=1,
    )
    assert "by-uv" in output


def test_a_stranger_may_not_publish_under_alices_name(hub: Hub, tmp_path: Path) -> None:
    done = hub.run("push", wheel(tmp_path, "not-mine"), "--owner", "alice", by="carol", expect=1)
    assert "publish under" in done.stderr


# Two listed versions that need nothing, a year apart, and a private one: as rows, so that the
# clients are what takes time here.
LISTED = """
import django
django.setup()
from datetime import UTC, datetime
from django.db import transaction
from registry.catalog.services import refresh_latest
from registry.models import User, Version
from tests.factories import make_version
from tests.wheels import make_wheel

alice = User.objects.get(username="alice")
for name, version, visibility in (
    ("small", "0.1.0", "public"), ("small", "0.2.0", "public"), ("secret", "0.1.0", "private")
):
    wheel = make_wheel(name, version, metadata={"Requires-Dist": None})
    made = make_version(alice, name, version, visibility=visibility, wheel=wheel)
    if version == "0.1.0":
        with transaction.atomic():
            Version.objects.filter(pk=made.pk).update(uploaded_at=datetime(2025, 1, 1, tzinfo=UTC))
            refresh_latest(made.environment)
"""


@pytest.fixture(scope="module")
def index(hub: Hub) -> str:
    """Alice's index with `small` and `secret` on it, which the worker has written down."""
    environ = hub.environ | {"DJANGO_SETTINGS_MODULE": "hub.settings", "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", LISTED], env=environ, cwd=ROOT, timeout=60, check=True)
    url = f"{hub.url}/alice/simple/"
    page = hub.home / "files" / "index" / "alice" / "small" / "index.json"
    hub.wait(lambda: page.exists() and b"0.2.0" in page.read_bytes(), "the stored page")
    assert page.read_bytes() == requests.get(f"{url}small/?format=json", timeout=10).content
    return url


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a new venv with pip."""
    venv = tmp_path_factory.mktemp("clients") / "venv"
    run(BIN / "uv", "venv", "-q", "--seed", "--python", sys.executable, venv)
    return venv / "bin" / "python"


def installed(python: Path) -> str:
    """What is in that venv, as requirements."""
    return run(BIN / "uv", "pip", "freeze", "--python", python)


def test_uv_leaves_out_what_was_uploaded_after_a_day(index: str, python: Path) -> None:
    words = ("pip", "install", "--python", python, "--default-index", index, "--exclude-newer")
    run(BIN / "uv", *words, "2025-06-01", "small")
    assert "small==0.1.0" in installed(python)
    run(BIN / "uv", *words, "2024-06-01", "small", "--reinstall", expect=1)


def test_pip_downloads_the_bytes_that_were_uploaded(
    index: str, python: Path, tmp_path: Path
) -> None:
    run(python, "-m", "pip", "download", "--index-url", index, "--dest", tmp_path, "small")
    data = (tmp_path / "small-0.2.0-py3-none-any.whl").read_bytes()
    assert data == make_wheel("small", "0.2.0", metadata={"Requires-Dist": None})


def test_uv_compiles_hashes_that_pip_then_requires(
    index: str, python: Path, tmp_path: Path
) -> None:
    (tmp_path / "requirements.in").write_text("small\n")
    locked = tmp_path / "requirements.txt"
    words = ("pip", "compile", "-q", "--default-index", index, "--generate-hashes")
    run(BIN / "uv", *words, "--output-file", locked, tmp_path / "requirements.in")
    wheel = make_wheel("small", "0.2.0", metadata={"Requires-Dist": None})
    assert f"--hash=sha256:{hashlib.sha256(wheel).hexdigest()}" in locked.read_text()
    pip = (python, "-m", "pip", "install", "--force-reinstall", "--index-url", index)
    run(*pip, "--require-hashes", "--requirement", locked)
    assert "small==0.2.0" in installed(python)


def test_a_project_locks_exports_and_syncs_from_the_explicit_index_with_a_token(
    hub: Hub, index: str, python: Path, tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "trainer"\nversion = "1"\nrequires-python = ">=3.11"\n'
        'dependencies = ["small", "secret"]\n'
        '[tool.uv.sources]\nsmall = {index = "hub"}\nsecret = {index = "hub"}\n'
        f'[[tool.uv.index]]\nname = "hub"\nurl = "{index}"\nexplicit = true\n'
    )
    login = {"UV_INDEX_HUB_USERNAME": "__token__", "UV_INDEX_HUB_PASSWORD": hub.token("alice")}
    uv = (BIN / "uv", "--project", tmp_path)
    run(*uv, "lock", "--python", sys.executable, expect=1)
    run(*uv, "lock", "--python", sys.executable, **login)
    locked = tomllib.loads((tmp_path / "uv.lock").read_text())
    wheels = {p["name"]: p["wheels"][0] for p in locked["package"] if "wheels" in p}
    assert wheels["small"]["hash"].startswith("sha256:")
    assert wheels["secret"]["upload-time"] == "2025-01-01T00:00:00Z"
    run(*uv, "sync", "--frozen", "--python", sys.executable, **login)
    assert "secret==0.1.0" in installed(tmp_path / ".venv" / "bin" / "python")

    pylock = tmp_path / "pylock.toml"
    export = ("export", "-q", "--frozen", "--format", "pylock.toml", "--no-emit-project")
    run(*uv, *export, "--output-file", pylock, **login)
    files = {p["name"]: p["wheels"][0] for p in tomllib.loads(pylock.read_text())["packages"]}
    assert files["small"]["url"].startswith(f"{hub.url}/files/")
    run(BIN / "uv", "pip", "uninstall", "-q", "--python", python, "small")
    only = ("--no-deps", "--require-hashes", "--requirement", pylock)
    run(BIN / "uv", "pip", "install", "--python", python, *only, **login)
    assert {"small==0.2.0", "secret==0.1.0"} <= set(installed(python).splitlines())

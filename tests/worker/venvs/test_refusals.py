"""What cannot be installed, and whose fault it is."""

from __future__ import annotations

import asyncio
import shutil
import zipfile
from contextlib import suppress
from dataclasses import replace

import pytest

from envyard_runner.venvs import VenvError, build_venv
from envyard_runner.venvs.uv import diagnose
from tests.wheels import entry, make_wheel, write_wheel
from tests.worker.venvs.conftest import LockStore, VenvSetup, build_refused

pytestmark = pytest.mark.sandbox


def test_an_unknown_dependency_is_the_authors_fault_and_is_named(venv_setup: VenvSetup) -> None:
    error = build_refused(venv_setup, requires=["no-such-thing"])
    assert (error.finding.code, error.fault) == ("env.dependencies_unresolvable", "environment")
    assert "no-such-thing was not found" in error.finding.message
    assert error.finding.hint.startswith("Check the spelling")
    assert error.finding.details == {"cause": "not_on_index"}


def test_a_framework_that_the_index_does_not_have_is_our_fault(venv_setup: VenvSetup) -> None:
    with pytest.raises(VenvError) as caught:
        venv_setup.build(extra=("verifiers>=0.4,<0.5",))
    assert (caught.value.fault, caught.value.finding.code) == ("platform", "run.install_failed")
    assert "does not have what the runner itself adds (verifiers" in caught.value.finding.message


def test_an_index_without_anything_is_our_fault_whatever_it_lacks_first(
    venv_setup: VenvSetup,
) -> None:
    with pytest.raises(VenvError) as caught:
        venv_setup.build(requires=["dep"], extra=("verifiers>=0.4,<0.5",))
    assert (caught.value.fault, caught.value.finding.code) == ("platform", "run.install_failed")
    assert "verifiers" in caught.value.finding.message


def test_an_unknown_dependency_is_the_authors_fault_where_the_index_has_the_framework(
    venv_setup: VenvSetup,
) -> None:
    venv_setup.add_to_index("verifiers", "0.4.0")
    with pytest.raises(VenvError) as caught:
        venv_setup.build(requires=["no-such-thing"], extra=("verifiers>=0.4,<0.5",))
    assert caught.value.fault == "environment"
    assert "no-such-thing was not found" in caught.value.finding.message


def test_an_index_that_lost_its_content_since_it_was_cached_is_our_fault(
    venv_setup: VenvSetup,
) -> None:
    venv_setup.add_to_index("verifiers", "0.4.0")
    venv_setup.build(extra=("verifiers>=0.4,<0.5",))
    next(venv_setup.index.glob("verifiers-*")).unlink()
    with pytest.raises(VenvError) as caught:
        venv_setup.build(requires=["dep"], extra=("verifiers>=0.4,<0.5",))
    assert caught.value.fault == "platform"


def test_a_conflict_is_the_authors_fault_with_uvs_reason(venv_setup: VenvSetup) -> None:
    venv_setup.add_to_index("dep", "1.0")
    error = build_refused(venv_setup, requires=["dep>1"])
    assert (error.finding.code, error.fault) == ("env.dependencies_unresolvable", "environment")
    assert "dep>1" in error.finding.message


def test_a_dependency_without_a_wheel_is_never_built_and_is_named(venv_setup: VenvSetup) -> None:
    (venv_setup.index / "sourceonly-1.0.tar.gz").write_bytes(b"never unpacked")
    error = build_refused(venv_setup, requires=["sourceonly"])
    assert (error.finding.code, error.fault) == ("env.dependency_sdist_only", "environment")
    assert error.finding.where == "sourceonly"
    assert error.finding.message.startswith("sourceonly has no wheel: ")
    assert "would run its code" in error.finding.hint
    assert error.finding.details == {"cause": "sdist_only"}


def test_an_index_that_does_not_answer_is_our_fault(venv_setup: VenvSetup) -> None:
    closed = replace(
        venv_setup.config,
        index_environment={"UV_DEFAULT_INDEX": "http://127.0.0.1:9/simple", "UV_HTTP_RETRIES": "0"},
    )
    error = build_refused(replace(venv_setup, config=closed), requires=["dep"])
    assert (error.finding.code, error.fault) == ("run.install_failed", "platform")
    assert "127.0.0.1:9" in error.finding.message


def test_too_little_time_is_our_fault(venv_setup: VenvSetup) -> None:
    wheel = write_wheel(venv_setup.wheels, metadata={"Requires-Dist": ["dep"]})
    with pytest.raises(VenvError) as caught:
        asyncio.run(build_venv(venv_setup.config, wheel, agree=LockStore().agree, seconds=0.0))
    assert (caught.value.finding.code, caught.value.fault) == ("run.install_failed", "platform")


@pytest.mark.parametrize(
    "line", ["dep @ file:///etc/dep-1.0-py3-none-any.whl", "dep @ git+https://127.0.0.1/dep.git"]
)
def test_a_direct_url_is_refused_before_uv_sees_it(venv_setup: VenvSetup, line: str) -> None:
    error = build_refused(venv_setup, requires=[line])
    assert (error.finding.code, error.fault) == ("metadata.direct_url", "environment")
    assert venv_setup.requested == []


def test_a_dependencys_direct_url_is_refused(venv_setup: VenvSetup) -> None:
    secret = write_wheel(venv_setup.wheels, "secret", "1.0", files={"secret.py": "TOLD = 1\n"})
    venv_setup.add_to_index("bridge", requires=[f"secret @ {secret.as_uri()}"])
    error = build_refused(venv_setup, requires=["bridge"])
    assert error.fault == "environment", error.finding


def test_an_option_in_place_of_a_requirement_is_refused(venv_setup: VenvSetup) -> None:
    error = build_refused(venv_setup, requires=["--index-url http://127.0.0.1:9/simple"])
    assert error.finding.code == "metadata.bad_requirement"


def test_a_python_that_the_runner_lacks_is_not_the_authors_fault(venv_setup: VenvSetup) -> None:
    error = build_refused(venv_setup, **{"Requires-Python": ">=4"})
    assert (error.finding.code, error.fault) == ("run.no_python", "platform")
    assert "Requires-Python is >=4; this runner has Python 3." in error.finding.message


def test_a_file_that_changed_on_the_index_after_the_lock_is_refused(venv_setup: VenvSetup) -> None:
    venv_setup.add_to_index("dep")
    lock_store = LockStore()
    venv = venv_setup.build(requires=["dep"], lock_store=lock_store)
    venv_setup.add_to_index("dep", files={"dep/__init__.py": "VERSION = 'swapped'\n"})
    assert venv.packages == 2
    shutil.rmtree(venv_setup.config.venvs)
    shutil.rmtree(venv_setup.config.home / "uv-cache")
    error = build_refused(venv_setup, requires=["dep"], lock_store=lock_store)
    assert error.fault == "platform"
    assert "hash" in error.finding.message.lower()


def test_a_member_that_climbs_out_stays_inside(venv_setup: VenvSetup) -> None:
    climbing = entry("../../../climbed.py")
    data = make_wheel("dep", "1.0", files={"dep.py": ""}, extra=[(climbing, b"x = 1\n")])
    (venv_setup.index / "dep-1.0-py3-none-any.whl").write_bytes(data)
    with suppress(VenvError):
        venv_setup.build(requires=["dep"])
    assert not list(venv_setup.config.home.parent.rglob("climbed.py"))


def test_an_archive_that_is_no_wheel_is_the_authors_fault(venv_setup: VenvSetup) -> None:
    wheel = venv_setup.wheels / "demo_env-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("x", "x")
    wheel.write_bytes(wheel.read_bytes()[:-5])
    with pytest.raises(VenvError) as caught:
        asyncio.run(build_venv(venv_setup.config, wheel, agree=LockStore().agree))
    assert caught.value.fault == "environment"


@pytest.mark.parametrize(
    ("code", "stderr", "expected"),
    [
        (2, "error: Failed to fetch: `http://x`\n  cause: dns error", "run.install_failed"),
        (1, "error: something new", "run.install_failed"),
        (-9, "", "run.install_failed"),
        (
            1,
            "error: No solution found when resolving\n  cause: Because",
            "env.dependencies_unresolvable",
        ),
    ],
)
def test_errors_of_uv_are_the_authors_fault_only_when_certain(
    code: int, stderr: str, expected: str
) -> None:
    assert diagnose(code, stderr).code == expected


@pytest.mark.parametrize("port", ["9", "index"])
def test_the_password_of_the_package_index_is_in_no_message(
    venv_setup: VenvSetup, port: str
) -> None:
    url = venv_setup.config.index_environment["UV_DEFAULT_INDEX"]
    address = url.replace("http://", "http://runner:geheim@")
    if port == "9":
        address = "http://runner:geheim@127.0.0.1:9/simple"
    closed = replace(
        venv_setup.config,
        index_environment={"UV_DEFAULT_INDEX": address, "UV_HTTP_RETRIES": "0"},
    )
    error = build_refused(
        replace(venv_setup, config=closed), requires=["dep"], extra=("verifiers>=0.4",)
    )
    assert error.fault == "platform"
    assert "geheim" not in error.finding.message

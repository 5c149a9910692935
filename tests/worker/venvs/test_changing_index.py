"""An index that changes between two uses of it: never blamed on the environment."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from envyard_runner.venvs import VenvError
from tests.worker.venvs.conftest import LockStore, VenvSetup, build_refused

pytestmark = pytest.mark.sandbox

PLATFORM = ("run.install_failed", "platform")


def dep(venv_setup: VenvSetup, version: str = "1.0") -> Path:
    """The file of that release on the index."""
    return venv_setup.index / f"dep-{version}-py3-none-any.whl"


@pytest.mark.parametrize("other_release", [False, True])
def test_a_release_that_disappears_after_the_lock_is_the_platforms_fault(
    venv_setup: VenvSetup, other_release: bool
) -> None:
    class Lagging(LockStore):
        async def agree(self, platform: str, offered: str | None) -> str | None:
            if offered is not None:
                dep(venv_setup, "2.0").rename(venv_setup.wheels / "kept.whl")
            return await super().agree(platform, offered)

    venv_setup.add_to_index("dep", "2.0")
    if other_release:
        venv_setup.add_to_index("dep", "1.0")
    lock_store = Lagging()
    error = build_refused(venv_setup, requires=["dep"], lock_store=lock_store)
    assert (error.finding.code, error.fault) == PLATFORM
    assert "the package index does not serve what the version's lock names" in str(error)
    assert "dep==2.0" in str(error)
    assert lock_store.locks

    (venv_setup.wheels / "kept.whl").rename(dep(venv_setup, "2.0"))
    venv = venv_setup.build(requires=["dep"], lock_store=lock_store)
    assert venv_setup.run_code(venv, "import dep; print(dep.VERSION)") == "2.0\n"


@pytest.mark.parametrize("replacement", ["nothing", "sdist", "other platform"])
def test_an_earlier_lock_that_the_index_does_not_serve_is_the_platforms_fault(
    venv_setup: VenvSetup, replacement: str
) -> None:
    venv_setup.add_to_index("dep")
    lock_store = LockStore()
    venv_setup.build(requires=["dep"], lock_store=lock_store)
    served = dep(venv_setup)
    if replacement == "sdist":
        served.with_name("dep-1.0.tar.gz").write_bytes(b"never unpacked")
    if replacement == "other platform":
        served.with_name("dep-1.0-cp311-cp311-win_amd64.whl").write_bytes(served.read_bytes())
    served.unlink()
    other = replace(venv_setup.config, home=venv_setup.config.home / "other")
    error = build_refused(
        replace(venv_setup, config=other), requires=["dep"], lock_store=lock_store
    )
    assert (error.finding.code, error.fault) == PLATFORM
    assert "dep" in str(error)


def test_a_release_that_a_cached_page_lacks_is_installed(venv_setup: VenvSetup) -> None:
    venv_setup.cached_for.append(600)
    venv_setup.add_to_index("dep", "1.0")
    venv_setup.build(requires=["dep"])
    venv_setup.add_to_index("dep", "2.0")
    venv = venv_setup.build(requires=["dep>=2"])
    assert venv_setup.run_code(venv, "import dep; print(dep.VERSION)") == "2.0\n"


def test_a_lock_of_another_runner_is_installed_where_a_cached_page_lacks_its_release(
    venv_setup: VenvSetup,
) -> None:
    venv_setup.cached_for.append(600)
    venv_setup.add_to_index("dep", "1.0")
    venv_setup.build(requires=["dep"])
    venv_setup.add_to_index("dep", "2.0")
    other = replace(venv_setup.config, home=venv_setup.config.home / "other")
    lock_store = LockStore()
    replace(venv_setup, config=other).build(requires=["dep"], lock_store=lock_store)
    venv = venv_setup.build(requires=["dep"], lock_store=lock_store)
    assert venv_setup.run_code(venv, "import dep; print(dep.VERSION)") == "2.0\n"


def test_an_index_without_the_release_that_the_runner_adds_is_the_platforms_fault(
    venv_setup: VenvSetup,
) -> None:
    venv_setup.add_to_index("verifiers", "0.3.0")
    venv_setup.add_to_index("dep")
    with pytest.raises(VenvError) as caught:
        venv_setup.build(requires=["dep"], extra=("verifiers>=0.4,<0.5",))
    assert (caught.value.finding.code, caught.value.fault) == PLATFORM
    shutil.rmtree(venv_setup.config.home)
    venv_setup.add_to_index("verifiers", "0.4.0")
    with pytest.raises(VenvError) as caught:
        venv_setup.build(requires=["verifiers<0.4"], extra=("verifiers>=0.4,<0.5",))
    assert caught.value.fault == "environment"

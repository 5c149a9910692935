"""A version's lock: made by its first run as of its upload, then obeyed by every other."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from envyard.contract.lock import Pin, parse
from envyard_runner.venvs.locks import check_driven
from envyard_runner.venvs.uv import VenvError
from tests.worker.venvs.conftest import LockStore, VenvSetup, build_refused

pytestmark = pytest.mark.sandbox

MAY, JULY = "2026-05-01T12:00:00.123456+00:00", "2026-07-01T00:00:00Z"
SAY = "import dep; print(dep.VERSION)"


def test_a_version_never_gets_what_was_released_after_its_upload(venv_setup: VenvSetup) -> None:
    venv_setup.add_to_index("dep", "1.0")
    venv_setup.add_to_index("dep", "2.0", uploaded="2026-06-01T00:00:00Z")
    early = venv_setup.build(requires=["dep"], before=MAY)
    late = venv_setup.build(requires=["dep"], before=JULY)
    assert venv_setup.run_code(early, SAY) == "1.0\n"
    assert venv_setup.run_code(late, SAY) == "2.0\n"


def test_the_lock_that_the_hub_has_is_installed_on_every_machine(venv_setup: VenvSetup) -> None:
    venv_setup.add_to_index("deep")
    venv_setup.add_to_index("dep", requires=["deep"])
    lock_store = LockStore()
    venv_setup.build(requires=["dep"], lock_store=lock_store)
    ((platform, lock),) = lock_store.locks.items()
    assert platform.startswith("cpython-3")
    assert [(pin.name, pin.version, len(pin.hashes)) for pin in parse(lock)] == [
        *(("deep", "1.0", 1), ("dep", "1.0", 1))
    ]
    venv_setup.add_to_index("dep", "1.1")
    other = replace(
        venv_setup, config=replace(venv_setup.config, home=venv_setup.config.home / "other")
    )
    assert venv_setup.run_code(other.build(requires=["dep"], lock_store=lock_store), SAY) == "1.0\n"
    assert lock_store.offered == [lock]


def test_what_is_left_out_is_neither_locked_nor_installed(venv_setup: VenvSetup) -> None:
    venv_setup.add_to_index("dep", requires=["absent>=3.2"])
    refused = build_refused(venv_setup, requires=["dep"])
    assert refused.finding.code == "env.dependencies_unresolvable"
    lock_store = LockStore()
    venv = venv_setup.build(requires=["dep"], left_out=["absent"], lock_store=lock_store)
    assert [pin.name for pin in parse(*lock_store.offered)] == ["dep"]
    assert venv_setup.run_code(venv, SAY) == "1.0\n"


def test_a_preferred_release_is_locked_where_nothing_requires_another(
    venv_setup: VenvSetup,
) -> None:
    for number in ("1.0", "2.0"):
        venv_setup.add_to_index("deep", number)
    venv_setup.add_to_index("dep", requires=["deep"])
    preferred = {"preferred": ["deep==1.0"]}
    versions = [
        [(pin.name, pin.version) for pin in parse(*lock_store.offered)]
        for requires in (["dep"], ["dep", "deep>1.5"])
        for lock_store in [LockStore()]
        if venv_setup.build(requires=requires, lock_store=lock_store, **preferred)
    ]
    assert versions == [[("deep", "1.0"), ("dep", "1.0")], [("deep", "2.0"), ("dep", "1.0")]]
    (lock_store := LockStore()).locks.clear()
    venv_setup.build(requires=["dep"], lock_store=lock_store, preferred=["deep==0.5"])
    assert "deep==2.0" in lock_store.offered[0]


def test_who_resolves_second_uses_the_first_ones_lock(venv_setup: VenvSetup) -> None:
    class Overtaken(LockStore):
        async def agree(self, platform: str, offered: str | None) -> str | None:
            if offered is not None:
                self.locks = dict(first.locks)
            return await super().agree(platform, offered)

    venv_setup.add_to_index("dep", "1.0")
    first = LockStore()
    venv_setup.build(requires=["dep"], lock_store=first)
    venv_setup.add_to_index("dep", "2.0")
    shutil.rmtree(venv_setup.config.home / "uv-cache")
    second = Overtaken()
    assert (
        venv_setup.run_code(venv_setup.build(requires=["dep"], lock_store=second), SAY) == "1.0\n"
    )
    assert "dep==2.0" in second.offered[0]


@pytest.mark.parametrize(
    "lock",
    [
        "dep @ file:///etc/hostname --hash=sha256:{h}\n",
        "--index-url http://127.0.0.1:9/simple\ndep==1.0 --hash=sha256:{h}\n",
        "dep==1.0\n",
    ],
)
def test_a_lock_that_is_none_never_reaches_uv(venv_setup: VenvSetup, lock: str) -> None:
    class Hostile(LockStore):
        async def agree(self, platform: str, offered: str | None) -> str | None:
            return lock.format(h="1" * 64)

    error = build_refused(venv_setup, requires=["dep"], lock_store=Hostile())
    assert (error.finding.code, error.fault) == ("run.install_failed", "platform")
    assert venv_setup.requested == []


def test_a_finding_names_a_release_that_came_too_late(venv_setup: VenvSetup) -> None:
    venv_setup.add_to_index("dep", "2.0", uploaded="2026-06-01T00:00:00Z")
    error = build_refused(venv_setup, requires=["dep>=2"], before=MAY)
    assert error.finding.code == "env.dependencies_unresolvable"
    assert "published at 2026-06-01" in error.finding.message
    assert "Consider" not in error.finding.message


def test_an_index_without_upload_times_is_no_fault_of_the_author(venv_setup: VenvSetup) -> None:
    venv_setup.add_to_index("dep")
    venv_setup.dated.clear()
    error = build_refused(venv_setup, requires=["dep"], before=MAY)
    assert (error.finding.code, error.fault) == ("run.install_failed", "platform")
    assert "PEP 700" in error.finding.message


def test_a_reason_without_end_is_made_short(venv_setup: VenvSetup) -> None:
    names = [f"{'x' * 80}{number}" for number in range(20)]
    error = build_refused(venv_setup, requires=[f"{name}>1" for name in names])
    assert error.finding.code == "env.dependencies_unresolvable"
    assert 50 < len(error.finding.message) < 800


def test_a_lock_without_the_framework_that_this_runner_drives_is_refused() -> None:
    check_driven([Pin("verifiers", "0.4.1", ())], ["verifiers>=0.4,<0.5"])
    for pins in ([Pin("verifiers", "0.5.0", ())], []):
        with pytest.raises(VenvError) as caught:
            check_driven(pins, ["verifiers>=0.4,<0.5"])
        assert caught.value.fault == "platform"

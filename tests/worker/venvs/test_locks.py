"""A version's lock: made by its first run as of its upload, then obeyed by every other."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from envyard.contract.lock import Pin, parse
from envyard_runner.venvs.locks import check_driven
from envyard_runner.venvs.uv import VenvError
from tests.worker.venvs.conftest import Keeper, World, refused

pytestmark = pytest.mark.sandbox

MAY, JULY = "2026-05-01T12:00:00.123456+00:00", "2026-07-01T00:00:00Z"
SAY = "import dep; print(dep.VERSION)"


def test_a_version_never_gets_what_was_released_after_its_upload(world: World) -> None:
    world.publish("dep", "1.0")
    world.publish("dep", "2.0", uploaded="2026-06-01T00:00:00Z")
    early = world.build(requires=["dep"], before=MAY)
    late = world.build(requires=["dep"], before=JULY)
    assert world.run(early, SAY) == "1.0\n"
    assert world.run(late, SAY) == "2.0\n"


def test_the_lock_that_the_hub_has_is_installed_on_every_machine(world: World) -> None:
    world.publish("deep")
    world.publish("dep", requires=["deep"])
    keeper = Keeper()
    world.build(requires=["dep"], keeper=keeper)
    ((platform, lock),) = keeper.locks.items()
    assert platform.startswith("cpython-3")
    assert [(pin.name, pin.version, len(pin.hashes)) for pin in parse(lock)] == [
        *(("deep", "1.0", 1), ("dep", "1.0", 1))
    ]
    world.publish("dep", "1.1")
    other = replace(world, config=replace(world.config, home=world.config.home / "other"))
    assert world.run(other.build(requires=["dep"], keeper=keeper), SAY) == "1.0\n"
    assert keeper.offered == [lock]


def test_who_resolves_second_uses_the_first_ones_lock(world: World) -> None:
    class Overtaken(Keeper):
        async def agree(self, platform: str, offered: str | None) -> str | None:
            if offered is not None:
                self.locks = dict(first.locks)
            return await super().agree(platform, offered)

    world.publish("dep", "1.0")
    first = Keeper()
    world.build(requires=["dep"], keeper=first)
    world.publish("dep", "2.0")
    shutil.rmtree(world.config.home / "uv-cache")
    second = Overtaken()
    assert world.run(world.build(requires=["dep"], keeper=second), SAY) == "1.0\n"
    assert "dep==2.0" in second.offered[0]


@pytest.mark.parametrize(
    "lock",
    [
        "dep @ file:///etc/hostname --hash=sha256:{h}\n",
        "--index-url http://127.0.0.1:9/simple\ndep==1.0 --hash=sha256:{h}\n",
        "dep==1.0\n",
    ],
)
def test_a_lock_that_is_none_never_reaches_uv(world: World, lock: str) -> None:
    class Hostile(Keeper):
        async def agree(self, platform: str, offered: str | None) -> str | None:
            return lock.format(h="1" * 64)

    error = refused(world, requires=["dep"], keeper=Hostile())
    assert (error.finding.code, error.fault) == ("run.install_failed", "platform")
    assert world.asked == []


def test_a_finding_names_a_release_that_came_too_late(world: World) -> None:
    world.publish("dep", "2.0", uploaded="2026-06-01T00:00:00Z")
    error = refused(world, requires=["dep>=2"], before=MAY)
    assert error.finding.code == "env.dependencies_unresolvable"
    assert "published at 2026-06-01" in error.finding.message
    assert "Consider" not in error.finding.message


def test_an_index_without_upload_times_is_no_fault_of_the_author(world: World) -> None:
    world.publish("dep")
    world.dated.clear()
    error = refused(world, requires=["dep"], before=MAY)
    assert (error.finding.code, error.fault) == ("run.install_failed", "platform")
    assert "PEP 700" in error.finding.message


def test_a_reason_without_end_is_made_short(world: World) -> None:
    names = [f"{'x' * 80}{number}" for number in range(20)]
    error = refused(world, requires=[f"{name}>1" for name in names])
    assert error.finding.code == "env.dependencies_unresolvable"
    assert 50 < len(error.finding.message) < 800


def test_a_lock_without_the_framework_that_this_runner_drives_is_refused() -> None:
    check_driven([Pin("verifiers", "0.4.1", ())], ["verifiers>=0.4,<0.5"])
    for pins in ([Pin("verifiers", "0.5.0", ())], []):
        with pytest.raises(VenvError) as caught:
            check_driven(pins, ["verifiers>=0.4,<0.5"])
        assert caught.value.fault == "platform"

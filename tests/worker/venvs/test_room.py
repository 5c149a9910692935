"""Venvs and downloads share one limit; what a run holds stays, what was half done is never used."""

from __future__ import annotations

import asyncio
import fcntl
import os
import random
import time
from dataclasses import replace

import pytest

from envyard_runner.config import Config
from envyard_runner.limits import Limits
from envyard_runner.sandbox import Sandbox
from envyard_runner.venvs import Venv, cache, uv
from envyard_runner.venvs.room import free_space
from tests.worker.venvs.conftest import Keeper, World

pytestmark = pytest.mark.sandbox

PART = 100_000  # bytes that each distribution below brings
NOTHING = 0


def big(world: World, name: str) -> Venv:
    """A venv with a distribution of its own, last used long ago."""
    content = random.Random(name).randbytes(PART // 2).hex()
    world.publish(name, files={f"{name}/__init__.py": "", f"{name}/data.txt": content})
    venv = world.build(requires=[name], files={f"{name}_env/__init__.py": ""})
    for folder in (venv.dependencies, venv.environment):
        os.utime(folder.parent / cache.FACTS, (1000, 1000))
    return venv


def used_at(venv: Venv, at: float) -> None:
    os.utime(venv.dependencies.parent / cache.FACTS, (at, at))


def limited(world: World, room: int) -> Config:
    return replace(world.config, venv_cache_bytes=room)


def used(config: Config) -> int:
    """Bytes on disk, each file once however many links it has."""
    parts = (config.venvs, uv.cache_folder(config))
    paths = [path for part in parts for path in part.rglob("*") if not path.is_dir()]
    return sum({(s := p.lstat()).st_ino: s.st_size for p in paths}.values())


def test_the_longest_unused_venv_goes_with_what_only_it_had(world: World) -> None:
    old, new = big(world, "old"), big(world, "new")
    used_at(old, 2000)
    used_at(new, 3000)
    before = used(world.config)
    free_space(limited(world, before - PART))
    assert not old.dependencies.exists()
    assert new.dependencies.exists()
    assert used(world.config) <= before - PART
    assert world.run(world.build(requires=["old"]), "import old; print(old.__name__)") == "old\n"


def test_what_uv_downloaded_goes_before_any_venv(world: World) -> None:
    kept, dropped = big(world, "kept"), big(world, "dropped")
    assert cache.remove(world.config, next(
        entry for entry in cache.entries(world.config) if entry.site == dropped.dependencies
    ))  # fmt: skip
    before = used(world.config)
    free_space(limited(world, before - PART))
    assert kept.dependencies.exists()
    assert before - 2 * PART < used(world.config) <= before - PART


def test_below_the_limit_nothing_goes(world: World) -> None:
    big(world, "small")
    before = used(world.config)
    free_space(limited(world, 2 * before))
    assert used(world.config) == before


def test_what_a_run_holds_or_a_build_has_just_found_stays(world: World) -> None:
    held, found, idle = big(world, "held"), big(world, "found"), big(world, "idle")
    used_at(found, time.time())
    sandbox = Sandbox.prepare(
        config=world.config,
        venv=held.dependencies,
        environment=held.environment,
        job=b"{}",
        limits=Limits(),
    )
    free_space(limited(world, NOTHING))
    asyncio.run(sandbox.close())
    assert [venv.dependencies.exists() for venv in (held, found, idle)] == [True, True, False]
    assert held.environment.exists()
    assert (held.dependencies / "held" / "data.txt").stat().st_nlink == 2  # the download too


def test_nothing_goes_while_some_uv_is_at_work(world: World) -> None:
    big(world, "small")
    before = used(world.config)
    fd = os.open(uv.cache_folder(world.config), os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_SH)
    free_space(limited(world, NOTHING))
    os.close(fd)
    assert used(world.config) == before


def test_a_build_beyond_the_limit_makes_room_by_itself(world: World) -> None:
    old = big(world, "old")
    tight = replace(world, config=limited(world, used(world.config)))
    venv = big(tight, "fresh")
    assert not old.dependencies.exists()
    assert venv.dependencies.exists()


def test_what_a_killed_build_left_is_never_used_and_cleared_up(world: World) -> None:
    keeper = Keeper()
    world.publish("dep")
    whole = world.build(requires=["dep"], keeper=keeper)
    folder = whole.dependencies.parent
    half = folder.with_name(".half")
    folder.rename(half)  # as far as a removal, or a build before its last step, may have come
    (half / "site" / "dep" / "__init__.py").unlink()
    again = world.build(requires=["dep"], keeper=keeper)
    assert again.seconds > 0
    assert world.run(again, "import dep; print(dep.VERSION)") == "1.0\n"
    os.utime(half, (1000, 1000))
    free_space(world.config)
    assert not half.exists()


def test_a_venv_cannot_be_changed_by_its_run(world: World) -> None:
    world.publish("dep")
    venv = world.build(requires=["dep"])
    file = venv.dependencies / "dep" / "__init__.py"
    before = (file.read_text(), file.stat().st_nlink)
    code = (
        "import dep, os, shutil\n"
        "for attempt in (lambda: open(dep.__file__, 'a'), lambda: os.unlink(dep.__file__),"
        " lambda: os.chmod(dep.__file__, 0o777), lambda: os.utime(dep.__file__),"
        " lambda: os.link(dep.__file__, '/tmp/x') or open('/tmp/x', 'a'),"
        " lambda: os.rename(os.path.dirname(dep.__file__), '/tmp/y'),"
        " lambda: open(os.path.dirname(dep.__file__) + '/new.py', 'w')):\n"
        "    try: attempt()\n"
        "    except OSError as error: print(error.errno)\n"
        "    else: print('done')\n"
    )
    assert "done" not in world.run(venv, code)
    assert (file.read_text(), file.stat().st_nlink) == before


def test_venvs_last_used_in_the_future_are_removed_too(world: World) -> None:
    """They were used while the clock was a year ahead."""
    venv = big(world, "ahead")
    used_at(venv, time.time() + 365 * 86400)
    free_space(limited(world, NOTHING))
    assert not venv.dependencies.exists()

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
from envyard_runner.venvs.disk_space import free_space
from tests.worker.venvs.conftest import LockStore, VenvSetup

pytestmark = pytest.mark.sandbox

PART = 100_000  # bytes that each distribution below brings
NOTHING = 0


def big(venv_setup: VenvSetup, name: str) -> Venv:
    """A venv with a distribution of its own, last used long ago."""
    content = random.Random(name).randbytes(PART // 2).hex()
    venv_setup.add_to_index(name, files={f"{name}/__init__.py": "", f"{name}/data.txt": content})
    venv = venv_setup.build(requires=[name], files={f"{name}_env/__init__.py": ""})
    for folder in (venv.dependencies, venv.environment):
        os.utime(folder.parent / cache.FACTS, (1000, 1000))
    return venv


def used_at(venv: Venv, at: float) -> None:
    os.utime(venv.dependencies.parent / cache.FACTS, (at, at))


def limited(venv_setup: VenvSetup, room: int) -> Config:
    return replace(venv_setup.config, venv_cache_bytes=room)


def used(config: Config) -> int:
    """Bytes on disk, each file once however many links it has."""
    parts = (config.venvs, uv.cache_folder(config))
    paths = [path for part in parts for path in part.rglob("*") if not path.is_dir()]
    return sum({(s := p.lstat()).st_ino: s.st_size for p in paths}.values())


def test_the_longest_unused_venv_goes_with_what_only_it_had(venv_setup: VenvSetup) -> None:
    old, new = big(venv_setup, "old"), big(venv_setup, "new")
    used_at(old, 2000)
    used_at(new, 3000)
    before = used(venv_setup.config)
    free_space(limited(venv_setup, before - PART))
    assert not old.dependencies.exists()
    assert new.dependencies.exists()
    assert used(venv_setup.config) <= before - PART
    assert (
        venv_setup.run_code(venv_setup.build(requires=["old"]), "import old; print(old.__name__)")
        == "old\n"
    )


def test_what_uv_downloaded_goes_before_any_venv(venv_setup: VenvSetup) -> None:
    kept, dropped = big(venv_setup, "kept"), big(venv_setup, "dropped")
    assert cache.remove(venv_setup.config, next(
        entry for entry in cache.entries(venv_setup.config) if entry.site == dropped.dependencies
    ))  # fmt: skip
    before = used(venv_setup.config)
    free_space(limited(venv_setup, before - PART))
    assert kept.dependencies.exists()
    assert before - 2 * PART < used(venv_setup.config) <= before - PART


def test_below_the_limit_nothing_goes(venv_setup: VenvSetup) -> None:
    big(venv_setup, "small")
    before = used(venv_setup.config)
    free_space(limited(venv_setup, 2 * before))
    assert used(venv_setup.config) == before


def test_what_a_run_holds_or_a_build_has_just_found_stays(venv_setup: VenvSetup) -> None:
    held, recent, idle = big(venv_setup, "held"), big(venv_setup, "found"), big(venv_setup, "idle")
    used_at(recent, time.time())
    sandbox = Sandbox.prepare(
        config=venv_setup.config,
        venv=held.dependencies,
        environment=held.environment,
        files={},
        limits=Limits(),
    )
    free_space(limited(venv_setup, NOTHING))
    asyncio.run(sandbox.close())
    assert [venv.dependencies.exists() for venv in (held, recent, idle)] == [True, True, False]
    assert held.environment.exists()
    assert (held.dependencies / "held" / "data.txt").stat().st_nlink == 2  # the download too


def test_nothing_goes_while_some_uv_is_at_work(venv_setup: VenvSetup) -> None:
    big(venv_setup, "small")
    before = used(venv_setup.config)
    fd = os.open(uv.cache_folder(venv_setup.config), os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_SH)
    free_space(limited(venv_setup, NOTHING))
    os.close(fd)
    assert used(venv_setup.config) == before


def test_a_build_beyond_the_limit_makes_room_by_itself(venv_setup: VenvSetup) -> None:
    old = big(venv_setup, "old")
    tight = replace(venv_setup, config=limited(venv_setup, used(venv_setup.config)))
    venv = big(tight, "fresh")
    assert not old.dependencies.exists()
    assert venv.dependencies.exists()


def test_what_a_killed_build_left_is_never_used_and_cleared_up(venv_setup: VenvSetup) -> None:
    lock_store = LockStore()
    venv_setup.add_to_index("dep")
    complete_venv = venv_setup.build(requires=["dep"], lock_store=lock_store)
    folder = complete_venv.dependencies.parent
    half = folder.with_name(".half")
    folder.rename(half)  # as far as a removal, or a build before its last step, may have come
    (half / "site" / "dep" / "__init__.py").unlink()
    again = venv_setup.build(requires=["dep"], lock_store=lock_store)
    assert again.seconds > 0
    assert venv_setup.run_code(again, "import dep; print(dep.VERSION)") == "1.0\n"
    os.utime(half, (1000, 1000))
    free_space(venv_setup.config)
    assert not half.exists()


def test_a_venv_cannot_be_changed_by_its_run(venv_setup: VenvSetup) -> None:
    venv_setup.add_to_index("dep")
    venv = venv_setup.build(requires=["dep"])
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
    assert "done" not in venv_setup.run_code(venv, code)
    assert (file.read_text(), file.stat().st_nlink) == before


def test_venvs_last_used_in_the_future_are_removed_too(venv_setup: VenvSetup) -> None:
    """They were used while the clock was a year ahead."""
    venv = big(venv_setup, "ahead")
    used_at(venv, time.time() + 365 * 86400)
    free_space(limited(venv_setup, NOTHING))
    assert not venv.dependencies.exists()

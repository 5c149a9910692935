"""Checks of this machine, ending with a real sandbox."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import tempfile
from pathlib import Path

from envyard_runner import open_files
from envyard_runner.config import Config, blocked_folder
from envyard_runner.doctor.check import Check, CheckFailed, run_check
from envyard_runner.doctor.trial import check_sandbox
from envyard_runner.limits import Limits
from envyard_runner.sandbox import SandboxError, cgroup, interpreter, seccomp, uids
from envyard_runner.sandbox.rundir import make_shared

OLDEST_BUBBLEWRAP = (0, 8)  # --disable-userns, --size


async def require_sandbox(config: Config) -> None:
    """Raise SandboxError with all that is wrong; a runner calls this before it takes any run."""
    wrong = [check for check in await examine_machine(config) if not check.ok]
    if wrong:
        raise SandboxError("; ".join(f"{check.name}: {check.detail}" for check in wrong))


async def examine_machine(config: Config) -> list[Check]:
    """What runs need of this machine, ending with a real sandbox."""
    return [
        await run_check("bubblewrap", _bubblewrap, config),
        await run_check("filter", _filter, config),
        await run_check("interpreter", _interpreter, config),
        await run_check("home", _home, config),
        await run_check("user", _user, config),
        await run_check("limits", _limits, config),
        await run_check("sandbox", check_sandbox, config),
        await run_check("uv", _uv, config),
    ]


async def examine_disk(config: Config) -> Check:
    """Whether the disk has room for a run: no reason not to start, a runner waits for room."""
    return await run_check("disk", _disk, config)


async def _bubblewrap(config: Config) -> str:
    remedy = "apt-get install bubblewrap, or set RUNNER_BWRAP"
    text = _version(config.bwrap, remedy)
    number = re.search(r"(\d+)\.(\d+)", text)
    if number is None or tuple(map(int, number.groups())) < OLDEST_BUBBLEWRAP:
        raise CheckFailed(f"{text} is too old, 0.8 or newer is needed: {remedy}")
    return text


async def _uv(config: Config) -> str:
    return _version(config.uv, "pip install uv, or set RUNNER_UV")


def _version(program: Path, remedy: str) -> str:
    try:
        ended = subprocess.run(
            [program, "--version"], env={}, capture_output=True, text=True, timeout=30, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise CheckFailed(f"{program} does not start ({error}): {remedy}") from error
    return f"{ended.stdout.strip()}, {program}"


async def _filter(config: Config) -> str:
    return (
        f"libseccomp made filters of {len(seccomp.base()) + len(seccomp.launcher_filters())} bytes"
    )


async def _interpreter(config: Config) -> str:
    pythons = config.pythons or (config.python,)
    bases = [interpreter.base(python) for python in pythons]
    for python in pythons:
        interpreter.require_modules(python)
    return "; ".join(f"Python {base.release}, {base.python}" for base in bases)


async def _home(config: Config) -> str:
    try:
        make_shared(config.home)
        with tempfile.TemporaryFile(dir=config.home):
            pass
    except OSError as error:
        raise CheckFailed(
            f"{config.home} cannot be written ({error.strerror}): set RUNNER_HOME"
        ) from error
    if os.geteuid() == 0 and (blocked := blocked_folder(config.home)):
        raise CheckFailed(
            f"{config.home}: other users may not enter {blocked}; "
            "set RUNNER_HOME to a folder that every user can walk through"
        )
    return str(config.home)


async def _disk(config: Config) -> str:
    from envyard_runner.venvs import disk_space

    try:
        short, disk = disk_space.missing_bytes(config), os.statvfs(config.home)
    except OSError as error:
        raise CheckFailed(f"{config.home}: {error.strerror}") from error
    free = f"{disk.f_bavail * disk.f_frsize / (1 << 30):.1f} GiB free"
    if short:
        raise CheckFailed(
            f"{free}, {config.free_bytes >> 20} MiB are needed (RUNNER_FREE_MB): no run is taken"
        )
    return free


async def _user(config: Config) -> str:
    if os.geteuid() == 0:
        return f"root: every run gets a uid of its own, {uids.FIRST} to {uids.LAST}"
    return f"uid {os.geteuid()}: all runs share it; as root each would get a uid of its own"


async def _limits(config: Config) -> str:
    _check_rlimits(config.limits)
    try:
        folder = cgroup.find(config.cgroup)
    except cgroup.NotDelegated as error:
        if config.cgroup:
            raise CheckFailed(f"RUNNER_CGROUP: {error}") from error
        return f"memory and processes held by rlimits and a watchdog, not by the kernel: {error}"
    return f"memory and processes held by the kernel, in {folder}"


def _check_rlimits(limits: Limits) -> None:
    """Raise CheckFailed where this process may not open the files of a run, or give a sandbox its
    own limits."""
    _, files = resource.getrlimit(resource.RLIMIT_NOFILE)  # the soft one is raised at start
    _, processes = resource.getrlimit(resource.RLIMIT_NPROC)
    for name, allowed, needed in (
        ("NOFILE", files, open_files.NEEDED),
        ("NPROC", processes, limits.pids),
    ):
        if allowed != resource.RLIM_INFINITY and allowed < needed:
            raise CheckFailed(
                f"RLIMIT_{name} is {allowed}, {needed} are needed: set Limit{name}= in the "
                "service's unit, or raise it with ulimit"
            )

"""`hub-runner doctor`: tries everything a run needs and says what to install or change."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import aiohttp

from envyard_runner.config import Config, ConfigError, blocked_folder
from envyard_runner.limits import Limits
from envyard_runner.messaging.hub_client import HubClient, HubRefused, HubUnreachable
from envyard_runner.sandbox import Exit, Sandbox, SandboxError, cgroup, interpreter, seccomp, uids
from envyard_runner.sandbox.command import FIRST_FD
from envyard_runner.sandbox.rundir import make_shared

SECONDS = 10.0
OLDEST_BUBBLEWRAP = (0, 8)  # --disable-userns, --size
TRIAL_LIMITS = Limits(wall_seconds=30, cpu_seconds=20, memory_bytes=1 << 30, tmp_bytes=16 << 20)
# What must fail inside, one line each; the program tells through its events which did not.
ATTEMPTS = """
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
def refused(answer):
    if answer:
        raise PermissionError
attempts = {
    "reached the network": lambda: socket.create_connection(("192.0.2.1", 80), 1),
    "made a vsock": lambda: socket.socket(40, socket.SOCK_STREAM),
    "saw the host's files": lambda: os.listdir("/var"),
    "wrote to the host's files": lambda: open("/usr/envyard", "w"),
    "saw other processes": lambda: refused(sum(map(str.isdigit, os.listdir("/proc"))) <= 3),
    "traced its keeper": lambda: refused(libc.ptrace(16, 1, 0, 0)),
    "became root": lambda: os.setuid(0),
}
for name, attempt in attempts.items():
    try:
        attempt()
    except OSError:
        continue
    os.write(int(os.environ["ENVYARD_EVENTS_FD"]), name.encode() + b"\\n")
"""


@dataclass(frozen=True, slots=True)
class Check:
    """One precondition, whether it holds, and what was seen or what to do."""

    name: str
    ok: bool
    detail: str


class CheckFailed(Exception):
    """A check failed; the message says what to install or change."""


def main(arguments: Sequence[str]) -> int:
    """Print one line a check, or JSON; exit code 1 when one fails."""
    parser = argparse.ArgumentParser("hub-runner doctor", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the checks as JSON")
    parser.add_argument(
        "--quick", action="store_true", help="do not play the known-good environment"
    )
    options = parser.parse_args(arguments)
    try:
        checks = asyncio.run(examine(Config.from_environment(), environment=not options.quick))
    except ConfigError as error:
        checks = [Check("settings", False, str(error))]
    if options.json:
        sys.stdout.write(json.dumps([asdict(check) for check in checks], indent=2) + "\n")
    else:
        for check in checks:
            sys.stdout.write(f"{'OK' if check.ok else 'FAIL':5} {check.name:13} {check.detail}\n")
    return 0 if all(check.ok for check in checks) else 1


async def examine(config: Config, *, environment: bool = True) -> list[Check]:
    """Every check in order: this machine first, then the hub. Without `environment` the known-good
    one is not played, which takes seconds, and minutes where its dependencies must be fetched."""
    machine = await examine_machine(config)
    disk = await _check("disk", _disk, config)  # no reason not to start: a runner waits for room
    fit = environment and all(check.ok for check in machine)
    played = await examine_environment(config) if fit else []
    return [*machine, disk, *played, *await examine_hub(config)]


async def examine_environment(config: Config) -> list[Check]:
    """Play the known-good environment from its wheel to its ending, as a run is played."""
    from envyard_runner.local import known_good

    try:
        result = await known_good.run_known_good(config)
    except OSError as error:
        return [Check("environment", False, f"the known-good environment: {error}")]
    if not result.installed and result.finding is not None:
        detail = (
            "what the known-good environment needs cannot be installed from the package index: "
            f"{result.problem}; see UV_DEFAULT_INDEX, HTTPS_PROXY and SSL_CERT_FILE"
        )
        return [Check("dependencies", False, detail)]
    how = f"installed in {result.seconds:.1f} s" if result.seconds else "kept from before"
    installed = Check("dependencies", True, f"those of the known-good environment were {how}")
    if result.problem:
        detail = f"a known-good environment does not play on this machine: {result.problem}"
        return [installed, Check("environment", False, detail)]
    played = "a known-good environment loads twice, its oracle is paid and silence is not"
    return [installed, Check("environment", True, played)]


async def require_sandbox(config: Config) -> None:
    """Raise SandboxError with all that is wrong; a runner calls this before it takes any run."""
    wrong = [check for check in await examine_machine(config) if not check.ok]
    if wrong:
        raise SandboxError("; ".join(f"{check.name}: {check.detail}" for check in wrong))


async def examine_machine(config: Config) -> list[Check]:
    """What runs need of this machine, ending with a real sandbox."""
    return [
        await _check("bubblewrap", _bubblewrap, config),
        await _check("filter", _filter, config),
        await _check("interpreter", _interpreter, config),
        await _check("home", _home, config),
        await _check("user", _user, config),
        await _check("limits", _limits, config),
        await _check("sandbox", _sandbox, config),
        await _check("uv", _uv, config),
    ]


async def examine_hub(config: Config) -> list[Check]:
    """Whether the hub answers and knows the token, and which models runs may ask."""
    return [
        await _check("hub", _hub, config),
        await _check("token", _token, config),
        await _check("broker", _broker, config),
        await _check("models", _models, config),
    ]


async def _check(name: str, of: Callable[[Config], Awaitable[str]], config: Config) -> Check:
    try:
        return Check(name, True, await of(config))
    except (CheckFailed, SandboxError) as error:
        return Check(name, False, str(error))
    except OSError as error:
        return Check(name, False, f"{type(error).__name__}: {error}")


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
    from envyard_runner.venvs import room

    try:
        short, disk = room.missing_bytes(config), os.statvfs(config.home)
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
    """Raise Unfit where this process may not give a sandbox its own limits."""
    files, most_files = resource.getrlimit(resource.RLIMIT_NOFILE)
    _, processes = resource.getrlimit(resource.RLIMIT_NPROC)
    for name, allowed, needed in (
        ("NOFILE", most_files, limits.files),
        ("NOFILE", files, 2 * FIRST_FD),
        ("NPROC", processes, limits.pids),
    ):
        if allowed != resource.RLIM_INFINITY and allowed < needed:
            raise CheckFailed(
                f"RLIMIT_{name} is {allowed}, {needed} are needed: set Limit{name}= in the "
                "service's unit, or raise it with ulimit"
            )


async def _sandbox(config: Config) -> str:
    try:
        reached, end = await _run_trial(config)
    except PermissionError as error:
        raise CheckFailed(
            f"not tried, {error.filename} cannot be written: set RUNNER_HOME"
        ) from error
    if reached:
        raise CheckFailed(
            f"the sandbox leaks: a program inside {', '.join(reached)}; do not use it"
        )
    if end.code != 0:
        raise CheckFailed(f"a program in the sandbox ended with {end}")
    named = (
        "refused calls have names"
        if end.refused_calls is not None
        else "refused calls have no names (that takes Linux 5.5 and libseccomp 2.5)"
    )
    return f"sealed in {end.seconds:.2f} s; {named}"


async def _run_trial(config: Config) -> tuple[list[str], Exit]:
    make_shared(config.home)
    with _empty_venv(config) as venv:
        trial = replace(
            TRIAL_LIMITS, memory_bytes=min(TRIAL_LIMITS.memory_bytes, config.limits.memory_bytes)
        )
        async with Sandbox.prepare(config=config, venv=venv, job=b"{}", limits=trial) as sandbox:
            (await sandbox.start(["python", "-c", ATTEMPTS])).close()
            reached = [line.decode("utf-8", "replace") async for line in sandbox.lines()]
            return reached, await sandbox.wait()


@contextmanager
def _empty_venv(config: Config) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=config.home) as folder:
        path = Path(folder)
        path.chmod(0o755)
        yield path


async def _hub(config: Config) -> str:
    timeout = aiohttp.ClientTimeout(total=SECONDS)
    url = f"{config.hub_url}/healthz"
    try:
        async with aiohttp.ClientSession(timeout=timeout) as session, session.get(url) as answer:
            if answer.status != 200:
                raise CheckFailed(f"{url} answered {answer.status}: is HUB_URL the hub's address?")
    except (aiohttp.ClientError, TimeoutError) as error:
        raise CheckFailed(
            f"{url} does not answer ({error}): start the hub or set HUB_URL"
        ) from error
    return config.hub_url


async def _token(config: Config) -> str:
    if config.token is None:
        raise CheckFailed("none given: HUB_RUNNER_TOKEN_FILE names the file that holds it")
    async with aiohttp.ClientSession() as session:
        hub = HubClient(session, url=config.hub_url, token=config.token, patience=SECONDS)
        try:
            return f"the hub knows this runner as {(await hub.whoami()).name}"
        except HubRefused as error:
            raise CheckFailed(
                f"the hub refused the token: {error}; make another runner token"
            ) from error
        except HubUnreachable as error:
            raise CheckFailed(f"not tried, the hub is away: {error}") from error


async def _broker(config: Config) -> str:
    from envyard_runner.messaging import broker

    if config.broker_url is None:
        return "HUB_BROKER_URL is not set: start the runner with --poll"
    try:
        return await asyncio.to_thread(broker.connect, config.broker_url)
    except broker.BrokerUnusable as error:
        raise CheckFailed(str(error)) from error


async def _models(config: Config) -> str:
    ready = sorted(await config.models().ready())
    if ready:
        return f"ready: {', '.join(ready)}"
    if config.model_url:
        raise CheckFailed(
            f"{config.model_url}/models lists no {config.model or 'model'}: is it up?"
        )
    return "none ready: this runner takes runs of probes only (`hub-runner model` serves one)"

"""`hub-runner status` and `hub-runner drain`: the runner processes of this machine.

Exit codes: 0 a runner runs here and the hub accepts its token, 1 it runs but the hub is unreachable
or refuses it or it is out of service, 3 no runner runs here.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import aiohttp

from envyard_runner.config import Config
from envyard_runner.hub_api.client import (
    HubClient,
    HubRefused,
    HubUnreachable,
    RunnerIdentity,
)
from envyard_runner.messaging.heartbeat import capabilities, provides, pythons
from envyard_runner.model.servers import servers
from envyard_runner.state import process_state, service
from envyard_runner.state.service import OutOfService, out_of_service

DONE, TROUBLE, NOTHING = 0, 1, 3
UNKNOWN = RunnerIdentity("", drained=False)
DRAINED = "its staff have drained it, and can resume it on the moderation page"
NOT_CHECKED = "not checked: HUB_RUNNER_TOKEN_FILE is not set here; give the runner's own settings"
NO_RUNNER = "no runner runs here (RUNNER_HOME is {home}); `hub-runner start` starts one\n"


def status(config: Config, *, as_json: bool) -> int:
    """Print what runs here, for a person or as JSON; the exit code states whether all is well."""
    document = asyncio.run(_collect(config))
    if as_json:
        sys.stdout.write(json.dumps(document, indent=2) + "\n")
    else:
        sys.stdout.write("".join(f"{line}\n" for line in _lines(document)))
    if not document["runners"]:
        sys.stderr.write(NO_RUNNER.format(home=config.home))
        return NOTHING
    return DONE if document["hub"]["ok"] and document["out_of_service"] is None else TROUBLE


def resume(config: Config) -> int:
    """Put a runner that took itself out of service back, without a self-check."""
    was = service.resume(config.home)
    sys.stdout.write("in service again\n" if was else "it was in service\n")
    return DONE


def drain(config: Config) -> int:
    """Let this machine's runners finish their runs and end, and notify the hub."""
    states = process_state.request_drain(config.home)
    if not states:
        sys.stderr.write(NO_RUNNER.format(home=config.home))
        return NOTHING
    left = len(process_state.read_states(config.home, "run"))
    pids = ", ".join(str(state["pid"]) for state in states)
    sys.stdout.write(f"draining process {pids}; runs still under way: {left}\n")
    try:
        asyncio.run(_notify_hub(config))
    except (HubUnreachable, HubRefused) as error:
        sys.stderr.write(f"the hub was not notified: {error}\n")
    return DONE


async def _notify_hub(config: Config) -> None:
    async with aiohttp.ClientSession() as session:
        hub = HubClient(session, url=config.hub_url, token=config.token or "")
        ready, out = await config.models().ready(), out_of_service(config.home)
        fields = capabilities(
            ready, pythons=pythons(config), provides=provides(config), draining=True, out=out
        )
        await hub.send_heartbeat(fields)


async def _collect(config: Config) -> dict[str, Any]:
    runners = [
        state | {"draining": process_state.is_draining(config.home, state["pid"])}
        for state in process_state.read_states(config.home, "runner")
    ]
    models = config.models()
    return {
        "version": version("envyard-runner"),
        "home": str(config.home),
        "runners": runners,
        "runs": process_state.read_states(config.home, "run"),
        "out_of_service": asdict(out) if (out := out_of_service(config.home)) else None,
        "hub": await _hub(config),
        "models": [server.to_dict() for server in await servers(config.model_servers, models)],
        "pythons": pythons(config),
        "venv_bytes": await asyncio.to_thread(_size, config.venvs),
    }


async def _hub(config: Config) -> dict[str, Any]:
    nothing = {"url": config.hub_url, "ok": False, **asdict(UNKNOWN)}
    if not config.token:
        return nothing | {"error": NOT_CHECKED}
    async with aiohttp.ClientSession() as session:
        hub = HubClient(session, url=config.hub_url, token=config.token or "")
        try:
            identity = await hub.whoami(patience=0.0)
        except (HubUnreachable, HubRefused) as error:
            return nothing | {"error": str(error)}
    return {"url": config.hub_url, "ok": True, "error": "", **asdict(identity)}


def _lines(document: dict[str, Any]) -> list[str]:
    hub = document["hub"]
    known = f"knows this runner as {hub['name']}" if hub["ok"] else hub["error"]
    drained = f", and gives it no new run: {DRAINED}" if hub["drained"] else ""
    lines = [
        f"version  {document['version']}",
        f"hub      {hub['url']}: {known}{drained}",
        *(f"model    {_model_line(server)}" for server in document["models"]),
        *([] if document["models"] else ["model    none: runs of probes only"]),
        f"python   {', '.join(document['pythons']) or 'none that runs can use'}",
        f"venvs    {document['venv_bytes'] / (1 << 20):.0f} MiB in {document['home']}",
    ]
    if out := document["out_of_service"]:
        lines.append(f"service  {OutOfService(**out).sentence()}")
    for process in document["runners"]:
        doing = "taking no runs" if out else "taking runs"
        if hub["drained"]:
            doing = "drained by the hub"
        if process["draining"]:
            doing = "draining, then it ends"
        how = f"{process['mode']}, limits enforced by {process['held_by']}"
        lines.append(f"process  {process['pid']} ({how}), {doing}, up {_ago(process['since'])}")
    for run in document["runs"]:
        version = f"{run['environment']} {run['version']}, attempt {run['attempt']}"
        how = f"{run['phase']} {run['done']}/{run['total']}, for {_ago(run['since'])}"
        lines.append(f"run      {run['run']}: {version}, {how}")
    if document["runners"] and not document["runs"]:
        lines.append("run      none")
    return lines


def _model_line(server: dict[str, Any]) -> str:
    """One server in a line, with as much as its metrics contain."""
    parts = [f"{server['name']}: {server['phase']}"]
    if server["running"] is not None:
        parts.append(f"{server['running']} requests running, {server['waiting']} waiting")
        parts.append(f"cache {server['cache']:.0%} full")
    if server["tokens_per_second"] is not None:
        parts.append(f"{server['tokens_per_second']:.0f} tokens/s")
    if server["restarts"]:
        parts.append(f"restarted {server['restarts']} time{'s' if server['restarts'] > 1 else ''}")
    return ", ".join(parts)


def _ago(since: float) -> str:
    seconds = max(0, int(time.time() - since))
    return f"{seconds // 3600} h {seconds // 60 % 60} min" if seconds >= 3600 else f"{seconds} s"


def _size(folder: Path) -> int:
    """Bytes on the disk, what is linked twice counted once."""
    sizes: dict[int, int] = {}
    for root, _, files in os.walk(folder):
        for name in files:
            try:
                status = Path(root, name).lstat()
            except OSError:
                continue
            sizes[status.st_ino] = status.st_blocks * 512
    return sum(sizes.values())

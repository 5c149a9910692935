"""`hub-runner status` and `hub-runner drain`: the runner processes of this machine.

Exit codes: 0 a runner runs here and the hub knows its token, 1 it runs but the hub is away or
refuses it or it is out of service, 3 no runner runs here.
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
from envyard_runner.messaging.heartbeat import capabilities, pythons
from envyard_runner.messaging.hub_client import Hub, HubLost, HubRefused, Known
from envyard_runner.model.servers import servers
from envyard_runner.state import process_state, service
from envyard_runner.state.service import Out, out_of_service

DONE, TROUBLE, NOTHING = 0, 1, 3
UNKNOWN = Known("", drained=False)
DRAINED = "its staff have drained it, and can resume it on the moderation page"
UNASKED = "not asked, for HUB_RUNNER_TOKEN_FILE is not set here: give the runner's own settings"
NONE = "no runner runs here (RUNNER_HOME is {home}); `hub-runner start` starts one\n"


def status(config: Config, *, as_json: bool) -> int:
    """Print what runs here, for a person or as JSON; the exit code says whether all is well."""
    seen = asyncio.run(_look(config))
    if as_json:
        sys.stdout.write(json.dumps(seen, indent=2) + "\n")
    else:
        sys.stdout.write("".join(f"{line}\n" for line in _lines(seen)))
    if not seen["runners"]:
        sys.stderr.write(NONE.format(home=config.home))
        return NOTHING
    return DONE if seen["hub"]["ok"] and seen["out_of_service"] is None else TROUBLE


def resume(config: Config) -> int:
    """Put a runner that took itself out of service back, whatever its doctor says."""
    was = service.resume(config.home)
    sys.stdout.write("in service again\n" if was else "it was in service\n")
    return DONE


def drain(config: Config) -> int:
    """Let this machine's runners finish their runs and end, and tell the hub."""
    asked = process_state.drain(config.home)
    if not asked:
        sys.stderr.write(NONE.format(home=config.home))
        return NOTHING
    left = len(process_state.notes(config.home, "run"))
    pids = ", ".join(str(note["pid"]) for note in asked)
    sys.stdout.write(f"draining process {pids}; runs still under way: {left}\n")
    try:
        asyncio.run(_tell(config))
    except (HubLost, HubRefused) as error:
        sys.stderr.write(f"the hub was not told: {error}\n")
    return DONE


async def _tell(config: Config) -> None:
    async with aiohttp.ClientSession() as session:
        hub = Hub(session, url=config.hub_url, token=config.token or "")
        ready, out = await config.models().ready(), out_of_service(config.home)
        known = capabilities(ready, pythons=pythons(config), draining=True, out=out)
        await hub.present(known)


async def _look(config: Config) -> dict[str, Any]:
    runners = [
        note | {"draining": process_state.drains(config.home, note["pid"])}
        for note in process_state.notes(config.home, "runner")
    ]
    models = config.models()
    return {
        "version": version("envyard-runner"),
        "home": str(config.home),
        "runners": runners,
        "runs": process_state.notes(config.home, "run"),
        "out_of_service": asdict(out) if (out := out_of_service(config.home)) else None,
        "hub": await _hub(config),
        "models": [one.to_dict() for one in await servers(config.model_servers, models)],
        "pythons": pythons(config),
        "venv_bytes": await asyncio.to_thread(_size, config.venvs),
    }


async def _hub(config: Config) -> dict[str, Any]:
    nothing = {"url": config.hub_url, "ok": False, **asdict(UNKNOWN)}
    if not config.token:
        return nothing | {"error": UNASKED}
    async with aiohttp.ClientSession() as session:
        hub = Hub(session, url=config.hub_url, token=config.token or "")
        try:
            known = await hub.whoami(patience=0.0)
        except (HubLost, HubRefused) as error:
            return nothing | {"error": str(error)}
    return {"url": config.hub_url, "ok": True, "error": "", **asdict(known)}


def _lines(seen: dict[str, Any]) -> list[str]:
    hub = seen["hub"]
    known = f"knows this runner as {hub['name']}" if hub["ok"] else hub["error"]
    drained = f", and gives it no new run: {DRAINED}" if hub["drained"] else ""
    lines = [
        f"version  {seen['version']}",
        f"hub      {hub['url']}: {known}{drained}",
        *(f"model    {_model(one)}" for one in seen["models"]),
        *([] if seen["models"] else ["model    none: runs of probes only"]),
        f"python   {', '.join(seen['pythons']) or 'none that runs can use'}",
        f"venvs    {seen['venv_bytes'] / (1 << 20):.0f} MiB in {seen['home']}",
    ]
    if out := seen["out_of_service"]:
        lines.append(f"service  {Out(**out).sentence()}")
    for note in seen["runners"]:
        doing = "taking no runs" if out else "taking runs"
        if hub["drained"]:
            doing = "drained by the hub"
        if note["draining"]:
            doing = "draining, then it ends"
        how = f"{note['mode']}, limits held by {note['held_by']}"
        lines.append(f"process  {note['pid']} ({how}), {doing}, up {_ago(note['since'])}")
    for run in seen["runs"]:
        what = f"{run['environment']} {run['version']}, attempt {run['attempt']}"
        how = f"{run['phase']} {run['done']}/{run['total']}, for {_ago(run['since'])}"
        lines.append(f"run      {run['run']}: {what}, {how}")
    if seen["runners"] and not seen["runs"]:
        lines.append("run      none")
    return lines


def _model(one: dict[str, Any]) -> str:
    """One server in a line, with as much as it says of itself."""
    said = [f"{one['name']}: {one['phase']}"]
    if one["running"] is not None:
        said.append(f"{one['running']} requests running, {one['waiting']} waiting")
        said.append(f"cache {one['cache']:.0%} full")
    if one["tokens_per_second"] is not None:
        said.append(f"{one['tokens_per_second']:.0f} tokens/s")
    if one["restarts"]:
        said.append(f"restarted {one['restarts']} time{'s' if one['restarts'] > 1 else ''}")
    return ", ".join(said)


def _ago(since: float) -> str:
    seconds = max(0, int(time.time() - since))
    return f"{seconds // 3600} h {seconds // 60 % 60} min" if seconds >= 3600 else f"{seconds} s"


def _size(folder: Path) -> int:
    """Bytes on the disk, what is linked twice counted once."""
    known: dict[int, int] = {}
    for root, _, files in os.walk(folder):
        for name in files:
            try:
                found = Path(root, name).lstat()
            except OSError:
                continue
            known[found.st_ino] = found.st_blocks * 512
    return sum(known.values())

"""The `hub-runner` command.

Exit codes: 0 done, 1 refused (the sentence says what to install or change; status: the hub is away
or refuses the token), 2 wrong usage, 3 no run was waiting (run-once), no runner runs here (status,
drain).
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from envyard_runner.config import Config, ConfigError
from envyard_runner.messaging.hub_client import HubLost, HubRefused
from envyard_runner.model.command import Asked, Unusable
from envyard_runner.model.state import Taken
from envyard_runner.sandbox import SandboxError

log = logging.getLogger(__name__)

DONE, REFUSED, NOTHING = 0, 1, 3
FORMAT = "%(asctime)s %(levelname)s %(name)s %(message)s"


class Refused(Exception):
    """The runner does not start; the message says what to change."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    cut = given.index("--") if "--" in given else len(given)
    asked, rest = _parser().parse_known_args(given[:cut])
    if asked.command == "doctor":
        from envyard_runner import doctor

        return doctor.main(rest)
    if asked.command == "try":
        from envyard_runner.local import try_wheel

        return try_wheel.main(rest)
    if rest or (given[cut:] and asked.command != "model"):
        _parser().error(f"unrecognized arguments: {' '.join([*rest, *given[cut:]])}")
    logging.basicConfig(level=os.environ.get("RUNNER_LOG_LEVEL", "INFO"), format=FORMAT)
    if asked.command in ("status", "drain", "resume"):
        return _ask_here(asked)
    if asked.command == "model":
        return _serve_model(asked, given[cut + 1 :])
    try:
        config = _ready()
        return _run_once(config) if asked.command == "run-once" else _start(config, asked.poll)
    except (Refused, ConfigError, SandboxError, HubRefused, HubLost) as error:
        sys.stderr.write(f"hub-runner does not start: {error}\n`hub-runner doctor` tells more.\n")
        return REFUSED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("hub-runner", description="Runs environments in a sandbox.")
    parser.add_argument(
        "--version", action="version", version=f"%(prog)s {version('envyard-runner')}"
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    start = commands.add_parser("start", help="do runs until stopped")
    start.add_argument("--poll", action="store_true", help="ask the hub instead of using a broker")
    status = commands.add_parser("status", help="show the runner of this machine and its run")
    status.add_argument("--json", action="store_true", help="as one JSON document")
    commands.add_parser("drain", help="let it finish its run, take no new one, and end")
    commands.add_parser("resume", help="put a runner that took itself out of service back")
    commands.add_parser("run-once", help="do the next queued run and end")
    model = commands.add_parser(
        "model", help="serve a model with vLLM until stopped; options for vLLM itself follow `--`"
    )
    model.add_argument("--model", required=True, help="a folder, or a name on the model hub")
    model.add_argument("--name", help="what runs call it (a folder's own name, else --model)")
    model.add_argument("--gpus", default="", help="GPUs to spread it over, such as 0,1 (all)")
    model.add_argument(
        "--port", type=int, default=0, help="a port of 127.0.0.1 in place of a unix socket"
    )
    commands.add_parser("try", help="run the probes against a wheel, without a hub", add_help=False)
    commands.add_parser("doctor", help="check this machine and the hub", add_help=False)
    return parser


def _ask_here(asked: argparse.Namespace) -> int:
    """About the runners of this machine, which need not be fit to start one."""
    from envyard_runner import status

    try:
        config = Config.from_environment()
    except ConfigError as error:
        sys.stderr.write(f"{error}\n")
        return REFUSED
    if asked.command == "status":
        return status.status(config, as_json=asked.json)
    return status.drain(config) if asked.command == "drain" else status.resume(config)


def _serve_model(asked: argparse.Namespace, extra: list[str]) -> int:
    from envyard_runner.model.watch import watch

    folder = Path(asked.model).expanduser()
    local = folder.resolve() if folder.is_dir() else None
    if local is None and asked.model.startswith(("/", ".", "~")):
        sys.stderr.write(f"the model is not served: --model {asked.model} is not a folder\n")
        return REFUSED
    wanted = Asked(
        model=str(local or asked.model),
        name=asked.name or (local.name if local else asked.model),
        gpus=tuple(gpu.strip() for gpu in asked.gpus.split(",") if gpu.strip()),
        port=asked.port,
        extra=tuple(extra),
    )
    try:
        asyncio.run(watch(wanted, Config.from_environment().model_servers))
    except (ConfigError, Unusable, Taken) as error:
        sys.stderr.write(f"the model is not served: {error}\n")
        return REFUSED
    return DONE


def _ready() -> Config:
    """The settings of a machine that can hold a sandbox and that the hub, where it is up, knows."""
    from envyard_runner.doctor import require_sandbox

    config = Config.from_environment()
    if not config.token:
        raise Refused(
            "neither HUB_RUNNER_TOKEN_FILE nor HUB_RUNNER_TOKEN is set; "
            "the hub's staff make a token: `manage.py create_runner NAME`"
        )
    asyncio.run(require_sandbox(config))
    asyncio.run(_greet(config))
    return config


async def _greet(config: Config) -> None:
    """Refuse a token that the hub does not know; a hub that is away is waited for later."""
    from envyard_runner.messaging.poll import at_work

    async with at_work(config) as (hub, _):
        try:
            known = await hub.whoami(patience=0.0)
        except HubLost as error:
            log.warning("the hub is away for now: %s", error)
        else:
            log.info("this is runner %s of %s", known.name, config.hub_url)


def _start(config: Config, polling: bool) -> int:
    from envyard_runner.execution.run import Machine
    from envyard_runner.state.service import check_now

    check_now(config.home)
    if polling:
        from envyard_runner.messaging.poll import poll

        asyncio.run(poll(Machine(config)))
    else:
        from envyard_runner.messaging import broker
        from envyard_runner.messaging.celery_app import make_app, serve

        try:
            log.info("runs ring at %s", broker.name(config.broker_url))
        except broker.Unheard as error:
            raise Refused(str(error)) from None
        serve(make_app(Machine(config), broker.folder()))
    return DONE


def _run_once(config: Config) -> int:
    from envyard_runner.execution.run import Machine
    from envyard_runner.messaging.poll import NoRoom, at_work, poll_once
    from envyard_runner.state.service import NotInService

    async def once() -> int:
        async with at_work(config) as (hub, stopping):
            try:
                ending = await poll_once(Machine(config), hub, stopping)
            except (NoRoom, NotInService) as error:
                raise Refused(str(error)) from None
        if ending is None:
            sys.stderr.write("no run is waiting\n")
            return NOTHING
        sys.stdout.write(f"{ending if isinstance(ending, str) else ending.outcome}\n")
        return DONE

    return asyncio.run(once())

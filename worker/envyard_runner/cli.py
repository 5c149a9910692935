"""The `hub-runner` command.

Exit codes: 0 done, 1 refused (the message names what to install or change; status: the hub is
unreachable or refuses the token), 2 wrong usage, 3 no run was waiting (run-once), no runner runs
here (status, drain).
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

from envyard_runner import open_files
from envyard_runner.config import Config, ConfigError
from envyard_runner.hub_api.client import HubRefused, HubUnreachable
from envyard_runner.model.command import ServeError, ServeOptions
from envyard_runner.model.state import AlreadyServed
from envyard_runner.sandbox import SandboxError

log = logging.getLogger(__name__)

DONE, REFUSED, NOTHING = 0, 1, 3
FORMAT = "%(asctime)s %(levelname)s %(name)s %(message)s"


class StartRefused(Exception):
    """The runner does not start; the message names what to change."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    separator = words.index("--") if "--" in words else len(words)
    options, rest = _parser().parse_known_args(words[:separator])
    if options.command in ("start", "run-once", "try", "doctor"):
        open_files.raise_limit()
    if options.command == "doctor":
        from envyard_runner.doctor import command

        return command.main(rest)
    if options.command == "try":
        from envyard_runner import try_wheel

        return try_wheel.main(rest)
    if rest or (words[separator:] and options.command != "model"):
        _parser().error(f"unrecognized arguments: {' '.join([*rest, *words[separator:]])}")
    logging.basicConfig(level=os.environ.get("RUNNER_LOG_LEVEL", "INFO"), format=FORMAT)
    if options.command in ("status", "drain", "resume"):
        return _local_command(options)
    if options.command == "model":
        return _serve_model(options, words[separator + 1 :])
    try:
        config = _ready()
        return _run_once(config) if options.command == "run-once" else _start(config, options.poll)
    except (StartRefused, ConfigError, SandboxError, HubRefused, HubUnreachable) as error:
        sys.stderr.write(
            f"hub-runner does not start: {error}\nRun `hub-runner doctor` for details.\n"
        )
        return REFUSED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("hub-runner", description="Runs environments in a sandbox.")
    parser.add_argument(
        "--version", action="version", version=f"%(prog)s {version('envyard-runner')}"
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    start = commands.add_parser("start", help="do runs until stopped")
    start.add_argument("--poll", action="store_true", help="poll the hub instead of using a broker")
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


def _local_command(options: argparse.Namespace) -> int:
    """The commands about the runners of this machine, which need not be fit to start one."""
    from envyard_runner import status

    try:
        config = Config.from_environment()
    except ConfigError as error:
        sys.stderr.write(f"{error}\n")
        return REFUSED
    if options.command == "status":
        return status.status(config, as_json=options.json)
    return status.drain(config) if options.command == "drain" else status.resume(config)


def _serve_model(options: argparse.Namespace, extra: list[str]) -> int:
    from envyard_runner.model.watch import watch

    folder = Path(options.model).expanduser()
    local = folder.resolve() if folder.is_dir() else None
    if local is None and options.model.startswith(("/", ".", "~")):
        sys.stderr.write(f"the model is not served: --model {options.model} is not a folder\n")
        return REFUSED
    serve_options = ServeOptions(
        model=str(local or options.model),
        name=options.name or (local.name if local else options.model),
        gpus=tuple(gpu.strip() for gpu in options.gpus.split(",") if gpu.strip()),
        port=options.port,
        extra=tuple(extra),
    )
    try:
        asyncio.run(watch(serve_options, Config.from_environment().model_servers))
    except (ConfigError, ServeError, AlreadyServed) as error:
        sys.stderr.write(f"the model is not served: {error}\n")
        return REFUSED
    return DONE


def _ready() -> Config:
    """The settings of a machine that can make a sandbox and whose token the hub, if reachable,
    accepts."""
    from envyard_runner.doctor.machine import require_sandbox

    config = Config.from_environment()
    if not config.token:
        raise StartRefused(
            "neither HUB_RUNNER_TOKEN_FILE nor HUB_RUNNER_TOKEN is set; "
            "the hub's staff make a token: `manage.py create_runner NAME`"
        )
    asyncio.run(require_sandbox(config))
    asyncio.run(_verify_token(config))
    return config


async def _verify_token(config: Config) -> None:
    """Refuse a token that the hub rejects; an unreachable hub is waited for later."""
    from envyard_runner.messaging.poll import hub_session

    async with hub_session(config) as (hub, _):
        try:
            identity = await hub.whoami(patience=0.0)
        except HubUnreachable as error:
            log.warning("the hub is unreachable for now: %s", error)
        else:
            log.info("this is runner %s of %s", identity.name, config.hub_url)


def _start(config: Config, polling: bool) -> int:
    from envyard_runner.execution.run import RunnerContext
    from envyard_runner.state.service import schedule_self_check

    schedule_self_check(config.home)
    if polling:
        from envyard_runner.messaging.poll import poll

        asyncio.run(poll(RunnerContext(config)))
    else:
        from envyard_runner.messaging import broker
        from envyard_runner.messaging.celery_app import make_app, serve

        try:
            log.info("waiting for runs at %s", broker.display_name(config.broker_url))
        except broker.BrokerUnusable as error:
            raise StartRefused(str(error)) from None
        serve(make_app(RunnerContext(config), broker.message_folder()))
    return DONE


def _run_once(config: Config) -> int:
    from envyard_runner.execution.run import RunnerContext
    from envyard_runner.messaging.poll import DiskTooFull, hub_session, poll_once
    from envyard_runner.state.service import NotInService

    async def once() -> int:
        async with hub_session(config) as (hub, stopping):
            try:
                ending = await poll_once(RunnerContext(config), hub, stopping)
            except (DiskTooFull, NotInService) as error:
                raise StartRefused(str(error)) from None
        if ending is None:
            sys.stderr.write("no run is waiting\n")
            return NOTHING
        sys.stdout.write(f"{ending if isinstance(ending, str) else ending.outcome}\n")
        return DONE

    return asyncio.run(once())

"""The command `hub-runner doctor`: run every check and print what to install or change."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict

from envyard_runner.config import Config, ConfigError
from envyard_runner.doctor.benchmarks import examine_benchmarks
from envyard_runner.doctor.check import Check
from envyard_runner.doctor.data import examine_data
from envyard_runner.doctor.hub import examine_hub
from envyard_runner.doctor.machine import examine_disk, examine_machine


def main(arguments: Sequence[str]) -> int:
    """Print one line a check, or JSON; exit code 1 when one fails."""
    parser = argparse.ArgumentParser(
        "hub-runner doctor",
        description="Check everything that a run needs and print what to install or change.",
    )
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
    disk = await examine_disk(config)
    fit = environment and all(check.ok for check in machine)
    played = await examine_environment(config) if fit else []
    hub = await examine_hub(config)
    data = await examine_data(config)
    return [*machine, disk, *played, *hub, *data, *examine_benchmarks(config)]


async def examine_environment(config: Config) -> list[Check]:
    """Play the known-good environment from its wheel to its ending, as a run is played."""
    from envyard_runner.doctor import known_good

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

"""One evaluation in shards by four runners and by one: `python -m benchmarks.runner.shards`.

The model takes a fixed time and each runner plays few rollouts at once, so runners and not the
processor are the limit. Prints seconds, ratio, and whether both results are equal and complete; the
exit code is 1 if the target was missed.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.registry import machine
from benchmarks.runner import runners
from benchmarks.runner.stub import LATENCIES_MS

ROLLOUTS = "SELECT task, attempt, reward FROM registry_rollout WHERE ok AND run_id IN ({})"
ATTEMPTS = 4
ENDED = ("succeeded", "failed", "errored", "cancelled")


def evaluate(environ: dict[str, str], model: str, tasks: int) -> tuple[float, list[Any]]:
    """The seconds from the first lease to the end of an evaluation, and its rollouts; raises
    RuntimeError where it does not succeed."""
    ids = runners.hub_command(environ, "evaluate", str(tasks), str(ATTEMPTS), model)
    while True:
        time.sleep(0.5)
        ((status, started, ended),) = runners.read_rows(environ, runners.RUNS, ids)
        if status in ENDED:
            break
    if status != "succeeded":
        raise RuntimeError(f"the evaluation of {tasks} tasks {status}")
    seconds = datetime.fromisoformat(ended) - datetime.fromisoformat(started)
    return seconds.total_seconds(), sorted(runners.read_rows(environ, ROLLOUTS, ids))


def measure(scratch: Path, options: argparse.Namespace) -> dict[int, tuple[float, list[Any]]]:
    """Seconds and rollouts by the number of runners."""
    results = {}
    model = f"ms-{options.latency}"
    settings = {"HUB_SHARD_ROLLOUTS": str(options.shard), "HUB_EVALUATION_SECONDS": "7200"}
    with runners.hub(scratch, **settings) as (environ, _, tokens), ExitStack() as stack:
        port = machine.free_port()
        command = [sys.executable, "-m", "benchmarks.runner.stub", str(port)]
        log = scratch / "stub.log"
        program = machine.start(command, log=log, port=port, environ=dict(os.environ))
        stack.callback(machine.stop, program)
        for number in (1, runners.RUNNERS):
            with ExitStack() as started:
                for index in range(number):
                    home = scratch / f"runner-{index}"
                    home.mkdir(exist_ok=True)
                    home.chmod(0o755)
                    own = {"RUNNER_HOME": str(home), "HUB_RUNNER_TOKEN": tokens[index]}
                    own |= {"HUB_MODEL_URL": f"http://127.0.0.1:{port}/v1", "HUB_MODEL": model}
                    command = [sys.executable, "-m", "benchmarks.runner.shard_process"]
                    log = scratch / f"runner-{index}.log"
                    started.callback(
                        machine.stop, runners.started_program(command, environ | own, log)
                    )
                print(f"{number} runners", file=sys.stderr, flush=True)
                # Each runner executes a shard first.
                evaluate(environ, model, number * max(1, options.shard // ATTEMPTS))
                results[number] = evaluate(environ, model, options.rollouts // ATTEMPTS)
    return results


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.runner.shards", description=__doc__)
    parser.add_argument("--rollouts", type=int, default=20_000)
    parser.add_argument("--shard", type=int, default=1000, help="HUB_SHARD_ROLLOUTS")
    parser.add_argument(
        "--latency", type=int, default=1000, choices=LATENCIES_MS, help="ms of the model"
    )
    options = parser.parse_args()
    load = os.getloadavg()[0]
    folder = TemporaryDirectory(prefix="bench-shards-", dir="/var/tmp", ignore_cleanup_errors=True)
    with folder as name:
        scratch = Path(name)
        scratch.chmod(0o755)
        results = measure(scratch, options)
    (one, first), (four, second) = results.values()
    complete = len(first) == options.rollouts and first == second
    print(
        f"{options.rollouts} rollouts, {options.shard} a shard, a model of {options.latency} ms\n"
        f"1 runner   {one:8.1f} s\n{runners.RUNNERS} runners  {four:8.1f} s\n"
        f"ratio      {one / four:8.2f}  (target {runners.TARGET})\n"
        f"rollouts complete and equal: {'yes' if complete else 'NO'}\n"
        f"load of {os.cpu_count()} cores: {load:.1f} before, {os.getloadavg()[0]:.1f} after"
    )
    return 0 if complete and one / four >= runners.TARGET else 1


if __name__ == "__main__":
    sys.exit(main())

"""The runner beside verifiers' own evaluator, in one run on one machine (see README.md).

    make benchmark-runner                             or
    python -m benchmarks.runner [--only evaluator,calls,data] [--rounds 3] [--json FILE]

Prints tables and whether each target was met; the exit code is 1 if one was missed.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.registry import machine
from benchmarks.runner import calls, data_sets, environment, evaluator, runners
from benchmarks.runner.sandbox import TARGET_MS

ROOT = Path(__file__).parents[2]
HOME = ROOT / ".cache" / "benchmarks" / "runner"  # keeps the framework between runs
PARTS = ("evaluator", "calls", "runners", "sandbox", "data")
CLAIMED_MS = 200
RUNS = {1000: 3}  # runs of one runner by latency


@dataclass
class Bench:
    """The options and results of one call of this program."""

    options: argparse.Namespace
    stack: ExitStack
    scratch: Path
    figures: dict[str, Any] = field(default_factory=dict)
    met: dict[str, bool] = field(default_factory=dict)

    def run(self) -> None:
        """Measure every part in --only."""
        self.stub, port = self.start("stub")
        self.model_url = f"http://127.0.0.1:{port}/v1"
        for part in self.options.only:
            {"evaluator": self.evaluator, "calls": self.calls, "runners": self.runners,
             "sandbox": self.sandbox, "data": self.data}[part]()  # fmt: skip

    def evaluator(self) -> None:
        """The framework's evaluator and ours."""
        options = self.options
        rows = evaluator.measure(
            self.setup(), latencies=options.latencies, rounds=options.rounds,
            concurrency=options.concurrency, progress=_progress,
        )  # fmt: skip
        load = f"{environment.TASKS} rollouts of {environment.TURNS} turns, {options.concurrency}"
        title = f"verifiers' own evaluator and the complete runner: {load} concurrent, medians of"
        self.print_table("evaluator", rows, f"{title} {options.rounds}", evaluator.table(rows))
        for item in rows:
            name = f"rollouts/s of the evaluator's at {item.latency_ms} ms: {item.phase:.3f}"
            if item.latency_ms == CLAIMED_MS:
                self.met[f"{name}, target {evaluator.TARGET}"] = item.phase >= evaluator.TARGET

    def calls(self) -> None:
        """One call through the gateway."""
        rows = calls.measure(
            self.scratch, self.model_url, calls=self.options.calls, progress=_progress
        )
        latencies = " and ".join(f"{ms} ms with {n}" for n, ms in calls.AT_ONCE.items())
        title = f"one call, direct and through the gateway; the model takes {latencies} callers"
        self.print_table("calls", rows, title, calls.table(rows))
        for item in rows:
            name = f"gateway adds {item.p50:.2f} ms p50, target < {calls.TARGET_MS}: {item.case}"
            self.met[name] = item.p50 < calls.TARGET_MS

    def runners(self) -> None:
        """Several runners on one hub."""
        rows = runners.measure(
            self.scratch, self.model_url, cases=self.options.runs, progress=_progress
        )
        run = f"a run is {runners.TASKS} concurrent rollouts of {runners.TURNS} turns"
        title = f"1 and {runners.RUNNERS} runners on one hub (SQLite, mail in a folder); {run}"
        self.print_table("runners", rows, title, runners.table(rows))
        best = max(rows, key=lambda row: row.latency_ms)
        name = f"{runners.RUNNERS} runners do {best.ratio:.2f} times one's, target {runners.TARGET}"
        self.met[f"{name}, at {best.latency_ms} ms"] = best.ratio >= runners.TARGET

    def sandbox(self) -> None:
        """The start of a sandbox."""
        _progress("sandbox starts")
        command = [sys.executable, "-m", "benchmarks.runner.sandbox"]
        completed = subprocess.run(
            command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False
        )
        body = self.figures["sandbox"] = json.loads(completed.stdout)
        over = body["over_a_bare_process_ms"]
        print(f"\nsandbox over a bare process: {over['wall']:.1f} ms, {over['cpu']:.1f} ms of CPU")
        name = f"sandbox starts {over['wall']:.1f} ms over a bare process, target < {TARGET_MS:.0f}"
        self.met[name] = over["wall"] < TARGET_MS

    def data(self) -> None:
        """The data endpoint of a run that reads nothing, and one that reads 100 MB."""
        _progress("data sets")
        command = [sys.executable, "-m", "benchmarks.runner.data_sets"]
        completed = subprocess.run(
            command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False
        )
        body = self.figures["data"] = json.loads(completed.stdout)
        start, ready = max(body["start_ms"].values()), body["ready_seconds"]
        print(
            f"\n100 MB of a frozen data set inside: {ready['mirrored']:.2f} s, "
            f"{ready['ratio']:.2f} times writing as much to /tmp"
        )
        bound = data_sets.TARGET_START_MS
        self.met[f"the data endpoint adds {start:.1f} ms, target < {bound:.0f}"] = start < bound
        bound, seconds = data_sets.TARGET_READY_SECONDS, ready["mirrored"]
        self.met[f"100 MB are ready in {seconds:.2f} s, target < {bound:.0f}"] = seconds < bound

    def print_table(self, part: str, rows: Sequence[Any], title: str, table: str) -> None:
        """Print the table of a part and store its figures."""
        self.figures[part] = [asdict(item) for item in rows]
        print(f"\n{title}\n\n{table}", flush=True)

    def start(self, name: str, *arguments: str) -> tuple[machine.Program, int]:
        """A process of ours, stopped at the end, and its port."""
        port = machine.free_port()
        command = [sys.executable, "-m", f"benchmarks.runner.{name}", str(port), *arguments]
        environ = {**os.environ, "PYTHONPATH": str(ROOT)}
        log = self.scratch / f"{name}.log"
        program = machine.start(command, log=log, port=port, environ=environ)
        self.stack.callback(machine.stop, program)
        return program, port

    def setup(self) -> evaluator.Setup:
        """The folders and processes that both sides use."""
        HOME.mkdir(parents=True, exist_ok=True)
        HOME.chmod(0o755)
        wheel = self.scratch / "environment.whl"
        wheel.write_bytes(environment.wheel())
        hub, port = self.start("hub_process", str(wheel))
        return evaluator.Setup(
            HOME, self.scratch, self.stub, self.model_url, hub, f"http://127.0.0.1:{port}",
            wheel.read_bytes(),
        )  # fmt: skip


def main() -> int:
    """Measure each part in --only and print which targets were met."""
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # and stop what was started
    load = os.getloadavg()[0]
    with ExitStack() as stack:
        folder = TemporaryDirectory(
            prefix="bench-runner-", dir="/var/tmp", ignore_cleanup_errors=True
        )
        scratch = Path(stack.enter_context(folder))
        scratch.chmod(0o755)
        bench = Bench(options, stack, scratch)
        bench.run()
    print(f"\nload of {os.cpu_count()} cores: {load:.1f} before, {os.getloadavg()[0]:.1f} after\n")
    for name, is_met in bench.met.items():
        print(f"{'met   ' if is_met else 'MISSED'} {name}")
    if options.json:
        options.json.write_text(json.dumps(bench.figures | {"targets": bench.met}, indent=1) + "\n")
    return 0 if all(bench.met.values()) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.runner", description=__doc__)
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(PARTS))
    parser.add_argument(
        "--rounds", type=int, default=3, help="of evaluator and runner, alternating"
    )
    parser.add_argument("--concurrency", type=int, default=16, help="concurrent rollouts")
    parser.add_argument("--latencies", type=_numbers, default=[0, 50, 200], help="ms of the model")
    parser.add_argument("--calls", type=int, default=160, help="each way in each case")
    parser.add_argument(
        "--runs", type=lambda text: {ms: max(3, 3000 // max(ms, 300)) for ms in _numbers(text)},
        default=RUNS, help="ms of the model, where runners are counted",
    )  # fmt: skip
    parser.add_argument("--json", type=Path, help="write all figures there")
    return parser.parse_args()


def _numbers(text: str) -> list[int]:
    return [int(item) for item in text.split(",")]


def _progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())

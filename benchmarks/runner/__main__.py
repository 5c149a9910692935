"""The runner against what it is made of, in one run on one machine; docs in README.md beside this.

    make benchmark-runner                             or
    python -m benchmarks.runner [--only evaluator,calls,runners,sandbox] [--rounds 3] [--json FILE]

Prints tables, says of each target whether it was met, and ends with 1 where one was not.
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
from benchmarks.runner import calls, environment, evaluator, runners
from benchmarks.runner.sandbox import TARGET_MS

ROOT = Path(__file__).parents[2]
HOME = ROOT / ".cache" / "benchmarks" / "runner"  # keeps the framework between runs
PARTS = ("evaluator", "calls", "runners", "sandbox")
CLAIMED_MS = 200
RUNS = {1000: 3}  # runs of one runner by latency


@dataclass
class Bench:
    """What one call of this program measures, and what came of it."""

    options: argparse.Namespace
    stack: ExitStack
    scratch: Path
    figures: dict[str, Any] = field(default_factory=dict)
    met: dict[str, bool] = field(default_factory=dict)

    def run(self) -> None:
        """Every part that was asked for."""
        self.stub, port = self.start("stub")
        self.model_url = f"http://127.0.0.1:{port}/v1"
        for part in self.options.only:
            {"evaluator": self.evaluator, "calls": self.calls, "runners": self.runners,
             "sandbox": self.sandbox}[part]()  # fmt: skip

    def evaluator(self) -> None:
        """The framework's evaluator and ours."""
        options = self.options
        found = evaluator.measure(
            self.place(), latencies=options.latencies, rounds=options.rounds,
            concurrency=options.concurrency, say=_say,
        )  # fmt: skip
        what = f"{environment.TASKS} rollouts of {environment.TURNS} turns, {options.concurrency}"
        title = f"verifiers' own evaluator, bare, and the full runner: {what} at once, medians of"
        self.tell("evaluator", found, f"{title} {options.rounds}", evaluator.tell(found))
        for item in found:
            name = f"rollouts/s of the evaluator's at {item.latency_ms} ms: {item.phase:.3f}"
            if item.latency_ms == CLAIMED_MS:
                self.met[f"{name}, wanted {evaluator.TARGET}"] = item.phase >= evaluator.TARGET

    def calls(self) -> None:
        """One call through the gateway."""
        found = calls.measure(self.scratch, self.model_url, calls=self.options.calls, say=_say)
        took = " and ".join(f"{ms} ms with {n}" for n, ms in calls.AT_ONCE.items())
        title = f"one call, directly and through the gateway; the model takes {took} at once"
        self.tell("calls", found, title, calls.tell(found))
        for item in found:
            name = f"gateway adds {item.p50:.2f} ms p50, wanted < {calls.TARGET_MS}: {item.case}"
            self.met[name] = item.p50 < calls.TARGET_MS

    def runners(self) -> None:
        """Several runners on one hub."""
        found = runners.measure(self.scratch, self.model_url, cases=self.options.runs, say=_say)
        run = f"a run is {runners.TASKS} rollouts of {runners.TURNS} turns side by side"
        title = f"1 and {runners.MOST} runners on one hub (SQLite, mail in a folder); {run}"
        self.tell("runners", found, title, runners.tell(found))
        best = max(found, key=lambda one: one.latency_ms)
        name = f"{runners.MOST} runners do {best.ratio:.2f} times one's, wanted {runners.TARGET}"
        self.met[f"{name}, at {best.latency_ms} ms"] = best.ratio >= runners.TARGET

    def sandbox(self) -> None:
        """The start of a sandbox."""
        _say("sandbox starts")
        command = [sys.executable, "-m", "benchmarks.runner.sandbox"]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
        body = self.figures["sandbox"] = json.loads(done.stdout)
        over = body["over_a_bare_process_ms"]
        print(f"\nsandbox over a bare process: {over['wall']:.1f} ms, {over['cpu']:.1f} ms of CPU")
        name = f"sandbox starts {over['wall']:.1f} ms over a bare process, wanted < {TARGET_MS:.0f}"
        self.met[name] = over["wall"] < TARGET_MS

    def tell(self, part: str, found: Sequence[Any], title: str, table: str) -> None:
        """Print a part's table and keep its figures."""
        self.figures[part] = [asdict(item) for item in found]
        print(f"\n{title}\n\n{table}", flush=True)

    def start(self, name: str, *more: str) -> tuple[machine.Program, int]:
        """One of our servers, stopped at the end, and its port."""
        port = machine.free_port()
        command = [sys.executable, "-m", f"benchmarks.runner.{name}", str(port), *more]
        environ = {**os.environ, "PYTHONPATH": str(ROOT)}
        log = self.scratch / f"{name}.log"
        program = machine.start(command, log=log, port=port, environ=environ)
        self.stack.callback(machine.stop, program)
        return program, port

    def place(self) -> evaluator.Place:
        """Where both evaluators work."""
        HOME.mkdir(parents=True, exist_ok=True)
        HOME.chmod(0o755)
        wheel = self.scratch / "environment.whl"
        wheel.write_bytes(environment.wheel())
        hub, port = self.start("hub", str(wheel))
        return evaluator.Place(
            HOME, self.scratch, self.stub, self.model_url, hub, f"http://127.0.0.1:{port}",
            wheel.read_bytes(),
        )  # fmt: skip


def main() -> int:
    """Measure each part that is asked for, say which targets were met."""
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # and stop what was started
    load = os.getloadavg()[0]
    with ExitStack() as stack:
        kept = TemporaryDirectory(
            prefix="bench-runner-", dir="/var/tmp", ignore_cleanup_errors=True
        )
        scratch = Path(stack.enter_context(kept))
        scratch.chmod(0o755)
        bench = Bench(options, stack, scratch)
        bench.run()
    print(f"\nload of {os.cpu_count()} cores: {load:.1f} before, {os.getloadavg()[0]:.1f} after\n")
    for name, good in bench.met.items():
        print(f"{'met   ' if good else 'MISSED'} {name}")
    if options.json:
        options.json.write_text(json.dumps(bench.figures | {"targets": bench.met}, indent=1) + "\n")
    return 0 if all(bench.met.values()) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.runner", description=__doc__)
    parser.add_argument("--only", type=lambda said: said.split(","), default=list(PARTS))
    parser.add_argument("--rounds", type=int, default=3, help="of evaluator and runner by turns")
    parser.add_argument("--concurrency", type=int, default=16, help="rollouts at once")
    parser.add_argument("--latencies", type=_numbers, default=[0, 50, 200], help="ms of the model")
    parser.add_argument("--calls", type=int, default=160, help="each way in each case")
    parser.add_argument(
        "--runs", type=lambda said: {ms: max(3, 3000 // max(ms, 300)) for ms in _numbers(said)},
        default=RUNS, help="ms of the model, where runners are counted",
    )  # fmt: skip
    parser.add_argument("--json", type=Path, help="write all figures there")
    return parser.parse_args()


def _numbers(said: str) -> list[int]:
    return [int(item) for item in said.split(",")]


def _say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())

"""The framework's own evaluator on one environment: `python bare_evaluator.py JSON`.

Uses the interpreter and the files that a sandbox mounts, and nothing of the hub:
verifiers 0.3.1's `Environment.evaluate`, in this process, with OpenAI's client to the model, its
results written to a file. Prints seconds as JSON.
"""

import asyncio
import importlib
import json
import os
import resource
import sys
import time
from pathlib import Path

began = time.perf_counter()


def cpu() -> float:
    """CPU seconds of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main(options: dict) -> None:
    """Import, load, evaluate, write the results, print the times."""
    os.environ["BENCH_KEY"] = "none"
    from verifiers.types import ClientConfig

    env = importlib.import_module(options["module"]).load_environment()
    imported, used = time.perf_counter(), cpu()
    client = ClientConfig(api_base_url=options["url"], api_key_var="BENCH_KEY")
    results = asyncio.run(
        env.evaluate(
            client=client,
            model=options["model"],
            sampling_args={"max_tokens": 512, "temperature": 1.0},
            num_examples=options["tasks"],
            rollouts_per_example=1,
            max_concurrent=options["concurrency"],
            save_results=True,
            results_path=Path(options["results"]),
            on_progress=[],
        )
    )
    played, phase_cpu = time.perf_counter(), cpu() - used
    rewards = [output["reward"] for output in results["outputs"]]
    fields = {
        "load_seconds": imported - began,
        "rollouts_seconds": played - imported,
        "rollouts": len(rewards),
        "reward": sum(rewards) / len(rewards),
        "turns": sum(output["metrics"]["turns_played"] for output in results["outputs"]),
        "environment_phase_cpu": phase_cpu,
        "environment_cpu": cpu(),
    }
    sys.stdout.write(json.dumps(fields) + "\n")


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))

"""Run the probes on this machine through `hub-runner`, where it and a sandbox are installed.

`hub-runner` is called as a program: the command line imports nothing of it and works without it.
"""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from envyard import config as configs
from envyard.errors import HubCliError

SECONDS = 1800
CARD_FIELDS = ("policies", "tasks", "attempts", "facts", "rollouts", "replays")


def require() -> str:
    """The path of `hub-runner`; raises HubCliError with what to install."""
    if not sys.platform.startswith("linux"):
        raise HubCliError(
            "hub check --run needs Linux: the sandbox uses its namespaces",
            "Leave --run out; the hub runs every version that is pushed.",
            "cli.no_sandbox",
        )
    program = _find("hub-runner")
    if program is None:
        raise HubCliError(
            "hub check --run needs the program hub-runner, which is not installed",
            f"Install it beside hub; {configs.load().url}/runner/ shows the line for uv and pip.",
            "cli.no_sandbox",
        )
    if shutil.which("bwrap") is None:
        raise HubCliError(
            "hub check --run needs bubblewrap, which is not installed",
            "Install it: `apt install bubblewrap`, or `dnf install bubblewrap`.",
            "cli.no_sandbox",
        )
    return program


def _find(name: str) -> str | None:
    sibling = Path(sys.executable).parent / name
    return str(sibling) if sibling.is_file() else shutil.which(name)


def play(wheel: Path, options: Iterable[str]) -> dict[str, Any]:
    """The document of one run of the probes, with a row for each probe; raises HubCliError.

    `options` are those of what the run may have.
    """
    command = [require(), "try", str(wheel), *options]
    try:
        completed = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise HubCliError(
            f"hub-runner did not finish within {SECONDS} seconds",
            "Push the version: the hub's runner keeps the log.",
            "cli.no_sandbox",
        ) from None
    try:
        document = json.loads(completed.stdout)
        return {**document, "probes": _probes(document)}
    except (ValueError, KeyError, TypeError):
        output = completed.stderr.strip()[-2000:] or f"it ended with code {completed.returncode}"
        raise HubCliError(
            f"hub-runner could not run the environment: {output}",
            "`hub-runner doctor` lists what is missing.",
            "cli.no_sandbox",
        ) from None


def card_input(trial: dict[str, Any]) -> dict[str, Any]:
    """The fields of the document from which the hub computes a card."""
    return {name: trial[name] for name in CARD_FIELDS if name in trial}


def _probes(document: dict[str, Any]) -> list[dict[str, Any]]:
    rows = []
    for policy in document["policies"]:
        policy_rows = sorted(
            (row for row in document["rollouts"] if row["policy"] == policy),
            key=lambda row: (row["task"], row["attempt"]),
        )
        paid = [row["reward"] for row in policy_rows if row["ok"] and row["reward"] is not None]
        mean = math.fsum(paid) / len(paid) if paid else None
        rows.append(
            {
                "policy": policy,
                "n": len(paid),
                "mean": mean,
                "failed": len(policy_rows) - len(paid),
                "rewards": [row["reward"] for row in policy_rows],
                "errors": distinct_errors(row for row in policy_rows if not row["ok"]),
            }
        )
    return rows


def distinct_errors(failed: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each different error with its first task, its number of rollouts and its traceback."""
    errors: dict[str, dict[str, Any]] = {}
    for row in failed:
        error = row.get("error") or {}
        message = f"{error.get('type', 'error')}: {error.get('message', '')}"[:500]
        entry = errors.setdefault(
            message,
            {
                "message": message,
                "task": row["task"],
                "n": 0,
                "traceback": str(error.get("traceback") or ""),
            },
        )
        entry["n"] += 1
    return list(errors.values())

"""Run probes or a model on this machine through `hub-runner`, where it and a sandbox are installed.

`hub-runner` is called as a program: the command line imports nothing of it and works without it.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from envyard import config as configs
from envyard.errors import HubCliError

SECONDS = 1800
SHOWN_CHARACTERS = 2000
PROGRESS = '{"progress": '
EVALUATION_FIELDS = ("outcome", "findings", "seed", "log")
CARD_FIELDS = ("policies", "tasks", "attempts", "facts", "rollouts", "replays")


def require(purpose: str = "hub check --run", *, otherwise: str = "") -> str:
    """The path of `hub-runner`; raises HubCliError with what to install for `purpose`, or with
    what to do `otherwise` on a system that has no sandbox."""
    if not sys.platform.startswith("linux"):
        raise HubCliError(
            f"{purpose} needs Linux: the sandbox uses its namespaces",
            otherwise or "Leave --run out; the hub runs every version that is pushed.",
            "cli.no_sandbox",
        )
    program = _find("hub-runner")
    if program is None:
        raise HubCliError(
            f"{purpose} needs the program hub-runner, which is not installed",
            f"Install it beside hub; {configs.load().url}/runner/ shows the line for uv and pip.",
            "cli.no_sandbox",
        )
    if shutil.which("bwrap") is None:
        raise HubCliError(
            f"{purpose} needs bubblewrap, which is not installed",
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
        raise _no_document(completed.stderr, completed.returncode) from None


def evaluate(
    program: str,
    wheel: Path,
    options: Iterable[str],
    *,
    environ: Mapping[str, str],
    on_progress: Callable[[str, int, int], None],
) -> dict[str, Any]:
    """The document of one run of a model; raises HubCliError.

    `environ` names the model's server and its key. `on_progress` gets the phase and how many
    rollouts are finished and planned. The run is ended with the caller.
    """
    command = [program, "try", str(wheel), *options]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as stdout:
        with subprocess.Popen(
            command, stdout=stdout, stderr=subprocess.PIPE, text=True, errors="replace",
            env={**os.environ, **environ},
        ) as process:  # fmt: skip
            try:
                messages = _follow(process.stderr or (), on_progress)
                code = process.wait()
            finally:
                process.terminate()
        stdout.seek(0)
        try:
            document: dict[str, Any] = json.load(stdout)
            return {key: document[key] for key in (*CARD_FIELDS, *EVALUATION_FIELDS)}
        except (ValueError, KeyError, TypeError):
            raise _no_document(messages, code) from None


def _follow(lines: Iterable[str], on_progress: Callable[[str, int, int], None]) -> str:
    """Pass on the lines of progress; the end of what else was written."""
    messages = ""
    for line in lines:
        if line.startswith(PROGRESS):
            row = json.loads(line)["progress"]
            on_progress(row["phase"], row["done"], row["total"])
        else:
            messages = (messages + line)[-SHOWN_CHARACTERS:]
    return messages


def _no_document(messages: str, code: int) -> HubCliError:
    output = messages.strip()[-SHOWN_CHARACTERS:] or f"it ended with code {code}"
    return HubCliError(
        f"hub-runner could not run the environment: {output}",
        "`hub-runner doctor` lists what is missing.",
        "cli.no_sandbox",
    )


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

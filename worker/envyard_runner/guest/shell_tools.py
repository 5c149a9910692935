"""The tools `bash` and `edit` of verifiers' default harness, in the rollout's own runtime.

Its names, parameters and answers are kept, so that a model finds what it was trained with. Other
than there, a command ends after COMMAND_SECONDS and its output is cut while it is produced: both
count against the run's limits. Source: verifiers 0.4.0, harnesses.bash and harnesses.utils.core.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any

COMMAND_SECONDS = 60.0
OUTPUT_BYTES = 32 << 10
FILE_BYTES = 4 << 20
BASH_PROMPT = "You are a coding agent. You have access to a bash tool for running shell commands."
EDIT_PROMPT = "You also have an edit tool for single-occurrence string replacement in a file."
# `head` ends the pipe, so that a command which prints without end is ended by a signal.
BOUNDED = 'set -o pipefail; { bash -c "$1"; } 2>&1 | head -c "$2"'


def _tool(name: str, description: str, parameters: dict[str, str]) -> dict[str, Any]:
    properties = {key: {"type": "string", "description": text} for key, text in parameters.items()}
    schema = {"type": "object", "properties": properties, "required": [*parameters]}
    function = {"name": name, "description": description, "parameters": schema}
    return {"type": "function", "function": function}


BASH = _tool(
    "bash",
    "Run a bash command and return its combined stdout and stderr.",
    {"command": "The bash command to run."},
)
EDIT = _tool(
    "edit",
    "Replace a unique string in a file. old_str must appear exactly once in the file.",
    {
        "path": "File path (relative to cwd or absolute).",
        "old_str": "Exact string to find (must appear exactly once).",
        "new_str": "Replacement string.",
    },
)


class ShellTools:
    """The tools of one rollout, whose commands run in `runtime`; `edit` offers the second too."""

    def __init__(self, runtime: Any, *, edit: bool) -> None:
        self.runtime = runtime
        self.tools = [BASH, EDIT] if edit else [BASH]
        self.prompt = f"{BASH_PROMPT} {EDIT_PROMPT}" if edit else BASH_PROMPT
        self.calls: dict[str, Callable[[dict[str, Any]], Awaitable[str]]] = {"bash": self._bash}
        if edit:
            self.calls["edit"] = self._edit

    async def _bash(self, arguments: dict[str, Any]) -> str:
        command = arguments.get("command", "")
        if not isinstance(command, str):
            return "error: 'command' must be a string"
        if "\0" in command:
            return "error: 'command' must not contain NUL"
        argv = ["bash", "-c", BOUNDED, "bash", command, str(OUTPUT_BYTES + 1)]
        try:
            async with asyncio.timeout(COMMAND_SECONDS):
                result = await self.runtime.run(argv, {})
        except TimeoutError:
            return f"error: the command was ended after {COMMAND_SECONDS:.0f} seconds"
        except OSError as error:  # an argument that is too long, say
            return f"error: {error}"
        return bounded(result.stdout + result.stderr)

    async def _edit(self, arguments: dict[str, Any]) -> str:
        path, old, new = (arguments.get(name) for name in ("path", "old_str", "new_str"))
        if not isinstance(path, str) or not path:
            return "error: 'path' is required"
        if not isinstance(old, str) or not isinstance(new, str):
            return "error: 'old_str' and 'new_str' must be strings"
        if not old:
            return "error: 'old_str' must be a non-empty string"
        try:
            content = (await self.runtime.read(path, FILE_BYTES)).decode()
        except Exception as error:
            return f"error: could not read {path}: {error}"
        if (count := content.count(old)) != 1:
            return f"error: old_str must appear exactly once in {path} (found {count})"
        try:
            await self.runtime.write(path, content.replace(old, new, 1).encode())
        except Exception as error:
            return f"error: could not write {path}: {error}"
        return f"Edited {path}"


def bounded(output: str) -> str:
    """The output, or its beginning with a note where it is longer than OUTPUT_BYTES."""
    data = output.encode("utf-8", "replace")
    if len(data) <= OUTPUT_BYTES:
        return output
    shown = data[:OUTPUT_BYTES].decode("utf-8", "ignore")
    return f"{shown}\n[... output was cut after {OUTPUT_BYTES} bytes ...]"


def acts_in_runtime(task: type, base: type) -> bool:
    """Whether a task class below `base` prepares or reads the rollout's runtime: what the model
    does there then matters."""
    for kind in task.__mro__:
        if kind is base:
            return False
        if any(_takes_runtime(member) for member in vars(kind).values()):
            return True
    return False


def _takes_runtime(member: Any) -> bool:
    try:
        return callable(member) and "runtime" in inspect.signature(member).parameters
    except (ValueError, TypeError):
        return False

"""Byte-compiles what was installed, once and inside the sandbox, so that runs import fast."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path

from envyard.contract.findings import finding
from envyard_runner.config import Config
from envyard_runner.guest.bytecode import FULL
from envyard_runner.sandbox import Sandbox, interpreter
from envyard_runner.sandbox.command import ENVIRONMENT
from envyard_runner.sandbox.guest_files import guest_files
from envyard_runner.sandbox.spawn import FOLDER
from envyard_runner.venvs import cache
from envyard_runner.venvs.uv import VenvError


async def compile_folder(
    config: Config, folder: Path, deadline: float, *, beside: Path | None = None
) -> bool:
    """Write the .pyc files of a folder of dependencies, or of a wheel's own files `beside` them;
    whether it came to its end in time.

    What does not compile is left alone; raises VenvError where the disk is full. Only
    folders are handed to the sandbox's uid, never the files: those are hard links into uv's cache,
    which others share.
    """
    left = max(1.0, deadline - asyncio.get_running_loop().time())
    limits = replace(config.limits, wall_seconds=min(left, config.limits.wall_seconds))
    base = interpreter.base(config.python)
    sandbox = Sandbox.prepare(
        config=config,
        venv=beside or folder,
        environment=folder if beside else None,
        files=guest_files("bytecode.py"),
        limits=limits,
        writable=folder,
    )
    async with sandbox:
        if os.geteuid() == 0:
            for path, _, _ in os.walk(folder):
                os.chown(path, sandbox.uid, sandbox.uid)
        inside = ENVIRONMENT if beside else base.site_packages
        program = [str(base.python), "-I", "-S", f"{FOLDER}/bytecode.py", inside]
        (await sandbox.start(program)).close()
        ended = await sandbox.wait()
    if ended.code == FULL:
        message = f"the disk of {config.home} is full: byte-compiling found no room"
        raise VenvError(finding("run.install_failed", message))
    cache.sanitize(folder)
    return ended.code == 0

"""Byte-compiles a new venv inside the sandbox, once, so that every run imports fast."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from envyard_runner.config import Config
from envyard_runner.sandbox import Sandbox, interpreter
from envyard_runner.venvs import cache


async def compile_site(config: Config, site: Path, names: Iterable[str], deadline: float) -> None:
    """Write the .pyc files of these names in `site`; what does not compile in time is left alone.

    Only folders are handed to the sandbox's uid, never the files: those are hard links into uv's
    cache, which other venvs share.
    """
    left = max(1.0, deadline - asyncio.get_running_loop().time())
    limits = replace(config.limits, wall_seconds=min(left, config.limits.wall_seconds))
    base = interpreter.base(config.python)
    sandbox = Sandbox.prepare(
        config=config, venv=site, job=b"{}", limits=limits, venv_writable=True
    )
    paths = [f"{base.site_packages}/{name}" for name in names]
    async with sandbox:
        if os.geteuid() == 0:
            for folder, _, _ in os.walk(site):
                os.chown(folder, sandbox.uid, sandbox.uid)
        program = [str(base.python), "-I", "-S", "-m", "compileall", "-q", "-q", "-j", "0"]
        (await sandbox.start([*program, *paths])).close()
        await sandbox.wait()
    cache.settle(site)

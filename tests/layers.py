"""Dependencies that a runner installed and byte-compiled, kept from one test session to the next.

They cost most of a minute of a processor, and the same lock gives the same bytes. A session gets
hard links into a RUNNER_HOME of its own, so that it shares no lock and no folder with another.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import time
from pathlib import Path

from envyard_runner.venvs.cache import FACTS

KEPT = Path(os.environ.get("ENVYARD_TEST_CACHE") or Path(__file__).parents[1] / ".cache") / "layers"
UNUSED_SECONDS = 14 * 86400.0


def link_into(runner: Path) -> None:
    """Put what is kept into that RUNNER_HOME; what has not been used for two weeks is deleted."""
    for layer in _complete_layers(KEPT):
        # The runner touches this file of each layer that it uses, and it is one for all links.
        if (layer / FACTS).stat().st_mtime < time.time() - UNUSED_SECONDS:
            shutil.rmtree(layer, ignore_errors=True)
        else:
            _link(layer, runner / "venvs" / layer.name)


def keep(runner: Path) -> None:
    """Keep what was installed there and is not an environment's own."""
    for layer in _complete_layers(runner / "venvs"):
        if json.loads((layer / FACTS).read_text())["packages"] > 1:
            _link(layer, KEPT / layer.name)


def _complete_layers(folder: Path) -> list[Path]:
    return [path.parent for path in folder.glob(f"[!.]*/{FACTS}")]


def _link(source: Path, target: Path) -> None:
    """Another session's copy wins; where there can be no link, on two disks, there is no copy."""
    if target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    target.parent.chmod(0o755)
    staged = target.with_name(f".{secrets.token_hex(8)}")
    with contextlib.suppress(OSError, shutil.Error):
        shutil.copytree(source, staged, copy_function=os.link)
        staged.rename(target)
    shutil.rmtree(staged, ignore_errors=True)

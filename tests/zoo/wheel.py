"""The wheel of an entry."""

from __future__ import annotations

from pathlib import Path

from envyard.builder import build
from tests.wheels import filename, make_wheel
from tests.zoo.entry import Api, Entry

REQUIRES: dict[Api, tuple[str, ...]] = {"v1": ("verifiers<0.5,>=0.4",), "v0": ("verifiers<0.4",)}
TOOLS = "ZooToolset"  # is started by `python -m MODULE`
README = (
    "# Zoo\n\nOne environment of the tests: its tasks, rewards, splits and limits are made up.\n"
)


def write(entry: Entry, folder: Path) -> Path:
    """Write it into the folder, with its declarations where it has some; build that of others."""
    if entry.folder is not None:
        return build(entry.folder, folder)
    module = entry.key.replace("-", "_")
    files = {f"{module}/__init__.py": f'"""{entry.title}."""\n{entry.module}'}
    if TOOLS in entry.module:
        files[f"{module}/__main__.py"] = f"from {module} import {TOOLS}\n\n{TOOLS}.run()\n"
    if entry.declarations:
        files[f"{module}/pyproject.toml"] = f"[tool.envyard]\n{entry.declarations}\n"
    path = folder / filename(entry.key)
    metadata = {"Requires-Dist": REQUIRES[entry.api], "Summary": "One environment of the tests."}
    path.write_bytes(make_wheel(entry.key, files=files, metadata=metadata, description=README))
    return path

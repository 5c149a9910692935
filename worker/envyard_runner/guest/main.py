"""Entry: `python /inside/main.py` supervises; it starts itself as `drive`.

This folder leaves sys.path at once, because an environment may well have a module named `events` or
`harness`; our files are loaded as a package under a name of their own instead.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys

PACKAGE = "_envyard_inside"


def load_package(folder: str) -> None:
    """Make this folder importable as PACKAGE, and only so."""
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != folder]  # noqa: PTH100
    spec = importlib.util.spec_from_file_location(
        PACKAGE, f"{folder}/__init__.py", submodule_search_locations=[folder]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot load {folder}")
    package = importlib.util.module_from_spec(spec)
    sys.modules[PACKAGE] = package
    spec.loader.exec_module(package)


if __name__ == "__main__":
    load_package(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    role = sys.argv[1] if len(sys.argv) > 1 else "supervise"
    sys.exit(importlib.import_module(f"{PACKAGE}.{role}").main())

"""Programs that `make test-vllm` and `make test-trainers` install for their tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tools.cached_venv import Cached


def folder(cached: Cached) -> Path:
    """The folder of an installation; without it the test is skipped, or fails under CI."""
    installed = cached.folder()
    if why := cached.missing(installed):
        (pytest.fail if os.environ.get("CI") else pytest.skip)(why)
    return installed

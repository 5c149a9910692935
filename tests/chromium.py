"""Debian's own Chromium for tests in a browser; Playwright's would have to be downloaded."""

from __future__ import annotations

import ctypes
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

PROGRAM = shutil.which("chromium") or "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


@contextmanager
def running() -> Iterator[Browser]:
    """A headless browser; skips where none is installed: the reason names the command to type."""
    if not Path(PROGRAM).exists():
        pytest.skip("chromium is not installed: `make setup-tests` installs it")
    try:
        ctypes.CDLL("libatomic.so.1")
    except OSError:
        pytest.skip("libatomic1 is not installed: `make setup-tests` installs it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=FLAGS)
        yield browser
        browser.close()

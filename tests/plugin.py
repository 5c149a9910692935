"""Chooses the database before Django reads its settings; loaded by pytest's `-p`.

`pytest` runs on SQLite, `pytest --postgresql` on the server that DATABASE_URL names, or on one
that it starts itself. Nothing of the caller's own hub is read: HUB_* variables are dropped and
HUB_HOME is a new folder. Bytecode is kept whatever the caller wants: without it each of some
hundred processes would compile all that it imports, up to eight seconds of it.
"""

import json
import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest

from tests import postgresql
from tools.suite import TALLY


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--postgresql", action="store_true", help="run on PostgreSQL, not SQLite")
    parser.addoption("--all-faults", action="store_true", help="play every fault, not a few")


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Iterator[None]:
    """A wrapper, because pytest-django reads the settings in this very hook."""
    for name in [name for name in os.environ if name.startswith("HUB_")]:
        del os.environ[name]
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    given = os.environ.pop("DATABASE_URL", "")
    home = Path(mkdtemp(prefix="envyard-tests-"))
    early_config.add_cleanup(lambda: shutil.rmtree(home, ignore_errors=True))
    os.environ |= {"HUB_HOME": str(home), "HUB_SECRET_KEY": "only-for-tests"}
    if early_config.known_args_namespace.postgresql:
        if not given.startswith("postgres"):
            running = postgresql.server()
            given = running.__enter__()
            early_config.add_cleanup(lambda: running.__exit__(None, None, None))
        os.environ["DATABASE_URL"] = given
    return (yield)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell tools/suite.py how many tests ended how, and why some were skipped."""
    if folder := os.environ.get(TALLY):
        counts = {name: len(found) for name, found in terminalreporter.stats.items() if name}
        skipped = [one.longrepr[2] for one in terminalreporter.stats.get("skipped", ())]
        why = Counter(reason.removeprefix("Skipped: ") for reason in skipped)
        told = json.dumps({"counts": counts, "skipped": why})
        Path(folder, f"{os.getpid()}.json").write_text(told)

"""Sets up Django and the database where tests need them; loaded by pytest's `-p`.

Django is set up unless every path on the command line is below a folder of WITHOUT_DJANGO: it
costs 2 s of processor time, most of all that a file of such a folder costs.

`pytest` runs on SQLite, `pytest --postgresql` on the server that DATABASE_URL names, or on one
that it starts itself. Nothing of the caller's own hub is read: HUB_* variables are dropped and
HUB_HOME is a new folder. Bytecode is kept whatever the caller set: without it each of some
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

from tools.suite import TALLY

ROOT = Path(__file__).parents[1]
WITHOUT_DJANGO = ("tests/cli", "tests/contract", "tests/tools", "tests/worker")
WITH_DJANGO = ("tests/cli/with_hub",)  # below one of those
WITH_SCHEMATHESIS = ROOT / "tests/registry/api/test_fuzzed.py"  # its plugin takes 1.5 s to load
DATABASE_FIXTURES = {"db", "transactional_db", "live_server", "django_db_setup"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--postgresql", action="store_true", help="run on PostgreSQL, not SQLite")
    parser.addoption("--extended", action="store_true", help="run the extended tests too")
    parser.addoption("--all-faults", action="store_true", help="play every fault, not a few")
    parser.addoption(
        "--database",
        choices=("all", "none", "only"),
        default="all",
        help="all tests, those that need no database, or only those that need one",
    )


def needs_django(paths: list[Path], ignored: list[Path]) -> bool:
    """Whether tests below these paths of the repository may import Django."""
    without = [ROOT / folder for folder in WITHOUT_DJANGO]
    within = [folder for name in WITH_DJANGO if (folder := ROOT / name) not in ignored]
    return any(
        not any(path.is_relative_to(folder) for folder in without)
        or any(path.is_relative_to(folder) or folder.is_relative_to(path) for folder in within)
        for path in paths
    )


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Iterator[None]:
    """A wrapper, because pytest-django reads the settings in this very hook."""
    for name in [name for name in os.environ if name.startswith("HUB_")]:
        del os.environ[name]
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    database_url = os.environ.pop("DATABASE_URL", "")
    home = Path(mkdtemp(prefix="envyard-tests-"))
    early_config.add_cleanup(lambda: shutil.rmtree(home, ignore_errors=True))
    os.environ |= {"HUB_HOME": str(home), "HUB_SECRET_KEY": "only-for-tests"}
    arguments = early_config.known_args_namespace
    paths = arguments.file_or_dir or ["tests"]
    folder = early_config.invocation_params.dir
    paths, ignored = (
        [(folder / name.partition("::")[0]).resolve() for name in names]
        for names in (paths, arguments.ignore or ())
    )
    django = needs_django([path for path in paths if path.is_relative_to(ROOT)], ignored)
    if django:
        os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    else:
        os.environ.pop("DJANGO_SETTINGS_MODULE", None)
    if any(WITH_SCHEMATHESIS.is_relative_to(path) for path in paths):
        early_config.pluginmanager.import_plugin("schemathesis.pytest.plugin")
    if arguments.postgresql:
        from tests import postgresql

        if not database_url.startswith("postgres"):
            running = postgresql.server()
            database_url = running.__enter__()
            early_config.add_cleanup(lambda: running.__exit__(None, None, None))
        os.environ["DATABASE_URL"] = database_url
    result = yield
    if django:  # set up by now
        early_config.pluginmanager.import_plugin("tests.people")
        early_config.pluginmanager.import_plugin("tests.buckets")
    return result


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect extended tests, and what --database and --postgresql leave out."""
    choice = config.getoption("--database")
    postgresql = config.getoption("--postgresql")
    extended = config.getoption("--extended")
    selected, deselected = [], []
    for item in items:
        fixtures = DATABASE_FIXTURES.intersection(getattr(item, "fixturenames", ()))
        needed = bool(fixtures) or item.get_closest_marker("django_db") is not None
        here = choice == "all" or needed == (choice == "only")
        if postgresql and item.get_closest_marker("once_on_sqlite") is not None:
            here = False
        if not extended and item.get_closest_marker("extended") is not None:
            here = False
        (selected if here else deselected).append(item)
    if not deselected:
        return
    config.hook.pytest_deselected(items=deselected)
    items[:] = selected


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Write the counts of outcomes and the reasons of skipped tests for tools/suite.py."""
    if folder := os.environ.get(TALLY):
        counts = {name: len(reports) for name, reports in terminalreporter.stats.items() if name}
        skipped = [report.longrepr[2] for report in terminalreporter.stats.get("skipped", ())]
        why = Counter(reason.removeprefix("Skipped: ") for reason in skipped)
        tally = json.dumps({"counts": counts, "skipped": why})
        Path(folder, f"{os.getpid()}.json").write_text(tally)

"""A dependency from git is built in a sandbox from the archive that the hub keeps."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worker.venvs.conftest import LockStore, VenvSetup, build_refused
from tests.worker.venvs.git_archives import REPOSITORY, downloaded, project

pytestmark = pytest.mark.slow

LINE = f"tool @ git+{REPOSITORY}@v1"
USE = "import tool, demo_env; print(tool.WORD, demo_env.WORD)"


def test_the_version_runs_with_what_was_built(venv_setup: VenvSetup, tmp_path: Path) -> None:
    lock_store = LockStore()
    git = [downloaded(tmp_path, project())]
    venv = venv_setup.build(requires=[LINE], git=git, lock_store=lock_store)
    assert venv_setup.run_code(venv, USE) == "from git built\n"
    assert venv.packages == 2
    assert list(lock_store.locks.values()) == [""]  # the hub has the archive's sha256 itself


def test_it_is_built_once_for_all_runs(venv_setup: VenvSetup, tmp_path: Path) -> None:
    lock_store = LockStore()
    git = [downloaded(tmp_path, project())]
    first = venv_setup.build(requires=[LINE], git=git, lock_store=lock_store)
    git[0].archive.unlink()  # a second build would fail without it
    again = venv_setup.build(requires=[LINE], git=git, lock_store=lock_store)
    assert again.dependencies == first.dependencies
    other = [downloaded(tmp_path, project() | {"tool/__init__.py": "WORD = 'other'\n"})]
    changed = venv_setup.build(requires=[LINE], git=other, lock_store=lock_store)
    assert venv_setup.run_code(changed, USE) == "other built\n"


def test_what_it_requires_is_locked_with_the_rest(venv_setup: VenvSetup, tmp_path: Path) -> None:
    for version in ("1.0", "2.0"):
        venv_setup.add_to_index("dep", version)
    venv_setup.add_to_index("extra_dep")
    backend = "REQUIRES = ['dep<2', \"extra-dep; extra == 'more'\"]\n"
    lock_store = LockStore()
    venv_setup.build(
        requires=[LINE.replace("tool", "tool[more]", 1), "dep"],
        git=[downloaded(tmp_path, project(backend=backend))],
        lock_store=lock_store,
    )
    (lock,) = lock_store.locks.values()
    assert "dep==1.0" in lock
    assert "extra-dep==1.0" in lock
    assert "tool" not in lock


def test_a_subdirectory_is_built_beside_the_rest(venv_setup: VenvSetup, tmp_path: Path) -> None:
    files = {f"packages/tool/{path}": text for path, text in project().items()}
    files["WORD"] = "from above"
    files["packages/tool/tool/__init__.py"] = "WORD = 'unset'\n"
    files["packages/tool/backend.py"] += (
        "pathlib.Path('tool/__init__.py').write_text("
        "f'WORD = {pathlib.Path(\"../../WORD\").read_text()!r}')\n"
    )
    git = [downloaded(tmp_path, files, subdirectory="packages/tool")]
    venv = venv_setup.build(requires=[LINE], git=git)
    assert venv_setup.run_code(venv, USE) == "from above built\n"


def test_backends_come_from_the_index_of_the_upload(venv_setup: VenvSetup, tmp_path: Path) -> None:
    source = project()
    backend = source.pop("backend.py")
    for version, uploaded in (("1.0", "2026-01-01T00:00:00Z"), ("2.0", "2026-03-01T00:00:00Z")):
        text = backend.replace('"1.0"', f'"{version}"')
        venv_setup.add_to_index("backend", version, files={"backend.py": text}, uploaded=uploaded)
    source["pyproject.toml"] = "[build-system]\nrequires = ['backend']\nbuild-backend = 'backend'\n"
    venv = venv_setup.build(
        requires=[LINE], git=[downloaded(tmp_path, source)], before="2026-02-01T00:00:00Z"
    )
    code = "import importlib.metadata as m; print(m.version('tool'))"
    assert venv_setup.run_code(venv, code) == "1.0\n"


def test_the_requirements_of_the_backends_hook_are_installed(
    venv_setup: VenvSetup, tmp_path: Path
) -> None:
    venv_setup.add_to_index("helper", files={"helper.py": "WORD = 'helped'\n"})
    backend = (
        "def get_requires_for_build_wheel(config_settings=None):\n    return ['helper']\n"
        "make = build_wheel\n"
        "def build_wheel(*args):\n    import helper\n    return make(*args)\n"
    )
    venv_setup.build(requires=[LINE], git=[downloaded(tmp_path, project(backend=backend))])


def test_a_url_without_an_archive_is_still_refused(venv_setup: VenvSetup, tmp_path: Path) -> None:
    git = [downloaded(tmp_path, project())]
    error = build_refused(venv_setup, requires=[LINE, "evil @ file:///etc/evil.whl"], git=git)
    assert error.finding.code == "metadata.direct_url"
    assert error.finding.where == "evil"


EVENTS = "import os, sys; os.write(int(sys.argv[1])"


def forged(name: str) -> str:
    """A backend that emits a wheel of this name without content."""
    lines = f'{{"wheel": "{name}"}}\\n{{"done": true}}\\n'
    return f"def build_wheel(*_):\n    {EVENTS}, b'{lines}')\n    os._exit(0)"


FAILURES = {
    "raise SystemExit('no compiler here')": "no compiler here",
    "NAME = 'other'": "its backend built 'other-1.0-py3-none-any.whl'",
    "REQUIRES = ['x @ git+https://127.0.0.1/x']": "'x @ git+https://127.0.0.1/x'",
    "REQUIRES = ['x @ file:///etc/passwd']": "an index has no such thing",
    "REQUIRES = ['x\\u2028--index-url=http://127.0.0.1']": "its wheel's METADATA",
    "get_requires_for_build_wheel = lambda _: ['x @ file:///etc/x.whl']": "no such thing",
    "get_requires_for_build_wheel = lambda _: ['--index-url=x']": "is no requirement",
    "build_wheel = lambda *_: '../../etc/x-1.0-py3-none-any.whl'": "its build ended with 1",
    "print('a\\0b'); raise SystemExit(1)": "a b",
    "get_requires_for_build_wheel = lambda _: ['x'] * 60": "does not state",
    f"{EVENTS}, b'{{}}\\n'); os._exit(0)": "does not state",
    forged("tool-1.0-py3-none-any/../../x.whl"): "built 'tool-",
    forged(f"tool-1.0-{'a' * 300}-none-any.whl"): "built 'tool-",
    forged("tool-1.0-py3-none-any.whl"): "its wheel is refused",
    "build_wheel = lambda *_: __import__('os').kill(1, 9) or 'tool'": "its build ended",
    f"{EVENTS}, b'[1]\\n' * 9); os._exit(0)": "",
}


@pytest.mark.parametrize("backend", FAILURES)
def test_a_failing_or_hostile_backend_is_the_authors_error(
    venv_setup: VenvSetup, tmp_path: Path, backend: str
) -> None:
    git = [downloaded(tmp_path, project(backend=f"{backend}\n"))]
    error = build_refused(venv_setup, requires=[LINE], git=git)
    assert (error.finding.code, error.fault) == ("git.build_failed", "environment")
    assert FAILURES[backend] in error.finding.message
    assert error.finding.message.startswith(f"tool from {REPOSITORY} at 0123456789ab: ")


def test_a_backend_reaches_no_network_and_no_file_of_the_runner(
    venv_setup: VenvSetup, tmp_path: Path
) -> None:
    secret = venv_setup.config.home.parent / "secret"
    secret.write_text("the runner's")
    secret.chmod(0o644)
    port = venv_setup.config.index_environment["UV_DEFAULT_INDEX"].split(":")[2].split("/")[0]
    backend = f"""
import os, socket
problems = []
for attempt in (
    lambda: open({str(secret)!r}),
    lambda: socket.create_connection(("127.0.0.1", {port}), 2),
    lambda: open("/venv/environment/new", "w"),
    lambda: open(f"{{os.path.dirname(os.__file__)}}/new", "w"),
):
    try:
        attempt()
        problems.append("done")
    except OSError as error:
        problems.append(type(error).__name__)
raise SystemExit(f"{{problems}} {{sorted(name for name in os.environ if 'SECRET' in name)}}")
"""
    git = [downloaded(tmp_path, project(backend=backend))]
    message = build_refused(venv_setup, requires=[LINE], git=git).finding.message
    refusals = "['FileNotFoundError', 'ConnectionRefusedError', 'OSError', 'OSError'] []"
    assert refusals in message


@pytest.mark.parametrize(
    "links", [{"tool/x.py": "/etc/passwd"}, {"tool/x.py": "../../../../../etc/passwd"}]
)
def test_a_link_shows_no_file_of_the_machine(
    venv_setup: VenvSetup, tmp_path: Path, links: dict[str, str]
) -> None:
    """The hub refuses such an archive; a hub that did not would gain nothing."""
    backend = "\nraise SystemExit(open('tool/x.py').read())\n"
    git = [downloaded(tmp_path, project(backend=backend), links=links)]
    message = build_refused(venv_setup, requires=[LINE], git=git).finding.message
    assert "root:" not in message


@pytest.mark.parametrize("path", ["../x", "a/../../x", "./x", "a//x"])
def test_paths_out_of_the_archive_are_refused(
    venv_setup: VenvSetup, tmp_path: Path, path: str
) -> None:
    git = [downloaded(tmp_path, project() | {path: "x"})]
    error = build_refused(venv_setup, requires=[LINE], git=git)
    assert "its archive has the path" in error.finding.message


def test_a_pyproject_without_sense_is_refused(venv_setup: VenvSetup, tmp_path: Path) -> None:
    for text in (
        "[build-system]\nbuild-backend = 1",
        "build-system = 1",
        "[build-system]\nrequires = [1]",
        "[build-system]\nbuild-backend = 'a; import os'",
        "[build-system]\nrequires = ['x @ file:///etc/x.whl']\nbuild-backend = 'backend'",
        "nonsense",
        f"{'a.' * 100_000}b = 1",
        f"[build-system]\nbuild-backend = '{'a' * 200_000}'",
        '[build-system]\nbuild-backend = "backend"\nbackend-path = ["a\\u0000b"]',
        f"[build-system]\nbuild-backend = 'backend'\nbackend-path = ['{'a' * 200_000}']",
    ):
        git = [downloaded(tmp_path, project() | {"pyproject.toml": text})]
        error = build_refused(venv_setup, requires=[LINE], git=git)
        assert error.finding.code == "git.build_failed", text

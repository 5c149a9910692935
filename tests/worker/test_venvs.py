"""Venvs are built from wheels of an index without running a line of what is installed."""

from __future__ import annotations

import asyncio
import hashlib
import html
import json
import os
import shutil
import tempfile
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from textwrap import dedent

import pytest

from envyard_runner.config import Config
from envyard_runner.limits import Limits
from envyard_runner.sandbox import Sandbox
from envyard_runner.venvs import Venv, VenvError, build_venv, cache
from envyard_runner.venvs.uv import diagnose
from tests.wheels import entry, make_wheel, write_wheel

pytestmark = pytest.mark.sandbox


class Index(BaseHTTPRequestHandler):
    """A package index of the files in a folder: PEP 503 pages with hashes."""

    def __init__(self, folder: Path, asked: list[str], *arguments: object) -> None:
        self.folder, self.asked = folder, asked
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """Answer a project's page or a file."""
        self.asked.append(self.path)
        *_, kind, name = self.path.rstrip("/").split("/")
        content = self._page(name) if kind == "simple" else (self.folder / name).read_bytes()
        self.send_response(200 if content else 404)
        self.send_header("Content-Type", "text/html" if kind == "simple" else "application/zip")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    do_HEAD = do_GET  # noqa: N815

    def _page(self, name: str) -> bytes:
        links = [
            f'<a href="/files/{file.name}#sha256={hashlib.sha256(file.read_bytes()).hexdigest()}">'
            f"{html.escape(file.name)}</a>"
            for file in self.folder.iterdir()
            if file.name.split("-")[0].replace("_", "-") == name
        ]
        return "\n".join(links).encode()

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        """Keep quiet."""


@dataclass(frozen=True, slots=True)
class World:
    """A runner, the index it uses, a folder for environments and one for witnesses."""

    config: Config
    index: Path
    wheels: Path
    asked: list[str] = field(default_factory=list)

    def build(
        self,
        *,
        requires: list[str] | None = None,
        extra: tuple[str, ...] = (),
        files: Mapping[str, str] | None = None,
        **fields: str,
    ) -> Venv:
        """Build the venv of a small environment with these Requires-Dist lines."""
        metadata = {"Requires-Dist": requires, **fields}
        wheel = write_wheel(
            self.wheels,
            files=files or {"demo_env/__init__.py": "WORD = 'built'\n"},
            metadata=metadata,
        )
        return asyncio.run(build_venv(self.config, wheel, extra, seconds=60))

    def publish(
        self,
        name: str,
        version: str = "1.0",
        *,
        files: Mapping[str, str] | None = None,
        requires: list[str] | None = None,
    ) -> None:
        """Put a distribution on the index."""
        content = files or {f"{name}/__init__.py": f"VERSION = '{version}'\n"}
        write_wheel(self.index, name, version, files=content, metadata={"Requires-Dist": requires})

    def run(self, venv: Venv, code: str) -> str:
        """What the code prints in a sandbox with the venv."""

        async def contained() -> bytes:
            said = bytearray()
            async with Sandbox.prepare(
                config=self.config,
                venv=venv.dependencies,
                environment=venv.environment,
                job=b"{}",
                limits=Limits(wall_seconds=30),
            ) as sandbox:
                sandbox.on_log = said.extend
                (await sandbox.start(["python", "-c", code])).close()
                await sandbox.wait()
            return bytes(said)

        return asyncio.run(contained()).decode()


@pytest.fixture
def world() -> Iterator[World]:
    """An empty index on this machine and a runner that knows no other."""
    root = Path(tempfile.mkdtemp(prefix="envyard-venvs-", dir="/var/tmp"))
    root.chmod(0o755)
    for name in ("index", "wheels"):
        (root / name).mkdir()
    asked: list[str] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Index, root / "index", asked))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}/simple"
    config = replace(
        Config.from_environment({**os.environ, "RUNNER_HOME": str(root / "home")}),
        index_environment={"UV_DEFAULT_INDEX": url, "UV_HTTP_RETRIES": "0"},
    )
    yield World(config, root / "index", root / "wheels", asked)
    server.shutdown()
    server.server_close()
    thread.join()
    shutil.rmtree(root)


def refused(world: World, **wheel: object) -> VenvError:
    with pytest.raises(VenvError) as caught:
        world.build(**wheel)  # type: ignore[arg-type]
    assert list(world.config.builds.glob("*")) == []
    return caught.value


def test_an_environment_and_its_dependencies_import_inside(world: World) -> None:
    world.publish("deep", "1.0")
    world.publish("deep", "2.0")
    world.publish("shallow", requires=["deep<2"])
    venv = world.build(requires=["shallow"])
    assert venv.packages == 3
    code = "import demo_env, shallow, deep; print(demo_env.WORD, deep.VERSION)"
    assert world.run(venv, code) == "built 1.0\n"


def test_extra_requirements_join_the_resolution(world: World) -> None:
    world.publish("framework", "0.3")
    world.publish("framework", "0.4")
    venv = world.build(requires=["framework"], extra=("framework<0.4",))
    assert world.run(venv, "import framework; print(framework.VERSION)") == "0.3\n"
    other = world.build(requires=["framework"], extra=("framework>=0.4",))
    assert world.run(other, "import framework; print(framework.VERSION)") == "0.4\n"


def test_nothing_installed_runs_outside_the_sandbox(world: World) -> None:
    witness = world.config.home.parent / "witness"
    hook = f"import os; open({str(witness)!r}, 'w')\n"
    hostile = {
        "hostile/__init__.py": hook,
        "hostile.pth": hook,
        "sitecustomize.py": hook,
        "usercustomize.py": hook,
    }
    world.publish("hostile", files=hostile)
    world.build(requires=["hostile"])
    venv = world.build(requires=["hostile"], files={"demo_env/__init__.py": hook, "demo.pth": hook})
    assert not witness.exists()
    assert "No such file" in world.run(venv, "print('ran')")  # it does run inside, in vain


def test_the_venv_is_byte_compiled_and_belongs_to_the_runner_alone(world: World) -> None:
    venv = world.build()
    assert list(venv.environment.glob("demo_env/__pycache__/*.pyc"))
    both = (venv.dependencies, venv.environment)
    for path in (*both, *(inside for folder in both for inside in folder.rglob("*"))):
        mode = path.lstat().st_mode
        assert not path.is_symlink()
        assert not mode & 0o022, path
        if path.is_dir():
            assert path.stat().st_uid == os.geteuid()
    assert "Read-only file system" in world.run(
        venv, "import demo_env; open(demo_env.__file__, 'w')"
    )


def test_scripts_start_the_interpreter_that_sees_the_venv(world: World) -> None:
    script = {
        "tool/__init__.py": "def main(): print('tool runs')\n",
        "tool-1.0.dist-info/entry_points.txt": "[console_scripts]\nthe-tool = tool:main\n",
    }
    world.publish("tool", files=script)
    venv = world.build(requires=["tool"])
    assert world.run(venv, "import subprocess; subprocess.run('the-tool')") == "tool runs\n"


def test_the_same_wheel_is_built_once_even_when_the_index_moves_on(world: World) -> None:
    world.publish("dep", "1.0")
    first = world.build(requires=["dep"])
    world.publish("dep", "2.0")
    world.asked.clear()
    again = world.build(requires=["dep"])
    assert again == replace(first, seconds=0.0)
    assert world.asked == []


def test_a_changed_wheel_gets_a_venv_of_its_own(world: World) -> None:
    first = world.build()
    second = world.build(files={"demo_env/__init__.py": "WORD = 'changed'\n"})
    assert first.environment != second.environment
    assert world.run(second, "import demo_env; print(demo_env.WORD)") == "changed\n"


def test_dependencies_are_shared_by_wheels_and_never_written_through(world: World) -> None:
    world.publish("dep")
    first = world.build(requires=["dep"])
    hostile = {"demo_env/__init__.py": "", "dep/__init__.py": "VERSION = 'overwritten'\n"}
    second = world.build(requires=["dep"], files=hostile)
    assert second.dependencies == first.dependencies
    assert not (first.environment / "dep").exists()
    for venv in (first, second):
        assert world.run(venv, "import dep; print(dep.VERSION)") == "1.0\n"


def test_every_python_inside_finds_the_environment_and_its_metadata(world: World) -> None:
    code = """
        import subprocess, sys
        from importlib.metadata import version
        print(version("demo-env"), flush=True)
        subprocess.run([sys.executable, "-I", "-c", "import demo_env; print(demo_env.__file__)"])
    """
    said = world.run(world.build(), dedent(code))
    assert said == "0.1.0\n/venv/environment/demo_env/__init__.py\n"


def test_an_unknown_dependency_is_the_authors_fault_and_is_named(world: World) -> None:
    error = refused(world, requires=["no-such-thing"])
    assert (error.finding.code, error.fault) == ("env.dependencies_unresolvable", "environment")
    assert "no-such-thing was not found" in error.finding.message


def test_a_conflict_is_the_authors_fault_with_uvs_reason(world: World) -> None:
    world.publish("dep", "1.0")
    error = refused(world, requires=["dep>1"])
    assert (error.finding.code, error.fault) == ("env.dependencies_unresolvable", "environment")
    assert "dep>1" in error.finding.message


def test_a_dependency_without_a_wheel_is_never_built_and_is_named(world: World) -> None:
    (world.index / "sourceonly-1.0.tar.gz").write_bytes(b"never unpacked")
    error = refused(world, requires=["sourceonly"])
    assert (error.finding.code, error.fault) == ("env.dependency_sdist_only", "environment")
    assert error.finding.where == "sourceonly"


def test_an_index_that_does_not_answer_is_our_fault(world: World) -> None:
    closed = replace(
        world.config,
        index_environment={"UV_DEFAULT_INDEX": "http://127.0.0.1:9/simple", "UV_HTTP_RETRIES": "0"},
    )
    error = refused(replace(world, config=closed), requires=["dep"])
    assert (error.finding.code, error.fault) == ("run.install_failed", "platform")
    assert "127.0.0.1:9" in error.finding.message


def test_too_little_time_is_our_fault(world: World) -> None:
    wheel = write_wheel(world.wheels, metadata={"Requires-Dist": ["dep"]})
    with pytest.raises(VenvError) as caught:
        asyncio.run(build_venv(world.config, wheel, seconds=0.0))
    assert (caught.value.finding.code, caught.value.fault) == ("run.install_failed", "platform")


@pytest.mark.parametrize(
    "line", ["dep @ file:///etc/dep-1.0-py3-none-any.whl", "dep @ git+https://127.0.0.1/dep.git"]
)
def test_a_direct_url_is_refused_before_uv_sees_it(world: World, line: str) -> None:
    error = refused(world, requires=[line])
    assert (error.finding.code, error.fault) == ("metadata.direct_url", "environment")
    assert world.asked == []


def test_a_dependencys_direct_url_is_refused(world: World) -> None:
    secret = write_wheel(world.wheels, "secret", "1.0", files={"secret.py": "TOLD = 1\n"})
    world.publish("bridge", requires=[f"secret @ {secret.as_uri()}"])
    error = refused(world, requires=["bridge"])
    assert error.fault == "environment", error.finding


def test_an_option_in_place_of_a_requirement_is_refused(world: World) -> None:
    error = refused(world, requires=["--index-url http://127.0.0.1:9/simple"])
    assert error.finding.code == "metadata.bad_requirement"


def test_the_environments_own_name_is_never_looked_up(world: World) -> None:
    world.publish("demo_env", "9.0", files={"demo_env/__init__.py": "WORD = 'stranger'\n"})
    venv = world.build(requires=["demo-env[more]; extra == 'all'", "Demo_Env"])
    assert world.run(venv, "import demo_env; print(demo_env.WORD)") == "built\n"


def test_requirements_of_extras_are_left_out(world: World) -> None:
    assert world.build(requires=["no-such-thing; extra == 'dev'"]).packages == 1


def test_another_python_than_required_is_said(world: World) -> None:
    error = refused(world, **{"Requires-Python": ">=4"})
    assert error.finding.code == "env.dependencies_unresolvable"
    assert "Requires-Python is >=4" in error.finding.message


def test_a_file_that_changed_on_the_index_after_the_lock_is_refused(world: World) -> None:
    world.publish("dep")
    venv = world.build(requires=["dep"])
    world.publish("dep", files={"dep/__init__.py": "VERSION = 'swapped'\n"})
    assert venv.packages == 2
    shutil.rmtree(world.config.venvs)
    shutil.rmtree(world.config.home / "uv-cache")
    error = refused(world, requires=["dep"])
    assert error.fault == "platform"
    assert "hash" in error.finding.message.lower()


def test_a_member_that_climbs_out_stays_inside(world: World) -> None:
    climbing = entry("../../../climbed.py")
    data = make_wheel("dep", "1.0", files={"dep.py": ""}, extra=[(climbing, b"x = 1\n")])
    (world.index / "dep-1.0-py3-none-any.whl").write_bytes(data)
    with suppress(VenvError):
        world.build(requires=["dep"])
    assert not list(world.config.home.parent.rglob("climbed.py"))


def test_the_least_recently_used_venv_makes_room_unless_a_run_holds_it(world: World) -> None:
    def build(word: str, room: int = 1 << 40) -> Venv:
        tight = replace(world, config=replace(world.config, venv_cache_bytes=room))
        return tight.build(files={"demo_env/__init__.py": f"WORD = '{word}'\n"})

    held, unused, used = build("held"), build("unused"), build("used")
    venvs = (used, unused, held)
    folders = [used.dependencies, *(venv.environment for venv in venvs)]
    facts = [folder.parent / cache.FACTS for folder in folders]
    size = sum(json.loads(file.read_text())["size"] for file in facts)
    for age, file in enumerate(facts):
        os.utime(file, (1000 - age, 1000 - age))
    sandbox = Sandbox.prepare(
        config=world.config,
        venv=held.dependencies,
        environment=held.environment,
        job=b"{}",
        limits=Limits(),
    )
    newest = build("newest", room=size + 100)
    asyncio.run(sandbox.close())
    assert [v.environment.exists() for v in (held, unused, used, newest)] == [
        *(True, False, True, True)
    ]
    assert newest.dependencies.exists()


def test_an_archive_that_is_no_wheel_is_the_authors_fault(world: World) -> None:
    wheel = world.wheels / "demo_env-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("x", "x")
    wheel.write_bytes(wheel.read_bytes()[:-5])
    with pytest.raises(VenvError) as caught:
        asyncio.run(build_venv(world.config, wheel))
    assert caught.value.fault == "environment"


@pytest.mark.parametrize(
    ("code", "said", "expected"),
    [
        (2, "error: Failed to fetch: `http://x`\n  cause: dns error", "run.install_failed"),
        (1, "error: something new", "run.install_failed"),
        (-9, "", "run.install_failed"),
        (
            1,
            "error: No solution found when resolving\n  cause: Because",
            "env.dependencies_unresolvable",
        ),
    ],
)
def test_what_uv_says_is_blamed_on_the_author_only_when_sure(
    code: int, said: str, expected: str
) -> None:
    assert diagnose(code, said).code == expected

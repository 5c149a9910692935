"""Distributions that attack the installation."""

from __future__ import annotations

import io
import os
import tarfile
import tracemalloc
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from envyard_runner.venvs import VenvError, cache, disk_space, uv
from envyard_runner.venvs.uv import diagnose
from tests.wheels import entry, make_wheel
from tests.worker.venvs.conftest import VenvSetup, build_refused

pytestmark = pytest.mark.sandbox

BACKEND = """import os
open({witness!r}, "w").close()
"""


def put_sdist(venv_setup: VenvSetup, witness: Path) -> None:
    """A source distribution whose build leaves a file where it must not."""
    system = '[build-system]\nrequires = []\nbuild-backend = "b"\nbackend-path = ["."]\n'
    files = {
        "pyproject.toml": system,
        "b.py": BACKEND.format(witness=str(witness)),
        "PKG-INFO": "Metadata-Version: 2.1\nName: built\nVersion: 1.0\n",
    }
    with tarfile.open(venv_setup.index / "built-1.0.tar.gz", "w:gz") as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(f"built-1.0/{name}")
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))


def test_a_marker_writes_no_line_into_what_uv_reads(venv_setup: VenvSetup) -> None:
    witness = Path("/var/tmp") / f"witness-{os.getpid()}"
    put_sdist(venv_setup, witness)
    venv_setup.add_to_index("dep")
    line = (
        r"dep ; sys_platform == 'linux\x27\n--only-binary :none:\n--no-binary :all:\nbuilt; "
        r"sys_platform != \x27b\x22'"
    )
    try:
        error = build_refused(venv_setup, requires=[line])
        assert not witness.exists()
        assert error.finding.code == "metadata.bad_requirement"
        assert venv_setup.requested == []
    finally:
        witness.unlink(missing_ok=True)


def installed(venv_setup: VenvSetup, name: str = "dep") -> set[str]:
    """The files of a venv with this distribution, below site-packages."""
    site = venv_setup.build(requires=[name]).dependencies
    return {str(path.relative_to(site)) for path in site.rglob("*") if path.is_file()}


def test_a_package_named_bin_is_no_folder_of_scripts(venv_setup: VenvSetup) -> None:
    venv_setup.add_to_index(
        "dep", files={"dep.py": "", "bin/deep/tool": "#!python\n", "bin/a": "#!python\n"}
    )
    assert {"bin/deep/tool", "bin/a"} <= installed(venv_setup)


@pytest.mark.parametrize("name", ["__environment__.pth", "__environment__.pth/x.py"])
def test_a_file_named_like_the_runners_own_gives_way(venv_setup: VenvSetup, name: str) -> None:
    venv_setup.add_to_index("dep", files={"dep.py": "", name: "import nothing\n"})
    venv = venv_setup.build(requires=["dep"])
    assert venv_setup.run_code(venv, "import demo_env; print(demo_env.WORD)") == "built\n"
    own = (venv.dependencies / "__environment__.pth").stat()
    assert own.st_nlink == 1, "uv's download was written to"


def test_a_program_is_not_read_into_memory(tmp_path: Path) -> None:
    script = tmp_path / "bin" / "huge"
    script.parent.mkdir()
    script.write_bytes(b"#!python\n")
    os.truncate(script, 64 << 20)
    tracemalloc.start()
    cache.sanitize(tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 << 20
    assert script.stat().st_size == (64 << 20) - len(b"#!python") + len(cache.INTERPRETER)


CLIMBING = [
    "../../../../climbed",
    "/var/tmp/climbed",
    "dep-1.0.data/scripts/../../../../climbed",
    "dep-1.0.data/data/../../../climbed",
    "dep-1.0.data/purelib/../../../climbed",
    "..\\..\\climbed",
]


@pytest.mark.parametrize("member", CLIMBING)
def test_no_member_lands_outside_its_venv(venv_setup: VenvSetup, member: str) -> None:
    extra = [(entry(member), b"#!python\n")]
    data = make_wheel("dep", "1.0", files={"dep.py": ""}, extra=extra)
    (venv_setup.index / "dep-1.0-py3-none-any.whl").write_bytes(data)
    with suppress(VenvError):
        installed(venv_setup)
    paths = [path for path in venv_setup.config.home.rglob("*climbed*") if path.is_file()]
    assert all("archive-v" in str(path) or "site" in str(path) for path in paths)
    assert not Path("/var/tmp/climbed").exists()


@pytest.mark.parametrize("name", ["../../climbed", "/var/tmp/climbed", "..", "sub/climbed"])
def test_no_entry_point_lands_outside_its_venv(venv_setup: VenvSetup, name: str) -> None:
    listed = f"[console_scripts]\n{name} = dep:main\n"
    venv_setup.add_to_index(
        "dep", files={"dep.py": "", "dep-1.0.dist-info/entry_points.txt": listed}
    )
    with suppress(VenvError):
        installed(venv_setup)
    paths = [path for path in venv_setup.config.home.parent.rglob("*climbed*") if path.is_file()]
    assert all("/site/bin/" in str(path) for path in paths)
    assert not Path("/var/tmp/climbed").exists()


def test_links_in_a_wheel_lead_nowhere(venv_setup: VenvSetup) -> None:
    extra = [
        (entry("dep/passwd", mode=0o120777), b"/etc/passwd"),
        (entry("dep/home", mode=0o120777), str(venv_setup.config.home).encode()),
        (entry("dep/home/planted.py"), b"x = 1\n"),
    ]
    data = make_wheel("dep", "1.0", files={"dep/__init__.py": ""}, extra=extra)
    (venv_setup.index / "dep-1.0-py3-none-any.whl").write_bytes(data)
    with suppress(VenvError):
        venv = venv_setup.build(requires=["dep"])
        assert not [path for path in venv.dependencies.rglob("*") if path.is_symlink()]
    assert not (venv_setup.config.home / "planted.py").exists()


def test_programs_named_like_the_systems_start_nothing_outside(venv_setup: VenvSetup) -> None:
    listed = "[console_scripts]\nuv = dep:main\nbwrap = dep:main\n"
    script = "#!/bin/sh\necho stranger\n"
    files = {"dep.py": "", "dep-1.0.dist-info/entry_points.txt": listed, "bin/python": script}
    venv_setup.add_to_index("dep", files=files)
    venv = venv_setup.build(requires=["dep"])
    assert venv_setup.run_code(venv, "import sys; print(sys.executable)") == "/venv/bin/python\n"


def test_a_wheel_that_unpacks_to_any_size_does_not_fill_the_disk(venv_setup: VenvSetup) -> None:
    venv_setup.add_to_index("dep", files={"dep.py": "", "dep.bin": bytes(1 << 20) * 400})
    limits = {"build_bytes": 32 << 20, "venv_cache_bytes": 16 << 20}
    small = replace(venv_setup, config=replace(venv_setup.config, **limits))
    error = build_refused(small, requires=["dep"])
    assert (error.finding.code, error.fault) == ("run.install_failed", "platform")
    assert "32 MiB" in error.finding.message
    files = [path.stat() for path in venv_setup.config.home.rglob("*") if path.is_file()]
    assert sum(status.st_size for status in files) < 32 << 20


def test_folders_too_deep_for_any_code_are_refused_and_gone(venv_setup: VenvSetup) -> None:
    deep = "deep/" + "d/" * 1700 + "x.py"
    venv_setup.add_to_index("deep", files={"deep/__init__.py": "", deep: "A = 1\n"})
    error = build_refused(venv_setup, requires=["deep"])
    assert error.fault == "environment"
    assert "deep has more than 100 folders inside one another" in str(error)
    assert list(uv.cache_folder(venv_setup.config).glob("archive-v*/*"))
    disk_space.free_space(replace(venv_setup.config, venv_cache_bytes=0))
    assert not list(uv.cache_folder(venv_setup.config).glob("archive-v*/*"))
    assert (
        venv_setup.run_code(venv_setup.build(), "import demo_env; print(demo_env.WORD)")
        == "built\n"
    )


@pytest.mark.parametrize("status", [401, 403])
def test_an_index_that_requires_a_password_is_not_the_authors_fault(
    venv_setup: VenvSetup, status: int
) -> None:
    output = f"""  x No solution found when resolving dependencies:
  Because dep was not found in the package registry and you require dep, we can conclude that
  your requirements are unsatisfiable.
  hint: An index URL (http://x/simple) could not be queried due to a lack of valid
  authentication credentials ({status})."""
    assert diagnose(1, output).code == "run.install_failed"

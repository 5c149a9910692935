"""Venvs are built from wheels of an index without running a line of what is installed."""

from __future__ import annotations

import os
from dataclasses import replace
from textwrap import dedent

import pytest

from tests.wheels import write_wheel
from tests.worker.venvs.conftest import LockStore, VenvSetup

pytestmark = pytest.mark.sandbox


def test_an_environment_and_its_dependencies_import_inside(venv_setup: VenvSetup) -> None:
    venv_setup.add_to_index("deep", "1.0")
    venv_setup.add_to_index("deep", "2.0")
    venv_setup.add_to_index("shallow", requires=["deep<2"])
    venv = venv_setup.build(requires=["shallow"])
    assert venv.packages == 3
    code = "import demo_env, shallow, deep; print(demo_env.WORD, deep.VERSION)"
    assert venv_setup.run_code(venv, code) == "built 1.0\n"


def test_a_folder_of_wheels_has_what_the_index_has_no_wheel_of(venv_setup: VenvSetup) -> None:
    folder = venv_setup.config.home.parent / "operators-wheels"
    folder.mkdir()
    content, alone = {"only_source.py": "WORD = 'kept'\n"}, {"Requires-Dist": None}
    write_wheel(folder, "only_source", "1.2", files=content, metadata=alone)
    variables = {**venv_setup.config.index_environment, "UV_FIND_LINKS": str(folder)}
    with_folder = replace(
        venv_setup, config=replace(venv_setup.config, index_environment=variables)
    )
    lock_store = LockStore()
    venv = with_folder.build(
        requires=["only-source"], lock_store=lock_store, before="2026-02-01T00:00:00Z"
    )
    assert [(pin.name, pin.version) for pin in venv.pins] == [("only-source", "1.2")]
    assert venv_setup.run_code(venv, "import only_source as s; print(s.WORD)") == "kept\n"


def test_extra_requirements_join_the_resolution(venv_setup: VenvSetup) -> None:
    venv_setup.add_to_index("framework", "0.3")
    venv_setup.add_to_index("framework", "0.4")
    venv = venv_setup.build(requires=["framework"], extra=("framework<0.4",))
    assert venv_setup.run_code(venv, "import framework; print(framework.VERSION)") == "0.3\n"
    other = venv_setup.build(requires=["framework"], extra=("framework>=0.4",))
    assert venv_setup.run_code(other, "import framework; print(framework.VERSION)") == "0.4\n"


def test_nothing_installed_runs_outside_the_sandbox(venv_setup: VenvSetup) -> None:
    witness = venv_setup.config.home.parent / "witness"
    hook = f"import os; open({str(witness)!r}, 'w')\n"
    hostile = {
        "hostile/__init__.py": hook,
        "hostile.pth": hook,
        "sitecustomize.py": hook,
        "usercustomize.py": hook,
    }
    venv_setup.add_to_index("hostile", files=hostile)
    venv_setup.build(requires=["hostile"])
    venv = venv_setup.build(
        requires=["hostile"], files={"demo_env/__init__.py": hook, "demo.pth": hook}
    )
    assert not witness.exists()
    assert "No such file" in venv_setup.run_code(
        venv, "print('ran')"
    )  # it does run inside, in vain


def test_the_venv_is_byte_compiled_and_belongs_to_the_runner_alone(venv_setup: VenvSetup) -> None:
    venv = venv_setup.build()
    assert list(venv.environment.glob("demo_env/__pycache__/*.pyc"))
    both = (venv.dependencies, venv.environment)
    for path in (*both, *(inside for folder in both for inside in folder.rglob("*"))):
        mode = path.lstat().st_mode
        assert not path.is_symlink()
        assert not mode & 0o022, path
        if path.is_dir():
            assert path.stat().st_uid == os.geteuid()
    assert "Read-only file system" in venv_setup.run_code(
        venv, "import demo_env; open(demo_env.__file__, 'w')"
    )


def test_a_venv_whose_compiling_was_cut_short_is_compiled_at_its_next_use(
    venv_setup: VenvSetup,
) -> None:
    hurried = replace(venv_setup.config.limits, wall_seconds=0.01)
    first = replace(venv_setup, config=replace(venv_setup.config, limits=hurried)).build()
    assert list(first.environment.glob("demo_env/__pycache__/*.pyc")) == []
    venv = venv_setup.build()
    assert venv.environment == first.environment
    assert list(venv.environment.glob("demo_env/__pycache__/*.pyc"))
    assert venv_setup.build().seconds == 0


def test_a_venv_that_never_compiles_is_built_three_times_and_then_kept(
    venv_setup: VenvSetup,
) -> None:
    limits = replace(venv_setup.config.limits, wall_seconds=0.01)
    hurried = replace(venv_setup, config=replace(venv_setup.config, limits=limits))
    assert [hurried.build().seconds > 0 for _ in range(4)] == [True, True, True, False]


def test_a_pyc_that_would_be_too_large_is_left_out_not_cut_short(venv_setup: VenvSetup) -> None:
    venv_setup.add_to_index("bulky", files={"bulky/__init__.py": f"BULK = {'x' * (3 << 20)!r}\n"})
    small = replace(venv_setup.config, limits=replace(venv_setup.config.limits, file_bytes=2 << 20))
    venv = replace(venv_setup, config=small).build(requires=["bulky"])
    assert list(venv.environment.glob("demo_env/__pycache__/*.pyc"))
    assert list(venv.dependencies.rglob("bulky/__pycache__/*")) == []
    assert venv_setup.run_code(venv, "import bulky; print(len(bulky.BULK))") == f"{3 << 20}\n"


def test_scripts_start_the_interpreter_that_sees_the_venv(venv_setup: VenvSetup) -> None:
    script = {
        "tool/__init__.py": "def main(): print('tool runs')\n",
        "tool-1.0.dist-info/entry_points.txt": "[console_scripts]\nthe-tool = tool:main\n",
    }
    venv_setup.add_to_index("tool", files=script)
    venv = venv_setup.build(requires=["tool"])
    assert (
        venv_setup.run_code(venv, "import subprocess; subprocess.run('the-tool')") == "tool runs\n"
    )


def test_the_same_wheel_is_built_once_even_when_the_index_moves_on(venv_setup: VenvSetup) -> None:
    venv_setup.add_to_index("dep", "1.0")
    lock_store = LockStore()
    first = venv_setup.build(requires=["dep"], lock_store=lock_store)
    venv_setup.add_to_index("dep", "2.0")
    venv_setup.requested.clear()
    again = venv_setup.build(requires=["dep"], lock_store=lock_store)
    assert again == replace(first, seconds=0.0)
    assert venv_setup.requested == []


def test_a_changed_wheel_gets_a_venv_of_its_own(venv_setup: VenvSetup) -> None:
    first = venv_setup.build()
    second = venv_setup.build(files={"demo_env/__init__.py": "WORD = 'changed'\n"})
    assert first.environment != second.environment
    assert venv_setup.run_code(second, "import demo_env; print(demo_env.WORD)") == "changed\n"


def test_dependencies_are_shared_by_wheels_and_never_written_through(venv_setup: VenvSetup) -> None:
    venv_setup.add_to_index("dep")
    first = venv_setup.build(requires=["dep"])
    hostile = {"demo_env/__init__.py": "", "dep/__init__.py": "VERSION = 'overwritten'\n"}
    second = venv_setup.build(requires=["dep"], files=hostile)
    assert second.dependencies == first.dependencies
    assert not (first.environment / "dep").exists()
    for venv in (first, second):
        assert venv_setup.run_code(venv, "import dep; print(dep.VERSION)") == "1.0\n"


def test_every_python_inside_finds_the_environment_and_its_metadata(venv_setup: VenvSetup) -> None:
    code = """
        import subprocess, sys
        from importlib.metadata import version
        print(version("demo-env"), flush=True)
        subprocess.run([sys.executable, "-I", "-c", "import demo_env; print(demo_env.__file__)"])
    """
    output = venv_setup.run_code(venv_setup.build(), dedent(code))
    assert output == "0.1.0\n/venv/environment/demo_env/__init__.py\n"


def test_the_environments_own_name_is_never_looked_up(venv_setup: VenvSetup) -> None:
    venv_setup.add_to_index(
        "demo_env", "9.0", files={"demo_env/__init__.py": "WORD = 'stranger'\n"}
    )
    venv = venv_setup.build(requires=["demo-env[more]; extra == 'all'", "Demo_Env"])
    assert venv_setup.run_code(venv, "import demo_env; print(demo_env.WORD)") == "built\n"


def test_requirements_of_extras_are_left_out(venv_setup: VenvSetup) -> None:
    assert venv_setup.build(requires=["no-such-thing; extra == 'dev'"]).packages == 1

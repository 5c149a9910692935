"""Venvs are built from wheels of an index without running a line of what is installed."""

from __future__ import annotations

import os
from dataclasses import replace
from textwrap import dedent

import pytest

from tests.worker.venvs.conftest import Keeper, World

pytestmark = pytest.mark.sandbox


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


def test_a_pyc_that_would_be_too_large_is_left_out_not_cut_short(world: World) -> None:
    world.publish("bulky", files={"bulky/__init__.py": f"BULK = {'x' * (3 << 20)!r}\n"})
    small = replace(world.config, limits=replace(world.config.limits, file_bytes=2 << 20))
    venv = replace(world, config=small).build(requires=["bulky"])
    assert list(venv.environment.glob("demo_env/__pycache__/*.pyc"))
    assert list(venv.dependencies.rglob("bulky/__pycache__/*")) == []
    assert world.run(venv, "import bulky; print(len(bulky.BULK))") == f"{3 << 20}\n"


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
    keeper = Keeper()
    first = world.build(requires=["dep"], keeper=keeper)
    world.publish("dep", "2.0")
    world.asked.clear()
    again = world.build(requires=["dep"], keeper=keeper)
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


def test_the_environments_own_name_is_never_looked_up(world: World) -> None:
    world.publish("demo_env", "9.0", files={"demo_env/__init__.py": "WORD = 'stranger'\n"})
    venv = world.build(requires=["demo-env[more]; extra == 'all'", "Demo_Env"])
    assert world.run(venv, "import demo_env; print(demo_env.WORD)") == "built\n"


def test_requirements_of_extras_are_left_out(world: World) -> None:
    assert world.build(requires=["no-such-thing; extra == 'dev'"]).packages == 1

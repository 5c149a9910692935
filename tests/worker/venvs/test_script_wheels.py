"""Scripts with dependencies of their own run offline, with the versions of the version's lock."""

from __future__ import annotations

from pathlib import Path

import pytest

from envyard_runner.venvs.script_wheels import FOLDER, write_wheels
from tests.worker.venvs.conftest import LockStore, VenvSetup

pytestmark = pytest.mark.sandbox
SCRIPT = """\
# /// script
# dependencies = ["checker", "six-like>=1"]
# ///
import checker
print(checker.VERSION, checker.helper.VERSION)
"""
RUN = """
import os, subprocess, demo_env
script = os.path.join(os.path.dirname(demo_env.__file__), "verify.py")
ran = subprocess.run(["uv", "run", "--script", script], capture_output=True, text=True)
print(ran.returncode, ran.stdout, ran.stderr)
"""


def files(script: str = SCRIPT) -> dict[str, str | bytes]:
    return {"demo_env/__init__.py": "", "demo_env/verify.py": script}


def add_checker(venv_setup: VenvSetup, version: str) -> None:
    checker = f"import helper\nVERSION = '{version}'\n"
    venv_setup.add_to_index(
        "checker", version, files={"checker/__init__.py": checker}, requires=["helper"]
    )


def test_a_script_runs_with_what_the_lock_has(venv_setup: VenvSetup) -> None:
    add_checker(venv_setup, "1.0")
    for name in ("helper", "six_like", "unrelated"):
        venv_setup.add_to_index(name, "1.1")
    lock_store = LockStore()
    venv = venv_setup.build(files=files(), requires=["unrelated"], lock_store=lock_store)
    assert [pin.name for pin in venv.pins] == ["checker", "helper", "six-like", "unrelated"]
    assert sorted(p.name for p in (venv.environment / FOLDER).iterdir()) == [
        "checker", "helper", "six-like",
    ]  # fmt: skip
    assert venv_setup.run_code(venv, RUN).startswith("0 1.0 1.1")

    add_checker(venv_setup, "2.0")
    again = venv_setup.build(files=files(), requires=["unrelated"], lock_store=lock_store)
    assert again.environment == venv.environment


def test_a_script_that_cannot_be_locked_does_not_reject_its_environment(
    venv_setup: VenvSetup,
) -> None:
    venv_setup.add_to_index("helper")
    venv = venv_setup.build(files=files(), requires=["helper"])
    assert [pin.name for pin in venv.pins] == ["helper"]
    output = venv_setup.run_code(venv, RUN)
    assert not output.startswith("0 ")
    assert "checker was not found" in output


def test_a_lock_of_earlier_times_has_no_wheels_for_scripts(venv_setup: VenvSetup) -> None:
    for name in ("helper", "six_like"):
        venv_setup.add_to_index(name)
    lock_store = LockStore()
    venv_setup.build(requires=["helper"], lock_store=lock_store)
    add_checker(venv_setup, "1.0")
    venv = venv_setup.build(files=files(), requires=["helper"], lock_store=lock_store)
    assert list((venv.environment / FOLDER).iterdir()) == []


def test_a_record_leads_to_no_file_outside(tmp_path: Path) -> None:
    site, info = tmp_path / "site", tmp_path / "site/evil-1.0.dist-info"
    info.mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("secret")
    (site / "linked.py").symlink_to(tmp_path / "secret.txt")
    (site / "evil.py").write_text("VALUE = 1\n")
    (info / "METADATA").write_text("Name: evil\nVersion: 1.0\nRequires-Dist: ???\n")
    (info / "WHEEL").write_text("Wheel-Version: 1.0\nTag: py2-none-any\nTag: py3-none-any\n")
    rows = ["evil.py,,", "../secret.txt,,", f"{tmp_path}/secret.txt,,", "linked.py,,", "", "gone,,"]
    (info / "RECORD").write_text("\n".join(rows))

    assert write_wheels(site, ["evil"], tmp_path / "wheels") == 1

    (wheel,) = (tmp_path / "wheels/evil").glob("*.whl")
    assert wheel.name == "evil-1.0-py2.py3-none-any.whl"
    content = wheel.read_bytes()
    assert b"VALUE = 1" in content
    assert b"secret" not in content

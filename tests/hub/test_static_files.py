"""Static files are built once for each content, and shared by any number of web processes."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.conf import settings

from hub import static_files

pytestmark = pytest.mark.once

# What a web process does at its start, then one request for a style sheet.
WEB = """
import io, sys
from django.core.management import call_command
import django
django.setup()
call_command("collectstatic", interactive=False, verbosity=0)
from hub.wsgi import application
from django.templatetags.static import static
from wsgiref.util import setup_testing_defaults
environ = {"PATH_INFO": static("admin/css/base.css"), "wsgi.input": io.BytesIO()}
setup_testing_defaults(environ)
body = b"".join(application(environ, lambda status, headers: print(status)))
print(len(body) > 1000)
"""


def start(home: Path, program: str = WEB) -> "subprocess.Popen[str]":
    environ = os.environ | {"HUB_HOME": str(home), "DJANGO_SETTINGS_MODULE": "hub.settings"}
    environ.pop("DATABASE_URL", None)
    return subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=settings.BASE_DIR,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_web_processes_that_start_at_once_share_one_folder(tmp_path: Path) -> None:
    for number in (3, 1):  # the second time the folder is there
        for process in [start(tmp_path) for _ in range(number)]:
            out, errors = process.communicate(timeout=120)
            assert process.returncode == 0, errors
            assert out.splitlines()[-2:] == ["200 OK", "True"], errors
    assert len([path for path in (tmp_path / "static").iterdir() if path.is_dir()]) == 1


def test_a_build_that_was_killed_leaves_nothing_that_is_served(tmp_path: Path) -> None:
    building = start(tmp_path)
    while not list(tmp_path.glob(f"static/{static_files.DRAFT}*/*")):
        assert building.poll() is None
        time.sleep(0.01)
    building.kill()
    building.communicate()
    web = start(tmp_path)
    out, errors = web.communicate(timeout=120)
    assert out.splitlines()[-2:] == ["200 OK", "True"], errors
    assert list(tmp_path.glob(f"static/{static_files.DRAFT}*")) == []


def test_a_folder_is_deleted_when_no_process_has_served_it_for_a_day(
    tmp_path: Path, settings: object
) -> None:
    settings.STATIC_ROOT = tmp_path / "static" / ("0" * 16)  # type: ignore[attr-defined]
    old, served, foreign = (tmp_path / "static" / name for name in ("a" * 16, "b" * 16, "keep"))
    for folder in (old, served, foreign):
        folder.mkdir(parents=True)
    holder = start(
        tmp_path,
        f"import os, fcntl, time; d = os.open({str(served)!r}, os.O_RDONLY);"
        "fcntl.flock(d, fcntl.LOCK_SH); print('held', flush=True); time.sleep(60)",
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert static_files.remove_unused() == []
        for folder in (old, served, foreign):
            os.utime(folder, (0, 0))
        assert static_files.remove_unused() == [old]
        assert not old.exists()
        assert served.is_dir()
        assert foreign.is_dir()
    finally:
        holder.kill()
        holder.communicate()


def test_the_folder_is_named_by_the_content_of_the_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "some_app" / "static").mkdir(parents=True)
    (tmp_path / "some_app" / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    file = tmp_path / "some_app" / "static" / "a.css"
    file.write_text("a")
    first = static_files.root(tmp_path, ["some_app"])
    os.utime(file, (0, 0))
    assert static_files.root(tmp_path, ["some_app"]) == first
    file.write_text("b")
    assert static_files.root(tmp_path, ["some_app"]) != first

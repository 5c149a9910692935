"""A web process after its start, before its first request."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

pytestmark = pytest.mark.once
PROGRAM = """
import gc, sys
import hub.wsgi
print("frontend.pages.run" in sys.modules, "registry.api.urls" in sys.modules)
print(gc.get_freeze_count() > 50_000, len(gc.get_objects()) < 5_000)
"""


def test_a_started_web_process_keeps_the_program_out_of_collections(tmp_path: Path) -> None:
    environ = os.environ | {"HUB_HOME": str(tmp_path), "DJANGO_SETTINGS_MODULE": "hub.settings"}
    environ.pop("DATABASE_URL", None)
    command = [sys.executable, "-c", PROGRAM]
    ended = subprocess.run(
        command, cwd=settings.BASE_DIR, env=environ, capture_output=True, text=True, check=True
    )
    assert ended.stdout.split() == ["True"] * 4

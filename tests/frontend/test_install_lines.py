"""How pages, docs and the API have an environment installed: by address and sha256 alone."""

import re
import subprocess
from html import unescape
from pathlib import Path

import pytest
from django.test import Client

from registry.models import User
from tests.factories import make_version
from tests.frontend.people import text

pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[2]
SHOWN = ("docs", "frontend", "registry", "cli", "worker", "env_template", "examples", "README.md")


def test_the_environment_page_installs_by_address_and_sha256(client: Client, alice: User) -> None:
    version = make_version(alice)
    page = unescape(text(client, "/envs/alice/demo-env/"))
    for tool in ("pip", "uv pip"):
        (line,) = re.findall(rf"<code>{tool} install (.*?)</code>", page)
        assert re.fullmatch(rf'"demo-env @ http\S+/files/\S+#sha256={version.sha256}"', line)
    assert "index-url" not in page


def test_nothing_recommends_a_second_index_beside_the_first() -> None:
    """docs/index.md names the option once, to say why not."""
    words = ("git", "grep", "-nE", "extra-index-url|--index ", "--", *SHOWN)
    lines = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    allowed = ("docs/index.md:", "registry/api/prime/outputs.py:")
    assert [line for line in lines.splitlines() if not line.startswith(allowed)] == []
    assert lines.count("docs/index.md:") == 1

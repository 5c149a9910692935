"""docs/api.md: its commands run as written, and its numbers are the hub's."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from pytest_django.live_server_helper import LiveServer

from registry.accounts import tokens
from registry.models import User
from registry.rate_limits import RATES
from tests.factories import make_version

pytestmark = pytest.mark.once

DOCUMENT = Path(__file__).parents[3] / "docs" / "api.md"
BLOCK = re.compile(r"^```sh\n(.*?)^```\n(?:\n```json\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


@pytest.mark.skipif(shutil.which("curl") is None, reason="the commands are curl's")
def test_the_commands_print_what_they_say(live_server: LiveServer, alice: User) -> None:
    for name in ("demo-env", "other-env", "third-env"):
        make_version(alice, name)
    token = tokens.mint(user=alice, name="test", scope="admin")[1]
    environ = {"PATH": os.environ["PATH"], "HUB": live_server.url, "TOKEN": token}
    blocks = BLOCK.findall(DOCUMENT.read_text())
    printed = [run(commands, environ) for commands, _ in blocks]
    for (commands, shown), text in zip(blocks, printed, strict=True):
        if shown:
            assert masked(text) == masked(shown)
        else:
            assert '"error"' not in text, commands
    assert json.loads(printed[0])["results"][0]["ref"] == "alice/demo-env"
    assert json.loads(printed[1])["user"] == "alice"
    minted, yanked = printed[2].replace("}{", "}\n{").splitlines()
    assert json.loads(minted)["environment"] == "alice/demo-env"
    assert json.loads(yanked)["yanked"]["reason"] == "The reward is wrong."
    assert printed[-1].splitlines() == ["['alice/third-env']", "['alice/other-env']"]


def run(commands: str, environ: dict[str, str]) -> str:
    """What bash prints for them."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def masked(text: str) -> object:
    """The JSON without the one thing that is new each time."""
    data = json.loads(text)
    data["error"]["request_id"] = ""
    return data


def test_the_rates_are_the_hubs() -> None:
    text = re.findall(r"^\| .+ \| (\d+) \| (\d+) \|$", DOCUMENT.read_text(), re.MULTILINE)
    assert sorted((int(n), int(s)) for n, s in text) == sorted(RATES.values())

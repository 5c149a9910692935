"""`hub lock` prints what pip and uv install with --require-hashes."""

import json
from typing import Any

import pytest

from envyard.__main__ import main
from envyard.commands import card
from tests.cli.conftest import Answers

ONE, TWO = "cpython-311-x86_64-linux-gnu-2.36", "cpython-313-aarch64-linux-gnu-2.41"
DEPENDENCY = f"dep==1.0 \\\n    --hash=sha256:{'1' * 64}\n"
BASE = "GET /api/v1/environments/alice/demo-env/versions/0.1.0/"
URL = "https://hub.example/files/ab/abc/demo_env-0.1.0-py3-none-any.whl"


def known(
    server: Answers, *platforms: str, text: str = DEPENDENCY, visibility: str = "public"
) -> list[str]:
    """Serve alice/demo-env==0.1.0 with locks for these platforms; the arguments for `hub lock`."""
    version: dict[str, Any] = {
        "ref": "alice/demo-env==0.1.0",
        "environment": "alice/demo-env",
        "version": "0.1.0",
        "status": "listed",
        "visibility": visibility,
        "yanked": None,
        "quarantined": False,
        "file": {"url": URL, "sha256": "2" * 64},
    }
    server.reply("GET /api/v1/environments/alice/demo-env/", 200, {"latest_version": version})
    server.reply(BASE, 200, version)
    rows = [{"platform": platform, "made_at": "2026-11-22T00:00:00Z"} for platform in platforms]
    server.reply(f"{BASE}locks/", 200, {"results": rows})
    for row in rows:
        server.reply(f"{BASE}locks/{row['platform']}/", 200, row | {"text": text})
    return ["lock", "--url", server.url, "alice/demo-env"]


def test_lock_prints_the_version_before_its_dependencies(
    server: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(known(server, ONE)) == 0
    out, err = capsys.readouterr()
    assert out == (
        f"# alice/demo-env==0.1.0 on {ONE}, resolved 2026-11-22\n"
        f"demo-env @ {URL} \\\n    --hash=sha256:{'2' * 64}\n{DEPENDENCY}"
    )
    assert "--require-hashes" in err


def test_lock_names_the_signed_card(server: Answers, capsys: pytest.CaptureFixture[str]) -> None:
    command = known(server, ONE)
    signature = {"sha256": "3" * 64, "keyid": "4" * 64, "url": "https://hub.example/card"}
    version = {
        "ref": "alice/demo-env==0.1.0",
        "environment": "alice/demo-env",
        "version": "0.1.0",
        "visibility": "public",
        "file": {"url": URL, "sha256": "2" * 64},
        "card": {"signature": signature},
    }
    server.reply(
        "GET /api/v1/environments/alice/demo-env/",
        200,
        {"latest_version": version | {"status": "listed", "yanked": None, "quarantined": False}},
    )
    assert main(command) == 0
    locked = capsys.readouterr().out
    assert locked.splitlines()[1] == (
        f"# card of alice/demo-env==0.1.0: statement sha256 {'3' * 64}, key {'4' * 64}, "
        "https://hub.example/card"
    )
    expected = card.locked(locked)
    assert (expected.version, expected.wheel) == ("alice/demo-env==0.1.0", "2" * 64)
    assert expected.statement == "3" * 64
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["card"] == signature


def test_lock_requires_a_platform_where_there_are_several(
    server: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    command = known(server, ONE, TWO)
    assert main(command) == 1
    assert f"{ONE}, {TWO}" in capsys.readouterr().err
    assert main([*command, "--platform", "cpython-399"]) == 1
    assert "cpython-399" in capsys.readouterr().err
    assert main([*command, "--platform", TWO, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["platform"] == TWO


def test_lock_names_the_data_sets_that_the_runs_read(
    server: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    command = known(server, ONE)
    row = {"kind": "dataset", "name": "openai/gsm8k", "commit": "a" * 40, "licence": "mit\n-e ."}
    version = server.replies[BASE][1]
    version["data_sets"] = [row | {"files": 2, "size": 5, "gated": True}]
    assert main(command) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == (
        "# reads openai/gsm8k at aaaaaaaaaaaa (mit -e ., gated): "
        "hub data alice/demo-env==0.1.0 --to DIR"
    )
    assert [line for line in lines if not line.startswith(("#", " "))] == [
        f"demo-env @ {URL} \\", "dep==1.0 \\"
    ]  # fmt: skip
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["data_sets"] == version["data_sets"]


def test_lock_fails_for_a_version_that_never_ran(
    server: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(known(server)) == 1
    assert "has no lock yet" in capsys.readouterr().err


def test_lock_rejects_invalid_content(server: Answers, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(known(server, ONE, text="-r https://evil.example/x.txt\n")) == 1
    out, err = capsys.readouterr()
    assert (out, "is not name==version" in err) == ("", True)


def test_lock_leaves_a_private_wheel_to_hub_install(
    server: Answers, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(known(server, ONE, visibility="private")) == 0
    out, err = capsys.readouterr()
    assert "demo-env @" not in out
    assert out.endswith(DEPENDENCY)
    assert "hub install alice/demo-env==0.1.0" in err

"""`hub check`: what the hub would refuse, found before an upload."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from envyard import resolve
from envyard.__main__ import main
from envyard.commands.push import refuse_early
from envyard.contract import wheel as wheel_reader
from envyard.contract.detect import Detection
from envyard.hub_checks import About, framework_findings, python_findings
from envyard.output import Output
from registry.accounts import runners, tokens
from registry.models import Runner, User
from registry.provisions import hosts
from tests import wheels
from tests.factories import make_version

ABOUT = {
    "pythons": ["3.11.2", "3.12.4"],
    "frameworks": {
        "verifiers": {
            "releases": ["0.3.0", "0.3.1", "0.4.0"],
            "default": "0.4.0",
            "apis": {
                "v0": {"specifier": "<0.4", "default": "0.3.1"},
                "v1": {"specifier": "<0.5,>=0.4", "default": "0.4.0"},
            },
        }
    },
    "index": "",
}
KNOWN = About.from_dict(ABOUT)
V1 = Detection("verifiers", "v1", "demo_env", "WordTaskset")


def read(folder: Path, **fields: Any) -> wheel_reader.Wheel:
    return wheel_reader.read(wheels.write_wheel(folder, metadata=fields))


@pytest.mark.parametrize(
    ("wanted", "refused"), [(">=3.11", False), (">=3.12", False), (">=3.13", True), ("", False)]
)
def test_a_python_that_no_runner_has_is_refused(tmp_path: Path, wanted: str, refused: bool) -> None:
    findings = list(python_findings(read(tmp_path, **{"Requires-Python": wanted or None}), KNOWN))
    assert [finding.where for finding in findings] == ["Requires-Python"] * refused
    assert all(
        "3.11.2, 3.12.4" in finding.message and ">=3.12" in finding.hint for finding in findings
    )


@pytest.mark.parametrize(
    ("needed", "refused"),
    [
        ("verifiers", False),
        ("verifiers>=0.3", False),
        ("Verifiers>=0.4,<0.5", False),
        ("verifiers<0.4", True),
        ("verifiers==0.5.0", True),
        ("verifiers<0.4; python_version < '3'", False),
        ("other<1", False),
    ],
)
def test_a_framework_release_that_the_hub_cannot_run_is_refused(
    tmp_path: Path, needed: str, refused: bool
) -> None:
    wheel = read(tmp_path, **{"Requires-Dist": [needed]})
    findings = list(framework_findings(wheel, V1, KNOWN))
    assert bool(findings) is refused
    assert all("0.4.0" in finding.message and "<0.5,>=0.4" in finding.hint for finding in findings)


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"pythons": 7, "frameworks": [1]},
        {"pythons": ["three"], "frameworks": {"verifiers": {"apis": {"v1": 7, "v0": {}}}}},
        {"frameworks": {"verifiers": {"releases": ["?"], "apis": {"v1": {"specifier": "newest"}}}}},
    ],
)
def test_an_answer_of_another_shape_refuses_nothing(tmp_path: Path, answer: Any) -> None:
    wheel, about = read(tmp_path), About.from_dict(answer)
    assert not [*python_findings(wheel, about), *framework_findings(wheel, V1, about)]


def test_check_offline_sends_no_request_and_an_unreachable_hub_is_no_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wheel = str(wheels.write_wheel(tmp_path))
    assert main(["check", wheel, "--offline", "--url", "http://127.0.0.1:9"]) == 0
    assert "not checked" not in capsys.readouterr().err
    assert main(["check", wheel, "--url", "http://127.0.0.1:9"]) == 0
    err = capsys.readouterr().err
    assert "not checked: names, Pythons, framework releases and dependencies" in err
    assert "--offline" in err
    assert main(["check", wheel, "--json", "--url", "http://127.0.0.1:9"]) == 0
    assert json.loads(capsys.readouterr().out)["not_checked"]


@pytest.fixture
def index(tmp_path: Path) -> str:
    """A package index: `verifiers` and `whole` have wheels, `source-only` has none."""
    folder = tmp_path / "index"
    files = {
        "verifiers/verifiers-0.4.0-py3-none-any.whl": wheels.make_wheel(
            "verifiers", "0.4.0", metadata={"Requires-Dist": None}
        ),
        "whole/whole-1.0-py3-none-any.whl": wheels.make_wheel(
            "whole", "1.0", metadata={"Requires-Dist": None}
        ),
        "source-only/source_only-1.0.tar.gz": b"",
    }
    for path, data in files.items():
        file = folder / path
        file.parent.mkdir(parents=True)
        file.write_bytes(data)
        (file.parent / "index.html").write_text(f'<a href="{file.name}">{file.name}</a>')
    return folder.as_uri()


@pytest.fixture
def hub(
    live_server: LiveServer, settings: Any, alice: User, index: str, monkeypatch: pytest.MonkeyPatch
) -> LiveServer:
    """A hub whose runners use that index; alice is signed in."""
    settings.HUB_PACKAGE_INDEX = index
    monkeypatch.setenv("HUB_URL", live_server.url)
    monkeypatch.setenv("HUB_TOKEN", tokens.mint(user=alice, name="cli", scope="publish")[1])
    return live_server


@pytest.mark.django_db(transaction=True)
def test_names_that_the_hub_would_refuse_are_errors(
    hub: LiveServer,
    alice: User,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    make_version(alice)
    wheel = str(wheels.write_wheel(tmp_path, metadata={"Summary": "Other bytes."}))
    assert main(["check", wheel]) == 3
    out, err = capsys.readouterr()
    assert "✗ upload.version_exists: alice/demo-env==0.1.0 exists with other bytes" in out
    assert "Raise `version` in pyproject.toml." in out
    assert f"    {hub.url}/docs/findings/upload.version_exists/\n" in out
    assert "1 error" in err
    assert main(["check", wheel, "--owner", "nobody-here"]) == 3
    assert "there is no owner 'nobody-here' on this hub" in capsys.readouterr().out
    monkeypatch.delenv("HUB_TOKEN")
    assert main(["check", wheel]) == 0
    assert "you are not signed in; run `hub login`" in capsys.readouterr().err


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("needs", "code", "words"),
    [
        ("whole", "", ""),
        ("whole>1", "env.dependencies_unresolvable", "whole"),
        ("source-only", "env.dependency_sdist_only", "source-only"),
        ("not-on-the-index", "env.dependencies_unresolvable", "not-on-the-index"),
        ("tool @ git+https://git.example/tool", "metadata.direct_url", "name a version"),
    ],
)
def test_dependencies_are_resolved_against_the_hubs_index_from_wheels_alone(
    hub: LiveServer,
    tmp_path: Path,
    needs: str,
    code: str,
    words: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    wheel = wheels.write_wheel(tmp_path, metadata={"Requires-Dist": ["verifiers>=0.4", needs]})
    assert main(["check", str(wheel)]) == (3 if code else 0)
    out, err = capsys.readouterr()
    assert f"✗ {code}" in out if code else "dependencies" in err
    assert words in out


def test_dependencies_are_not_checked_where_no_python_of_the_hub_fits(tmp_path: Path) -> None:
    wheel = read(tmp_path, **{"Requires-Python": ">=3.13"})
    with pytest.raises(resolve.NotResolved, match="Requires-Python"):
        resolve.findings(wheel, V1, KNOWN)


def test_the_document_names_what_was_not_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wheel = str(wheels.write_wheel(tmp_path))
    assert main(["check", wheel, "--offline", "--json"]) == 0
    (reason,) = json.loads(capsys.readouterr().out)["not_checked"]
    assert "dependencies" in reason
    assert "--offline" in reason
    bad = str(wheels.write_wheel(tmp_path, metadata={"Requires-Python": "three"}))
    assert main(["check", bad, "--json", "--url", "http://127.0.0.1:9"]) == 3
    (reason,) = json.loads(capsys.readouterr().out)["not_checked"]
    assert "dependencies" in reason
    assert "errors" in reason


def test_code_for_a_newer_python_than_this_one_is_left_to_the_hub(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"demo_env/__init__.py": "def f(:\n"}
    wheel = wheels.write_wheel(tmp_path, files=files, metadata={"Requires-Python": ">=3.39"})
    assert main(["check", str(wheel), "--offline", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["findings"] == []
    assert any("cannot read demo_env/__init__.py" in reason for reason in document["not_checked"])
    refuse_early(None, wheel, Output())
    assert "not checked: " in capsys.readouterr().err


CODE_WITH_NEEDS = f"""{wheels.TASKSET}
import os
from datasets import load_dataset
from openai import AsyncOpenAI
ROWS = load_dataset("openai/gsm8k")
JUDGE = AsyncOpenAI()
KEY = os.getenv("EXA_API_KEY")
"""


def check_needs(
    wheel: Path, capsys: pytest.CaptureFixture[str], *options: str
) -> dict[str, dict[str, Any]]:
    """The needs in the document of `hub check --json`, by kind."""
    main(["check", str(wheel), "--json", *options])
    return {row["kind"]: row for row in json.loads(capsys.readouterr().out)["needs"]}


@pytest.fixture
def wheel_with_needs(tmp_path: Path) -> Path:
    """An environment whose code reads a data set and a key, and calls a judge."""
    return wheels.write_wheel(tmp_path, files={"demo_env/__init__.py": CODE_WITH_NEEDS})


def test_predictions_without_a_hub_name_the_next_step(
    wheel_with_needs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = check_needs(wheel_with_needs, capsys, "--offline")
    assert {row["provided"] for row in rows.values()} == {None}
    assert "sets RUNNER_DATA_URL. On this machine: `hub check --run --data`" in rows["data"]["next"]
    assert "HUB_JUDGE_MODEL" in rows["judge"]["next"]
    command = "`hub secret set OWNER/demo-env EXA_API_KEY --host HOST`"
    assert command in rows["secret"]["next"]
    main(["check", str(wheel_with_needs), "--offline"])
    assert command in capsys.readouterr().out
    assert check_needs(wheel_with_needs, capsys, "--url", "http://127.0.0.1:9") == rows


@pytest.mark.django_db(transaction=True)
def test_predictions_show_what_the_hub_provides(
    hub: LiveServer,
    alice: User,
    root: User,
    tmp_path: Path,
    wheel_with_needs: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    runner, _ = runners.create(name="gpu-1")
    capabilities = {"provides": {"data": "d", "judge": "j"}}
    Runner.objects.filter(pk=runner.pk).update(
        last_seen_at=timezone.now(), capabilities=capabilities
    )
    rows = check_needs(wheel_with_needs, capsys)
    assert [rows[kind]["provided"] for kind in ("data", "judge", "secret")] == [True, False, None]
    assert rows["data"]["next"].startswith("This hub's runners read data sets")
    assert "`hub secret set alice/demo-env EXA_API_KEY" in rows["secret"]["next"]

    code = f'{CODE_WITH_NEEDS}\nimport requests\nrequests.get("https://api.example.org/a")\n'
    wheel = wheels.write_wheel(tmp_path, files={"demo_env/__init__.py": code})
    row = check_needs(wheel, capsys)["host"]
    assert row["provided"] is False
    assert "RUNNER_HOSTS=yes" in row["next"]
    assert "`hub host add alice/demo-env api.example.org`" in row["next"]
    assert "`hub check --run --host api.example.org`" in row["next"]
    capabilities["provides"]["host"] = "h"
    Runner.objects.filter(pk=runner.pk).update(capabilities=capabilities)
    environment = make_version(alice, version="0.0.9").environment
    hosts.add(environment=environment, host="api.example.org", by=alice)
    row = check_needs(wheel, capsys)["host"]
    assert (row["provided"], "RUNNER_HOSTS" in row["next"]) == (False, False)
    hosts.approve(environment=environment, host="api.example.org", by=root)
    assert check_needs(wheel, capsys)["host"]["provided"] is True

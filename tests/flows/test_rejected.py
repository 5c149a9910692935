"""Environments that must not be listed, and the reasons that their authors get."""

import json
from pathlib import Path

import pytest

from tests.flows.hub import Hub
from tests.wheels import TASKSET, make_wheel

pytestmark = [pytest.mark.flow, pytest.mark.timeout(600)]


def wheel(folder: Path, name: str, source: str) -> Path:
    """A wheel of one package with that source."""
    module = name.replace("-", "_")
    path = folder / f"{module}-0.1.0-py3-none-any.whl"
    path.write_bytes(make_wheel(name, files={f"{module}/__init__.py": source}))
    return path


def test_one_that_crashes_at_load_is_rejected_with_its_own_words(hub: Hub, tmp_path: Path) -> None:
    crash = TASKSET.replace(
        "        for word in WORDS:",
        '        raise KeyError("answer column is missing")\n        for word in WORDS:',
    )
    done = hub.run("push", wheel(tmp_path, "crashes-at-load", crash), expect=3)
    assert "answer column is missing" in done.stderr
    assert "hint:" in done.stderr
    assert "    | KeyError: 'answer column is missing'" in done.stdout
    detail = hub.version("alice/crashes-at-load==0.1.0")
    assert detail["status"] == "rejected"
    assert [step["state"] for step in detail["pipeline"]] == ["done", "done", "failed", "waiting"]
    finding = next(f for f in detail["findings"] if f["severity"] == "error")
    assert finding["code"] == "run.load_failed"
    log = hub.run("logs", detail["run"]["id"]).stdout
    assert "answer column is missing" in log
    results = json.loads(hub.run("search", "crashes-at-load", "--json").stdout)
    assert "alice/crashes-at-load" not in [row["ref"] for row in results]


def test_one_that_pays_for_silence_is_rejected_by_name(hub: Hub, tmp_path: Path) -> None:
    generous = TASKSET.replace("return float(", "return 1.0 or float(")
    done = hub.run("push", wheel(tmp_path, "pays-silence", generous), expect=3)
    assert "silent" in done.stderr
    detail = hub.version("alice/pays-silence==0.1.0")
    assert detail["status"] == "rejected"
    errors = [f for f in detail["findings"] if f["severity"] == "error"]
    assert {"card.floor"} <= {f["code"] for f in errors}
    measures = {m["code"]: m["status"] for m in detail["card"]["measures"]}
    assert measures["floor"] == "fail"
    assert measures["completes"] == "pass"


def test_a_rejected_version_cannot_be_installed_by_others(hub: Hub, tmp_path: Path) -> None:
    hub.run("push", wheel(tmp_path, "not-for-carol", "import nothing_of_the_kind\n"), expect=3)
    done = hub.run("info", "alice/not-for-carol==0.1.0", by="carol", expect=1)
    assert "there is no environment alice/not-for-carol" in done.stderr

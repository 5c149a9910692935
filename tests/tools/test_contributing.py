"""CONTRIBUTING.md names the files that a new entry of a registry needs, and no others."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.tools.new_entries import EDITS

pytestmark = pytest.mark.timeout(300)

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| an? ([a-zA-Z ]+?) \| (.+) \|$", TEXT, re.MULTILINE))
FOLDERS = ("cli", "worker", "registry", "frontend", "hub", "docs", "tools", "tests", "env_template")
FILES = ("pyproject.toml", "manage.py", "CONTRIBUTING.md")
# Tests that fail for an incomplete change and need neither a database nor a sandbox.
GUARDS = (
    "tests/cli/test_documented.py",
    "tests/cli/test_init.py",
    "tests/contract/test_codes.py",
    "tests/contract/test_detect.py",
    "tests/contract/test_documented_codes.py",
    "tests/contract/test_framework_choice.py",
    "tests/hub/test_settings.py::test_every_variable_is_documented",
    "tests/registry/accounts/test_reserved_names.py",
    "tests/registry/api/test_schema.py::test_wire_format_is_that_of_the_kept_document",
    "tests/registry/card/test_measures.py",
    "tests/registry/card/test_rescoring.py",
    "tests/registry/card/test_verdict.py",
    "tests/tools/test_docs_tables.py",
    "tests/worker/frameworks/test_requirements.py",
    "tests/worker/probing/test_probes.py",
)
Shown = dict[str, Any]


def named_paths(kind: str) -> list[str]:
    """The files and folders that the row names; `<subject>` matches any name."""
    return [
        path.removeprefix("./") for path in re.findall(r"`([\w<>./-]*/[\w<>./-]*)`", ROWS[kind])
    ]


def matches(named: str, path: str) -> bool:
    """Whether the path is the named one, or inside the named folder."""
    pattern = re.sub(r"<\w+>", r"[\\w-]+", named.replace(".", r"\."))
    return re.fullmatch(pattern + (".+" if named.endswith("/") else ""), path) is not None


@pytest.mark.parametrize("kind", ROWS)
def test_the_files_named_for_a_new_entry_exist(kind: str) -> None:
    for path in named_paths(kind):
        assert list(ROOT.glob(re.sub(r"<\w+>", "*", path))), path


@pytest.mark.parametrize("kind", ROWS)
def test_the_files_named_for_a_new_entry_are_those_that_it_needs(kind: str) -> None:
    edited = {edit.path for edit in EDITS if edit.kind == kind}
    named = named_paths(kind)
    assert [path for path in edited if not any(matches(name, path) for name in named)] == []
    assert [name for name in named if not any(matches(name, path) for path in edited)] == []


@pytest.fixture(scope="module")
def changed_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree with every new entry, and the generated files written again."""
    copy = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__", "node_modules")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, copy / folder, symlinks=True, ignore=ignored)
    for file in FILES:
        shutil.copy(ROOT / file, copy / file)
    for edit in EDITS:
        edit.apply(copy)
    run(copy, "tools.docs_tables")
    openapi = run(copy, "manage", "spectacular", "--format", "openapi-json")
    kept = "tests/registry/api/openapi.json"
    run(copy, "tools.compare_openapi", kept, "-", "--write", kept, stdin=openapi)
    return copy


def run(copy: Path, module: str, *arguments: str, stdin: str = "") -> str:
    """The output of the copy's module."""
    environment = {
        "PATH": os.environ["PATH"],
        "HUB_HOME": str(copy / "home"),
        "PYTHONPATH": os.pathsep.join(str(copy / folder) for folder in (".", "cli", "worker")),
    }
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=copy,
        env=environment,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def shown(changed_tree: Path) -> Shown:
    """What the hub shows of the new entries."""
    return dict(json.loads(run(changed_tree, "tests.tools.added_entries")))


@pytest.mark.slow
def test_new_entries_break_no_test(changed_tree: Path) -> None:
    run(changed_tree, "pytest", "-q", "-p", "no:cacheprovider", "--database", "none", *GUARDS)


def test_an_added_probe_is_played_documented_and_bounded_by_its_floor(shown: Shown) -> None:
    assert "shout" in shown["HUB_PROBES"]
    assert "shout" in shown["replies"]
    assert "shout" in shown["openapi"]
    assert "| `shout` | your last message in capitals |" in shown["docs"]
    hints = {finding["code"]: finding["hint"] for finding in shown["card"]["findings"]}
    assert hints["card.floor"] == "Pay nothing for capitals."


def test_an_added_measure_is_on_the_card_and_documented(shown: Shown) -> None:
    assert shown["card"]["measures"][0] == "loudness"
    assert "| `loudness` | observed | How loud is it? |" in shown["docs"]


def test_an_added_code_brings_its_message_hint_and_severity(shown: Shown) -> None:
    assert shown["code"]["message"] == "The run was too loud."
    assert (shown["code"]["hint"], shown["code"]["severity"]) == ("Lower it.", "warning")


def test_an_added_facet_is_a_parameter_of_the_api_and_an_option_of_the_command(
    shown: Shown,
) -> None:
    parameters = json.loads(shown["openapi"])["paths"]["/api/v1/environments/"]["get"]["parameters"]
    described = {parameter["name"]: parameter["description"] for parameter in parameters}
    assert described["turn_count"] == "So many."
    assert shown["options"]["turn_count"] == "only with so many turns"


def test_an_added_adapter_is_detected_and_offers_its_template(shown: Shown) -> None:
    assert "loud-turn" in shown["templates"]
    assert "a verifiers load_loudly" in shown["detection"][0]


def test_an_added_framework_is_detected_and_its_release_chosen(shown: Shown) -> None:
    assert shown["gymnasium"]["detected"] == ["gymnasium", "v1", "loud_env", "make_gym"]
    assert shown["gymnasium"]["release"] == "1.1.0"  # the only one with `make_vec`
    assert "gymnasium" in shown["frameworks"]


def test_an_added_rest_field_is_in_the_openapi_document(shown: Shown) -> None:
    components = json.loads(shown["openapi"])["components"]["schemas"]
    field = components["Latest"]["properties"]["loudness"]
    assert field == {"type": "string", "description": "Of its longest reply."}
    assert "motto" in components["NewOrganisation"]["properties"]


def test_an_added_page_is_served_reserved_and_in_the_table_of_access(shown: Shown) -> None:
    assert "<h1>a whisper</h1>" in shown["page"]
    assert shown["reserved"]
    assert shown["routes_without_a_row"] == []


def test_an_added_limit_is_a_setting_that_a_service_enforces(shown: Shown) -> None:
    assert shown["limit"] == {"HUB_LOUDNESS": 7, "code": "quota.loudness"}

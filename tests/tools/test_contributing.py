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

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| an? ([a-zA-Z ]+?) \| (.+) \|$", TEXT, re.MULTILINE))
COPIED = ("cli", "worker", "registry", "frontend", "hub", "docs", "tools", "tests", "env_template")

PROBE = """
    Probe(
        name="shout",
        label="the prompt in capitals",
        reply="your last message in capitals",
        floor=FloorLimit(NO_INFORMATION, "Pay nothing for capitals."),
    ),
"""
REPLY = """
    "shout": parrot,
"""
CODES = """
    environment_fault("run.too_loud", "The run was too loud.", "Lower it.", severity="warning"),
"""
MEASURE = """
    MeasureDefinition(
        code="loudness",
        title="Loudness",
        unit="seconds",
        threshold=SLOW_SECONDS,
        read=speed,
        question="How loud is it?",
        advice="Lower the loudest rollout.",
    ),
"""
MEASURE_CODE = """
    environment_fault("card.loudness", "It is loud.", "Lower it."),
"""
ADAPTER = """
LOUD = replace(
    VERIFIERS[-1], api="loud", templates=("loud-turn",), entry_description="a load_loudly"
)
"""
FACET = """
        Facet(
            name="turns", key="n", column="latest__api", title="Turns", description="So many.",
            option="only with so many turns",
        ),
"""
FIELD = """
    loudness: Annotated[str, Spec(description="Of its longest reply.")]
"""
# Of each entry: the row of CONTRIBUTING.md, the file, the line before it and the entry.
ENTRIES = (
    ("probe", "cli/envyard/contract/probes.py", "ENTRIES = (\n", PROBE),
    ("probe", "worker/envyard_runner/gateway/probes.py", '    "silent": silent,\n', REPLY),
    ("finding or error code", "cli/envyard/contract/codes/run.py", "RUN = (\n", CODES),
    ("measure", "registry/card/measures/speed.py", "SPEED = (\n", MEASURE),
    ("measure", "cli/envyard/contract/codes/card.py", "CARD = (\n", MEASURE_CODE),
    ("facet of the catalogue", "cli/envyard/contract/facets.py", "registry(\n    (\n", FACET),
    ("REST field", "registry/read_models/environments.py", "    version: str\n", FIELD),
    ("adapter", "cli/envyard/contract/frameworks/adapters.py", "import VERIFIERS\n", ADAPTER),
)


@pytest.mark.parametrize("kind", ROWS)
def test_the_files_named_for_a_new_entry_exist(kind: str) -> None:
    paths = re.findall(r"`([^`]+)`", ROWS[kind])
    assert 1 <= len(paths) <= 2
    for path in paths:
        assert list(ROOT.glob(re.sub(r"<\w+>", "*", path))), path


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the hub shows after each entry was added to a copy of the tree."""
    copy = tmp_path_factory.mktemp("copy")
    for folder in COPIED:
        ignored = shutil.ignore_patterns("__pycache__", "node_modules")
        shutil.copytree(ROOT / folder, copy / folder, symlinks=True, ignore=ignored)
    for kind, path, line, entry in ENTRIES:
        assert re.search(re.sub(r"/\w+\.py$", "", path), ROWS[kind]), f"{kind}: {path}"
        text = (copy / path).read_text()
        assert line in text, path
        (copy / path).write_text(text.replace(line, line + entry.lstrip("\n"), 1))
    adapters = copy / "cli/envyard/contract/frameworks/adapters.py"
    text = adapters.read_text().replace("in (*VERIFIERS,)", "in (*VERIFIERS, LOUD)")
    adapters.write_text(
        text.replace(
            "import annotations\n", "import annotations\nfrom dataclasses import replace\n"
        )
    )
    environment = {
        "PATH": os.environ["PATH"],
        "HUB_HOME": str(copy / "home"),
        "PYTHONPATH": os.pathsep.join(str(copy / folder) for folder in (".", "cli", "worker")),
    }
    command = [sys.executable, "-m", "tests.tools.added_entries"]
    done = subprocess.run(
        command, cwd=copy, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_an_added_probe_is_played_documented_and_bounded_by_its_floor(
    shown: dict[str, Any],
) -> None:
    assert "shout" in shown["HUB_PROBES"]
    assert "shout" in shown["replies"]
    assert "shout" in shown["openapi"]
    assert "| `shout` | your last message in capitals |" in shown["docs"]
    hints = {finding["code"]: finding["hint"] for finding in shown["card"]["findings"]}
    assert hints["card.floor"] == "Pay nothing for capitals."


def test_an_added_measure_is_on_the_card_and_documented(shown: dict[str, Any]) -> None:
    assert shown["card"]["measures"][-2:] == ["loudness", "speed"]
    assert "| `loudness` | How loud is it? |" in shown["docs"]


def test_an_added_code_brings_its_message_hint_and_severity(shown: dict[str, Any]) -> None:
    assert shown["code"]["message"] == "The run was too loud."
    assert (shown["code"]["hint"], shown["code"]["severity"]) == ("Lower it.", "warning")


def test_an_added_facet_is_a_parameter_of_the_api_and_an_option_of_the_command(
    shown: dict[str, Any],
) -> None:
    parameters = json.loads(shown["openapi"])["paths"]["/api/v1/environments/"]["get"]["parameters"]
    described = {parameter["name"]: parameter["description"] for parameter in parameters}
    assert described["turns"] == "So many."
    assert shown["options"]["turns"] == "only with so many turns"


def test_an_added_adapter_is_detected_and_offers_its_template(shown: dict[str, Any]) -> None:
    assert "loud-turn" in shown["templates"]
    assert "a load_loudly" in shown["detection"][0]


def test_an_added_rest_field_is_in_the_openapi_document(shown: dict[str, Any]) -> None:
    components = json.loads(shown["openapi"])["components"]["schemas"]
    field = components["Latest"]["properties"]["loudness"]
    assert field == {"type": "string", "description": "Of its longest reply."}

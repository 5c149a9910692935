"""The six examples through the real path, all listed, each with an honest card."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from envyard.contract.probes import PROBES
from tests.flows.conftest import limited
from tests.flows.hub import ROOT, Hub

pytestmark = [pytest.mark.flow, pytest.mark.timeout(900)]

EXAMPLES = sorted(path.parent.name for path in (ROOT / "examples").glob("*/pyproject.toml"))
ONE_TURN = ("grade-school-math", "reverse-text")
ALWAYS = ("reverse-text", "tic-tac-toe")  # one turn and several
NAMES = [
    name if name in ALWAYS else pytest.param(name, marks=pytest.mark.extended) for name in EXAMPLES
]
CHANGED = ("mutants_caught", "equivalents_kept")  # measures of changed replies


def test_there_are_six() -> None:
    assert len(EXAMPLES) == 6


@pytest.fixture(scope="module")
def hub(home: Path) -> Iterator[Hub]:
    """A hub whose runs survey the tasks, and may take longer than the flows' others."""
    settings = {"HUB_RUN_SECONDS": "600", "HUB_SURVEY_TASKS": "1000"}
    with limited(home, "examples", **settings) as hub:
        yield hub


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_listed_and_pays_work_alone(hub: Hub, name: str) -> None:
    hub.run("push", ROOT / "examples" / name)
    detail = hub.version(f"alice/{name}==0.1.0")
    assert not [f for f in detail["findings"] if f["severity"] == "error"]
    measures = {m["code"]: m for m in detail["card"]["measures"]}
    assert {m["status"] for code, m in measures.items() if code not in CHANGED} == {"pass"}
    # In games and with tools the last text may count for nothing.
    assert {measures[code]["status"] for code in CHANGED} <= {"pass", "unknown"}
    again = measures["reproducible_reward"]
    assert again["value"] == 1.0, again["detail"]
    scores = {s["policy"]: s for s in detail["run"]["scores"]}
    for probe in (probe for probe in PROBES.values() if probe.floor):
        assert scores[probe.name]["failed"] == 0
        assert scores[probe.name]["mean"] < scores["oracle"]["mean"] / 2
    tab = requests.get(f"{hub.url}/envs/alice/{name}/?tab=train", timeout=30).text
    assert ("GRPOTrainer(" in tab) == (name in ONE_TURN)

"""Real clients of three generations read data sets in a real sandbox, through the runner's mirror.

docs/needs.md describes what is tested here: the lock, frozen runs, and the same rows in training.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from envyard.contract.data_lock import DataLock
from envyard.data_cache import Source, lay_out
from tests.data_hub import Answer, DataHub, serving
from tests.data_locks import locked_folder
from tests.worker.execution.with_framework import conftest
from tests.worker.execution.with_framework.conftest import ReplayedRun, Runner
from tests.worker.guest.adapters.conftest import PYTHON, site
from tests.worker.scripted_sandbox import Outcome
from tests.worker.stub_hub import contents

pytestmark = [
    pytest.mark.sandbox, pytest.mark.adapter, pytest.mark.slow, pytest.mark.timeout(900),
]  # fmt: skip
NEWEST = ("datasets==5.2.0", "huggingface-hub==2.4.0")
EARLIER = {
    "datasets 4": ("datasets==4.8.5", "huggingface-hub==1.33.0"),
    "datasets 3": ("datasets==3.6.0", "huggingface-hub==0.36.2"),
}
README = """---
license: mit
configs:
- config_name: main
  data_files:
  - {split: train, path: main/train*}
  - {split: test, path: main/test*}
- config_name: socratic
  data_files:
  - {split: train, path: socratic/*}
---
"""
TASKS = 5
HUB = Path(sys.executable).with_name("hub")


def rows(first: int, count: int) -> str:
    lines = ({"question": f"{n} + 1?", "answer": str(n + 1)} for n in range(first, first + count))
    return "".join(json.dumps(line) + "\n" for line in lines)


def publish(hub: DataHub, *, first: int) -> None:
    """Write what is `main` now."""
    files = {"main/train.jsonl": rows(first, 300), "main/test.jsonl": rows(first + 300, 20)}
    hub.add("openai/gsm8k", {"README.md": README, "socratic/train.jsonl": rows(0, 5), **files})
    hub.add("allenai/words", {"lists/words.txt": f"alpha{first} beta{first}"})
    hub.add("qwen/tiny", {"tokenizer.json": '{"version": "1.0"}'}, kind="models")


def move_main(hub: DataHub) -> None:
    """Keep the present commits, and put other rows on each branch."""
    for name in ("openai/gsm8k", "allenai/words"):
        folder = hub.root / "datasets" / name
        folder.rename(f"{folder}@{hub.commit(name)}")
    publish(hub, first=5000)


@dataclass
class Client:
    """Runs of one client generation on one runner, with the address of its data set hub."""

    runner: Runner
    pins: tuple[str, ...]
    home: Path
    url: str

    def perform(self, lock: DataLock | None = None) -> ReplayedRun:
        """Play the environment; with a `lock`, frozen to it."""
        frozen = {} if lock is None else {"data_lock": lock, "data_frozen": True}
        settings = {"RUNNER_DATA_URL": self.url, "RUNNER_HOME": str(self.home)}
        return self.runner.perform(
            "v0", {"__init__.py": "data_sets.py"}, module="data_sets", pins=self.pins,
            settings=settings, policies=("oracle", "silent"), tasks=TASKS, attempts=1, **frozen,
        )  # fmt: skip


def prompts(run: ReplayedRun) -> list[str]:
    """The prompt of each task, in the order of the tasks."""
    tasks = {rollout["task"]: contents(rollout)[0] for rollout in run.outcome.hub.rollouts}
    return [tasks[task] for task in sorted(tasks)]


def in_training(
    hub: DataHub, lock: DataLock, pins: tuple[str, ...], folder: Path, expected: list[str]
) -> None:
    """A trainer reads the same rows a month later, without hub and data set hub."""
    lay_out(lock, folder / "x", Source(hub.url, None), lambda *_: None)
    shutil.copy(conftest.WHEELS / "data_sets.py", folder)
    program = (
        f"import sys; sys.path.insert(0, {str(folder)!r})\n"
        "import data_sets, json; print(json.dumps(data_sets.read_rows()))"
    )
    environ = {"PATH": os.environ["PATH"], "HOME": str(folder), "HF_ENDPOINT": "http://127.0.0.1:9"}
    environ |= {"PYTHONPATH": str(site("v0", *pins))}
    command = [HUB, "data", "--from", str(folder / "x"), "--run", PYTHON, "-c", program]
    result = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    rows = json.loads(result.stdout.splitlines()[-1])
    assert [row["question"] for row in rows] == expected
    offline = (
        "from huggingface_hub import hf_hub_download as load\n"
        "print(open(load('openai/gsm8k', 'main/train.jsonl', repo_type='dataset')).readline())\n"
        "from datasets import load_dataset\n"
        "print(load_dataset('openai/gsm8k', 'main', split='train')[0]['question'])"
    )
    environ |= {"HF_HOME": str(folder / "x"), "HF_HUB_OFFLINE": "1"}
    result = subprocess.run(
        [PYTHON, "-c", offline], env=environ, capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 0, result.stderr
    assert [line for line in result.stdout.splitlines() if line] == [
        json.dumps({"question": expected[0], "answer": "2"}), expected[0],
    ]  # fmt: skip


@pytest.mark.parametrize(
    "pins",
    [
        pytest.param(NEWEST, id="datasets 5"),
        *(
            pytest.param(pins, marks=pytest.mark.extended, id=name)
            for name, pins in EARLIER.items()
        ),
    ],
)
def test_a_run_is_locked_frozen_and_repeated_in_training(
    runner: Runner, pins: tuple[str, ...], tmp_path: Path
) -> None:
    with serving(tmp_path / "hub") as hub:
        publish(hub, first=1)
        client = Client(runner, pins, tmp_path / "runner", hub.url)
        first = client.perform()
        assert first.outcome.result == ("succeeded", []), first.outcome.hub.log
        lock = first.outcome.hub.data_lock
        named = {entry.name: entry for entry in lock.repositories}
        assert set(named) == {"openai/gsm8k", "allenai/words", "qwen/tiny"}
        entry = named["openai/gsm8k"]
        assert (entry.commit, entry.licence) == (hub.commit("openai/gsm8k"), "mit")
        assert {"README.md", "main/train.jsonl", "main/test.jsonl"} == {f.path for f in entry.files}
        assert not any("socratic" in target for target in hub.targets() if "resolve" in target)
        move_main(hub)
        second = client.perform(lock)
        assert second.outcome.result == ("succeeded", []), second.outcome.hub.log
        assert prompts(second) == prompts(first)
        assert second.first == first.first
        in_training(hub, lock, pins, tmp_path, prompts(first))
    third = client.perform(lock)  # the data set hub is gone
    assert third.outcome.result == ("succeeded", []), third.outcome.hub.log
    assert prompts(third) == prompts(first)


def test_a_frozen_run_that_reads_another_file_names_it(runner: Runner, tmp_path: Path) -> None:
    with serving(tmp_path / "hub") as hub:
        publish(hub, first=1)
        sets = hub.root / "datasets"
        lock = locked_folder(sets / "openai/gsm8k")
        (entry,) = lock.repositories
        files = tuple(file for file in entry.files if file.path != "main/test.jsonl")
        words = locked_folder(sets / "allenai/words", "allenai/words")
        lock = DataLock((*words.repositories, replace(entry, files=files)))
        client = Client(runner, NEWEST, tmp_path / "runner", hub.url)
        outcome = client.perform(lock).outcome
    assert outcome.result == ("failed", ["data.not_locked"]), outcome.hub.log
    assert "openai/gsm8k: main/test.jsonl" in outcome.hub.endings[0]["findings"][0]["message"]


def perform_gated(runner: Runner, **settings: str) -> Outcome:
    return runner.perform(
        "v0", {"__init__.py": "gated_rows.py"}, module="gated_rows", settings=settings,
        policies=("oracle", "silent"), tasks=1, attempts=1,
    ).outcome  # fmt: skip


@pytest.mark.extended
def test_what_a_gated_data_set_lacks_is_named_although_the_environment_goes_on(
    runner: Runner, tmp_path: Path
) -> None:
    outcome = perform_gated(runner)
    assert outcome.result == ("errored", ["needs.data"]), outcome.hub.log
    (finding,) = outcome.hub.endings[0]["findings"]
    assert finding["details"] == {"names": ["idavidrein/gpqa"], "reasons": ["no_mirror"]}
    assert "RUNNER_DATA_URL" in finding["message"]
    with serving(tmp_path / "hub") as hub:
        hub.add("idavidrein/gpqa", {"train.jsonl": rows(1, 9), ".gated": ""})
        hub.token = "operators"
        outcome = perform_gated(runner, RUNNER_DATA_URL=hub.url)
        assert outcome.result == ("errored", ["needs.data"]), outcome.hub.log
        assert "RUNNER_DATA_TOKEN" in outcome.hub.endings[0]["findings"][0]["message"]
        outcome = perform_gated(runner, RUNNER_DATA_URL=hub.url, RUNNER_DATA_TOKEN="operators")
        assert outcome.result == ("succeeded", []), outcome.hub.log
        assert outcome.hub.data_lock.repositories[0].gated
        assert contents(outcome.hub.rollouts[0])[0] == "1 + 1?"


def test_an_upstream_that_fails_is_no_fault_of_the_environment(
    runner: Runner, tmp_path: Path
) -> None:
    with serving(tmp_path / "hub") as hub:
        hub.intercept = lambda _: Answer(500)
        outcome = perform_gated(runner, RUNNER_DATA_URL=hub.url)
    assert outcome.result == ("errored", ["run.data_unreachable"]), outcome.hub.log

"""A version's variables reach the process that holds its code, and no program of the runner."""

from __future__ import annotations

import json

import pytest

from envyard.contract.job import BoundSecret
from tests.worker.attacks.conftest import Runner, taskset_files
from tests.worker.stub_hub import StubHub

pytestmark = [pytest.mark.sandbox, pytest.mark.adapter, pytest.mark.timeout(300)]
PRINTS = """
import json, os


def once():
    names = ("GREETING", "A_KEY", "PATH", "HOME", "HF_ENDPOINT")
    print(f"TRIED variables = {json.dumps({name: os.environ[name] for name in names})}")
"""


def test_no_program_of_the_runner_gets_a_variable_of_the_version(runner: Runner) -> None:
    # Names such as OPENSSL_CONF make any program load a library of the wheel.
    chosen = {"GREETING": "hi", "PATH": "/tmp", "HOME": "/", "HF_ENDPOINT": "x"}
    hub = StubHub(secrets={"A_KEY": "a-value-that-is-long"})
    attack = runner.perform(
        "variables", taskset_files("variables", PRINTS), framework=True, hub=hub,
        job={
            "variables": chosen, "hosts": ("api.exa.ai",),
            "secrets": (BoundSecret("A_KEY", ("api.exa.ai",)),),
        },
        settings={"RUNNER_HOSTS": "yes"},
    )  # fmt: skip
    assert attack.outcome.result == ("succeeded", [])
    assert attack.variables == set()
    seen = json.loads(attack.attempts["variables"])
    assert (seen["GREETING"], seen["A_KEY"]) == ("hi", "envyard-secret-A_KEY")
    assert seen["HOME"] == "/tmp"
    assert "/venv/bin" in seen["PATH"]
    assert seen["HF_ENDPOINT"].startswith("http://127.0.0.1")

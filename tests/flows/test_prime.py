"""The stock `prime` command against the hub, configured with the hub's URL alone."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.flows.hub import BIN, Hub, clean_environ
from tests.wheels import TASKSET

pytestmark = [pytest.mark.flow, pytest.mark.timeout(600)]

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("ENVYARD_TEST_CACHE") or HERE.parents[1] / ".cache")
PYPROJECT = """\
[project]
name = "{name}"
version = "0.1.0"
description = "Say the word."
readme = "README.md"
license = "MIT"
requires-python = ">=3.11"
tags = ["words"]
{more}
[build-system]
requires = ["uv_build>=0.9,<1"]
build-backend = "uv_build"
[tool.uv.build-backend]
module-root = ""
"""
# Names that the reader may see, or how to search for some: which of both depends on the words.
SUGGESTED = re.compile(r"Did you mean [^?]*\?|Find one: hub search WORDS")
METADATA = {
    "env_id": "lab/secret-words",
    "model": "tiny",
    "num_examples": 2,
    "rollouts_per_example": 1,
    "avg_reward": 0.5,
    "version_info": {"env_version": "0.1.0"},
}


def installed() -> Path:
    """prime 0.18.0 in a folder of its own, from the lock, kept between test runs."""
    folder = CACHE / "prime-0.18.0"
    if not folder.exists():
        building = folder.with_name("prime-building")
        uv = BIN / "uv"
        new = ("--relocatable", "--clear", "--python", sys.executable)
        subprocess.run([uv, "venv", "-q", *new, building], check=True)
        where = ("--python", building / "bin" / "python", "--require-hashes", "--no-config")
        lock = ("--compile-bytecode", "-r", HERE / "prime.lock")  # one of them has no wheel
        subprocess.run([uv, "pip", "install", "-q", *where, *lock], check=True)
        building.rename(folder)
    return folder / "bin" / "prime"


@dataclass
class Prime:
    """The command of one person with a home of their own."""

    hub: Hub
    program: Path
    folder: Path
    name: str

    def __call__(self, *command: str | Path, expect: int = 0, **environ: str) -> str:
        """Its output on one line; its exit code must be `expect`."""
        defaults = {
            "PRIME_API_BASE_URL": self.hub.url,
            "PRIME_API_KEY": self.hub.token(self.name),
            "PRIME_DISABLE_VERSION_CHECK": "1",
            "HOME": str(self.folder),
            "UV_CACHE_DIR": str(self.folder / "uv"),
            "PATH": f"{BIN}:{os.environ['PATH']}",
            "COLUMNS": "1000",
        }
        done = subprocess.run(
            [self.program, *command],
            env=clean_environ() | defaults | environ,
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        output = " ".join((done.stdout + done.stderr).split())
        assert done.returncode == expect, f"{command}: {done.returncode}\n{output}"
        return output

    def json(self, *command: str) -> Any:
        """Its answer as JSON."""
        return json.loads(self(*command, "--output", "json"))

    def environment(self, name: str, more: str = "") -> Path:
        """A folder as an author has it; nothing of it needs an index to be built or installed."""
        folder = self.folder / name
        (folder / name.replace("-", "_")).mkdir(parents=True)
        (folder / "pyproject.toml").write_text(PYPROJECT.format(name=name, more=more))
        (folder / "README.md").write_text("# Say the word\n")
        (folder / name.replace("-", "_") / "__init__.py").write_text(TASKSET)
        return folder

    def venv(self) -> Path:
        """An empty virtual environment to install into."""
        folder = self.folder / "venv"
        if not folder.exists():
            subprocess.run(
                [BIN / "uv", "venv", "-q", "--python", sys.executable, folder], check=True
            )
        return folder


@dataclass
class People:
    """Those who use it in these tests."""

    alice: Prime
    bob: Prime
    carol: Prime


@pytest.fixture(scope="module")
def people(hub: Hub, tmp_path_factory: pytest.TempPathFactory) -> People:
    """alice has pushed `lab/secret-words`, private, and `alice/open-words`; nothing is decided."""
    program = installed()
    known = [Prime(hub, program, tmp_path_factory.mktemp(n), n) for n in ("alice", "bob", "carol")]
    alice = known[0]
    private = alice.environment("secret-words")
    output = alice("env", "push", "-p", private, "--owner", "lab", "-v", "PRIVATE")
    assert "Created environment: lab/secret-words" in output
    assert "Successfully pushed lab/secret-words" in output
    output = alice("env", "push", "-p", alice.environment("open-words"))
    assert "Successfully pushed alice/open-words" in output
    return People(*known)


def test_prime_shows_the_user_and_their_teams(people: People) -> None:
    assert "alice" in people.alice("whoami")
    assert [team["slug"] for team in people.alice.json("teams", "list")["teams"]] == ["lab"]
    output = people.carol("login", "--headless", expect=1)
    assert "prime config set-api-key" in output


def test_refusals_of_the_hub_reach_the_terminal(people: People) -> None:
    bad = people.alice.environment("bad-words", 'dependencies = ["x @ https://example.com/x.whl"]')
    output = people.alice("env", "push", "-p", bad, expect=1)
    assert "Failed to finalize wheel upload" in output
    assert "metadata.direct_url" in output
    output = people.alice("env", "push", "-p", people.alice.folder / "open-words", expect=1)
    assert re.search(
        "content hash [0-9a-f]{64} already exists: it is alice/open-words==0.1.0", output
    )
    output = people.carol("env", "push", "-p", people.carol.environment("mine"), "--owner", "alice",
                        expect=1)  # fmt: skip
    assert "may not publish under alice" in output
    output = people.alice("secret", "list", expect=1)
    assert "this hub does not offer" in output


def test_strangers_learn_nothing_of_a_private_environment(people: People) -> None:
    for command in ("info", "inspect"):
        output = people.carol("env", command, "lab/secret-words", expect=1)
        assert "HTTP 404" in output
        other = people.carol("env", command, "lab/no-words", expect=1)
        own = output.replace("secret-words", "no-words").replace("secret_words", "no_words")
        assert SUGGESTED.sub("", other) == SUGGESTED.sub("", own)
        assert "secret" not in "".join(SUGGESTED.findall(output + other))


def test_a_private_environment_is_looked_into_pulled_and_installed_from_its_index(
    hub: Hub, people: People
) -> None:
    assert hub.decided("lab/secret-words==0.1.0")["status"] == "listed"
    bob = people.bob
    results = bob.json("env", "list", "--owner", "lab", "--search", "secret words")
    (row,) = (
        result for result in results["environments"] if result["environment"] == "lab/secret-words"
    )
    assert row["visibility"] == "PRIVATE"
    assert people.carol.json("env", "list", "--owner", "lab")["total"] == 0
    assert bob.json("env", "status", "lab/secret-words")["latest_version"]["content_hash"]
    tree = bob.json("env", "inspect", "lab/secret-words")
    assert [entry["path"] for entry in tree["entries"]] == [
        "secret_words",
        "README.md",
        "pyproject.toml",
    ]
    shown = bob("env", "inspect", "lab/secret-words@0.1.0", "secret_words/__init__.py")
    assert "class WordTaskset" in shown
    bob("env", "pull", "lab/secret-words", "-t", "pulled")
    assert (bob.folder / "pulled" / "secret_words" / "__init__.py").read_text() == TASKSET

    output = bob("env", "install", "lab/secret-words", VIRTUAL_ENV=str(bob.venv()))
    assert "Successfully installed lab/secret-words@latest" in output
    assert "/files/" in output
    assert hub.token("bob") not in output
    by_index = ("--index", f"lab={hub.url}/lab/simple/", "--reinstall", "secret-words")
    credentials = {"UV_INDEX_LAB_USERNAME": "__token__", "UV_INDEX_LAB_PASSWORD": hub.token("bob")}
    subprocess.run(
        [BIN / "uv", "pip", "install", "-q", "--python", bob.venv(), *by_index],
        env=clean_environ() | credentials,
        check=True,
    )
    (credential,) = set(re.findall(r"__token__:([^@*]+)@", output))  # uv itself prints ****
    assert requests.get(f"{hub.url}/lab/simple/secret-words/", timeout=30).status_code == 404
    credential_headers = {"Authorization": f"Bearer {requests.utils.unquote(credential)}"}
    assert requests.get(
        f"{hub.url}/lab/simple/secret-words/", headers=credential_headers, timeout=30
    ).ok
    yank = f"{hub.url}/api/v1/environments/lab/secret-words/versions/0.1.0/yank/"
    assert (
        requests.post(
            yank, json={"reason": "x"}, headers=credential_headers, timeout=30
        ).status_code
        == 401
    )


def test_a_public_environment_installs_by_uv_and_goes_again(hub: Hub, people: People) -> None:
    assert hub.decided("alice/open-words==0.1.0")["status"] == "listed"
    carol = people.carol
    shown = carol("env", "info", "alice/open-words")
    assert f"uv pip install {hub.url}/files/" in "".join(shown.split("\n"))
    assert "index-url" not in shown
    home = {"VIRTUAL_ENV": str(carol.venv())}
    output = carol("env", "install", "alice/open-words@0.1.0", PRIME_API_KEY="", **home)
    assert "Successfully installed alice/open-words@0.1.0" in output
    assert "__token__" not in output
    output = carol("env", "version", "list", "--full-hashes", "alice/open-words")
    (content_hash,) = re.findall("[0-9a-f]{64}", output)
    assert "2 artifacts" in output
    output = carol("env", "version", "delete", "-f", "alice/open-words", content_hash, expect=1)
    assert "delete" in output
    people.alice("env", "version", "delete", "-f", "alice/open-words", content_hash[:12])
    carol("env", "info", "alice/open-words", expect=1)


def test_evaluations_are_pushed_listed_and_read_again(people: People) -> None:
    bob, carol = people.bob, people.carol
    folder = bob.folder / "evaluation"
    folder.mkdir()
    (folder / "metadata.json").write_text(json.dumps(METADATA))
    samples = [{"example_id": i, "reward": float(i), "completion": "x" * 50} for i in range(2)]
    (folder / "results.jsonl").write_text("\n".join(json.dumps(sample) for sample in samples))
    output = bob("eval", "push", "evaluation")
    (pk,) = set(re.findall(r"Evaluation ID: (\S+)", output))
    assert f"/envs/lab/secret-words/evaluations/{pk}/" in output
    evaluation = json.loads(bob("eval", "get", pk))
    assert (evaluation["status"], evaluation["version_id"]) == ("COMPLETED", "0.1.0")
    assert (evaluation["metrics"], evaluation["total_samples"]) == ({"reward": 0.5}, 2)
    assert json.loads(bob("eval", "samples", pk, "-n", "1", "-p", "2"))["samples"] == samples[1:]
    assert [row["evaluation_id"] for row in bob.json("eval", "list")["evaluations"]] == [pk]
    assert people.alice.json("eval", "list", "-e", "lab/secret-words")["total"] == 0
    assert "404" in carol("eval", "get", pk, expect=1)
    bob("eval", "push", "evaluation", "--eval", pk, "--name", "again")
    assert json.loads(bob("eval", "get", pk))["name"] == "again"
    assert json.loads(bob("eval", "get", pk))["total_samples"] == 2

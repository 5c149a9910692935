"""`hub check --run`: the probes in this machine's sandbox."""

from __future__ import annotations

import json
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from envyard.__main__ import main
from tests import data_hub, layers, wheels
from tests.compatibility import judge as judges


def program(folder: Path, name: str, text: str) -> None:
    file = folder / name
    file.write_text(f"#!{sys.executable}\n{text}")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)


@pytest.mark.parametrize("missing", ["hub-runner", "bubblewrap"])
def test_run_names_what_to_install(
    tmp_path: Path,
    missing: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A copy of this Python without hub-runner beside it acts as a machine that lacks it."""
    wheel, bin_ = wheels.write_wheel(tmp_path), tmp_path / "bin"
    bin_.mkdir()
    if missing == "bubblewrap":
        program(bin_, "hub-runner", "")
    monkeypatch.setattr(sys, "executable", str(bin_ / "python"))
    monkeypatch.setenv("PATH", str(bin_))
    assert main(["check", str(wheel), "--offline", "--run", "--json"]) == 1
    error = json.loads(capsys.readouterr().err)["error"]
    assert error["code"] == "cli.no_sandbox"
    assert missing in error["message"]
    assert "/runner/" in error["hint"] or "apt install bubblewrap" in error["hint"]


@pytest.fixture(scope="module")
def runner_home() -> Iterator[Path]:
    """A folder that the sandbox's users can reach, with the framework installed."""
    with TemporaryDirectory(prefix="envyard-check-", dir="/var/tmp") as name:
        Path(name).chmod(0o755)
        layers.link_into(Path(name))
        yield Path(name)


@pytest.mark.flow
@pytest.mark.once
@pytest.mark.parametrize(
    ("paid", "exit_code"), [("float(self.data.answer in trace.last_reply)", 0), ("1 / 0", 3)]
)
def test_run_plays_the_probes_in_the_sandbox_and_shows_their_rewards(
    tmp_path: Path,
    runner_home: Path,
    paid: str,
    exit_code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("RUNNER_HOME", str(runner_home))
    text = wheels.TASKSET.replace(
        'float(trace.last_reply.strip() == f"The word is {self.data.answer}.")', paid
    )
    wheel = wheels.write_wheel(tmp_path, files={"demo_env/__init__.py": text})
    code = main(["check", str(wheel), "--offline", "--run", "--json"])
    trial = json.loads(capsys.readouterr().out)["run"]
    rows = {row["policy"]: row for row in trial["probes"]}
    if exit_code == 0:
        assert (rows["oracle"]["mean"], rows["silent"]["mean"]) == (1.0, 0.0)
        assert len(trial["facts"]["tasks"]) == 5
    else:
        assert rows["oracle"]["failed"] == 5
        assert "ZeroDivisionError" in rows["oracle"]["errors"][0]["message"]
        assert "demo_env/__init__.py" in rows["oracle"]["errors"][0]["traceback"]
    assert code == 0  # rewards are judged by the hub's card, which --offline leaves out


JUDGED = (
    wheels.TASKSET.replace(
        "import verifiers.v1 as vf\n",
        """import json
import os
import urllib.request

import verifiers.v1 as vf


def judge(text: str) -> str:
    body = {"model": "gpt-4.1", "messages": [{"role": "user", "content": text}]}
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"] + "/chat/completions",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "Authorization": os.environ["OPENAI_API_KEY"]},
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["choices"][0]["message"]["content"]
""",
    )
    .replace(
        'return float(trace.last_reply.strip() == f"The word is {self.data.answer}.")',
        """return float(judge(
            f"answer:\\n```\\n{self.data.answer}\\n```\\nResponse:\\n```\\n{trace.last_reply}\\n```"
        ) == "yes")""",
    )
    .replace(
        "for word in WORDS:",
        """path = "/datasets/org/words/resolve/main/words.txt"
        with urllib.request.urlopen(os.environ["HF_ENDPOINT"] + path) as file:
            words = file.read().decode().split()
        for word in words[: int(os.environ["COUNT"])]:""",
    )
)
DECLARED = """[tool.envyard]
judge = true
variables = {COUNT = "0"}
"""


@pytest.fixture
def data(tmp_path: Path) -> Iterator[data_hub.DataHub]:
    with data_hub.serving(tmp_path / "data") as hub:
        hub.add("org/words", {"words.txt": b"17 18 19 20"})
        yield hub


@pytest.mark.flow
@pytest.mark.once
@pytest.mark.timeout(600)
def test_a_run_has_what_the_options_provide_and_names_what_it_lacks(
    tmp_path: Path,
    runner_home: Path,
    data: data_hub.DataHub,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("RUNNER_HOME", str(runner_home))
    monkeypatch.setenv("HF_ENDPOINT", data.url)
    files = {"demo_env/__init__.py": JUDGED, "demo_env/pyproject.toml": DECLARED}
    wheel = wheels.write_wheel(tmp_path, files=files)
    with judges.serving() as settings:
        monkeypatch.setenv("RUNNER_JUDGE_KEY", settings["RUNNER_JUDGE_KEY"])
        judge_options = ["--judge-url", settings["RUNNER_JUDGE_URL"]]
        judge_options += ["--judge-model", settings["HUB_JUDGE_MODEL"]]
        steps = {
            "needs.data": ["--variable", "COUNT=2"],
            "needs.judge": ["--variable", "COUNT=2", "--data"],
            "": ["--variable", "COUNT=2", "--data", *judge_options],
        }
        for lacked, options in steps.items():
            code = main(["check", str(wheel), "--offline", "--run", "--json", *options])
            captured = capsys.readouterr()
            trial = json.loads(captured.out)["run"]
            if lacked:
                assert code == 4
                assert [row["code"] for row in trial["findings"]] == [lacked]
                error = json.loads(captured.err)["error"]
                assert error["code"] == "cli.check_held"
                assert ("--data" if lacked == "needs.data" else "--judge-url") in error["hint"]
            else:
                assert code == 0, captured.err
                assert trial["outcome"] == "succeeded", trial["log"]
                rows = {row["policy"]: row for row in trial["probes"]}
                assert rows["silent"]["rewards"] == [0.0, 0.0]
                assert rows["parrot"]["rewards"] == [1.0, 1.0]  # the word is in the prompt
                assert trial["facts"]["judge"]["model"] == settings["HUB_JUDGE_MODEL"]
                assert settings["RUNNER_JUDGE_KEY"] not in captured.out


def test_options_of_a_run_need_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wheel = wheels.write_wheel(tmp_path)
    assert main(["check", str(wheel), "--offline", "--data", "--json"]) == 2
    error = json.loads(capsys.readouterr().err)["error"]
    assert (error["message"], error["hint"]) == (
        "--data is about a run on this machine", "Add --run."
    )  # fmt: skip

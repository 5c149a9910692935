"""What pages show of an environment's use outside the hub, run as it is shown."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiohttp import web
from uv import find_uv_bin

from envyard.contract.frameworks.adapter import MODEL_URL, Usage
from envyard.contract.frameworks.adapters import ADAPTERS
from tests.flows.hub import ROOT, clean_environ
from tests.worker.guest.adapters.conftest import HERE, PYTHON, site
from tests.worker.guest.adapters.test_verifiers_v0 import EARLIER, EARLIEST
from tests.worker.stub_model import StubModel

pytestmark = [pytest.mark.flow, pytest.mark.adapter, pytest.mark.timeout(900)]

REVERSED, CALCULATED, CHECKED = "reverse_text", "calculator_tools", "double_check"
OTHERS = [pytest.param(name, marks=pytest.mark.extended) for name in (REVERSED, CHECKED)]
RELEASES = ["", *(pytest.param(each, marks=pytest.mark.extended) for each in (EARLIEST, *EARLIER))]


@pytest.fixture(scope="module")
def model() -> Iterator[tuple[StubModel, str]]:
    """A model that reverses texts, and the URL of its server."""
    stub, loop, addresses = StubModel(), asyncio.new_event_loop(), list[str]()
    started = threading.Event()

    async def start() -> web.AppRunner:
        runner = web.AppRunner(stub.application(), access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        addresses.append(f"http://127.0.0.1:{runner.addresses[0][1]}/v1")
        started.set()
        return runner

    def serve() -> None:
        runner = loop.run_until_complete(start())
        loop.run_forever()
        loop.run_until_complete(runner.cleanup())
        loop.close()

    thread = threading.Thread(target=serve)
    thread.start()
    assert started.wait(20)
    yield stub, addresses[0]
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where the wheels of examples are installed."""
    folder = tmp_path_factory.mktemp("wheels")
    names = (REVERSED, CALCULATED, CHECKED)
    sources = [str(ROOT / "examples" / name.replace("_", "-")) for name in names]
    install = [find_uv_bin(), "pip", "install", "--no-deps", "--no-config", "--python", PYTHON]
    subprocess.run([*install, "--target", str(folder), *sources], check=True)
    return folder


def run(words: list[str], framework: Path, environments: Path, folder: Path) -> str:
    """The output of a program in a shell where uv, framework and environments are installed."""
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)
    (programs / "uv").unlink(missing_ok=True)
    (programs / "uv").symlink_to(find_uv_bin())
    environ = clean_environ() | {
        "PATH": os.pathsep.join([str(framework / "bin"), str(programs), os.environ["PATH"]]),
        "PYTHONPATH": os.pathsep.join([str(framework), str(environments)]),
        "OPENAI_API_KEY": "any",
    }
    done = subprocess.run(
        words,
        env=environ,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=400,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def shell(usage: Usage, url: str) -> list[str]:
    """The command that is shown, with the server of this test in place of the reader's."""
    assert usage.evaluating.count(MODEL_URL) == 1
    return ["sh", "-c", usage.evaluating.replace(MODEL_URL, url)]


@pytest.mark.parametrize("module", [CALCULATED, *OTHERS])
def test_the_shown_python_loads_a_taskset(module: str, wheels: Path, tmp_path: Path) -> None:
    usage = ADAPTERS["verifiers", "v1"].usage(module)
    output = run([PYTHON, "-c", usage.loading], site("v1"), wheels, tmp_path)
    assert len(output.strip()) > 20, output


@pytest.mark.parametrize("module", [CALCULATED, *OTHERS])
def test_the_shown_command_evaluates_a_taskset_on_this_machine_alone(
    module: str, wheels: Path, tmp_path: Path, model: tuple[StubModel, str]
) -> None:
    stub, url = model
    stub.requests.clear()
    usage = ADAPTERS["verifiers", "v1"].usage(module)
    run(shell(usage, url), site("v1"), wheels, tmp_path)
    (traces,) = tmp_path.glob("outputs/*/traces.jsonl")
    episodes = [json.loads(line) for line in traces.read_text().splitlines()]
    assert len(episodes) == 4
    assert [trace["errors"] for trace in played(episodes) if trace["errors"]] == []
    assert {body["model"] for body in stub.requests} == {"MODEL"}
    offered = {name(tool) for body in stub.requests for tool in body.get("tools") or ()}
    assert "bash" not in offered
    assert bool(offered) == (module == CALCULATED)
    if module == REVERSED:
        assert {reward(trace) for trace in played(episodes)} == {1.0}


def played(episodes: list[dict]) -> list[dict]:
    return [trace for episode in episodes for trace in episode.get("traces", [episode])]


def name(tool: dict) -> str:
    return str(tool["function"]["name"])


def reward(trace: dict) -> float:
    return float(sum(part["score"] * part["weight"] for part in trace["rewards"].values()))


@pytest.mark.parametrize("release", RELEASES)
def test_the_shown_lines_load_and_evaluate_a_classic_environment(
    release: str, tmp_path: Path, model: tuple[StubModel, str]
) -> None:
    stub, url = model
    stub.requests.clear()
    usage = ADAPTERS["verifiers", "v0"].usage("words_v0")
    framework = site("v0", *([f"verifiers=={release}"] if release else []))
    environments = HERE / "environments" / "v0"
    assert "Say delta" in run([PYTHON, "-c", usage.loading], framework, environments, tmp_path)
    output = run(shell(usage, url), framework, environments, tmp_path)
    assert "reward: avg" in output
    assert len(stub.requests) == 2, "two attempts at the only task of its evaluation"


def test_what_is_no_name_of_a_module_is_in_no_command() -> None:
    for module in ("", "a b", "a;b", "$(x)", "ünder", "1a"):
        with pytest.raises(ValueError, match="identifier"):
            ADAPTERS["verifiers", "v1"].usage(module)

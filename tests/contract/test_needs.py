"""Needs of an environment: predicted from the code of its wheel, or declared in it."""

import io
import time
from typing import Any

import pytest

from envyard.contract.detect import Detection
from envyard.contract.examine import examine
from envyard.contract.findings import Finding
from envyard.contract.needs.kinds import KINDS, covers, host_fault, need, variable_fault
from tests.wheels import TASKSET, filename, make_wheel

INIT = "demo_env/__init__.py"


def read(source: str = "", **files: str) -> tuple[list[Finding], Detection]:
    members: dict[str, str | bytes] = {INIT: TASKSET + source}
    members |= {
        (path if path == "pyproject.toml" else f"demo_env/{path}"): text
        for path, text in files.items()
    }
    return examine(io.BytesIO(make_wheel(files=members)), filename=filename())


def needs(source: str = "", **files: str) -> dict[str, tuple[str, ...]]:
    return {item.kind: item.names for item in read(source, **files)[1].needs}


def declared(table: str, source: str = "") -> Any:
    findings, detection = read(source, **{"pyproject.toml": table})
    codes = [(item.code, item.severity) for item in findings if "declaration" in item.code]
    return codes, {item.kind: (item.names, item.declared) for item in detection.needs}


DATASETS = "from datasets import load_dataset\n"


@pytest.mark.parametrize(
    ("source", "names"),
    [
        (DATASETS + "load_dataset('openai/gsm8k', 'main', split='test')\n", ["openai/gsm8k"]),
        (DATASETS + "load_dataset('gsm8k')\n", ["gsm8k"]),
        (DATASETS + "def f(name='a/b'):\n    load_dataset(path=name)\n", ["a/b"]),
        (
            DATASETS + "class C:\n    data: str = 'a/b'\ndef f(c):\n    load_dataset(c.data)\n",
            ["a/b"],
        ),
        (DATASETS + "load_dataset('a/b' if TASKSET else 'c/d')\n", ["a/b", "c/d"]),
        (DATASETS + "load_dataset(computed())\n", []),
        (DATASETS + "load_dataset('json', data_files='hf://datasets/a/b/x.json')\n", ["a/b"]),
        ("import datasets as d\nd.load_dataset('a/b')\n", ["a/b"]),
        ("from huggingface_hub import hf_hub_download as g\ng('a/b', 'f')\n", ["a/b"]),
        ("import huggingface_hub as h\nh.snapshot_download(repo_id='a/b')\n", ["a/b"]),
        ("import pandas as pd\npd.read_parquet('hf://datasets/a/b/x.parquet')\n", ["a/b"]),
        ("import pandas as pd\npd.read_csv('https://huggingface.co/datasets/a/b/x')\n", ["a/b"]),
        ("import transformers as t\nt.AutoTokenizer.from_pretrained('a/b')\n", ["a/b"]),
        ("import verifiers as v0\nv0.load_example_dataset('gsm8k')\n", []),
    ],
)
def test_data_sets_are_predicted_by_literal_names(source: str, names: list[str]) -> None:
    assert needs(source) == {"data": tuple(names)}


@pytest.mark.parametrize(
    "source",
    [
        "import verifiers as v0\nr = v0.JudgeRubric(judge_model='x')\n",
        "from verifiers.rubrics.judge_rubric import JudgeRubric as R\nR()\n",
        "import verifiers as v0\nclass Mine(v0.ReferenceJudge):\n    pass\n",
        "from openai import AsyncOpenAI\nc = AsyncOpenAI()\n",
        "import anthropic\nc = anthropic.Anthropic()\n",
        "import litellm\nlitellm.acompletion(model='x')\n",
        "import httpx\nB = 'https://api.pinference.ai/api/v1'\nhttpx.AsyncClient(base_url=B)\n",
    ],
)
def test_a_judge_is_predicted_by_rubrics_clients_and_addresses(source: str) -> None:
    assert "judge" in needs(source)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import os\nos.environ['EXA_API_KEY']\n", {"secret": ("EXA_API_KEY",)}),
        ("import os as o\no.getenv('EXA_API_KEY')\n", {"secret": ("EXA_API_KEY",)}),
        ("from os import getenv\ngetenv('A_TOKEN')\n", {"secret": ("A_TOKEN",)}),
        (
            "import verifiers as v0\nv0.ensure_keys(['B_KEY', 'A_ID'])\n",
            {"secret": ("A_ID", "B_KEY")},
        ),
        ("import os\nos.environ.get('CACHE_DIR')\n", {}),
        ("import os\nos.environ['NEW_API_KEY'] = 'x'\n", {}),
        ("import os\nos.getenv('OPENAI_API_KEY')\n", {}),
        ("import requests\nrequests.get('https://api.exa.ai/x')\n", {"host": ("api.exa.ai",)}),
        ("import httpx\nhttpx.get(f'https://a.b.org/{x}')\n", {"host": ("a.b.org",)}),
        ("import httpx\nhttpx.post(address)\n", {"host": ()}),
        (
            "U = 'https://google.serper.dev/s'\nasync def f(s):\n    s.post(U)\n",
            {"host": ("google.serper.dev",)},
        ),
        ("import nltk\nnltk.download('punkt')\n", {"host": ("raw.githubusercontent.com",)}),
        ("'''See https://a.org'''\nROW = {'url': 'https://b.org'}\n", {}),
        ("import httpx\nhttpx.get('http://127.0.0.1:8000/x')\n", {}),
        ("import verifiers as v0\nv0.SandboxEnv()\n", {"machine": ()}),
        ("import verifiers as v0\nclass E(v0.PythonEnv):\n    pass\n", {"machine": ()}),
        ("f(docker_image='python:3.11-slim')\n", {"machine": ("python:3.11-slim",)}),
        ("Task(image='ghcr.io/a/b:1')\n", {"machine": ("ghcr.io/a/b:1",)}),
        ("draw(image='cat')\n", {}),
        ("NEEDS_CONTAINER = True\n", {"machine": ()}),
        ("import prime_sandboxes\n", {"machine": ()}),
    ],
)
def test_secrets_hosts_and_machines_are_predicted(
    source: str, expected: dict[str, tuple[str, ...]]
) -> None:
    assert needs(source) == expected


def test_constants_of_other_files_are_followed_and_unused_files_are_not_read() -> None:
    config = "DATA = 'a/b'\n"
    unused = "import os\nos.environ['X_API_KEY']\n"
    source = DATASETS + "from .config import DATA\nload_dataset(DATA)\n"
    assert needs(source, **{"config.py": config, "unused.py": unused}) == {"data": ("a/b",)}
    computed = "import importlib\nimportlib.import_module('demo_env.unused')\n"
    assert needs(computed, **{"unused.py": unused}) == {"secret": ("X_API_KEY",)}


def test_a_prediction_names_the_line_that_shows_it() -> None:
    [item] = read(DATASETS + "load_dataset('a/b')\n")[1].needs
    assert item.where == f"{INIT}:{TASKSET.count(chr(10)) + 2}"
    assert item.sentence == "It probably needs data sets: a/b."


def test_declarations_replace_predictions_of_their_kind() -> None:
    table = "[tool.envyard]\njudge = false\nhosts = ['*.exa.ai']\nvariables = {MODE = 'hard'}\n"
    source = "from openai import OpenAI\nOpenAI()\nimport os\nos.environ['EXA_API_KEY']\n"
    codes, kinds = declared(table, source)
    assert codes == []
    assert kinds == {"host": (("*.exa.ai",), True), "secret": (("EXA_API_KEY",), False)}
    assert read(source, **{"pyproject.toml": table})[1].variables == {"MODE": "hard"}


def test_the_file_in_the_package_comes_before_the_one_at_the_top() -> None:
    members: dict[str, str | bytes] = {
        INIT: TASKSET,
        "pyproject.toml": "[tool.envyard]\njudge = true\n",
        "demo_env/pyproject.toml": "[tool.envyard]\nsecrets = ['EXA_API_KEY']\n",
    }
    _, detection = examine(io.BytesIO(make_wheel(files=members)), filename=filename())
    assert [item.kind for item in detection.needs] == ["secret"]


@pytest.mark.parametrize(
    ("table", "code", "text"),
    [
        ("[tool.envyard]\nhosts = ['https://a.org']\n", "env.bad_declaration", "https://a.org"),
        ("[tool.envyard]\nhosts = ['*.com']\n", "env.bad_declaration", "'*.com'"),
        ("[tool.envyard]\nhosts = 'a.org'\n", "env.bad_declaration", "list of texts"),
        ("[tool.envyard]\nsecrets = ['HF_TOKEN']\n", "env.bad_declaration", "HF_TOKEN"),
        ("[tool.envyard]\nsecrets = ['lower']\n", "env.bad_declaration", "'lower'"),
        ("[tool.envyard]\njudge = 'yes'\n", "env.bad_declaration", "true or false"),
        ("[tool.envyard]\nvariables = {PATH = 'x'}\n", "env.bad_declaration", "'PATH'"),
        (
            "[tool.envyard]\nvariables = {LEVEL = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123'}\n",
            "env.bad_declaration",
            "variables.LEVEL looks like a key",
        ),
        ("[tool.envyard]\nvariables = {A = 1}\n", "env.bad_declaration", "must be a text"),
        ("[tool]\nenvyard = 3\n", "env.bad_declaration", "must be a table"),
        ("[tool.envyard\n", "env.bad_declaration", "TOML"),
        ("[tool.envyard]\nhost = ['a.org']\n", "env.unknown_declaration", "tool.envyard.host "),
        ("x = " + "[" * 5000, "env.bad_declaration", "TOML"),
    ],
)
def test_an_invalid_declaration_is_a_finding_that_names_it(
    table: str, code: str, text: str
) -> None:
    [item] = [item for item in read(**{"pyproject.toml": table})[0] if item.code.startswith("env.")]
    assert (item.code, text in item.message) == (code, True)


def test_a_pyproject_without_the_table_declares_nothing() -> None:
    assert declared("[project]\nname = 'x'\n") == ([], {})


@pytest.mark.parametrize(
    "name",
    [
        *("path", "PATH", "HOME", "LD_PRELOAD", "HTTPS_PROXY", "PYTHONPATH", "SSL_CERT_FILE"),
        *("A-B", "HF_TOKEN", "1A", "", "A" * 101, "OPENAI_BASE_URL", "A\n"),
    ],
)
def test_names_that_the_runner_sets_or_that_change_programs_are_refused(name: str) -> None:
    assert variable_fault(name)
    assert not variable_fault("EXA_API_KEY")


@pytest.mark.parametrize(
    "host",
    [
        *("localhost", "*.org", "a.org:443", "A.org", "1.2.3.4", "a_b.org", "a..org", "*"),
        *("a.*.org", "", "a" * 64 + ".org", "[::1]", "a.org/x", "a.org\n"),
    ],
)
def test_only_names_of_public_hosts_are_hosts(host: str) -> None:
    assert host_fault(host)
    assert not host_fault("api.exa.ai")
    assert not host_fault("*.exa.ai")


def test_a_star_stands_for_one_label() -> None:
    assert covers("*.exa.ai", "api.exa.ai")
    assert not covers("*.exa.ai", "exa.ai")
    assert not covers("*.exa.ai", "a.b.exa.ai")
    assert covers("api.exa.ai", "api.exa.ai")


def test_names_of_a_need_are_bounded() -> None:
    item = need("data", [f"a/{number}" for number in range(500)] + ["x" * 500])
    assert len(item.names) == 50
    assert item.kind in KINDS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a." * 50_000 + "a = 1\n", "line 1 has more than 300 dots"),
        ('"a" . ' * 20_000 + "a = 1\n", "line 1 has more than 300 dots"),
        (("x = {" + "a." * 290 + "a = 1}\n") * 300, "characters; the limit is"),
        ("[" + "a." * 290 + "a]\n" + "b = 1\n" * 2, "Cannot overwrite"),
        ("x = " + "[" * 50_000, "recursion"),
        ("x = " + "9" * 100_000, "4300 digits"),
    ],
)
def test_a_declaration_made_to_be_slow_is_refused_in_bounded_time(text: str, message: str) -> None:
    start = time.process_time()
    findings, _ = read(**{"pyproject.toml": text})
    (bad,) = [item for item in findings if item.code == "env.bad_declaration"]
    assert message in bad.message
    assert time.process_time() - start < 5


@pytest.mark.slow
def test_hostile_code_is_read_in_bounded_time() -> None:
    start = time.process_time()
    names = "".join(f"v{number} = [{'v,' * 50}'x']\nv = v{number}\n" for number in range(3_000))
    needs(DATASETS + names + "load_dataset(v)\n" * 3_000)
    needs("x = " + "(" * 90 + "'a'" + ")" * 90 + "\n" + "f(" * 80 + ")" * 80)
    needs("x = '" + "https://a." * 20_000 + "'\nimport httpx\n" + "httpx.get(x)\n" * 2_000)
    assert time.process_time() - start < 20

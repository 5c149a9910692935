"""Exceptions with the cause and the sentence that they must give."""

from __future__ import annotations

from typing import Any

HOST = "data.example.org"


def raised(kind: str, message: str = "", *bases: str, **facts: Any) -> dict[str, Any]:
    return {"types": [kind, *bases, "builtins.Exception"], "message": message, **facts}


NOT_RESOLVED = raised("socket.gaierror", "[Errno -2] Name or service not known", "builtins.OSError")
CASES = [
    (
        "network",
        raised(
            "builtins.ConnectionError",
            "Couldn't reach 'lab/sums' on the Hub (LocalEntryNotFoundError)",
            call='load_dataset( "lab/sums", split="train", )',
            at="word_game/env.py:7",
        ),
        ('load_dataset("lab/sums", split="train") (word_game/env.py:7) tried to reach the data set '
        "'lab/sums'; a sandbox has no network"),
    ),
    (
        "network",
        raised(
            "requests.exceptions.ConnectionError",
            f"HTTPSConnectionPool(host='{HOST}', port=443): Max retries exceeded with url: /x",
        ),
        f"The environment tried to reach {HOST}; a sandbox has no network",
    ),
    ("network", raised("httpx.ConnectError", "All connection attempts failed"), "the network"),
    (
        "network",
        raised("aiohttp.ClientConnectorError", f"Cannot connect to host {HOST}:443 ssl:default"),
        HOST,
    ),
    ("network", NOT_RESOLVED, "Name or service not known"),
    (
        "missing_key",
        raised("verifiers.errors.MissingKeyError", "Missing required environment variable(s): "
               "EXA_API_KEY, SERPER_API_KEY. Add them in the Secrets tab.", "builtins.ValueError"),
        "needs EXA_API_KEY, SERPER_API_KEY, which is not set in a sandbox",
    ),
    (
        "missing_key",
        raised("openai.OpenAIError", "Missing credentials. Please pass an `api_key`, or set the "
               "`OPENAI_API_KEY` or `OPENAI_ADMIN_KEY` environment variable."),
        "needs OPENAI_API_KEY or OPENAI_ADMIN_KEY",
    ),
    (
        "missing_key",
        raised("builtins.KeyError", "'SEARCH_TOKEN'", call="os.environ['SEARCH_TOKEN']", at="a:1"),
        "os.environ['SEARCH_TOKEN'] (a:1) needs SEARCH_TOKEN",
    ),
    (
        "missing_key",
        raised("builtins.ValueError", "search requires the EXA_API_KEY environment variable"),
        "The environment needs EXA_API_KEY",
    ),
    (
        "container",
        raised("docker.errors.DockerException", "Error while fetching server API version: "
               "('Connection aborted.', FileNotFoundError(2, 'No such file or directory'))"),
        "needs a container",
    ),
    (
        "container",
        raised("builtins.FileNotFoundError", "[Errno 2] No such file or directory: 'docker'",
               "builtins.OSError", name="docker"),
        "needs a container",
    ),
    ("container", raised("modal.exception.AuthError", "Token missing"), "starts sandboxes"),
    (
        "container",
        raised("builtins.ValueError", "Harness 'x' needs a container runtime, but this is not one"),
        "needs a container",
    ),
    (
        "installer",
        raised("builtins.RuntimeError", "`uv` executable not found. Install uv and put it on PATH"),
        "calls uv",
    ),
    (
        "installer",
        raised("builtins.FileNotFoundError", "", "builtins.OSError", name="npx"),
        "calls npx",
    ),
    (
        "gpu",
        raised("builtins.RuntimeError", "Found no NVIDIA driver on your system."),
        "expects a GPU",
    ),
    ("gpu", raised("builtins.AssertionError", "Torch not compiled with CUDA enabled"), "GPU"),
    (
        "system_library",
        raised("builtins.ImportError", "libGL.so.1: cannot open shared object file: No such file"),
        "needs the system library libGL.so.1",
    ),
    (
        "system_tool",
        raised("builtins.FileNotFoundError", "[Errno 2] No such file or directory: 'stockfish'",
               "builtins.OSError", name="stockfish"),
        "needs the program 'stockfish'",
    ),
    (
        "system_tool",
        raised("pytesseract.TesseractNotFoundError",
               "tesseract is not installed or it's not in your PATH. See README"),
        "needs the program 'tesseract'",
    ),
    (
        "data_download",
        raised("builtins.LookupError", "\n****\n  Resource \x1b[93mwords\x1b[0m not found.\n"
               "  Please use the NLTK Downloader to obtain the resource:"),
        "needs the NLTK data 'words'",
    ),
    (
        "data_script",
        raised("builtins.RuntimeError",
               "Dataset scripts are no longer supported, but found scripted.py",
               call="datasets.load.load_dataset"),
        "consists of a script",
    ),
    (
        "framework_api",
        raised("builtins.ModuleNotFoundError", "No module named 'verifiers.envs.rlm'",
               "builtins.ImportError", name="verifiers.envs.rlm"),
        "needs 'verifiers.envs.rlm', which the installed verifiers does not have",
    ),
    (
        "framework_api",
        raised("builtins.ImportError",
               "cannot import name 'RubricGroup' from 'verifiers' (/venv/x/__init__.py)"),
        "needs 'RubricGroup', which the installed verifiers does not have",
    ),
    (
        "framework_api",
        raised("builtins.AttributeError", "module 'verifiers' has no attribute 'ToolEnv'"),
        "needs 'ToolEnv'",
    ),
    (
        "library_api",
        raised("builtins.ImportError", "cannot import name 'triu' from 'scipy.linalg' (/x.py)"),
        "needs 'triu', which the installed scipy does not have",
    ),
    (
        "own_module",
        raised("builtins.ModuleNotFoundError", "No module named 'word_game.rules'",
               "builtins.ImportError", name="word_game.rules"),
        "The wheel holds no module 'word_game.rules'",
    ),
    (
        "removed_module",
        raised("builtins.ModuleNotFoundError", "No module named 'pkg_resources'",
               "builtins.ImportError"),
        "imports 'pkg_resources'",
    ),
    (
        "missing_module",
        raised("builtins.ModuleNotFoundError", "No module named 'sympy'", "builtins.ImportError",
               call="import sympy", at="word_game/env.py:2"),
        "import sympy (word_game/env.py:2) imports 'sympy', which none of the installed",
    ),
    (
        "missing_file",
        raised("builtins.FileNotFoundError", "[Errno 2] No such file or directory", "OSError",
               name="/venv/environment/word_game/data/tasks.jsonl"),
        "looks for word_game/data/tasks.jsonl, which is not among the installed files",
    ),
    (
        "other_file",
        raised("builtins.FileNotFoundError", "[Errno 2] No such file or directory", "OSError",
               name="data/tasks.jsonl"),
        "looks for the file 'data/tasks.jsonl'",
    ),
    (
        "read_only",
        raised("builtins.OSError", "[Errno 30] Read-only file system: '/venv/cache'",
               name="/venv/cache"),
        "writes to '/venv/cache'",
    ),
    (
        "arguments",
        raised("builtins.TypeError",
               "load_environment() missing 1 required positional argument: 'dataset'"),
        "load_environment needs arguments that no run gives: 'dataset'",
    ),
    (
        "limit_check",
        raised("builtins.RuntimeError", "File descriptor limit (RLIMIT_NOFILE) is set to 1024"),
        "requires a higher limit than its runner has",
    ),
    (
        "limit",
        raised("builtins.OSError", "[Errno 24] Too many open files: '/tmp/rows'"),
        "ran into a limit",
    ),
    (
        "task_route",
        raised("builtins.ValueError",
               "Serialized task payloads must be JSON objects. Plain string task routes are no "
               "longer supported; use info['env_id'] for routing."),
        "which verifiers up to 0.1.12 accepts and later releases refuse",
    ),
    (
        "signature",
        raised("builtins.TypeError", "harness() got an unexpected keyword argument 'repository'",
               call="harness(repository=name)", at="word_game/env.py:9"),
        "harness(repository=name) (word_game/env.py:9) passes arguments",
    ),
    ("timeout", raised("builtins.TimeoutError", "", "builtins.OSError"), "took longer"),
]  # fmt: skip

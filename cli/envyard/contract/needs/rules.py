"""The rules of predictions: which calls, names and texts show which need."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import urlsplit

from envyard.contract.failures.needs import CONTAINER_TOOLS, SANDBOX_SERVICES, SECRETIVE
from envyard.contract.needs.code import Code
from envyard.contract.needs.kinds import JUDGE_HOSTS, JUDGE_KEYS, host_fault, variable_fault

Signs = Iterator[tuple[str, Iterable[str]]]
REPOSITORY = re.compile(r"[\w.-]{1,96}/[\w.-]{1,96}")
PLAIN_REPOSITORY = re.compile(r"[\w-][\w.-]{0,95}(?:/[\w.-]{1,96})?")
IN_ADDRESS = re.compile(r"hf://(?:datasets/|spaces/)?([\w.-]{1,96}/[\w.-]{1,96})")
HUB_HOSTS = {"huggingface.co", "hf.co"}
BUILDERS = {
    *("json", "csv", "parquet", "text", "arrow", "imagefolder", "audiofolder", "pandas", "xml"),
    *("webdataset", "generator", "sql", "videofolder"),
}
LOADERS = {"load_dataset", "load_dataset_builder", "get_dataset_config_names"}
LOADERS |= {"get_dataset_split_names", "snapshot_download", "hf_hub_download", "from_pretrained"}
EXAMPLES = {"load_example_dataset"}
MODEL_CLIENTS = {"AsyncOpenAI", "OpenAI", "AsyncAnthropic", "Anthropic", "AzureOpenAI"}
MODEL_CLIENTS |= {"AsyncAzureOpenAI", "ChatOpenAI", "ChatAnthropic", "setup_openai_client"}
JUDGES = re.compile(r"(?:^|\.)(?:[A-Z]\w*)?(?:JudgeRubric|Judge|JudgeConfig|JudgeRubricConfig)$")
COMPLETIONS = {"litellm.completion", "litellm.acompletion", "litellm.responses"}
FETCHES = {
    *("get", "post", "put", "request", "stream", "head", "urlopen", "urlretrieve", "Request"),
    *("read_csv", "read_json", "read_parquet", "read_table", "download_url", "open", "fetch"),
    *("ws_connect", "AsyncClient", "Client", "ClientSession", "streamablehttp_client"),
    *("sse_client", "wget", "download"),
}
CLIENT_MODULES = ("requests", "httpx", "aiohttp", "urllib", "urllib3")
SERVICES = {
    "exa_py": "api.exa.ai",
    "tavily": "api.tavily.com",
    "serpapi": "serpapi.com",
    "wikipediaapi": "en.wikipedia.org",
    "wikipedia": "en.wikipedia.org",
    "firecrawl": "api.firecrawl.dev",
    "cohere": "api.cohere.com",
    "wolframalpha": "api.wolframalpha.com",
}
TOOL_HOSTS = {"nltk.download": "raw.githubusercontent.com"}
MACHINE_CLASSES = re.compile(
    r"(?:^|\.)(?:SandboxEnv|PythonEnv|CliAgentEnv|HarborEnv|RLMEnv|SandboxMixin|OpenCodeEnv"
    r"|SandboxTaskSet|ComposableEnv|BrowserEnv|TerminalBenchEnv|SandboxClient|AsyncSandboxClient"
    r"|CreateSandboxRequest|OpenCode\w*Env|Swe\w*TaskSet|RLMHarness|opencode_harness|rlm_harness"
    r"|mini_swe_agent_harness|ThreadedAsyncSandboxClient)$"
)
IMAGE = re.compile(r"[a-z0-9][a-z0-9._/-]{0,199}(?::[\w][\w.-]{0,99})?(?:@sha256:[0-9a-f]{64})?")
IMAGE_MARK = re.compile(r"[:/]")  # a word without either is hardly the name of an image
LOCAL = {"localhost", "127.0.0.1", "0.0.0.0", "example.com", "example.org"}  # noqa: S104


def data_sets(code: Code, call: ast.Call, name: str) -> Signs:
    """Calls that load data sets or models from the model hub."""
    tail = name.rpartition(".")[2]
    if tail in EXAMPLES:
        yield "data", ()
        return
    if tail not in LOADERS:
        return
    if tail in ("load_dataset", "from_pretrained") and not _from_library(code, call, name):
        return
    first = code.argument(call, 0, "path", "repo_id", "pretrained_model_name_or_path")
    texts = code.values(first)
    if texts & BUILDERS:
        texts = texts - BUILDERS
        files = code.values(code.argument(call, 99, "data_files"))
        yield from _addresses(files)
        if not texts:
            return
    pattern = PLAIN_REPOSITORY if tail == "load_dataset" else REPOSITORY
    names = {text for text in texts if pattern.fullmatch(text) and not text.startswith(".")}
    if names or not texts:
        yield "data", names


def _from_library(code: Code, call: ast.Call, name: str) -> bool:
    """Whether the call is of a library, not of a method or function of the same name."""
    head = name.partition(".")[0]
    if name.rpartition(".")[2] == "from_pretrained":
        return name.startswith(("transformers.", "tokenizers.", "sentence_transformers."))
    return head == "datasets" or name.startswith("huggingface_hub.")


def judges(code: Code, call: ast.Call, name: str) -> Signs:
    """Rubrics, classes and clients that call a model."""
    tail = name.rpartition(".")[2]
    is_client = tail in MODEL_CLIENTS and name != tail
    if is_client or name in COMPLETIONS or _is_judge(name):
        yield "judge", ()


def _is_judge(name: str) -> bool:
    return name.startswith("verifiers") and JUDGES.search(name) is not None


def environment_variables(code: Code, call: ast.Call, name: str) -> Signs:
    """Keys that are read from the environment."""
    if name in ("os.getenv", "os.environ.get") and call.args:
        yield from _keys(code.values(call.args[0]))
    elif name.endswith("ensure_keys") and call.args:
        yield from _keys(code.values(call.args[0]), all_names=True)


def _keys(names: Iterable[str], *, all_names: bool = False) -> Signs:
    keys = {
        name
        for name in names
        if name not in JUDGE_KEYS and not variable_fault(name)
        if all_names or SECRETIVE.search(name)
    }
    if keys:
        yield "secret", keys


def hosts(code: Code, call: ast.Call, name: str) -> Signs:
    """Addresses in calls that open connections."""
    head, tail = name.partition(".")[0], name.rpartition(".")[2]
    if name in TOOL_HOSTS:
        yield "host", {TOOL_HOSTS[name]}
    elif head in SERVICES:
        yield "host", {SERVICES[head]}
    elif tail in FETCHES:
        texts = {
            text
            for place in (0, 1)
            for text in code.values(code.argument(call, place, "url", "base_url"))
        }
        yield from _addresses(texts)
        fetches = tail in ("get", "post", "request", "stream", "urlopen")
        if not any("://" in text for text in texts) and fetches and head in CLIENT_MODULES:
            yield "host", ()


def base_addresses(code: Code, call: ast.Call, name: str) -> Signs:
    """Addresses of services that a client is made with."""
    for keyword in call.keywords:
        if keyword.arg in ("base_url", "api_base", "endpoint", "server_url"):
            yield from _addresses(code.values(keyword.value))


def _addresses(texts: Iterable[str]) -> Signs:
    for text in texts:
        if match := IN_ADDRESS.match(text):
            yield "data", {match[1]}
            continue
        host = _host(text)
        if host in HUB_HOSTS:
            yield "data", _repository_of(text)
        elif host in JUDGE_HOSTS:
            yield "judge", ()
        elif host and host not in LOCAL and not host_fault(host):
            yield "host", {host}


def _host(text: str) -> str:
    if not text.startswith(("http://", "https://", "wss://")):
        return ""
    try:
        return (urlsplit(text).hostname or "").lower()
    except ValueError:
        return ""


def _repository_of(text: str) -> set[str]:
    parts = urlsplit(text).path.strip("/").split("/")
    parts = parts[1:] if parts[0] in ("datasets", "spaces") else parts
    name = "/".join(parts[:2])
    return {name} if REPOSITORY.fullmatch(name) else set()


def machines(code: Code, call: ast.Call, name: str) -> Signs:
    """Container images, and services that start sandboxes."""
    if MACHINE_CLASSES.search(name):
        yield "machine", ()
    for keyword in call.keywords:
        if keyword.arg in ("docker_image", "image", "container_image", "sandbox_docker_image"):
            texts = code.values(keyword.value)
            images = {text for text in texts if IMAGE.fullmatch(text) and IMAGE_MARK.search(text)}
            if images or keyword.arg != "image":
                yield "machine", images
    if name in ("subprocess.run", "subprocess.Popen", "asyncio.create_subprocess_exec"):
        commands = code.values(call.args[0]) if call.args else set()
        if commands & set(CONTAINER_TOOLS):
            yield "machine", ()


CALLS: tuple[Callable[[Code, ast.Call, str], Signs], ...] = (
    data_sets,
    judges,
    environment_variables,
    hosts,
    base_addresses,
    machines,
)


def of_node(code: Code, node: ast.AST) -> Signs:
    """What other parts of the code show: `environ[...]`, base classes, imports, attributes."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        if code.dotted(node.value) == "os.environ":
            yield from _keys(code.values(node.slice))
    elif isinstance(node, ast.ClassDef):
        for base in node.bases:
            base = base.value if isinstance(base, ast.Subscript) else base
            name = code.dotted(base)
            if MACHINE_CLASSES.search(name):
                yield "machine", ()
            elif _is_judge(name):
                yield "judge", ()
    elif isinstance(node, ast.ImportFrom | ast.Import):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [item.name for item in node.names] if isinstance(node, ast.Import) else []
        if any(name.partition(".")[0] in SANDBOX_SERVICES for name in names):
            yield "machine", ()
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        if match := IN_ADDRESS.match(node.value):
            yield "data", {match[1]}
    else:
        yield from _assigned(code, node)


def _assigned(code: Code, node: ast.AST) -> Signs:
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    names = {target.id for target in targets if isinstance(target, ast.Name)}
    if "NEEDS_CONTAINER" in names:
        is_on = not (isinstance(node.value, ast.Constant) and not node.value.value)
        if is_on:
            yield "machine", ()

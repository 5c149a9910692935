"""Rewards, tools and turns that look at the process they run in: which modules are loaded, which
program runs, on which machine, under which launcher.

None of it belongs to a task. It tells an evaluation from training, so the code is read; a run sees
only the surroundings that it has. Keys, addresses, folders and a switch of log lines may be read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from envyard.contract.code_checks.code_warnings import Place, code_warnings
from envyard.contract.code_checks.rollout_functions import Definitions
from envyard.contract.findings import Finding
from envyard.contract.needs.code import Code

READS = re.compile(rb"\b(?:modules|argv|environ|getenv|find_spec|getppid|gethostname|uname|node"
                   rb"|getuser|getlogin|stack|gettrace|_getframe)\b")  # fmt: skip
MESSAGE = (
    "{where} reads what surrounds the process in a reward, tool or turn ({text}): it may pay "
    "otherwise in training than in an evaluation"
)
NAMES = {"sys.modules", "sys.argv", "sys.orig_argv"}
CALLS = {
    *("os.getppid", "os.uname", "os.getlogin", "platform.node", "platform.uname"),
    *("socket.gethostname", "socket.getfqdn", "getpass.getuser", "inspect.stack", "sys._getframe"),
    "sys.gettrace",
}
FINDS = {"importlib.util.find_spec", "pkgutil.find_loader"}
# What trains, serves or tests; other modules are optional requirements.
MODULES = re.compile(
    r"(?:torch|vllm|sglang|trl|verl|deepspeed|accelerate|transformers|ray|wandb|pytest|peft|jax"
    r"|prime_rl|openrlhf|megatron|unsloth|inspect_ai|lm_eval|unittest|coverage|verifiers)(?:\.|$)"
)
VARIABLES = re.compile(
    r"WORLD_SIZE|(?:LOCAL_|NODE_|GROUP_)?RANK|LOCAL_WORLD_SIZE|MASTER_(?:ADDR|PORT)|"
    r"CUDA_VISIBLE_DEVICES|CI|(?:CI|GITHUB|GITLAB|BUILDKITE|JENKINS)_\w+|HOSTNAME|USER|LOGNAME|"
    r"PYTEST\w*|SLURM\w*|RAY_\w+|WANDB_\w+|TORCHELASTIC_\w+|ACCELERATE_\w+|DEEPSPEED_\w+"
)
STAGES = re.compile(
    r"\w*(?:TRAIN|EVAL|BENCH|TEST|DEBUG|STRICT|GRADE|GRADING|SCOR|LENIENT|VERIFY)\w*"
)
SETTINGS = re.compile(
    r"_(?:API_?KEY|KEY|TOKEN|SECRET|URL|URI|HOST|PORT|ENDPOINT|DIR|DIRECTORY|FOLDER|PATH|ROOT|FILE"
    r"|MODEL|MODEL_NAME|TIMEOUT|SECONDS|RETRIES|WORKERS|CONCURRENCY)$"
)
ENVIRON, GETENV = "os.environ", {"os.getenv", "os.environ.get"}


def surroundings_in_scoring(members: Mapping[str, bytes]) -> Iterator[Finding]:
    """A warning for each place where a function of rollouts reads what surrounds its process."""
    return code_warnings(members, "env.reads_surroundings", MESSAGE, _places, reads=READS)


def _places(definitions: Definitions) -> Iterator[Place]:
    read = set[int]()  # values of modules, which many functions may name
    for each in definitions.with_nested:
        yield from ((each, node) for node in _reads(each.code, each.deciding))
        for code, value in each.variables:
            if id(value) not in read:
                read.add(id(value))
                nodes = _reads(code, ast.walk(value))
                yield from ((replace(each, code=code), node) for node in nodes)


def _reads(code: Code, nodes: Iterable[ast.AST]) -> Iterator[ast.expr]:
    for node in nodes:
        match node:
            case ast.Attribute() if code.dotted(node) in NAMES:
                yield node
            case ast.Call(args=[name, *_]) if code.dotted(node.func) in FINDS:
                modules = code.values(name)
                if not modules or any(map(MODULES.match, modules)):
                    yield node
            case ast.Call() if code.dotted(node.func) in CALLS:
                yield node
            case ast.Call(args=[name, *_]) if code.dotted(node.func) in GETENV:
                if _named(code, name):
                    yield node
            case ast.Subscript(value=value, slice=name) if code.dotted(value) == ENVIRON:
                if _named(code, name):
                    yield node
            case ast.Compare(left=name, ops=[ast.In() | ast.NotIn()], comparators=[value]):
                if code.dotted(value) == ENVIRON and _named(code, name):
                    yield node


def _named(code: Code, name: ast.expr) -> bool:
    """Whether it may be the name of a variable that launchers and tests set; not of one that holds
    a key, an address, a folder or a limit."""
    names = code.values(name)
    return any(
        VARIABLES.fullmatch(each) or (STAGES.fullmatch(each) and not SETTINGS.search(each))
        for each in names
    )

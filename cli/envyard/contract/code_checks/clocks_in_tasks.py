"""Tasks that are made from the present time: another day gives other tasks and answers.

Two loads on one day agree, so the code is read: where the present time gets into a row, a prompt,
an answer or a seed that loading makes, through whatever names, functions and texts. Durations, logs
and time stamps are not meant. A prompt that states the day is: other days have other tasks.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import islice

from envyard.contract.code_checks.clock_scopes import CLOCK, Scope, flat, nodes_of
from envyard.contract.code_checks.clock_values import ClockValues
from envyard.contract.code_checks.rollout_functions import Definitions
from envyard.contract.findings import Finding, finding
from envyard.contract.needs.code import Code, index
from envyard.contract.sources import Sources

MAX_FINDINGS = 5
ROUNDS = 4  # functions that pass a parameter on to a row
BUILDS = ("build_", "make_", "generate_", "create_", "prepare_")  # with a name of ROWS
ROWS = re.compile(r"row|task|data|example|problem|question|item|record|sample|env|split|train|eval")
SEEDS = {"seed", "Random", "default_rng", "RandomState", "manual_seed"}
FIELD = re.compile(
    r"prompt|question|problem|answer|label|target|solution|expected|instruction|message|content"
    r"|text|info|task|seed|today|^date$",
    re.IGNORECASE,
)
READS = re.compile(rb"\b(?:utc)?now\b|\btoday\b|time(?:_ns)?\b|\bas(?:c)?time\b")
LOGS = {"print", "sleep", "warn", "log", "debug", "info", "warning", "error", "exception"}
LOGGERS = re.compile(r"log|warn|print|sleep|console|rich", re.IGNORECASE)
OUTSIDE = {"sampling_args", "extra_body", "client_args", "headers", "metadata", "extra"}  # tasks
DATA = re.compile(r"(?:Data|Task|Row|Example|Problem)$")


def clocks_in_tasks(members: Mapping[str, bytes]) -> Iterator[Finding]:
    """A warning for each place where the loading of tasks puts the present time into them."""
    sources = Sources.of(members)
    if not any(READS.search(sources[file.path]) for file in sources.files.values()):
        return
    codes = {name: index(name, file, {}) for name, file in sources.files.items()}
    tasks = _Tasks(ClockValues(sources, codes), Definitions(codes))
    for place in islice(tasks.dated(), MAX_FINDINGS):
        message = f"{place} puts the time of loading into a task: another day gives another answer"
        yield finding("env.clock_in_tasks", message, where=place)


class _Tasks:
    """Where loading puts values into tasks: in its functions, modules and classes of data."""

    def __init__(self, values: ClockValues, definitions: Definitions) -> None:
        self._values = values
        scopes = (*values.modules.values(), *_loading(values, definitions))
        self._scopes = [(scope, list(_read(scope))) for scope in scopes]
        # Parameters by function that the function puts into a task, with the places.
        self._taken: defaultdict[int, dict[str, str]] = defaultdict(dict)

    def dated(self) -> Iterator[str]:
        """Each place once."""
        places = dict[str, None]()
        for scope, nodes in self._scopes:
            for node in nodes:
                for value in _fields(self._values, scope, node):
                    self._note(scope, value, scope.code.where(value), places)
        for _ in range(ROUNDS):
            for scope, nodes in self._scopes:
                for node in nodes:
                    if isinstance(node, ast.Call):
                        self._pass_on(scope, node, places)
        for scope in self._values.modules.values():
            for value in _defaults(scope.code):
                self._note(scope, value, scope.code.where(value), places)
        yield from places

    def _note(self, scope: Scope, value: ast.expr, place: str, places: dict[str, None]) -> None:
        origins = flat(self._values.value(scope, value))
        if CLOCK in origins:
            places[place] = None
        for name in origins - {CLOCK}:
            self._taken[id(scope)].setdefault(name, place)

    def _pass_on(self, scope: Scope, call: ast.Call, places: dict[str, None]) -> None:
        """A call whose argument gets into a task."""
        for callee, arguments in self._values.called(scope, call):
            for name, place in self._taken.get(id(callee), {}).items():
                if name in arguments:
                    self._note(scope, arguments[name], place, places)


def _loading(values: ClockValues, definitions: Definitions) -> Iterator[Scope]:
    """The functions that load tasks or make rows, without those that rollouts call."""
    loading = {id(each.node) for each in definitions.of_loading}
    played = {id(each.node) for each in definitions.of_rollouts}
    called = {
        id(callee.definition.node)
        for module in values.modules.values()
        for node in nodes_of(module)
        if isinstance(node, ast.Call)
        for callee, _ in values.called(module, node)
        if callee.definition
    }
    for scope in values.functions.values():
        if scope.definition and id(scope.definition.node) not in played:
            node = scope.definition.node
            builds = node.name.startswith(BUILDS) and ROWS.search(node.name)
            if builds or id(node) in loading | called:
                yield scope


def _read(scope: Scope) -> Iterator[ast.AST]:
    """The nodes of a scope without log lines and options of other programs."""
    nodes, skipped = list(nodes_of(scope)), set[int]()
    for node in nodes:
        outside = isinstance(node, ast.keyword) and node.arg in OUTSIDE
        if outside or _is_log(scope.code, node):
            skipped.update(id(each) for each in ast.walk(node))
    skipped |= _unrelated_seeds(scope, nodes, skipped)
    yield from (node for node in nodes if id(node) not in skipped)


def _is_log(code: Code, node: ast.AST) -> bool:
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        return False
    first, _, last = code.dotted(node.value).rpartition(".")
    return last in LOGS and (not first or bool(LOGGERS.search(f"{first}.{last}")))


def _unrelated_seeds(scope: Scope, nodes: list[ast.AST], skipped: set[int]) -> set[int]:
    """The making of random numbers that only log lines and pauses use."""
    uses: defaultdict[str, list[bool]] = defaultdict(list)
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            uses[node.id].append(id(node) in skipped)
    unrelated = set[int]()
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            skips = uses[node.targets[0].id]
            if skips and all(skips) and scope.code.dotted(node.value).rpartition(".")[2] in SEEDS:
                unrelated.add(id(node.value))
    return unrelated


def _fields(values: ClockValues, scope: Scope, node: ast.AST) -> Iterator[ast.expr]:
    """The values of rows, prompts, answers and seeds that a node gives."""
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and FIELD.search(str(key.value)):
                yield value
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            key = target.slice if isinstance(target, ast.Subscript) else None
            if isinstance(key, ast.Constant) and FIELD.search(str(key.value)):
                yield node.value
    elif isinstance(node, ast.Call):
        yield from (each.value for each in node.keywords if each.arg and FIELD.search(each.arg))
        yield from (value for name, value in values.fields(scope, node) if FIELD.search(name))
        if scope.code.dotted(node.func).rpartition(".")[2] in SEEDS:
            yield from node.args


def _defaults(code: Code) -> Iterator[ast.expr]:
    """The defaults of the fields of tasks."""
    for node in code.file.tree.body:
        if isinstance(node, ast.ClassDef):
            names = (node.name, *map(code.dotted, node.bases))
            is_data = any(map(DATA.search, names))
            for item in node.body if is_data else ():
                if isinstance(item, ast.AnnAssign) and item.value is not None:
                    target = item.target.id if isinstance(item.target, ast.Name) else ""
                    if FIELD.search(target):
                        yield from (item.value, *_factory(item.value))


def _factory(value: ast.expr) -> Iterator[ast.expr]:
    """The function of `Field(default_factory=function)`."""
    if isinstance(value, ast.Call):
        yield from (each.value for each in value.keywords if each.arg == "default_factory")

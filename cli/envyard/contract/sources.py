"""A wheel's Python modules as names: what each defines, imports and exports. Nothing is imported.

The code is hostile until proven otherwise: files beyond the limits of `syntax` are not read.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from envyard.contract.syntax import MAX_FILE_BYTES, Budget, File, OverLimit

MAX_HOPS = 50
MAX_MODULE_NAME = 300
MAX_PARTS = 50  # of the dotted name of a module; no path in a wheel has more


@dataclass(slots=True)
class Module:
    """One source file. `aliases` maps a local name to the dotted name it refers to."""

    name: str
    is_package: bool
    imports: set[str] = field(default_factory=set)
    aliases: dict[str, str] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    functions: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = field(default_factory=dict)
    exports: list[str] | None = None


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition inside the wheel: the module that holds it and the name it has there."""

    module: Module
    name: str


class Sources(Mapping[str, bytes]):
    """The members of one wheel with the trees of its modules; resolves dotted names.

    `files` are the parsed files by the names of their modules. `unread` are the paths beyond the
    limits: modules near the top are read first.
    """

    def __init__(self, members: Mapping[str, bytes]) -> None:
        self._members = members
        self._targets: dict[tuple[str, str], Definition | str] = {}
        self.files: dict[str, File] = {}
        self.modules: dict[str, Module] = {}
        self.unreadable: list[str] = []
        self.unread: list[str] = []
        budget = Budget()
        for path in sorted(members, key=lambda path: (path.count("/"), path)):
            if (name := dotted(path)) is not None:
                self._read(name, path, budget)

    @classmethod
    def of(cls, members: Mapping[str, bytes]) -> Sources:
        """The sources of these members, which are read once."""
        return members if isinstance(members, Sources) else cls(members)

    def __getitem__(self, path: str) -> bytes:
        return self._members[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def _read(self, name: str, path: str, budget: Budget) -> None:
        source, module = self._members[path], None
        try:
            file = budget.read(path, source) if len(source) <= MAX_FILE_BYTES else None
        except OverLimit:
            self.unread.append(path)
            return
        if file is not None:
            self.files[name] = file
            module = _module(name, file)
        if module is None:
            self.unreadable.append(path)
        else:
            self.modules[name] = module

    def top_level(self) -> list[Module]:
        """Modules that `import NAME` reaches without a dot."""
        return [module for name, module in self.modules.items() if "." not in name]

    @cached_property
    def imported(self) -> frozenset[str]:
        """Every dotted name that any module of the wheel imports."""
        return frozenset().union(*(module.imports for module in self.modules.values()))

    def expand(self, module: Module, name: str) -> str:
        """The dotted name as seen from outside, following this module's imports one step."""
        head, _, tail = name.partition(".")
        target = module.aliases.get(head, f"{module.name}.{head}")
        return f"{target}.{tail}" if tail else target

    def find(self, module: Module, name: str) -> Definition | str:
        """Follow a name to its definition in the wheel, or to the dotted name it has outside."""
        key = module.name, name
        if key not in self._targets:
            self._targets[key] = self._follow(module, name)
        return self._targets[key]

    def _follow(self, module: Module, name: str) -> Definition | str:
        for hop in range(MAX_HOPS):
            if hop and (known := self._targets.get((module.name, name))) is not None:
                return known
            if name in module.classes or name in module.functions:
                return Definition(module, name)
            target = module.aliases.get(name.partition(".")[0])
            if target is None:
                return self._through_stars(module, name)
            step = self._locate(self.expand(module, name))
            if isinstance(step, str):
                return step
            if step.module is module and step.name == name:  # a package imports its submodule
                break
            module, name = step.module, step.name
        return name

    def _through_stars(self, module: Module, name: str) -> Definition | str:
        for star in list(dict.fromkeys(module.stars))[:MAX_HOPS]:
            source = self.modules.get(star)
            if source is not None and (name in source.classes or name in source.functions):
                return Definition(source, name)
        return f"{module.name}.{name}"

    def _locate(self, full: str) -> Definition | str:
        """Split a dotted name at the longest prefix that is a module of this wheel."""
        parts = full.split(".", MAX_PARTS)
        for cut in range(len(parts) - 1, 0, -1):
            module = self.modules.get(".".join(parts[:cut]))
            if module is not None:
                return Definition(module, ".".join(parts[cut:]))
        return full

    def ancestors(self, module: Module, name: str) -> Iterator[str]:
        """Every base class of a class that is outside the wheel, as a dotted name."""
        visited: set[tuple[str, str]] = set()
        queue = [Definition(module, name)]
        while queue and len(visited) < MAX_HOPS:
            current = queue.pop()
            definition = current.module.classes.get(current.name)
            if definition is None or (current.module.name, current.name) in visited:
                continue
            visited.add((current.module.name, current.name))
            for base in definition.bases:
                text = base_name(base)
                step = self.find(current.module, text) if text else ""
                if isinstance(step, Definition):
                    queue.append(step)
                elif step:
                    yield step


def dotted(path: str) -> str | None:
    """The import name of a member, or None for what Python cannot import from the wheel's root."""
    if not path.endswith(".py") or ".dist-info/" in path or ".data/" in path:
        return None
    parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
    return ".".join(parts) if all(part.isidentifier() for part in parts) else None


def base_name(node: ast.expr) -> str:
    """`a.b.C` of a base class written as `a.b.C` or `a.b.C[...]`; empty for anything else."""
    names: list[str] = []
    while isinstance(node, ast.Subscript | ast.Attribute) and len(names) < MAX_PARTS:
        names += [node.attr] if isinstance(node, ast.Attribute) else []
        node = node.value
    return ".".join([node.id, *reversed(names)]) if isinstance(node, ast.Name) else ""


def _module(name: str, file: File) -> Module | None:
    """Index one file; None where its statements lie too deep in one another."""
    module = Module(name, file.is_package)
    try:
        for statement in _statements(file.tree.body):
            _index(module, statement)
    except RecursionError:
        return None
    return module


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Top-level statements, including those under `if` and `try`."""
    for statement in body:
        if isinstance(statement, ast.If):
            yield from _statements(statement.body + statement.orelse)
        elif isinstance(statement, ast.Try):
            yield from _statements(statement.body + statement.orelse + statement.finalbody)
            for handler in statement.handlers:
                yield from _statements(handler.body)
        else:
            yield statement


def _index(module: Module, node: ast.stmt) -> None:
    if isinstance(node, ast.ClassDef):
        module.classes[node.name] = node
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        module.functions[node.name] = node
    elif isinstance(node, ast.Import):
        for item in node.names:
            head = item.name.partition(".")[0]
            module.imports.add(item.name)
            module.aliases[item.asname or head] = item.name if item.asname else head
    elif isinstance(node, ast.ImportFrom):
        source = absolute(module.name, module.is_package, node)
        for item in node.names:
            if item.name == "*":
                module.stars.append(source)
                module.imports.add(source)
            else:
                module.imports.add(f"{source}.{item.name}")
                module.aliases[item.asname or item.name] = f"{source}.{item.name}"
    elif _assigns_all(node):
        module.exports = [*(module.exports or []), *_strings(node)]


def absolute(module: str, is_package: bool, node: ast.ImportFrom) -> str:
    """The module that a `from ... import` names, seen from `module`; cut after LONGEST_MODULE
    characters, since it is kept with every name that the statement imports."""
    target = (node.module or "")[:MAX_MODULE_NAME]
    if not node.level:
        return target
    parts = module.split(".")
    base = parts[: len(parts) - node.level + (1 if is_package else 0)]
    return ".".join([*base, *([target] if target else [])])


def _assigns_all(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assign):
        targets: list[ast.expr] = node.targets
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        targets = [node.target]
    else:
        return False
    return any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets)


def _strings(node: ast.AST) -> list[str]:
    return [
        item.value
        for item in ast.walk(node)
        if isinstance(item, ast.Constant) and isinstance(item.value, str)
    ]

"""A wheel's Python modules as names: what each defines, imports and exports. Nothing is imported.

The code is hostile until proven otherwise, so files beyond the bounds below are not read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

MAX_FILE_BYTES = 1 << 20
MAX_MODULES = 2_000
MAX_HOPS = 50
MAX_MODULE_NAME = 300
MAX_PARTS = 50  # of the dotted name of a module; no path in a wheel has more


# Type parameters of PEP 695, in brackets on one line, with brackets of one more level in them.
BRACKETS = rb"\[[^\[\]\n]*(?:\[[^\[\]\n]*\][^\[\]\n]*)*\]"
GENERIC = re.compile(
    rb"^([ \t]*(?:async[ \t]+def|def|class)[ \t]+\w+)[ \t]*" + BRACKETS, re.MULTILINE
)
TYPE_ALIAS = re.compile(
    rb"^([ \t]*)type[ \t]+(\w+)[ \t]*(?:" + BRACKETS + rb")?[ \t]*=(?!=)", re.MULTILINE
)


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


class Sources:
    """All modules of one wheel; resolves dotted names."""

    def __init__(self, members: Mapping[str, bytes]) -> None:
        self.modules: dict[str, Module] = {}
        self.unreadable: list[str] = []
        for path in sorted(members):
            name = dotted(path)
            if name is None or len(self.modules) >= MAX_MODULES:
                continue
            module = read(name, path.endswith("__init__.py"), members[path])
            if module is None:
                self.unreadable.append(path)
            else:
                self.modules[name] = module

    def top_level(self) -> list[Module]:
        """Modules that `import NAME` reaches without a dot."""
        return [module for name, module in self.modules.items() if "." not in name]

    def imported(self) -> set[str]:
        """Every dotted name that any module of the wheel imports."""
        return set().union(*(module.imports for module in self.modules.values()))

    def expand(self, module: Module, name: str) -> str:
        """The dotted name as seen from outside, following this module's imports one step."""
        head, _, tail = name.partition(".")
        target = module.aliases.get(head, f"{module.name}.{head}")
        return f"{target}.{tail}" if tail else target

    def find(self, module: Module, name: str) -> Definition | str:
        """Follow a name to its definition in the wheel, or to the dotted name it has outside."""
        for _ in range(MAX_HOPS):
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
        for star in module.stars:
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
        while queue:
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
    while isinstance(node, ast.Subscript | ast.Attribute):
        names += [node.attr] if isinstance(node, ast.Attribute) else []
        node = node.value
    return ".".join([node.id, *reversed(names)]) if isinstance(node, ast.Name) else ""


def parse(source: bytes) -> ast.Module:
    """The tree of one file, without its type parameters where this Python does not know them; the
    environment may run on a newer one. Raises what `ast.parse` raises."""
    try:
        return ast.parse(source)
    except SyntaxError:
        older = TYPE_ALIAS.sub(rb"\1\2 =", GENERIC.sub(rb"\1", source))
        if older == source:
            raise
        return ast.parse(older)


def read(name: str, is_package: bool, source: bytes) -> Module | None:
    """Index one file; None where it is too large or is not Python."""
    if len(source) > MAX_FILE_BYTES:
        return None
    try:
        tree = parse(source)
        module = Module(name, is_package)
        for statement in _statements(tree.body):
            _index(module, statement)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
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

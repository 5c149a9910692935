"""The calls and texts of one Python file, with the values that its names may have.

Nothing is executed: a name has every literal text that the file assigns to it anywhere, and an
imported one those of the file that it comes from.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from envyard.contract.sources import absolute
from envyard.contract.syntax import File

MAX_VALUES = 20  # texts that one name may have
MAX_DEPTH = 8
MAX_NAMES = 20  # parts of a dotted name


@dataclass(slots=True)
class Code:
    """One file: its nodes, the dotted name of each imported name, and the texts of its names.

    `files` are the codes of all files of the wheel by their modules' names, `assigned` what the
    statements of the module itself assign to each of its names, with the tests that decide it.
    `made_from` keeps which of these values an expression names.
    """

    file: File
    files: Mapping[str, Code] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    imports: set[str] = field(default_factory=set)
    texts: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    assigned: dict[str, list[ast.expr]] = field(default_factory=lambda: defaultdict(list))
    made_from: dict[int, list[tuple[Code, ast.expr]]] = field(default_factory=dict)

    def calls(self) -> Iterator[ast.Call]:
        """Every call of what has a name: not the outer one of `f()()`."""
        calls = (node for node in self.file.nodes if isinstance(node, ast.Call))
        return (call for call in calls if not isinstance(call.func, ast.Call))

    def dotted(self, node: ast.expr) -> str:
        """`a.b.c` of such an expression, its first name as imported; its last names alone where it
        begins otherwise."""
        names: list[str] = []
        for _ in range(MAX_NAMES):
            if isinstance(node, ast.Attribute):
                names.append(node.attr)
                node = node.value
            elif isinstance(node, ast.Call):
                node = node.func
            else:
                break
        names.append(self.aliases.get(node.id, node.id) if isinstance(node, ast.Name) else "")
        return ".".join(reversed(names))

    def values(self, node: ast.expr | None, depth: int = 0) -> set[str]:
        """The literal texts that an expression may have; of a formatted text, its first part."""
        if node is None or depth > MAX_DEPTH:
            return set()
        if isinstance(node, ast.Constant):
            return {node.value} if isinstance(node.value, str) else set()
        if isinstance(node, ast.Name):
            return self.texts.get(node.id) or self._imported(node.id)
        if isinstance(node, ast.Attribute):
            return self.texts.get(node.attr, set())
        parts: list[ast.expr] = []
        if isinstance(node, ast.JoinedStr):
            parts = [
                part.value if isinstance(part, ast.FormattedValue) else part
                for part in node.values[:1]
            ]
        elif isinstance(node, ast.BinOp):
            parts = [node.left]
        elif isinstance(node, ast.BoolOp):
            parts = node.values
        elif isinstance(node, ast.IfExp):
            parts = [node.body, node.orelse]
        elif isinstance(node, ast.List | ast.Tuple | ast.Set):
            parts = node.elts
        elif isinstance(node, ast.Dict):
            parts = node.values
        elif isinstance(node, ast.Subscript):
            parts = [node.value]
        elif isinstance(node, ast.Call) and node.args:
            parts = [node.args[0]]  # str(x), Path(x), Field(x), Request(x)
        texts = (text for part in parts for text in sorted(self.values(part, depth + 1)))
        return set(islice(texts, MAX_VALUES))

    def _imported(self, name: str) -> set[str]:
        """The texts of a name that is imported from another file of the wheel."""
        module, _, original = self.aliases.get(name, "").rpartition(".")
        return self.files[module].texts.get(original, set()) if module in self.files else set()

    def argument(self, call: ast.Call, place: int, *names: str) -> ast.expr | None:
        """The argument of that place, or by one of those names."""
        for keyword in call.keywords:
            if keyword.arg in names:
                return keyword.value
        plain = call.args[: place + 1]
        if len(plain) <= place or any(isinstance(item, ast.Starred) for item in plain):
            return None
        return plain[place]

    def where(self, node: ast.AST) -> str:
        """The file and line."""
        return f"{self.file.path}:{getattr(node, 'lineno', 1)}"


def index(module: str, file: File, files: Mapping[str, Code]) -> Code:
    """The code of a file, which is that module."""
    code = Code(file, files)
    for node in file.nodes:
        if isinstance(node, ast.Import):
            for item in node.names:
                head = item.name.partition(".")[0]
                code.imports.add(item.name)
                code.aliases[item.asname or head] = item.name if item.asname else head
        elif isinstance(node, ast.ImportFrom):
            source = absolute(module, file.is_package, node)
            for item in node.names:
                code.imports.add(f"{source}.{item.name}")
                code.aliases[item.asname or item.name] = f"{source}.{item.name}"
    for name, value in _of_module(file.tree.body):
        if len(code.assigned[name]) < MAX_VALUES:
            code.assigned[name].append(value)
    for name, value in assignments(file.nodes):
        if len(code.texts[name]) < MAX_VALUES:
            code.texts[name] |= code.values(value)
    return code


def _of_module(
    statements: Iterable[ast.stmt], tests: tuple[ast.expr, ...] = ()
) -> Iterator[tuple[str, ast.expr]]:
    """The names that the statements of a module assign, with the values, and with the tests that
    decide whether they are assigned."""
    for each in statements:
        if isinstance(each, ast.Assign | ast.AnnAssign) and each.value is not None:
            targets = each.targets if isinstance(each, ast.Assign) else [each.target]
            for name in dict.fromkeys(each.id for each in targets if isinstance(each, ast.Name)):
                yield from ((name, value) for value in (each.value, *tests))
        elif isinstance(each, ast.If) and len(tests) < MAX_DEPTH:
            yield from _of_module([*each.body, *each.orelse], (*tests, each.test))
        elif isinstance(each, ast.Try):
            yield from _of_module([*each.body, *each.orelse], tests)


def assignments(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, ast.expr]]:
    """Names with the expressions that are assigned to them: variables, attributes, defaults of
    parameters and arguments by name."""
    for node in nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield from _named(target, node.value)
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            yield from _named(node.target, node.value)
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            yield from _named(node.target, node.iter)
        elif isinstance(node, ast.arguments):
            yield from _defaults(node)
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg, node.value


def _named(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Attribute):
        yield target.attr, value


def _defaults(arguments: ast.arguments) -> Iterator[tuple[str, ast.expr]]:
    plain = [*arguments.posonlyargs, *arguments.args]
    if arguments.defaults:
        for argument, default in zip(
            plain[-len(arguments.defaults) :], arguments.defaults, strict=True
        ):
            yield argument.arg, default
    for argument, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if value is not None:
            yield argument.arg, value

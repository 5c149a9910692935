"""The names of a framework that a wheel's own modules need, read from their code.

Nothing is imported. A use is CERTAIN where importing the environment's module reaches it whatever
happens, or where the adapter's entry function does; LIKELY where a function or a module imported
later has it; POSSIBLE in a branch. What the code can do without (under TYPE_CHECKING, or where it
catches the error) is no use at all.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from envyard.contract.frameworks.bindings import bound_in, guarded, rebound
from envyard.contract.frameworks.imports import own_modules
from envyard.contract.frameworks.needed import Behaviour, Need, Use, behaviours, no_behaviour
from envyard.contract.frameworks.table import Table
from envyard.contract.sources import Sources, absolute
from envyard.contract.syntax import File

IMPORT_ERRORS = {"ImportError", "ModuleNotFoundError"}
EVERY_ERROR = {"Exception", "BaseException", ""}
MAX_USES = 5_000


@dataclass(frozen=True, slots=True)
class Context:
    """Where in a file the visitor is: how sure its code runs, and which errors it survives."""

    need: Need = Need.CERTAIN
    skip_imports: bool = False
    skip_names: bool = False
    hidden: tuple[set[str], ...] = ()  # of each function around


def uses(
    members: Mapping[str, bytes],
    entry: str,
    table: Table,
    *,
    entry_function: str = "",
    behaviour: Callable[[ast.AST], Behaviour | None] = no_behaviour,
) -> list[Use]:
    """What the modules that can be reached from the module `entry` need of the framework."""
    sources = Sources.of(members)
    certain, reachable = own_modules(sources.files, entry)
    strongest: dict[tuple[str, str], Use] = {}
    for module in sorted(reachable):
        need = Need.CERTAIN if module in certain else Need.LIKELY
        file = sources.files[module]
        visitor = _Visitor(table, sources, module, file)
        visitor.called = entry_function if module == entry else ""
        visitor.module(file.tree, Context(need))
        for use in (*visitor.uses, *behaviours(file.path, file.nodes, behaviour)):
            strongest_use = strongest.get((use.module, use.name))
            if strongest_use is None or strongest_use.need < use.need:
                strongest[use.module, use.name] = use
    return sorted(strongest.values(), key=lambda use: (use.dotted, use.where))


class _Visitor:
    """The uses of one file; `aliases` maps a local name to the dotted name in the framework."""

    def __init__(self, table: Table, sources: Sources, module: str, file: File) -> None:
        self.uses: list[Use] = []
        self.called = ""  # the function of the file that the framework is sure to call
        self._table, self._sources = table, sources
        self._module, self._path = module, file.path
        self._package = file.is_package
        self._guarded = guarded(
            file.nodes
        )  # of any module: a name that is checked for may be missing
        self._lazy = any(
            isinstance(node, ast.ImportFrom)
            and node.module == "__future__"
            and any(item.name == "annotations" for item in node.names)
            for node in file.tree.body
        )
        self._stars: list[str] = []
        self._bound = bound_in(file.nodes)
        self._aliases: dict[str, str] = {}
        self._collect(file.nodes, rebound(file.tree))

    def _collect(self, nodes: Iterable[ast.AST], dropped: set[str]) -> None:
        """Every import of the file binds its name everywhere, which is nearly always so."""
        for node in nodes:
            if isinstance(node, ast.Import):
                for item in node.names:
                    if self._is_framework(item.name):
                        name = item.asname or self._table.framework
                        self._aliases[name] = item.name if item.asname else self._table.framework
            elif isinstance(node, ast.ImportFrom):
                source = absolute(self._module, self._package, node)
                for item in node.names:
                    self._bind(source, item.name, item.asname or item.name)
        for name in dropped:
            self._aliases.pop(name, None)

    def _bind(self, source: str, name: str, local: str) -> None:
        if name == "*":
            if source in self._table.modules and source not in self._stars:
                self._stars.append(source)
        elif self._is_framework(source):
            self._aliases[local] = f"{source}.{name}"
        elif (own_module := self._sources.modules.get(source)) is not None:
            target = self._sources.find(own_module, name)
            if isinstance(target, str) and self._is_framework(target):
                self._aliases[local] = target

    def _is_framework(self, name: str) -> bool:
        return name.partition(".")[0] == self._table.framework

    def module(self, tree: ast.Module, context: Context) -> None:
        """Visit the file's statements; of those nested too deeply to follow, the outer parts."""
        for statement in tree.body:
            with suppress(RecursionError):
                self.walk([statement], context)

    def walk(self, nodes: Iterable[ast.AST], context: Context) -> None:
        """Visit statements and expressions in that context."""
        for node in nodes:
            if len(self.uses) < MAX_USES:
                self._visit(node, context)

    def _visit(self, node: ast.AST, context: Context) -> None:
        match node:
            case ast.Import() | ast.ImportFrom():
                self._imported(node, context)
            case ast.Attribute() if isinstance(node.ctx, ast.Load):
                self._chain(node, context)
            case ast.Name() if isinstance(node.ctx, ast.Load):
                self._starred(node, context)
            case ast.If() | ast.While():
                self._branch(node, context)
            case ast.Try() | ast.TryStar():
                self._try(node, context)
            case ast.IfExp() | ast.BoolOp() | ast.Match() | ast.ExceptHandler():
                self.walk(ast.iter_child_nodes(node), _at_most(context, Need.POSSIBLE))
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                self._function(node, context)
            case ast.AnnAssign():
                values = [node.value] if node.value else []
                self.walk([node.target, *values, *self._annotations([node.annotation])], context)
            case _:
                self.walk(ast.iter_child_nodes(node), context)

    def _add(self, module: str, name: str, node: ast.AST, context: Context) -> None:
        if name not in self._guarded:
            where = f"{self._path}:{getattr(node, 'lineno', 0)}"
            self.uses.append(Use(module, name, context.need, where))

    def _imported(self, node: ast.Import | ast.ImportFrom, context: Context) -> None:
        if context.skip_imports:
            return
        if isinstance(node, ast.Import):
            for item in node.names:
                if self._is_framework(item.name):
                    self._add(item.name, "", node, context)
            return
        source = absolute(self._module, self._package, node)
        if self._is_framework(source):
            self._add(source, "", node, context)
            for item in node.names:
                if item.name != "*":
                    self._add(source, item.name, node, context)

    def _chain(self, node: ast.Attribute, context: Context) -> None:
        """Record `vf.a.b.C` as far as it names modules; of others, visit what it begins with."""
        names, inner = [node.attr], node.value
        while isinstance(inner, ast.Attribute):
            names.append(inner.attr)
            inner = inner.value
        module = ""
        if isinstance(inner, ast.Name) and not any(inner.id in each for each in context.hidden):
            module = self._aliases.get(inner.id, "")
        if not module:
            self._visit(inner, context)
        if context.skip_names or module not in self._table.modules:
            return
        for name in reversed(names):
            if name.startswith("__"):
                break
            self._add(module, name, node, context)
            module = f"{module}.{name}"
            if module not in self._table.modules:
                break

    def _starred(self, node: ast.Name, context: Context) -> None:
        """A name that nothing but a star import can bind is one of that module's."""
        if node.id in self._bound or context.skip_names:
            return
        for module in self._stars:
            if node.id in self._table.modules.get(module, {}):
                self._add(module, node.id, node, _at_most(context, Need.LIKELY))

    def _branch(self, node: ast.If | ast.While, context: Context) -> None:
        test = ast.dump(node.test)
        self.walk([node.test], context)
        if "TYPE_CHECKING" in test:
            self.walk(node.body if "Not()" in test else node.orelse, context)
            return
        self.walk([*node.body, *node.orelse], _at_most(context, Need.POSSIBLE))

    def _try(self, node: ast.Try | ast.TryStar, context: Context) -> None:
        """A handler that does not raise again lets the code go on without what its body needs."""
        caught: set[str] = set()
        for handler in node.handlers:
            if not (handler.body and isinstance(handler.body[-1], ast.Raise)):
                caught |= _caught(handler)
        inside = replace(
            context,
            skip_imports=context.skip_imports or bool(caught & (IMPORT_ERRORS | EVERY_ERROR)),
            skip_names=context.skip_names or bool(caught & ({"AttributeError"} | EVERY_ERROR)),
        )
        self.walk(node.body, inside)
        other_branches = [
            *node.orelse,
            *(inner for handler in node.handlers for inner in handler.body),
        ]
        self.walk(other_branches, _at_most(context, Need.POSSIBLE))
        self.walk(node.finalbody, context)

    def _function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, context: Context
    ) -> None:
        arguments = node.args
        defaults = [value for value in (*arguments.defaults, *arguments.kw_defaults) if value]
        inner = replace(_at_most(context, Need.LIKELY), hidden=(*context.hidden, rebound(node)))
        if isinstance(node, ast.Lambda):
            self.walk(defaults, context)
            self.walk([node.body], inner)
            return
        named = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        variadic = [item for item in (arguments.vararg, arguments.kwarg) if item]
        annotations = [item.annotation for item in (*named, *variadic) if item.annotation]
        annotations += [node.returns] if node.returns else []
        self.walk([*node.decorator_list, *defaults], context)
        self.walk(self._annotations(annotations), _at_most(context, Need.LIKELY))
        if node.name == self.called:
            self._entry(node.body, replace(inner, need=context.need))
        else:
            self.walk(node.body, inner)

    def _entry(self, body: list[ast.stmt], context: Context) -> None:
        """A function that is surely called is surely run up to where a branch may leave it."""
        self.called = ""  # a function inside it that has its name is another one
        for statement in body:
            self.walk([statement], context)
            if any(isinstance(node, ast.Return | ast.Raise) for node in ast.walk(statement)):
                context = _at_most(context, Need.POSSIBLE)

    def _annotations(self, annotations: list[ast.expr]) -> list[ast.expr]:
        return [] if self._lazy else annotations


def _at_most(context: Context, need: Need) -> Context:
    return replace(context, need=min(context.need, need))


def _caught(handler: ast.ExceptHandler) -> set[str]:
    if handler.type is None:
        return {""}
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return {kind.id for kind in kinds if isinstance(kind, ast.Name)}

"""How one method that rollouts call changes and reads the attributes of its object."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from envyard.contract.code_checks.object_parts import bindings, is_log, target_names
from envyard.contract.code_checks.rollout_functions import Function
from envyard.contract.needs.code import Code

MAX_DEPTH = 50  # of nested statements and of subscripts
ROUNDS = 3  # of assignments from one local name to the next
GROWS = {"append", "appendleft", "add", "extend", "insert"}
SHRINKS = {"pop", "popleft", "popitem", "remove", "discard"}
CHANGES = GROWS | SHRINKS | {"update", "difference_update", "intersection_update", "sort"}
LOOKUPS = {"get", "setdefault"}
CLOCKS = {"time", "monotonic", "perf_counter", "now"}
RANDOM = re.compile(r"random|rng|choice|sample|randint|shuffle|uuid")
# What rollouts may share: connections and the like, and what would be computed again.
TOOLS = re.compile(
    r"lock|sem(?:aphore)?s?$|client|conn|session|pool|executor|limiter|server|tunnel|cache|memo"
    r"|logger|http|loop$|event$|tasks?$",
    re.IGNORECASE,
)
# Keys of one rollout, as in `self.games[state["id"]]`.
OF_ROLLOUT = re.compile(
    r"\bid\(|uuid|rollout|trajectory|['\"]id['\"]|^(?:rid|sid|uid|current_task.*)$"
    r"|(?:session|request|sandbox|trace|example|task|episode|game|run|conversation|chat|thread|env"
    r"|instance|state|container|group|job|client|call)_?id\b",
    re.IGNORECASE,
)
NAMES = re.compile(r"(?:^|_|\b)(?:id|uid|name|port|path|dir|folder|file|key|tag|label|url)\b|_id\b")


@dataclass(frozen=True)
class Change:
    """One change of an attribute; `counts` where it adds to a number."""

    name: str
    where: str
    kind: str = ""
    counts: bool = False


class Method:
    """One function of rollouts; `owner` is its name for the object."""

    def __init__(self, code: Code, node: Function, owner: str) -> None:
        self._code = code
        self._owner = owner
        self._nodes = list(ast.walk(node))
        self.size = len(self._nodes)
        self._parents = {
            id(child): each for each in self._nodes for child in ast.iter_child_nodes(each)
        }
        self._origins: defaultdict[str, set[str]] = defaultdict(set)
        self._assigned: defaultdict[str, list[ast.expr]] = defaultdict(list)
        for each in self._nodes:
            if isinstance(each, ast.arg) and each.arg != owner:
                self._origins[each.arg].add(each.arg)
            for target, value in bindings(each):
                for name in target_names(target):
                    self._assigned[name].append(value)
        for _ in range(ROUNDS):
            for name, values in self._assigned.items():
                for value in values:
                    self._origins[name] |= self._from(value)
        self._looked_up = set(self._look_ups())
        self._returned = set(self._early_returns())

    def changes(self) -> Iterator[Change]:
        """What it changes in a way that other rollouts notice."""
        for node in self._nodes:
            if isinstance(node, ast.AugAssign) and not isinstance(node.target, ast.Name):
                name, key = self._root(node.target)
                if name and not self._is_of_rollout(key) and not TOOLS.search(name):
                    scalar = isinstance(node.target, ast.Attribute)
                    kind = "shrunk" if isinstance(node.op, ast.Sub) else "grown"
                    yield Change(name, self._code.where(node), kind if scalar else "", scalar)
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    yield from self._assign(node, target, node.value)
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                yield from self._assign(node, node.target, node.value)
            elif isinstance(node, ast.Delete):
                for target in node.targets:
                    yield from self._item(node, target, None, "shrunk")
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                yield from self._call(node, node.func)

    def reads(self, counted: set[str]) -> Iterator[str]:
        """The attributes on which it depends, but for `counted` ones that only make names."""
        for node in self._nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                name = node.attr if self._is_owner(node.value) else ""
                if name and self._decides(node, name, is_count=name in counted):
                    yield name

    def _assign(self, node: ast.stmt, target: ast.expr, value: ast.expr) -> Iterator[Change]:
        if isinstance(target, ast.Tuple | ast.List):
            values = value.elts if isinstance(value, ast.Tuple | ast.List) else []
            for place, each in enumerate(target.elts):
                yield from self._assign(node, each, values[place] if place < len(values) else value)
        elif isinstance(target, ast.Attribute) and self._is_owner(target.value):
            name = target.attr
            if not TOOLS.search(name) and self._is_new(node, name, value):
                yield Change(name, self._code.where(node))
        elif isinstance(target, ast.Attribute | ast.Subscript):
            yield from self._item(node, target, value, "grown")

    def _item(
        self, node: ast.stmt, target: ast.expr, value: ast.expr | None, kind: str
    ) -> Iterator[Change]:
        """A change of a part of an attribute, unless it is an item of a cache or of one rollout."""
        name, key = self._root(target)
        if not name or TOOLS.search(name) or self._is_of_rollout(key):
            return
        if value is not None and key is not None and name in self._looked_up:
            origins = self._from(value)
            same = origins & self._from(key) or (not origins and isinstance(value, ast.Call))
            if same and not self._mentions(value, name):
                return
        yield Change(name, self._code.where(node), kind)

    def _call(self, node: ast.Call, called: ast.Attribute) -> Iterator[Change]:
        if called.attr not in CHANGES:
            return
        name, key = self._root(called.value)
        first = node.args[0] if node.args else None
        if not name or TOOLS.search(name) or self._is_of_rollout(key):
            return
        if self._is_of_rollout(first) or (self._is_guarded(node, name) and not self._from(node)):
            return
        kind = "grown" if called.attr in GROWS else "shrunk" if called.attr in SHRINKS else ""
        yield Change(name, self._code.where(node), kind)

    def _is_new(self, node: ast.stmt, name: str, value: ast.expr) -> bool:
        """Whether a rollout gives an attribute a value of its own, not one that all may use."""
        if self._mentions(value, name):
            return True
        tests = [self._from(test) for test in self._tests(node)]
        if self._is_guarded(node, name) or (name in self._returned and not any(tests)):
            return False
        called = value.value if isinstance(value, ast.Await) else value
        if isinstance(called, ast.Call):
            last = self._code.dotted(called).rpartition(".")[2]
            if last in CLOCKS:
                return False
        if self._from(value) or RANDOM.search(ast.unparse(value)):
            return True
        if isinstance(value, ast.Constant):
            return any(tests)
        return isinstance(value, ast.Compare | ast.BoolOp | ast.BinOp | ast.IfExp) and any(
            self._is_owner(each) for each in ast.walk(value)
        )

    def _decides(self, node: ast.Attribute, name: str, *, is_count: bool) -> bool:
        if is_count and NAMES.search(name):
            return False
        child: ast.AST = node
        for _ in range(MAX_DEPTH):
            parent = self._parents.get(id(child))
            if parent is None:
                return True
            if isinstance(parent, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Delete):
                return self._decides_assigned(parent, child, name, is_count=is_count)
            if isinstance(parent, ast.If | ast.While):
                return not self._is_idle([*parent.body, *parent.orelse], name)
            if isinstance(parent, ast.Expr):
                return not (is_log(self._code, parent) or self._alters(parent.value, name))
            if isinstance(parent, ast.stmt):
                return True
            child = parent
        return True

    def _alters(self, value: ast.expr, name: str) -> bool:
        """Whether a statement only changes that attribute: what it gives is not used."""
        called = value.func if isinstance(value, ast.Call) else None
        if not isinstance(called, ast.Attribute) or called.attr not in CHANGES | {"clear"}:
            return False
        return self._root(called)[0] == name

    def _decides_assigned(
        self, statement: ast.AST, child: ast.AST, name: str, *, is_count: bool
    ) -> bool:
        targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
        if any(child is target for target in targets):
            return False
        parts = [each for each in targets if isinstance(each, ast.Attribute | ast.Subscript)]
        roots = {self._root(each)[0] for each in parts}
        if roots == {name}:
            return False
        texts = [ast.unparse(target) for target in targets if target is not None]
        return not (is_count and all(NAMES.search(text.strip("'\"[]")) for text in texts))

    def _is_idle(self, statements: list[ast.stmt], name: str) -> bool:
        """Whether a branch decides nothing: it logs, raises, or fills the attribute itself."""
        for each in statements:
            if isinstance(each, ast.Assign | ast.AugAssign):
                targets = each.targets if isinstance(each, ast.Assign) else [each.target]
                if {self._root(target)[0] for target in targets} == {name}:
                    continue
            elif isinstance(each, ast.Expr) and self._alters(each.value, name):
                continue
            if not (isinstance(each, ast.Pass | ast.Raise) or is_log(self._code, each)):
                return False
        return True

    def _is_guarded(self, node: ast.AST, name: str) -> bool:
        """Whether it runs under a test of that attribute alone: it is filled once."""
        return any(
            self._mentions(test, name) and not self._from(test) for test in self._tests(node)
        )

    def _tests(self, node: ast.AST) -> Iterator[ast.expr]:
        for _ in range(MAX_DEPTH):
            parent = self._parents.get(id(node))
            if parent is None:
                return
            if isinstance(parent, ast.If | ast.While):
                yield parent.test
            elif isinstance(parent, ast.For | ast.AsyncFor):
                yield parent.iter
            node = parent

    def _look_ups(self) -> Iterator[str]:
        """The attributes in which it looks for a key."""
        for node in self._nodes:
            parts: Iterable[ast.AST] = ()
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
                parts = node.comparators
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                parts = [node.func.value] if node.func.attr in LOOKUPS else []
            elif isinstance(node, ast.Try):
                parts = (each for statement in node.body for each in ast.walk(statement))
            for part in parts:
                if isinstance(part, ast.Attribute) and self._is_owner(part.value):
                    yield part.attr

    def _early_returns(self) -> Iterator[str]:
        """The attributes of `if self.name is not None: return`: what follows fills them once."""
        for node in self._nodes:
            if isinstance(node, ast.If) and isinstance(node.body[-1], ast.Return):
                for each in () if self._from(node.test) else ast.walk(node.test):
                    if isinstance(each, ast.Attribute) and self._is_owner(each.value):
                        yield each.attr

    def _root(self, node: ast.expr) -> tuple[str, ast.expr | None]:
        """The attribute that `self.name[key]...` is a part of, and the key; empty for others."""
        key: ast.expr | None = None
        for _ in range(MAX_DEPTH):
            if isinstance(node, ast.Attribute):
                if self._is_owner(node.value):
                    return node.attr, key
                node = node.value
            elif isinstance(node, ast.Subscript):
                key = node.slice
                node = node.value
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr not in LOOKUPS or not node.args:
                    break
                key = node.args[0]
                node = node.func.value
            elif isinstance(node, ast.Name) and len(values := self._assigned.get(node.id, [])) == 1:
                if isinstance(values[0], ast.Subscript) and isinstance(values[0].slice, ast.Slice):
                    break  # a copy
                node = values[0]
            else:
                break
        return "", None

    def _is_of_rollout(self, key: ast.expr | None) -> bool:
        if key is None:
            return False
        texts = [ast.unparse(key)]
        if isinstance(key, ast.Name):
            texts += map(ast.unparse, self._assigned.get(key.id, [])[:MAX_DEPTH])
        return any(OF_ROLLOUT.search(text) for text in texts)

    def _from(self, expression: ast.AST) -> set[str]:
        """The parameters on which an expression depends."""
        names = (each.id for each in ast.walk(expression) if isinstance(each, ast.Name))
        return set[str]().union(*(self._origins[name] for name in names if name in self._origins))

    def _mentions(self, expression: ast.AST, name: str) -> bool:
        return any(
            isinstance(each, ast.Attribute) and each.attr == name and self._is_owner(each.value)
            for each in ast.walk(expression)
        )

    def _is_owner(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == self._owner

"""Rewards that depend on how often something ran in this process before.

The first scorings of a process are then judged otherwise than later ones, which a run of some
hundred rollouts never reaches and training does. Counts that number things, that decide what is
logged, collected or refused by an exception, and limits of caches are not meant.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from envyard.contract.code_checks.code_warnings import Place, code_warnings
from envyard.contract.code_checks.process_counts import ProcessCounts, counts_of, names_of
from envyard.contract.code_checks.rollout_functions import Definition, Definitions
from envyard.contract.findings import Finding
from envyard.contract.needs.code import Code

MESSAGE = (
    "{where} compares how often something ran in this process with a number in a reward ({text}): "
    "later rollouts of the same process are judged otherwise than the first ones"
)
ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
MAX_FLAGS = 3  # names that hold what another one decided
IDLE = (ast.Expr, ast.Pass, ast.Raise, ast.Delete, ast.Global, ast.Import, ast.ImportFrom)


def counts_in_scoring(members: Mapping[str, bytes]) -> Iterator[Finding]:
    """A warning for each comparison of a count of the process with a number that decides what a
    reward, or a function that it calls, returns."""
    return code_warnings(members, "env.scores_by_count", MESSAGE, _places)


def _places(definitions: Definitions) -> Iterator[Place]:
    own, known = dict[int, ProcessCounts](), dict[int, ProcessCounts]()
    for definition in definitions.of_scoring:
        code = definition.code
        if id(code) not in known:
            known[id(code)] = _with_imported(code, own)
        if counts := known[id(code)]:
            reads = _Reads(definition, counts)
            yield from ((definition, node) for node in reads.deciding())


def _counts(code: Code, own: dict[int, ProcessCounts]) -> ProcessCounts:
    if id(code) not in own:
        own[id(code)] = counts_of(code)
    return own[id(code)]


def _with_imported(code: Code, own: dict[int, ProcessCounts]) -> ProcessCounts:
    """The counts of a module, with those that it imports by name from another one of the wheel."""
    mine = _counts(code, own)
    counts = ProcessCounts(code, {*mine.iterators}, {*mine.numbers}, {*mine.sizes}, {*mine.readers})
    for name, dotted in code.aliases.items():
        module, _, original = dotted.rpartition(".")
        other = code.files.get(module)
        if other is None or other is code:
            continue
        there = _counts(other, own)
        for names, theirs in (
            (counts.iterators, there.iterators),
            (counts.sizes, there.sizes),
            (counts.readers, there.readers),
        ):
            names |= {name} if original in theirs else set()
        counts.numbers |= {each for each in there.numbers if each.startswith((".", f"{name}["))}
        counts.readers |= {each for each in there.readers if original in other.assigned}
    return counts


class _Reads:
    """The comparisons of counts in one function."""

    def __init__(self, definition: Definition, counts: ProcessCounts) -> None:
        self._counts, self._nodes = counts, definition.deciding
        self._own = names_of(definition.node)
        self._held: set[str] = set()  # names of the function that hold a count
        self._flags: dict[str, ast.expr] = {}  # and those that hold what one decides
        assigns = [node for node in self._nodes if isinstance(node, ast.Assign | ast.NamedExpr)]
        for _ in range(MAX_FLAGS):
            for node in assigns:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names = {each.id for each in targets if isinstance(each, ast.Name)}
                if self._counts_in(node.value) and not self._compared(node.value):
                    self._held |= names & self._own if self._is_number(node.value) else set()
                for test in self._compared(node.value):
                    self._flags |= dict.fromkeys(names & self._own, test)

    def deciding(self) -> Iterator[ast.expr]:
        """The comparisons that decide a branch which does something, or a value that is used."""
        for node in self._nodes:
            if isinstance(node, ast.If | ast.While):
                idle = all(map(self._is_idle, [*node.body, *node.orelse]))
                yield from () if idle else self._compared(node.test, by_itself=True)
            elif isinstance(node, ast.IfExp):
                yield from self._compared(node.test, by_itself=True)
            elif isinstance(node, ast.Return | ast.AugAssign) and node.value is not None:
                yield from self._compared(node.value)

    def _compared(self, value: ast.expr, *, by_itself: bool = False) -> list[ast.expr]:
        """The comparisons of a count with a number in an expression, and names that hold one; of a
        test that is none also a remainder."""
        comparisons: list[ast.expr] = []
        for node in ast.walk(value):
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], ORDERS):
                sides = [node.left, *node.comparators]
                counted = [side for side in sides if self._counts_in(side)]
                fixed = [side for side in sides if self._is_fixed(side)]
                comparisons += [node] if counted and fixed else []
            elif isinstance(node, ast.Name) and node.id in self._flags:
                comparisons.append(self._flags[node.id])
        test = value.operand if isinstance(value, ast.UnaryOp) else value
        if by_itself and isinstance(test, ast.BinOp) and isinstance(test.op, ast.Mod):
            comparisons += [test] if self._counts_in(test.left) else []
        return comparisons

    def _counts_in(self, value: ast.AST) -> bool:
        return any(self._is_count(node) for node in ast.walk(value))

    def _is_count(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Name) and node.id in self._held:
            return True
        return self._counts.reads(node, self._own)

    def _is_number(self, value: ast.expr) -> bool:
        return isinstance(value, ast.BinOp) or self._is_count(value)

    def _is_fixed(self, side: ast.expr) -> bool:
        """Whether it is a number, or is named by the module or its settings."""
        nodes = [*ast.walk(side)]
        names = {node.id for node in nodes if isinstance(node, ast.Name)}
        return (
            not names & (self._own - {"self", "cls"})
            and not self._counts_in(side)
            and not any(isinstance(node, ast.Call) for node in nodes)
        )

    def _is_idle(self, statement: ast.stmt) -> bool:
        """Whether it decides nothing of the reward: a log line, a cache that is filled, a count."""
        if isinstance(statement, ast.If):
            return all(map(self._is_idle, [*statement.body, *statement.orelse]))
        if isinstance(statement, ast.AugAssign):
            return self._counts_in(_loaded(statement.target))
        if isinstance(statement, ast.Assign):
            items = [each for each in statement.targets if isinstance(each, ast.Subscript)]
            names = {
                n.id for each in items for n in ast.walk(each.value) if isinstance(n, ast.Name)
            }
            return len(items) == len(statement.targets) and not names & self._own
        return isinstance(statement, IDLE)


def _loaded(target: ast.expr) -> ast.expr:
    """The target of an assignment as an expression that is read."""
    return ast.parse(ast.unparse(target), mode="eval").body

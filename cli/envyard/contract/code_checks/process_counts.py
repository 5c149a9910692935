"""Counts that belong to a process, read from the code of a module: they only grow, whatever task
or rollout is played.

Known are `itertools.count()` of a module, of a class, of a loading function or as a default;
numbers that functions add to by `global` and `nonlocal`; attributes and constant items of objects
of a module or class; and lists and sets of a module to which functions only add. A count that a
function resets or takes from is none: it counts a pool, or one rollout.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from envyard.contract.code_checks.rollout_functions import LOADS, Function
from envyard.contract.needs.code import Code

COUNT = "itertools.count"
ADDS, TAKES = (
    {"append", "appendleft", "add", "extend"},
    {"pop", "popleft", "popitem", "remove", "discard", "clear", "difference_update"},
)
LISTS = {"list", "set", "deque"}
SHARED_BASES = ("Env", "Environment", "Rubric", "Parser", "Taskset")
OWN_CLASS = ("type(self)", "self.__class__")
NUMBERS = (int, float)


@dataclass
class ProcessCounts:
    """The counts of one module: `iterators` are those of `itertools.count`, `sizes` the lists whose
    length counts, `numbers` all others; attributes begin with a dot, items are written as in code.
    `readers` are functions that return the next or present count."""

    code: Code
    iterators: set[str] = field(default_factory=set)
    numbers: set[str] = field(default_factory=set)
    sizes: set[str] = field(default_factory=set)
    readers: set[str] = field(default_factory=set)

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self.iterators or self.numbers or self.sizes)

    def reads(self, node: ast.AST, local_names: set[str]) -> bool:
        """Whether an expression itself is a count, without its parts."""
        match node:
            case ast.Call(func=ast.Name(id="next"), args=[each, *_]):
                return key(each, local_names) in self.iterators
            case ast.Call(func=ast.Attribute(value=each, attr="__next__")):
                return key(each, local_names) in self.iterators
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]):
                return name in self.sizes - local_names
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                return name in self.readers
            case ast.Name(ctx=ast.Load()) | ast.Attribute(ctx=ast.Load()) | ast.Subscript():
                return key(node, local_names) in self.numbers
        return False


def key(node: ast.AST, local_names: set[str]) -> str:
    """The name of a value that may belong to the process; empty for all else. Of an attribute its
    own name counts."""
    match node:
        case ast.Name(id=name):
            return "" if name in local_names else name
        case ast.Attribute(value=owner, attr=name):
            is_local = isinstance(owner, ast.Name) and owner.id in local_names - {"self", "cls"}
            return "" if is_local else f".{name}"
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=item)):
            return "" if name in local_names else f"{name}[{item!r}]"
    return ""


def counts_of(code: Code) -> ProcessCounts:
    """The counts of a module."""
    functions = [node for node in code.file.nodes if isinstance(node, Function)]
    counts = ProcessCounts(code, iterators=_iterators(code, functions))
    grown, shrunk, filled = set[str](), set[str](), set[str]()
    for function in functions:
        own = names_of(function)
        for node in ast.walk(function):
            _read_change(node, own, grown, shrunk, resets=not function.name.startswith(LOADS))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                name = key(node.func.value, own)
                filled |= {name} if node.func.attr in ADDS else set()
                shrunk |= {name} if node.func.attr in TAKES else set()
    counts.numbers = (grown - shrunk) & {*_numbers(code, functions)}
    counts.sizes = (filled - shrunk) & {*_lists(code)}
    counts.readers = {
        function.name
        for function in functions
        if counts and any(_returns(function, counts, names_of(function)))
    }
    return counts


def names_of(function: Function) -> set[str]:
    """Names that are variables of the function; those by `global` and `nonlocal` are none, nor are
    parameters whose default is made once for all calls."""
    nodes = [*ast.walk(function)]
    outer = {name for n in nodes if isinstance(n, ast.Global | ast.Nonlocal) for name in n.names}
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    given = {node.arg for node in nodes if isinstance(node, ast.arg)}
    return (stored | given) - outer - {name for name, _ in _defaults(function)}


def _read_change(
    node: ast.AST, own: set[str], grown: set[str], shrunk: set[str], *, resets: bool
) -> None:
    """Note what a statement adds to, and what it takes from or, where it `resets`, sets to
    something else."""
    if isinstance(node, ast.AugAssign):
        (grown if isinstance(node.op, ast.Add) else shrunk).add(key(node.target, own))
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            name = key(target, own)
            parts = ast.walk(node.value) if isinstance(node.value, ast.BinOp) else ()
            if name in {key(part, own) for part in parts}:
                grown.add(name)
            elif resets:
                shrunk |= {name, f"{name}[0]"}
    elif isinstance(node, ast.Delete):
        shrunk.update(key(target, own) for target in node.targets)


def _iterators(code: Code, functions: list[Function]) -> set[str]:
    """The names and attributes that hold an `itertools.count` which all rollouts share."""
    names = {name for name, value in _assigned(code.file.tree.body) if _is_count(code, value)}
    for function in functions:
        loads = function.name.startswith(LOADS)
        assigned = [*_assigned(function.body)] if loads and function.name != "__init__" else []
        names |= {name for name, value in assigned if _is_count(code, value)}
        names |= {name for name, value in _defaults(function) if _is_count(code, value)}
    for owner in _classes(code):
        values = [*_assigned(owner.body)]
        if _is_shared(code, owner):
            values += _own_values(owner)
        names |= {f".{name}" for name, value in values if _is_count(code, value)}
    return names


def _numbers(code: Code, functions: list[Function]) -> Iterator[str]:
    """The names, attributes and items that hold numbers which all rollouts may share."""
    of_module = [*_assigned(code.file.tree.body)]
    for name, value in of_module:
        yield from _parts(name, value)
        if isinstance(value, ast.Call) and code.dotted(value.func).endswith("SimpleNamespace"):
            yield from (f".{each.arg}" for each in value.keywords if _is_number(each.value))
    for function in functions:
        loads = function.name.startswith(LOADS) and function.name != "__init__"
        for name, value in (*_defaults(function), *(_assigned(function.body) if loads else ())):
            yield from _parts(name, value)
        yield from _of_function(function)
    called = (value for _, value in of_module if isinstance(value, ast.Call))
    made = {code.dotted(value).rpartition(".")[2] for value in called}
    for owner in _classes(code):
        is_made = owner.name in made
        if is_made or _is_shared(code, owner):
            yield from (f".{name}" for name, value in _own_values(owner) if _is_number(value))
        if is_made or _counts_by_class(owner):
            yield from (f".{name}" for name, value in _assigned(owner.body) if _is_number(value))


def _of_function(function: Function) -> Iterator[str]:
    """The attributes of the function itself that it adds to, as in `score.calls += 1`."""
    for node in function.body:
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Attribute):
            owner = node.target.value
            if isinstance(owner, ast.Name) and owner.id == function.name:
                yield f".{node.target.attr}"


def _counts_by_class(owner: ast.ClassDef) -> bool:
    """Whether a method adds to an attribute of the class itself, not of its object."""
    targets = (node.target for node in ast.walk(owner) if isinstance(node, ast.AugAssign))
    names = ("cls", owner.name, *OWN_CLASS)
    return any(
        isinstance(each, ast.Attribute) and ast.unparse(each.value) in names for each in targets
    )


def _parts(name: str, value: ast.expr) -> Iterator[str]:
    """A number's name, and the items of a list or dict that are numbers."""
    if _is_number(value):
        yield name
    elif isinstance(value, ast.List):
        yield from (f"{name}[{at}]" for at, each in enumerate(value.elts[:9]) if _is_number(each))
    elif isinstance(value, ast.Dict):
        for each, item in zip(value.keys, value.values, strict=True):
            if isinstance(each, ast.Constant) and _is_number(item):
                yield f"{name}[{each.value!r}]"


def _lists(code: Code) -> Iterator[str]:
    """The lists and sets of the module that have no greatest length."""
    for name, value in _assigned(code.file.tree.body):
        if isinstance(value, ast.List | ast.Set):
            yield name
        elif isinstance(value, ast.Call) and not value.keywords and len(value.args) < 2:
            is_list = code.dotted(value.func).rpartition(".")[2] in LISTS
            yield from [name] if is_list else []


def _returns(function: Function, counts: ProcessCounts, own: set[str]) -> Iterator[bool]:
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and node.value is not None:
            yield counts.reads(node.value, own)


def _classes(code: Code) -> list[ast.ClassDef]:
    return [node for node in code.file.nodes if isinstance(node, ast.ClassDef)]


def _is_shared(code: Code, owner: ast.ClassDef) -> bool:
    """Whether one object of the class serves all rollouts."""
    bases = (base.value if isinstance(base, ast.Subscript) else base for base in owner.bases)
    return any(code.dotted(base).endswith(SHARED_BASES) for base in bases)


def _own_values(owner: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    """The attributes that the class's `__init__` sets."""
    for method in owner.body:
        if isinstance(method, Function) and method.name == "__init__":
            for node in ast.walk(method):
                for target in node.targets if isinstance(node, ast.Assign) else ():
                    if isinstance(target, ast.Attribute) and isinstance(node, ast.Assign):
                        yield target.attr, node.value


def _defaults(function: Function) -> Iterator[tuple[str, ast.expr]]:
    """The parameters whose default is an object, which all calls share."""
    arguments = function.args
    places = [*arguments.posonlyargs, *arguments.args][::-1]
    pairs = [*zip(places, arguments.defaults[::-1], strict=False)]
    pairs += [
        (each, value)
        for each, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if value is not None
    ]
    for each, value in pairs:
        if isinstance(value, ast.Call | ast.List | ast.Dict):
            yield each.arg, value


def _assigned(statements: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    """The names that these statements assign, with their values."""
    for node in statements:
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                pairs = zip(names, values, strict=False)
                yield from ((e.id, value) for e, value in pairs if isinstance(e, ast.Name))
            case ast.Assign(targets=targets, value=value):
                yield from ((e.id, value) for e in targets if isinstance(e, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value


def _is_count(code: Code, value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and code.dotted(value.func) == COUNT


def _is_number(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and type(value.value) in NUMBERS

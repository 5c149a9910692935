"""Which options of an environment take a seed: parameters of a function, fields of a configuration.

An option takes one where its name is a seed's and its type admits an int. `**kwargs` takes one only
where the function itself looks that option up, or passes them on to something that names it.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
import types
import typing
from collections.abc import Callable, Iterator
from typing import Any

# Names that published environments use; any other `*_seed` counts where nothing else is its value.
USUAL = frozenset(
    {"seed", "random_seed", "rng_seed", "shuffle_seed", "dataset_seed", "data_seed", "order_seed"}
    | {"task_seed", "sampling_seed", "sample_seed", "base_seed", "global_seed", "random_state"}
)
OTHER = re.compile(r"(?!(?:num|n|max|min|use|no|has|set)_)\w+_seed")
INT_TYPES = {"int", "Any", "object", "float", "SupportsInt", "SupportsIndex", "Integral", "Real"}
UNIONS = {"Optional", "Union"}
WRAPPERS = {"Annotated", "Final", "Required", "NotRequired", "ReadOnly"}
DEEPEST = 8
UNSET: Any = inspect.Parameter.empty


def options(function: Callable[..., Any], seed: int | None) -> dict[str, int]:
    """The keyword arguments that hand `seed` to the function; empty where it takes none.

    Without a seed each keeps its own default, as where a trainer names none.
    """
    defaults = dict(_options(function, DEEPEST))
    return {name: own_or(seed, defaults[name]) for name in sorted(defaults)}


def own_or(seed: int | None, default: Any) -> int:
    """The seed, or where there is none the option's own default; 0 for a default that is no int."""
    if seed is not None:
        return seed
    return default if isinstance(default, int) and not isinstance(default, bool) else 0


def is_seed(name: str, default: Any) -> bool:
    """Whether an option of that name and default is a seed.

    An unusual name counts only without a value of its own: `eval_seed=7` separates two splits.
    """
    unset = default is UNSET or default is None
    return name in USUAL or (unset and OTHER.fullmatch(name) is not None)


def admits_int(annotation: Any, default: Any, namespace: dict[str, Any] | None = None) -> bool:
    """Whether a value of that annotation may be an int; without one the default decides."""
    if annotation is UNSET or annotation is None:
        plain = isinstance(default, int) and not isinstance(default, bool)
        return plain or default is None or default is UNSET
    return _admits(annotation, namespace or {}, DEEPEST)


def _options(function: Any, depth: int) -> Iterator[tuple[str, Any]]:
    """The names of the seeds with their defaults, UNSET where there is none."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return
    target = inspect.unwrap(function)
    namespace = getattr(target, "__globals__", {})
    for name, parameter in parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            yield from _of_keywords(target, name, parameter.annotation, namespace, depth)
        elif parameter.kind in (
            inspect.Parameter.KEYWORD_ONLY,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
        ):
            default = parameter.default
            if is_seed(name, default) and admits_int(parameter.annotation, default, namespace):
                yield name, default


def _of_keywords(
    function: Any, name: str, annotation: Any, namespace: dict[str, Any], depth: int
) -> Iterator[tuple[str, Any]]:
    """The seeds among `**name`: of an unpacked TypedDict, looked up in the body, or passed on."""
    inner = typing.get_args(_evaluated(annotation, namespace))
    if inner and hasattr(inner[0], "__total__"):
        for key, kind in inner[0].__annotations__.items():
            if is_seed(key, None) and admits_int(kind, None, namespace):
                yield key, UNSET
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        key, default = _looked_up(node, name)
        if is_seed(key, None):
            yield key, default
        elif isinstance(node, ast.Call) and depth > 0:
            yield from _passed_on(node, name, namespace, depth)


def _looked_up(node: ast.AST, name: str) -> tuple[str, Any]:
    """`seed` of `kwargs["seed"]`, `kwargs.get("seed", 3)`, `kwargs.pop("seed")` and the like, with
    the default; an empty name elsewhere."""
    key: ast.expr | None = None
    default: ast.expr | None = None
    if isinstance(node, ast.Subscript) and _is_name(node.value, name):
        key = node.slice
    elif (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and _is_name(node.func.value, name)
        and node.func.attr in ("get", "pop")
        and node.args
    ):
        key, default = node.args[0], node.args[1] if len(node.args) > 1 else None
    value = key.value if isinstance(key, ast.Constant) else None
    own = default.value if isinstance(default, ast.Constant) else UNSET
    return (value if isinstance(value, str) else ""), own


def _passed_on(
    call: ast.Call, name: str, namespace: dict[str, Any], depth: int
) -> Iterator[tuple[str, Any]]:
    """The seeds of what is called with `**name`, but for those that the call gives itself."""
    if not any(k.arg is None and _is_name(k.value, name) for k in call.keywords):
        return
    target = _resolved(call.func, namespace)
    if not callable(target):
        return
    bound = {keyword.arg for keyword in call.keywords}
    try:
        parameters = list(inspect.signature(target).parameters)
    except (TypeError, ValueError):
        return
    if not any(isinstance(argument, ast.Starred) for argument in call.args):
        bound |= set(parameters[: len(call.args)])
        yield from (each for each in _options(target, depth - 1) if each[0] not in bound)


def _resolved(node: ast.expr, namespace: dict[str, Any]) -> Any:
    if isinstance(node, ast.Name):
        return namespace.get(node.id)
    if isinstance(node, ast.Attribute):
        return inspect.getattr_static(_resolved(node.value, namespace), node.attr, None)
    return None


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _evaluated(annotation: Any, namespace: dict[str, Any]) -> Any:
    """A string annotation as what it names; the string where that cannot be evaluated."""
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, dict(namespace))
    except Exception:
        return annotation


def _admits(kind: Any, namespace: dict[str, Any], depth: int) -> bool:
    """Whether an int is of that type, however it is written."""
    if depth == 0:
        return False
    kind = _evaluated(kind, namespace)
    if isinstance(kind, typing.ForwardRef):
        kind = _evaluated(kind.__forward_arg__, namespace)
    if isinstance(kind, str):
        return _admits_text(kind)
    if isinstance(kind, typing.TypeVar):
        inner: tuple[Any, ...] = kind.__constraints__ or (kind.__bound__ or Any,)
        return any(_admits(member, namespace, depth - 1) for member in inner)
    for attribute in ("__supertype__", "__value__"):  # NewType, and `type X = ...`
        if hasattr(kind, attribute) and not isinstance(kind, type):
            return _admits(getattr(kind, attribute), namespace, depth - 1)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return any(_admits(member, namespace, depth - 1) for member in arguments)
    if hasattr(kind, "__metadata__") or getattr(origin, "_name", "") in WRAPPERS:
        return bool(arguments) and _admits(arguments[0], namespace, depth - 1)
    return getattr(kind, "__name__", "") in INT_TYPES


def _admits_text(annotation: str) -> bool:
    """The same for an annotation whose names are not there at run time."""
    try:
        return _admits_node(ast.parse(annotation, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError):
        return False


def _admits_node(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _admits_node(node.left) or _admits_node(node.right)
    if isinstance(node, ast.Subscript):
        name = _last(node.value)
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name in UNIONS:
            return any(_admits_node(member) for member in inner)
        return name in WRAPPERS and _admits_node(inner[0])
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return _admits_text(node.value)
    return _last(node) in INT_TYPES


def _last(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""

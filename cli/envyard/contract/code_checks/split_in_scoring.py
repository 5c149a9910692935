"""Rewards and turns that read the split of their task: evaluation is then graded by another rule.

A run plays training tasks alone, so the code is read. A warning: metrics may rightly be kept apart.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from envyard.contract.code_checks.code_warnings import Place, code_warnings
from envyard.contract.code_checks.rollout_functions import Definition, Definitions
from envyard.contract.findings import Finding

SPLITS = frozenset(
    {"train", "training", "eval", "evaluation", "test", "testing", "val", "valid", "validation"}
    | {"dev", "heldout", "held_out", "holdout"}
)
MESSAGE = (
    "{where} decides by the split in a reward, tool or turn ({text}): evaluation is another task "
    "than training"
)
NAMES = frozenset({"split", "subset", "partition", "fold", "data_split", "dataset_split"})
FLAGS = frozenset(
    {"is_eval", "is_evaluation", "is_test", "is_train", "is_training", "eval_mode", "for_eval"}
)


def split_in_scoring(members: Mapping[str, bytes]) -> Iterator[Finding]:
    """A warning for each place where a function of rollouts, other than a metric, decides by the
    split of its task."""
    return code_warnings(members, "env.scores_by_split", MESSAGE, _places)


def _places(definitions: Definitions) -> Iterator[Place]:
    return (
        (each, node)
        for each in definitions.with_nested
        if not _is_metric(each)
        for node in _decisions(each)
    )


def _is_metric(definition: Definition) -> bool:
    decorators = (definition.code.dotted(each) for each in definition.node.decorator_list)
    return any(name.rpartition(".")[2] == "metric" for name in decorators)


def _decisions(definition: Definition) -> Iterator[ast.expr]:
    for node in definition.nodes:
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(map(_is_split, sides)) and any(_name(side) in NAMES for side in sides):
                yield node
        elif isinstance(node, ast.If | ast.IfExp):
            test = node.test
            if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
                test = test.operand
            if _name(test) in FLAGS:
                yield test


def _is_split(node: ast.expr) -> bool:
    """Whether it is the name of a split, or a collection of such names."""
    items = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]
    return bool(items) and all(
        isinstance(item, ast.Constant) and item.value in SPLITS for item in items
    )


def _name(node: ast.expr) -> str:
    """The name of a variable or attribute, or the key that is looked up; empty for others."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(slice=ast.Constant(value=str(key))):
            return key
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str(key)), *_]):
            return key
    return ""

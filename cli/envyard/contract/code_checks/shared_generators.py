"""Generators of random numbers that a module makes once, from which tasks or rollouts draw.

A seeded one is consumed further by each load and rollout of a process, so a second load has other
tasks, and what a rollout draws depends on those before it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from envyard.contract.code_checks.code_warnings import Place, code_warnings
from envyard.contract.code_checks.rollout_functions import Definitions
from envyard.contract.findings import Finding
from envyard.contract.needs.code import Code

READS = re.compile(rb"\b(?:Random|default_rng|RandomState)\b")
GENERATORS = {"random.Random", "numpy.random.default_rng", "numpy.random.RandomState"}
MESSAGE = (
    "{where} draws from a generator that its module makes once ({text}): a second load, or an "
    "earlier rollout, changes what it draws"
)
SEEDS = {"seed", "setstate"}  # calls that begin it again


def shared_generators(members: Mapping[str, bytes]) -> Iterator[Finding]:
    """A warning for each draw from such a generator in functions that load tasks or play."""
    return code_warnings(members, "env.shared_generator", MESSAGE, _places, reads=READS)


def _places(definitions: Definitions) -> Iterator[Place]:
    for definition in [*definitions.of_loading, *definitions.of_rollouts]:
        shared = _generators(definition.code) - definition.local_names
        calls = [(node, node.func) for node in definition.nodes if isinstance(node, ast.Call)]
        drawn = [
            (node, function.value.id, function.attr)
            for node, function in calls
            if isinstance(function, ast.Attribute)
            and isinstance(function.value, ast.Name)
            and function.value.id in shared
        ]
        begun = {name for _, name, attr in drawn if attr in SEEDS}
        yield from ((definition, node) for node, name, _ in drawn if name not in begun)


def _generators(code: Code) -> set[str]:
    return {
        target.id
        for node in code.file.tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and code.dotted(node.value.func) in GENERATORS
        for target in node.targets
        if isinstance(target, ast.Name)
    }

"""Rewards that draw random numbers without a seed: one reply is paid otherwise from time to time.

Replays show this of the replies that a run has; a partly right program that is tried on three of
its sixteen cases is seldom among them, so the code is read. Tools and opponents may draw.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from envyard.contract.code_checks.code_warnings import Place, code_warnings
from envyard.contract.code_checks.rollout_functions import Definition, Definitions
from envyard.contract.findings import Finding
from envyard.contract.needs.code import Code

METHODS = (
    r"(?:random|rand|randn|randint|randrange|integers|uniform|choices?"
    r"|sample|shuffle|permutation|gauss|normal\w*|betavariate|triangular|getrandbits)"
)
DRAWS = re.compile(rf"(?:random|numpy\.random)\.{METHODS}")
DRAWS_BY_A_NAME = re.compile(rf"(\w+)\.{METHODS}")
OF_THE_PROCESS = re.compile(r"os\.(?:getpid|urandom)|secrets\.(?:choice|rand\w+)")
GENERATORS = re.compile(r"(?:random\.(?:System)?Random|numpy\.random\.(?:default_rng|RandomState))")
READS = re.compile(rb"\b(?:random|getpid|urandom|secrets)\b")
MESSAGE = (
    "{where} draws random numbers in a reward ({text}) without a seed of its own: the same "
    "reply is paid otherwise another time"
)
SEEDS = re.compile(r"(?:random|numpy\.random)\.seed")


def chance_in_scoring(members: Mapping[str, bytes]) -> Iterator[Finding]:
    """A warning for each place where a reward, or a function that it calls, draws by a generator
    that nothing seeds, or by one of the module, whose state all rollouts change."""
    return code_warnings(members, "env.scores_by_chance", MESSAGE, _places, reads=READS)


def _places(definitions: Definitions) -> Iterator[Place]:
    return ((each, node) for each in definitions.of_scoring for node in _draws(each))


def _draws(definition: Definition) -> list[ast.Call]:
    """The calls that draw; none of a function that seeds the generator of its module."""
    calls = [node for node in definition.nodes if isinstance(node, ast.Call)]
    names = [definition.code.dotted(node.func) for node in calls]
    if any(map(SEEDS.fullmatch, names)):
        return []
    shared = _generators(definition.code) - definition.local_names
    return [
        node
        for node, name in zip(calls, names, strict=True)
        if DRAWS.fullmatch(name)
        or OF_THE_PROCESS.fullmatch(name)
        or ((found := DRAWS_BY_A_NAME.fullmatch(name)) and found[1] in shared)
        or (GENERATORS.fullmatch(name) and not node.args and not node.keywords)
    ]


def _generators(code: Code) -> set[str]:
    """The names that the module gives to generators, seeded or not."""
    return {
        target.id
        for node in code.file.tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        if GENERATORS.fullmatch(code.dotted(node.value.func))
        for target in node.targets
        if isinstance(target, ast.Name)
    }

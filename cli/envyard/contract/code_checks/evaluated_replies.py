"""Code of a policy that runs in the process that scores it: `eval()` and `exec()` in rewards, tools
and turns.

What is evaluated there can read the answer, change the reward's functions, or end the process. Code
that runs in a process of its own is not meant.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from envyard.contract.code_checks.code_warnings import Place, code_warnings
from envyard.contract.code_checks.rollout_functions import Definition, Definitions
from envyard.contract.findings import Finding

MESSAGE = (
    "{where} evaluates text in a reward, tool or turn ({text}): what a policy writes runs in the "
    "process that holds the answers and computes rewards"
)
BUILTINS = {"eval", "exec", "builtins.eval", "builtins.exec"}


def evaluated_replies(members: Mapping[str, bytes]) -> Iterator[Finding]:
    """A warning for each place where a function of rollouts evaluates text that is no constant."""
    return code_warnings(members, "env.evaluates_reply", MESSAGE, _places)


def _places(definitions: Definitions) -> Iterator[Place]:
    return ((each, call) for each in definitions.with_nested for call in _evaluations(each))


def _evaluations(definition: Definition) -> Iterator[ast.Call]:
    for node in definition.nodes:
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name | ast.Attribute)
            and definition.code.dotted(node.func) in BUILTINS
            and node.args
            and not isinstance(node.args[0], ast.Constant)
        ):
            yield node

"""Code of a policy that runs in the process that scores it: `eval()` and `exec()` in rewards, tools
and turns.

What is evaluated there can read the answer, change the reward's functions, or end the process. Code
that runs in a process of its own is not meant.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from itertools import islice

from envyard.contract.findings import Finding, finding
from envyard.contract.needs.code import index
from envyard.contract.rollout_functions import Definition, Definitions
from envyard.contract.sources import Sources

MAX_FINDINGS = 5
BUILTINS = {"eval", "exec", "builtins.eval", "builtins.exec"}


def evaluated_replies(members: Mapping[str, bytes]) -> Iterator[Finding]:
    """A warning for each place where a function of rollouts evaluates text that is no constant."""
    sources = Sources.of(members)
    codes = {name: index(name, file, {}) for name, file in sources.files.items()}
    places = (
        (definition.code.where(call), definition.code.dotted(call.func).rpartition(".")[2])
        for definition in Definitions(codes).with_nested
        for call in _evaluations(definition)
    )
    for where, name in islice(dict.fromkeys(places), MAX_FINDINGS):
        message = (
            f"{where} calls {name}() in a reward, tool or turn: what a policy writes runs in the "
            "process that holds the answers and computes rewards"
        )
        yield finding("env.evaluates_reply", message, where=where)


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

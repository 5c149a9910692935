"""Times in the time zone of the machine, by which tasks are made or scored.

`datetime.fromtimestamp(seconds)` and `time.localtime(seconds)` without a zone give another hour on
each machine whose zone differs (docs.python.org: "local date and time"), so its references are
others than those of the machine on which they were checked.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from envyard.contract.code_checks.code_warnings import Place, code_warnings
from envyard.contract.code_checks.rollout_functions import Definition, Definitions
from envyard.contract.findings import Finding

READS = re.compile(rb"\bfromtimestamp\(|\blocaltime\(|\bmktime\(")
MESSAGE = (
    "{where} makes a time in the machine's time zone ({text}): where another zone is set, tasks or "
    "rewards are others"
)
ZONE = {"tz", "tzinfo"}
LOGS = {"print", "debug", "info", "warning", "error", "exception", "log"}


def local_times(members: Mapping[str, bytes]) -> Iterator[Finding]:
    """A warning for each such call in functions that load tasks, score or play."""
    return code_warnings(members, "env.local_time", MESSAGE, _places, reads=READS)


def _places(definitions: Definitions) -> Iterator[Place]:
    known = [*definitions.of_loading, *definitions.of_rollouts, *definitions.of_scoring]
    for definition in {id(each.node): each for each in known}.values():
        yield from ((definition, node) for node in _local(definition))


def _local(definition: Definition) -> Iterator[ast.Call]:
    """Its calls, without those whose result is only logged."""
    calls = [node for node in definition.nodes if isinstance(node, ast.Call)]
    logged = {id(each) for call in calls if _name(call) in LOGS for each in ast.walk(call)}
    for call in calls:
        if id(call) not in logged and _is_local(call):
            yield call


def _is_local(call: ast.Call) -> bool:
    """Whether it converts a time that it is given: the present time is read elsewhere."""
    zone = any(keyword.arg in ZONE or keyword.arg is None for keyword in call.keywords)
    match _name(call):
        case "fromtimestamp":
            return len(call.args) == 1 and not zone
        case "localtime" | "mktime":
            return len(call.args) == 1
    return False


def _name(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")

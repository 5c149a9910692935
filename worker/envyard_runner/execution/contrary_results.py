"""The findings about tools that contradict the reference, of which all calls fail late, or that
write what they refuse to write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envyard.contract.findings import Finding, finding
from envyard_runner.conversation_checks.failed_calls import FailedTask
from envyard_runner.conversation_checks.left_out_ends import Period
from envyard_runner.conversation_checks.reference_work import ContraryResults
from envyard_runner.conversation_checks.write_guards import EvadedGuard
from envyard_runner.execution.first_names import first_names
from envyard_runner.probing.overwriting import alias

FEWEST_TASKS = 2


def contrary_findings(contrary: Mapping[str, ContraryResults]) -> Iterator[Finding]:
    """A warning for the rollouts of the reference, by `policy/task/attempt`."""
    if not contrary:
        return
    rollouts = sorted(contrary)
    first = contrary[rollouts[0]]
    yield finding(
        "card.tool_results",
        f"The tool results that the reference gets contradict its answer, in {len(rollouts)} "
        f"rollouts: {first_names(rollouts)}. In {rollouts[0]} the answer is "
        f"{first.answer[:80]!r}, and the results {', '.join(first.results)[:200]!r} give "
        f"{first.instead[:80]!r}: a policy that trusts them is refused.",
        where=rollouts[0],
        n=len(rollouts),
    )


def left_out_findings(left_out: Mapping[str, Period]) -> Iterator[Finding]:
    """A warning for the rollouts of the reference whose calls miss the last step of a period."""
    if not left_out:
        return
    rollouts = sorted(left_out)
    first = left_out[rollouts[0]]
    yield finding(
        "card.tool_results",
        f"The tool {first.tool!r} leaves out the end of the requested period in {len(rollouts)} "
        "rollouts, although the prompt or the tool's description includes it: "
        f"{first_names(rollouts)}. Its results reach the step before the end and in no call the "
        f"end. In {rollouts[0]} {first.call} returned {first.result[-200:]!r}: a policy that "
        "trusts them is refused.",
        where=rollouts[0],
        n=len(rollouts),
    )


def guard_findings(evaded: Mapping[str, EvadedGuard]) -> Iterator[Finding]:
    """A warning for the rollouts of `tamper`, by `policy/task/attempt`, of two tasks or more."""
    if len({rollout.split("/")[1] for rollout in evaded}) < FEWEST_TASKS:
        return
    rollouts = sorted(evaded)
    first = evaded[rollouts[0]]
    yield finding(
        "card.write_guard",
        f"The tool {first.tool!r} refuses to write {first.path!r} and writes the same file as "
        f"{alias(first.path)!r}, in {len(rollouts)} rollouts: {first_names(rollouts)}. In "
        f"{rollouts[0]} it returned {first.refusal!r}, then {first.result!r}.",
        where=rollouts[0],
        n=len(rollouts),
    )


def failed_call_findings(late: Mapping[int, FailedTask]) -> Iterator[Finding]:
    """A warning for the last tasks, by their index, where each call of the reference failed."""
    if not late:
        return
    tasks = sorted(late)
    first = late[tasks[0]]
    yield finding(
        "card.late_tasks",
        f"From task {tasks[0]} on all tool calls of the references fail, in {len(tasks)} tasks "
        f"that were played: {', '.join(map(str, tasks[:5]))}. In task {tasks[0]} {first.call[:99]} "
        f"returned {first.result[:120]!r}; those of earlier tasks succeed.",
        n=len(tasks),
        tasks=tasks,
    )

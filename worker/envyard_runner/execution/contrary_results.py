"""The finding about tool results that contradict the reference's answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envyard.contract.findings import Finding, finding
from envyard_runner.execution.first_names import first_names
from envyard_runner.gateway.contrary_results import ContraryResults


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

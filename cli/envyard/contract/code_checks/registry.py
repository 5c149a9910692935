"""All checks of code, in the order in which their findings are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from envyard.contract.code_checks.chance_in_scoring import chance_in_scoring
from envyard.contract.code_checks.clocks_in_tasks import clocks_in_tasks
from envyard.contract.code_checks.counts_in_scoring import counts_in_scoring
from envyard.contract.code_checks.digests_in_scoring import digests_in_scoring
from envyard.contract.code_checks.evaluated_replies import evaluated_replies
from envyard.contract.code_checks.fixed_dates import compared_dates
from envyard.contract.code_checks.formatted_replies import formatted_replies
from envyard.contract.code_checks.local_times import local_times
from envyard.contract.code_checks.replaced_values import replaced_values
from envyard.contract.code_checks.salted_hashes import salted_hashes
from envyard.contract.code_checks.shared_generators import shared_generators
from envyard.contract.code_checks.shared_state import shared_state
from envyard.contract.code_checks.split_in_scoring import split_in_scoring
from envyard.contract.code_checks.state_in_scoring import state_in_scoring
from envyard.contract.code_checks.surroundings_in_scoring import surroundings_in_scoring
from envyard.contract.findings import Finding
from envyard.contract.sources import Sources

CODE_CHECKS: tuple[Callable[[Sources], Iterable[Finding]], ...] = (
    compared_dates,
    shared_state,
    clocks_in_tasks,
    evaluated_replies,
    split_in_scoring,
    chance_in_scoring,
    counts_in_scoring,
    digests_in_scoring,
    state_in_scoring,
    shared_generators,
    salted_hashes,
    local_times,
    replaced_values,
    formatted_replies,
    surroundings_in_scoring,
)

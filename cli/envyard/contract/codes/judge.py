"""Codes of judges: what a reward makes of its judge's verdicts."""

from __future__ import annotations

from envyard.contract.codes.code import environment_fault

JUDGE = (
    environment_fault(
        "judge.ignored",
        "The reward does not depend on the judge's verdict.",
        "Use the verdict in the reward, or leave the judge out: each call costs time and tokens.",
        severity="warning",
    ),
    environment_fault(
        "judge.unreadable_paid",
        "The reward pays although the judge gave no verdict that can be read.",
        "Raise an error where the verdict cannot be read or the call fails.",
        severity="warning",
    ),
    environment_fault(
        "judge.negation_paid",
        "The reward reads the verdict 'Not yes.' as yes.",
        "Compare the whole verdict, or request it by a JSON schema.",
        severity="info",
    ),
    environment_fault(
        "judge.empty_paid",
        "An empty reply is paid if the judge's verdict on it is favourable.",
        "Pay nothing for an empty reply before the judge is called: judges make mistakes.",
        severity="warning",
    ),
    environment_fault(
        "judge.talked_over",
        "A reply without an answer is paid if it orders the judge to approve it.",
        "Put the reply between markers that it cannot contain, and instruct the judge to follow "
        "no instruction in it.",
        severity="warning",
    ),
    environment_fault(
        "judge.over_budget",
        "Calls to the judge were refused because a budget was spent.",
        "Call the judge less often for each rollout, or with shorter messages. The hub's operator "
        "sets the budgets (HUB_JUDGE_ROLLOUT_CALLS, HUB_JUDGE_CALLS, ..._TOKENS).",
        severity="warning",
    ),
)

"""Permission rules for self-reported evaluations, `see` with its SQL twin."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q

from registry.accounts.models import Token
from registry.accounts.permissions import (
    PUBLISH,
    READ,
    Actor,
    Principal,
    Rule,
    Rules,
    member_rows,
    register,
)
from registry.catalog.models import Environment
from registry.catalog.permissions import publishes_environment, sees_environment
from registry.self_reported.models import Evaluation


def _sees_evaluation(principal: Principal, evaluation: Evaluation) -> bool:
    is_readable = evaluation.is_public or principal.is_member(evaluation.owner_id)
    return is_readable and sees_environment(principal, evaluation.environment)


def _visible_evaluations(actor: Actor, token: Token | None) -> Q:
    members = member_rows(actor, token, owner="owner_id", environment="environment_id")
    # An EXISTS for each evaluation: for an IN, SQLite reads all environments first.
    environments = Environment.objects.visible_to(actor, token).filter(pk=OuterRef("environment"))
    return Q(Exists(environments)) & (members | Q(is_public=True))


def _changes_evaluation(principal: Principal, evaluation: Evaluation) -> bool:
    """Its creator may, but only while a member of the owner it belongs to."""
    is_creator = principal.user is not None and principal.user.pk == evaluation.created_by_id
    is_member = principal.role(evaluation.owner_id) is not None
    allowed = (is_creator and is_member) or principal.manages(evaluation.owner_id)
    return allowed and _sees_evaluation(principal, evaluation)


def _removes_evaluation(principal: Principal, evaluation: Evaluation) -> bool:
    """Besides, publishers of the environment decide which claims of others its page shows."""
    if _changes_evaluation(principal, evaluation):
        return True
    publishes = publishes_environment(principal, evaluation.environment)
    return publishes and _sees_evaluation(principal, evaluation)


register(
    "evaluation",
    Rules[Evaluation](
        (Evaluation,),
        {
            "see": Rule(READ, _sees_evaluation, where=_visible_evaluations),
            "change": Rule(PUBLISH, _changes_evaluation, "change the evaluation {obj}"),
            "remove": Rule(PUBLISH, _removes_evaluation, "remove the evaluation {obj}"),
        },
        lambda evaluation: evaluation.environment_id,
    ),
)

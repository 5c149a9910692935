"""Who may do what: one table, from verb to rule. Everybody asks here, pages and API alike.

A token never adds to what its person may do, it takes away: below the verb's scope it allows
nothing, and away from its one environment it reads like a stranger and writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from django.contrib.auth.models import AnonymousUser

from registry.accounts import second_factor
from registry.accounts.models import Membership, Organisation, Owner, Token, User
from registry.accounts.tokens import RANK
from registry.errors import Forbidden, HubError, NotFound

if TYPE_CHECKING:
    from registry.catalog.models import Environment, Version
    from registry.publishers.models import TrustedPublisher
    from registry.runs.models import Run
    from registry.self_reported.models import Evaluation

Actor = User | AnonymousUser
Thing: TypeAlias = (
    "Environment | Version | Run | Evaluation | Owner | Organisation | Token | TrustedPublisher"
    " | Actor"
)
READ, PUBLISH, ADMIN = Token.Scope.READ, Token.Scope.PUBLISH, Token.Scope.ADMIN
PUBLISHERS = (Membership.Role.OWNER, Membership.Role.MAINTAINER)


@dataclass(frozen=True, slots=True)
class Principal:
    """A person as far as the token lets them act; `staff` needs the browser or an admin token."""

    user: User | None
    staff: bool

    def role(self, owner_id: int) -> str | None:
        """Their role under that owner."""
        return self.user.role(owner_id) if self.user else None

    def publishes(self, owner_id: int) -> bool:
        """Owner or maintainer there."""
        return self.role(owner_id) in PUBLISHERS


@dataclass(frozen=True, slots=True)
class Rule:
    """What a verb asks of the token, which environment it is about, and of the person.

    Whatever needs more than a reading token needs a second factor too, where HUB_REQUIRE_MFA says
    so; `weak` verbs do not: they publish nothing.
    """

    scope: Token.Scope
    about: Callable[[Any], int | None]
    allows: Callable[[Principal, Any], bool]
    weak: bool = False


def _sees_environment(principal: Principal, environment: Environment) -> bool:
    if environment.deleted_at is not None:
        return False
    if principal.staff or principal.role(environment.owner_id) is not None:
        return True
    return environment.visibility == "public" and environment.was_listed


def _sees_version(principal: Principal, version: Version) -> bool:
    if version.deleted_at is not None:
        return False
    environment = version.environment
    if principal.staff or principal.role(environment.owner_id) is not None:
        return True
    return environment.visibility == "public" and version.status == "listed"


def _installs(principal: Principal, version: Version) -> bool:
    blocked = version.quarantined_at or version.environment.quarantined_at
    return blocked is None and _sees_version(principal, version)


def _sees_run(principal: Principal, run: Run) -> bool:
    """What a quarantined version said in its runs is its owners' and the staff's to read."""
    environment = run.version.environment
    if principal.staff or principal.role(environment.owner_id) is not None:
        return _sees_version(principal, run.version)
    return _installs(principal, run.version)


def _sees_evaluation(principal: Principal, evaluation: Evaluation) -> bool:
    mine = principal.staff or principal.role(evaluation.owner_id) is not None
    return (mine or evaluation.is_public) and _sees_environment(principal, evaluation.environment)


def _changes_evaluation(principal: Principal, evaluation: Evaluation) -> bool:
    pushed = principal.user is not None and principal.user.pk == evaluation.created_by_id
    belongs = principal.role(evaluation.owner_id) is not None  # who has left pushes nothing there
    rightful = principal.staff or (pushed and belongs) or principal.publishes(evaluation.owner_id)
    return rightful and _sees_evaluation(principal, evaluation)


def _removes_evaluation(principal: Principal, evaluation: Evaluation) -> bool:
    """Besides, who publishes the environment decides what others' word its page carries."""
    if _changes_evaluation(principal, evaluation):
        return True
    return _sees_evaluation(principal, evaluation) and _publishes(principal, evaluation.environment)


def _publishes(principal: Principal, environment: Environment) -> bool:
    """A deleted one comes back by `owner.publish`, not by what was given for it alone."""
    return environment.deleted_at is None and principal.publishes(environment.owner_id)


def _manages(principal: Principal, environment: Environment) -> bool:
    return environment.deleted_at is None and (
        principal.staff or principal.publishes(environment.owner_id)
    )


def _owns(principal: Principal, environment: Environment) -> bool:
    return environment.deleted_at is None and (
        principal.staff or principal.role(environment.owner_id) == Membership.Role.OWNER
    )


def _stars(principal: Principal, environment: Environment) -> bool:
    return principal.user is not None and _sees_environment(principal, environment)


def _moderates(principal: Principal, thing: Environment | Version) -> bool:
    return principal.staff and thing.deleted_at is None


def _none(_: object) -> None:
    return None


RULES: dict[str, Rule] = {
    "environment.see": Rule(READ, lambda e: e.pk, _sees_environment),
    "environment.publish": Rule(PUBLISH, lambda e: e.pk, _publishes),
    "environment.manage": Rule(ADMIN, lambda e: e.pk, _manages),
    "environment.deprecate": Rule(PUBLISH, lambda e: e.pk, _manages),
    "environment.transfer": Rule(ADMIN, lambda e: e.pk, _owns),
    "environment.delete": Rule(ADMIN, lambda e: e.pk, _owns),
    "environment.star": Rule(PUBLISH, lambda e: e.pk, _stars, weak=True),
    "environment.report": Rule(
        PUBLISH, lambda e: e.pk, lambda a, e: a.user is not None and _sees_environment(a, e)
    ),
    "environment.denounce": Rule(PUBLISH, lambda e: e.pk, _stars, weak=True),
    "environment.journal": Rule(ADMIN, lambda e: e.pk, _manages, weak=True),
    "environment.quarantine": Rule(ADMIN, lambda e: e.pk, _moderates),
    "evaluation.see": Rule(READ, lambda e: e.environment_id, _sees_evaluation),
    "evaluation.change": Rule(PUBLISH, lambda e: e.environment_id, _changes_evaluation),
    "evaluation.remove": Rule(PUBLISH, lambda e: e.environment_id, _removes_evaluation),
    "owner.publish": Rule(PUBLISH, _none, lambda a, o: a.publishes(o.pk)),
    "owner.manage": Rule(
        ADMIN, _none, lambda a, o: a.staff or a.role(o.pk) == Membership.Role.OWNER
    ),
    "owner.journal": Rule(ADMIN, _none, lambda a, o: a.staff or a.publishes(o.pk), weak=True),
    "owner.quota": Rule(READ, _none, lambda a, o: a.staff or a.role(o.pk) is not None),
    "hub.moderate": Rule(ADMIN, _none, lambda a, _: a.staff),
    "account.organise": Rule(ADMIN, _none, lambda a, u: a.user == u),
    "organisation.see": Rule(READ, _none, lambda a, o: a.staff or a.role(o.owner.pk) is not None),
    "organisation.manage": Rule(
        ADMIN, _none, lambda a, o: a.staff or a.role(o.owner.pk) == Membership.Role.OWNER
    ),
    "organisation.leave": Rule(
        ADMIN, _none, lambda a, o: a.role(o.owner.pk) is not None, weak=True
    ),
    "account.answer": Rule(ADMIN, _none, lambda a, u: a.user == u, weak=True),
    "version.see": Rule(READ, lambda v: v.environment_id, _sees_version),
    "version.install": Rule(READ, lambda v: v.environment_id, _installs),
    "version.yank": Rule(
        PUBLISH,
        lambda v: v.environment_id,
        lambda a, v: v.deleted_at is None and _manages(a, v.environment),
    ),
    "version.delete": Rule(
        ADMIN,
        lambda v: v.environment_id,
        lambda a, v: v.deleted_at is None and _owns(a, v.environment),
    ),
    "version.quarantine": Rule(ADMIN, lambda v: v.environment_id, _moderates),
    "version.retry": Rule(
        PUBLISH,
        lambda v: v.environment_id,
        lambda a, v: v.deleted_at is None and _manages(a, v.environment),
    ),
    "version.rejudge": Rule(ADMIN, lambda v: v.environment_id, _moderates),
    "run.see": Rule(READ, lambda r: r.version.environment_id, _sees_run),
    "run.cancel": Rule(
        PUBLISH,
        lambda r: r.version.environment_id,
        lambda a, r: _manages(a, r.version.environment),
    ),
    "run.retry": Rule(
        PUBLISH,
        lambda r: r.version.environment_id,
        lambda a, r: _manages(a, r.version.environment),
    ),
    "publisher.manage": Rule(
        ADMIN, lambda p: p.environment_id, lambda a, p: a.publishes(p.under.pk)
    ),
    "token.manage": Rule(
        ADMIN, _none, lambda a, t: a.user is not None and t.user_id == a.user.pk, weak=True
    ),
}
# To be told "you may not" one must first be allowed to know that the thing is there.
KNOWING = {
    "environment": "environment.see",
    "evaluation": "evaluation.see",
    "version": "version.see",
    "run": "run.see",
    "organisation": "organisation.see",
}
NAMED = {
    "environment.publish": "publish versions of {obj}",
    "environment.manage": "change {obj}",
    "environment.deprecate": "deprecate {obj}",
    "environment.transfer": "transfer {obj}",
    "environment.delete": "delete {obj}",
    "environment.star": "star {obj}",
    "environment.report": "push evaluations of {obj}",
    "environment.denounce": "report {obj} to the staff",
    "environment.journal": "read the journal of {obj}",
    "environment.quarantine": "quarantine {obj}",
    "evaluation.change": "change the evaluation {obj}",
    "evaluation.remove": "remove the evaluation {obj}",
    "owner.publish": "publish under {obj}",
    "owner.manage": "manage {obj}",
    "owner.journal": "read the journal of {obj}",
    "owner.quota": "see the quota of {obj}",
    "hub.moderate": "moderate this hub",
    "account.organise": "make an organisation",
    "organisation.manage": "manage {obj}",
    "organisation.leave": "leave {obj}",
    "account.answer": "answer invitations",
    "version.install": "install {obj}",
    "version.yank": "yank {obj}",
    "version.delete": "delete {obj}",
    "version.quarantine": "quarantine {obj}",
    "version.retry": "retry {obj}",
    "version.rejudge": "have the rejection of {obj} judged again",
    "run.cancel": "cancel run {obj}",
    "run.retry": "retry run {obj}",
    "publisher.manage": "manage trusted publishers of {obj}",
    "token.manage": "manage tokens",
}


def can(
    who: Actor,
    verb: str,
    obj: Thing,
    token: Token | None = None,
) -> bool:
    """May this person, acting through this token (None: in the browser), do that to the object?

    Objects must come with what the rule reads: a version with its environment, a run with both.
    """
    return _allowed(who, verb, obj, token) and not _unproven(who, verb)


def _unproven(who: Actor, verb: str) -> bool:
    """Does only a second factor stand between the person and that verb?"""
    rule = RULES[verb]
    guarded = rule.scope != READ and not rule.weak
    return guarded and isinstance(who, User) and second_factor.missing(who)


def _allowed(who: Actor, verb: str, obj: Thing, token: Token | None) -> bool:
    rule = RULES[verb]
    principal = _asker(who, token)
    if token is not None:
        if RANK[token.scope] < RANK[rule.scope]:
            return False
        if token.environment_id is not None and rule.about(obj) != token.environment_id:
            if rule.scope != READ:
                return False
            principal = Principal(None, staff=False)
    return rule.allows(principal, obj)


def _asker(who: Actor, token: Token | None) -> Principal:
    if not isinstance(who, User) or not who.is_active:
        return Principal(None, staff=False)
    return Principal(who, staff=who.is_staff and (token is None or token.scope == ADMIN))


def require(
    who: Actor,
    verb: str,
    obj: Thing,
    token: Token | None = None,
) -> None:
    """Return where `can` allows it; else raise 404, 401 or 403, whichever gives nothing away."""
    if can(who, verb, obj, token):
        return
    knowing = KNOWING.get(verb.partition(".")[0])
    if knowing is not None and (verb == knowing or not can(who, knowing, obj, token)):
        raise NotFound
    if not who.is_authenticated:
        raise HubError("request.unauthenticated", status=401)
    if _allowed(who, verb, obj, token):
        raise second_factor.refusal(who)
    doing = NAMED[verb].format(obj=obj)
    if token is not None and _allowed(who, verb, obj, None):
        limit = f"is for {token.environment} alone" if token.environment else "is not enough"
        raise Forbidden(
            f"this token (scope {token.scope}) {limit}: it may not {doing}",
            f"Make a token of scope {RULES[verb].scope} that covers it.",
            "token.scope",
        )
    raise Forbidden(f"you may not {doing}")

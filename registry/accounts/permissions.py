"""Permissions: which actor may do what to which object. Pages and API alike call `can`.

Each slice registers the rules for its models in its own `permissions` module, which the app
imports in `ready`. A rule may have an SQL twin for lists: both stand next to each other.

A token never adds to what its user may do, it only restricts: below the scope of the verb it allows
nothing, and outside its one environment its holder reads like a stranger and writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.contrib.auth.models import AnonymousUser
from django.db.models import Model, Q

from registry.accounts import second_factor
from registry.accounts.models import Membership, Organisation, Owner, Token, User
from registry.accounts.tokens import RANK
from registry.errors import Forbidden, HubError, NotFound

Actor = User | AnonymousUser
Object = Model | AnonymousUser
T = TypeVar("T", bound=Object)
READ, PUBLISH, ADMIN = Token.Scope.READ, Token.Scope.PUBLISH, Token.Scope.ADMIN
PUBLISHERS = (Membership.Role.OWNER, Membership.Role.MAINTAINER)


@dataclass(frozen=True, slots=True)
class Principal:
    """A user as far as the token allows; `staff` needs the browser or an admin token."""

    user: User | None
    staff: bool

    def role(self, owner_id: int) -> str | None:
        """The role under that owner."""
        return self.user.role(owner_id) if self.user else None

    def is_owner(self, owner_id: int) -> bool:
        """The role is owner, or the user is staff."""
        return self.staff or self.role(owner_id) == Membership.Role.OWNER

    def is_member(self, owner_id: int) -> bool:
        """There is any role, or the user is staff."""
        return self.staff or self.role(owner_id) is not None

    def publishes(self, owner_id: int) -> bool:
        """The role is owner or maintainer; being staff is not enough."""
        return self.role(owner_id) in PUBLISHERS

    def manages(self, owner_id: int) -> bool:
        """The role is owner or maintainer, or the user is staff."""
        return self.staff or self.publishes(owner_id)


@dataclass(frozen=True, slots=True)
class Rule(Generic[T]):
    """What a verb needs: a token of at least `scope`, and `allows` of principal and object.

    `action` completes "you may not ...". `where` is the SQL twin of the rule: a condition for the
    rows of the object's model. A verb whose scope is more than read also needs a second factor
    where HUB_REQUIRE_MFA is set; `exempt` verbs do not: they publish nothing.
    """

    scope: Token.Scope
    allows: Callable[[Principal, T], bool]
    action: str = "see {obj}"
    exempt: bool = False
    where: Callable[[Actor, Token | None], Q] | None = None

    @property
    def needs_second_factor(self) -> bool:
        """Whether HUB_REQUIRE_MFA applies."""
        return self.scope != READ and not self.exempt


@dataclass(frozen=True)
class Rules(Generic[T]):
    """The rules of one kind of object, by verb.

    `environment_id` gives the environment that a token must reach, None where no token for a
    single environment suffices. Objects whose kind has a verb `see` are hidden: an actor who may
    not see one gets 404 for every verb.
    """

    models: tuple[type[T], ...]
    verbs: Mapping[str, Rule[T]]
    environment_id: Callable[[T], int | None] = lambda _: None


KINDS: dict[str, Rules[Any]] = {}


def register(kind: str, rules: Rules[Any]) -> None:
    """Add the rules of one kind; `can` finds each as `kind.verb`."""
    if kind in KINDS:
        raise ValueError(f"permission rules for {kind!r} are registered already")
    KINDS[kind] = rules


def verbs() -> list[str]:
    """Every registered `kind.verb`."""
    return [f"{kind}.{verb}" for kind, rules in KINDS.items() for verb in rules.verbs]


def can(actor: Actor, verb: str, obj: Object, token: Token | None = None) -> bool:
    """May this actor, acting through this token (None: in the browser), do that to the object?

    Objects must come with what the rule reads: a version with its environment, a run with both.
    """
    rule = _rule(verb)
    return _allowed(actor, verb, obj, token) and not _lacks_second_factor(actor, rule)


def where(verb: str, actor: Actor, token: Token | None = None) -> Q:
    """The rows for which `can(actor, verb, row, token)` holds, as a condition of their model."""
    condition = _rule(verb).where
    if condition is None:
        raise LookupError(f"the permission rule {verb!r} has no SQL twin")
    return condition(actor, token)


def member_rows(actor: Actor, token: Token | None, *, owner: str, environment: str) -> Q:
    """The SQL twin of `Principal.is_member`, by the names of the two columns: rows of the actor's
    owners, all rows for staff, only those of its environment for a token that is limited to one."""
    principal = principal_of(actor, token)
    if principal.user is None:
        return Q(pk__in=())
    rows = ~Q(pk__in=()) if principal.staff else Q(**{f"{owner}__in": principal.user.roles})
    if token is not None and token.environment_id is not None:
        rows &= Q(**{environment: token.environment_id})
    return rows


def principal_of(actor: Actor, token: Token | None) -> Principal:
    """The actor as far as the scope of the token allows; nobody for a disabled account."""
    if not isinstance(actor, User) or not actor.is_active:
        return Principal(None, staff=False)
    return Principal(actor, staff=actor.is_staff and (token is None or token.scope == ADMIN))


def require(actor: Actor, verb: str, obj: Object, token: Token | None = None) -> None:
    """Return where `can` allows it; else raise 404, 401 or 403, whichever reveals nothing."""
    if can(actor, verb, obj, token):
        return
    rule, see = _rule(verb), f"{verb.partition('.')[0]}.see"
    if _is_hidden(verb) and (verb == see or not can(actor, see, obj, token)):
        raise NotFound
    if not actor.is_authenticated:
        raise HubError("request.unauthenticated", status=401)
    if _allowed(actor, verb, obj, token):
        raise second_factor.refusal(actor)
    action = rule.action.format(obj=obj)
    if token is not None and _allowed(actor, verb, obj, None):
        limit = f"is for {token.environment} alone" if token.environment else "is not enough"
        raise Forbidden(
            f"this token (scope {token.scope}) {limit}: it may not {action}",
            f"Make a token of scope {rule.scope} that covers it.",
            "token.scope",
        )
    raise Forbidden(f"you may not {action}")


def _rule(verb: str) -> Rule[Any]:
    kind, _, name = verb.partition(".")
    return KINDS[kind].verbs[name]


def _is_hidden(verb: str) -> bool:
    return "see" in KINDS[verb.partition(".")[0]].verbs


def _lacks_second_factor(actor: Actor, rule: Rule[Any]) -> bool:
    """Does only a second factor stand between the actor and the verb?"""
    return rule.needs_second_factor and isinstance(actor, User) and second_factor.missing(actor)


def _allowed(actor: Actor, verb: str, obj: Object, token: Token | None) -> bool:
    kind, rule = KINDS[verb.partition(".")[0]], _rule(verb)
    if not isinstance(obj, kind.models):
        raise TypeError(f"{verb} is a permission on {kind.models}, not on {type(obj)}")
    principal = principal_of(actor, token)
    if token is not None:
        if RANK[token.scope] < RANK[rule.scope]:
            return False
        if token.environment_id is not None and kind.environment_id(obj) != token.environment_id:
            if rule.scope != READ:
                return False
            principal = Principal(None, staff=False)
    return rule.allows(principal, obj)


def _is_self(principal: Principal, actor: Actor) -> bool:
    return principal.user == actor


register(
    "owner",
    Rules[Owner](
        (Owner,),
        {
            "publish": Rule(PUBLISH, lambda p, o: p.publishes(o.pk), "publish under {obj}"),
            "manage": Rule(ADMIN, lambda p, o: p.is_owner(o.pk), "manage {obj}"),
            "journal": Rule(
                ADMIN, lambda p, o: p.manages(o.pk), "read the journal of {obj}", exempt=True
            ),
            "quota": Rule(READ, lambda p, o: p.is_member(o.pk), "see the quota of {obj}"),
        },
    ),
)
register(
    "organisation",
    Rules[Organisation](
        (Organisation,),
        {
            "see": Rule(READ, lambda p, o: p.is_member(o.owner.pk)),
            "manage": Rule(ADMIN, lambda p, o: p.is_owner(o.owner.pk), "manage {obj}"),
            "leave": Rule(
                ADMIN, lambda p, o: p.role(o.owner.pk) is not None, "leave {obj}", exempt=True
            ),
        },
    ),
)
register(
    "account",
    Rules[Any](
        (User, AnonymousUser),
        {
            "organise": Rule(ADMIN, _is_self, "make an organisation"),
            "answer": Rule(ADMIN, _is_self, "answer invitations", exempt=True),
            "read_notifications": Rule(READ, _is_self, "read your notifications"),
            "mark_notifications": Rule(
                PUBLISH, _is_self, "mark your notifications as read", exempt=True
            ),
        },
    ),
)
register(
    "hub",
    Rules[Any](
        (User, AnonymousUser),
        {"moderate": Rule(ADMIN, lambda p, _: p.staff, "moderate this hub")},
    ),
)
register(
    "token",
    Rules[Token](
        (Token,),
        {
            "manage": Rule(
                ADMIN,
                lambda p, t: p.user is not None and t.user_id == p.user.pk,
                "manage tokens",
                exempt=True,
            )
        },
    ),
)

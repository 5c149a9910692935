"""People and organisations. Callers have asked `permissions` already, where there is a `by`."""

from __future__ import annotations

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, validate_email
from django.db import IntegrityError, transaction

from envyard.contract.names import BadName, check_owner
from registry import events
from registry.accounts.models import Membership, Organisation, Owner, User
from registry.errors import HubError

LONGEST_EMAIL = 254  # RFC 5321's longest path without its brackets
# First parts of addresses that are, or may become, the hub's own.
RESERVED = frozenset(
    """
    about account accounts admin api assets auth browse cards device docs envs environments errors
    explore favicon files health healthz help home hub join legacy login logout media new oidc
    organisations orgs owners password patterns privacy publish register robots rss runner runners
    runs search security session settings signin signout signup simple staff static stats status
    support tags terms tokens user users welcome www
    """.split()  # noqa: SIM905 - as a list it would be sixty lines
)


def register(*, username: str, email: str, password: str) -> User:
    """A new person, who owns the name `username`."""
    _free_name(username)
    try:
        MaxLengthValidator(LONGEST_EMAIL)(email)
        validate_email(email)
    except ValidationError:
        raise _invalid("email", f"email {email[:80]!r} is not an e-mail address") from None
    try:
        validate_password(password, User(username=username, email=email))
    except ValidationError as refused:
        raise _invalid("password", " ".join(refused.messages)) from None
    try:
        with transaction.atomic():
            user = User.objects.create_user(username, email=email, password=password)
            Owner.objects.create(name=username, user=user)
            events.record("user.registered", by=user)
    except IntegrityError:
        raise _taken(username) from None
    return user


def create_organisation(*, name: str, title: str, by: User) -> Organisation:
    """A new organisation with that name and `by` as its owner."""
    _free_name(name)
    if len(title) > 100:
        raise _invalid("title", f"title has {len(title)} characters, the most are 100")
    try:
        with transaction.atomic():
            organisation = Organisation.objects.create(title=title)
            Owner.objects.create(name=name, organisation=organisation)
            Membership.objects.create(
                organisation=organisation, user=by, role=Membership.Role.OWNER
            )
            events.record("organisation.created", by=by, name=name)
    except IntegrityError:
        raise _taken(name) from None
    return organisation


def add_member(*, organisation: Organisation, user: User, role: str, by: User) -> Membership:
    """Give the person that role, new or changed; an organisation always keeps an owner."""
    if role not in Membership.Role.values:
        words = ", ".join(Membership.Role.values)
        raise _invalid("role", f"role {role!r} must be one of {words}")
    with transaction.atomic():
        Organisation.objects.select_for_update().get(pk=organisation.pk)
        owners = organisation.memberships.filter(role=Membership.Role.OWNER)
        if role != Membership.Role.OWNER and not owners.exclude(user=user).exists():
            raise _invalid("role", f"{user} is the only owner of {organisation}")
        membership, _ = Membership.objects.update_or_create(
            organisation=organisation, user=user, defaults={"role": role}
        )
        events.record(
            "member.set", by=by, organisation=str(organisation), user=str(user), role=role
        )
    return membership


def _free_name(name: str) -> None:
    """Refuse a name that the rule or the hub's own addresses exclude, or that is taken."""
    try:
        check_owner(name)
    except BadName as refused:
        raise _invalid("name", str(refused)) from None
    if name in RESERVED:
        raise _invalid("name", f"name {name!r} is reserved for the hub's own pages")
    if Owner.objects.filter(name=name).exists():
        raise _taken(name)


def _invalid(field: str, message: str) -> HubError:
    return HubError("request.invalid", message, details={"field": field})


def _taken(name: str) -> HubError:
    return HubError(
        "request.conflict",
        f"the name {name!r} is taken",
        "Choose another name.",
        409,
        {"field": "name"},
    )

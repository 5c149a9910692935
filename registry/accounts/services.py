"""Users and organisations. Callers have checked permissions where there is a `by`."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, validate_email
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from envyard.contract.names import BadName, check_owner
from registry import events
from registry.accounts import owner_notices
from registry.accounts.models import Invitation, Membership, Organisation, Owner, User
from registry.errors import Forbidden, HubError, NotFound

MAX_EMAIL_CHARACTERS = 254  # RFC 5321's longest path without its brackets
# First parts of addresses that are, or may become, the hub's own.
RESERVED = frozenset(
    """
    about account accounts admin api assets auth browse cards compare confirm-email device docs
    email environments envs errors explore favicon files health healthz help home hub inactive
    integrity invitations join leaderboards legacy login logout media moderation new notifications
    oidc organisations orgs owners password patterns privacy publish readyz reauthenticate register
    robots rss runner runners runs search security session settings signin signout signup simple
    staff static stats status support tags terms tokens user users webhooks welcome www
    """.split()  # noqa: SIM905 - as a list it would be sixty lines
)


def register(*, username: str, email: str, password: str, verified: bool = False) -> User:
    """A new user, who owns the name `username`; `verified` where the address needs no proof."""
    check_name(username)
    check_email(email)
    try:
        validate_password(password, User(username=username, email=email))
    except ValidationError as refused:
        raise _invalid("password", " ".join(refused.messages)) from None
    try:
        with transaction.atomic():
            user = User.objects.create_user(username, email=email, password=password)
            owner = Owner.objects.create(name=username, user=user)
            EmailAddress.objects.create(user=user, email=email, primary=True, verified=verified)
            events.record("user.registered", by=user, owner=owner)
    except IntegrityError:
        raise _taken(username) from None
    return user


def set_staff(*, username: str, staff: bool) -> bool:
    """Make the user staff, with access to the admin site, or remove that; returns whether it
    changed.

    Existing admin tokens and sessions lose the rights of staff at once.
    """
    with transaction.atomic():
        user = User.objects.select_for_update().filter(username=username).first()
        if user is None:
            raise HubError(
                "request.not_found",
                f"there is no user {username!r}",
                "Sign up with that name in the browser first; names are case-sensitive.",
                404,
            )
        if staff and not user.is_active:
            raise _invalid("username", f"{username!r} is inactive: activate it under /admin/ first")
        if user.is_staff == staff and user.is_superuser == staff:
            return False
        User.objects.filter(pk=user.pk).update(is_staff=staff, is_superuser=staff)
        end_invitations(sender=user)
        verb = "user.staff_added" if staff else "user.staff_removed"
        events.record(verb, owner=getattr(user, "owner", None), user=username)
    return True


def staff() -> list[str]:
    """The user names of all active staff, sorted."""
    people = User.objects.filter(is_staff=True, is_active=True)
    return list(people.order_by("username").values_list("username", flat=True))


def create_organisation(*, name: str, title: str, by: User) -> Organisation:
    """A new organisation with that name and `by` as its owner."""
    check_name(name)
    _check_title(title)
    try:
        with transaction.atomic():
            _check_organisation_count(by)
            organisation = Organisation.objects.create(title=title)
            owner = Owner.objects.create(name=name, organisation=organisation)
            Membership.objects.create(
                organisation=organisation, user=by, role=Membership.Role.OWNER
            )
            events.record("organisation.created", by=by, owner=owner)
    except IntegrityError:
        raise _taken(name) from None
    return organisation


def _check_organisation_count(by: User) -> None:
    """Refuse more than HUB_ORGANISATIONS_PER_PERSON, since each has a storage quota of its own.

    Organisations that the user left count too. Call it in a transaction: it locks the user."""
    if by.is_staff:
        return
    User.objects.select_for_update(no_key=True).get(pk=by.pk)
    maximum = settings.HUB_ORGANISATIONS_PER_PERSON
    created = events.Event.objects.filter(actor=by, verb="organisation.created").count()
    if created >= maximum:
        raise HubError(
            "quota.organisations",
            f"{by.get_username()} has made {created} organisations, the most allowed "
            f"(HUB_ORGANISATIONS_PER_PERSON={maximum})",
            "Use one of them, or ask the staff of this hub to make one and invite you.",
            403,
            {"used": created, "limit": maximum},
        )


def rename(*, organisation: Organisation, title: str, by: User) -> None:
    """Change the title; the name stays."""
    _check_title(title)
    with transaction.atomic():
        Organisation.objects.filter(pk=organisation.pk).update(title=title)
        events.record("organisation.renamed", by=by, owner=organisation.owner, title=title)
    organisation.title = title


def add_member(
    *, organisation: Organisation, user: User, role: str, by: User, sender: str = ""
) -> Membership:
    """Give the person that role, new or changed; an organisation always keeps an owner.

    `sender` is the user name of the inviter where an invitation was accepted; else `by` is an owner
    or staff, and a change by staff is mailed to the owners.
    """
    check_role(role)
    with transaction.atomic():
        owner, people = organisation.owner, list[User]()
        if not sender:
            _check_manages(organisation, by)
            people = owner_notices.to_notify(owner, by=by)
        if role != Membership.Role.OWNER:
            _keeps_an_owner_without(user, organisation)
        membership, _ = Membership.objects.update_or_create(
            organisation=organisation, user=user, defaults={"role": role}
        )
        end_invitations(sender=user)
        if sender:
            events.record(
                "member.joined", by=by, owner=owner, user=str(user), role=role, sender=sender
            )
        else:
            events.record("member.set", by=by, owner=owner, user=str(user), role=role)
        if people:
            change = f"{user} is {role} of {owner} now."
            owner_notices.send(people=[*people, user], owner=owner, by=by, change=change)
    return membership


def remove_member(*, organisation: Organisation, user: User, by: User) -> None:
    """End the membership, and with it all rights of the user and their tokens there."""
    with transaction.atomic():
        owner, people = organisation.owner, list[User]()
        if user != by:
            _check_manages(organisation, by)
            people = owner_notices.to_notify(owner, by=by)
        _keeps_an_owner_without(user, organisation)
        if not Membership.objects.filter(organisation=organisation, user=user).delete()[0]:
            raise NotFound(f"{user} is no member of {organisation}")
        end_invitations(sender=user)
        events.record("member.removed", by=by, owner=owner, user=str(user))
        if people:
            change = f"{user} belongs to {owner} no more."
            owner_notices.send(people=[*people, user], owner=owner, by=by, change=change)


def _check_manages(organisation: Organisation, by: User) -> None:
    """Refuse a user who lost the role after the permission check; locks the organisation."""
    lock(organisation)
    owners = Membership.objects.filter(organisation=organisation, role=Membership.Role.OWNER)
    people = User.objects.filter(Q(is_staff=True) | Exists(owners.filter(user=OuterRef("pk"))))
    if not people.filter(pk=by.pk, is_active=True).exists():
        raise Forbidden(f"you may not manage {organisation}")


def may_invite() -> Exists:
    """Filter of Invitation rows: the sender is active, and an owner there or staff, now."""
    owners = Membership.objects.filter(
        organisation=OuterRef(OuterRef("organisation")),
        user=OuterRef("pk"),
        role=Membership.Role.OWNER,
    )
    senders = User.objects.filter(Exists(owners) | Q(is_staff=True), is_active=True)
    return Exists(senders.filter(pk=OuterRef("invited_by")))


def end_invitations(*, sender: User) -> None:
    """End the open invitations that the user may no longer send.

    Call it in the transaction that removes a right: if the right returns, they stay ended.
    """
    rows = Invitation.objects.filter(~may_invite(), invited_by=sender, ended_at=None)
    rows.update(ended_at=timezone.now())


def lock(organisation: Organisation) -> None:
    """Block changes of roles there until the transaction ends."""
    Organisation.objects.select_for_update().get(pk=organisation.pk)


def _keeps_an_owner_without(user: User, organisation: Organisation) -> None:
    """Refuse to remove the last owner whose account is active; other members may leave.

    Locks the organisation, so that two owners cannot leave at once.
    """
    lock(organisation)
    owners = organisation.memberships.filter(role=Membership.Role.OWNER)
    other_owners = owners.exclude(user=user).filter(user__is_active=True)
    if owners.filter(user=user).exists() and not other_owners.exists():
        raise HubError(
            "request.conflict",
            f"{user} is the only owner of {organisation} with an active account",
            "Give the organisation another owner first.",
            409,
            {"field": "role"},
        )


def without_active_owner(*, member: User) -> list[Organisation]:
    """The organisations that the user owns and in which no owner's account is active, by name.

    Call it in the transaction that closes the account: it locks the organisations, so that another
    owner who leaves at the same time is either refused or not counted.
    """
    memberships = Membership.objects.filter(user=member, role=Membership.Role.OWNER)
    owned = Organisation.objects.filter(memberships__in=memberships).order_by("pk")
    keys = list(owned.values_list("pk", flat=True))
    list(Organisation.objects.select_for_update().filter(pk__in=keys).order_by("pk"))
    active = Membership.objects.filter(
        organisation=OuterRef("pk"), role=Membership.Role.OWNER, user__is_active=True
    )
    rows = Organisation.objects.filter(~Exists(active), pk__in=keys)
    return list(rows.select_related("owner").order_by("owner__name"))


def check_name(name: str) -> None:
    """Refuse a name that the rule or the hub's own addresses exclude, or that is taken."""
    try:
        check_owner(name)
    except BadName as refused:
        raise _invalid("name", str(refused)) from None
    if name in RESERVED:
        raise _invalid("name", f"name {name!r} is reserved for the hub's own pages")
    if Owner.objects.filter(name=name).exists():
        raise _taken(name)


def check_email(email: str) -> None:
    """Refuse an invalid email address."""
    try:
        MaxLengthValidator(MAX_EMAIL_CHARACTERS)(email)
        validate_email(email)
    except ValidationError:
        raise _invalid("email", f"email {email[:80]!r} is not an email address") from None


def check_role(role: str) -> None:
    """Refuse an unknown role."""
    if role not in Membership.Role.values:
        words = ", ".join(Membership.Role.values)
        raise _invalid("role", f"role {role!r} must be one of {words}")


def _check_title(title: str) -> None:
    if len(title) > 100:
        raise _invalid("title", f"title has {len(title)} characters, the maximum is 100")
    if not title.isprintable():
        raise _invalid("title", f"title {title!r} may hold no line breaks or invisible characters")


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

"""People, organisations, the names they own, their tokens, and runners."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.functional import cached_property

from registry import constraints


class User(AbstractUser):
    """A person who signs in; the name they own is `self.owner.name`."""

    owner: Owner

    @cached_property
    def roles(self) -> dict[int, str]:
        """Owner id -> role: `owner` of the own name, and the role in each organisation.

        Costs one query, and one where the user came without the owner, once for each loaded user:
        a role changed later is not seen.
        """
        own = getattr(self, "owner", None)  # operators may make users without one
        own_memberships = self.memberships.filter(organisation__owner__isnull=False)
        return ({own.pk: str(Membership.Role.OWNER)} if own else {}) | dict(
            own_memberships.values_list("organisation__owner__pk", "role")
        )

    def role(self, owner_id: int) -> str | None:
        """The role under that owner; under the own name it costs no query."""
        own = getattr(self, "owner", None)
        if own and own.pk == owner_id:
            return Membership.Role.OWNER
        return self.roles.get(owner_id)


class Organisation(models.Model):
    """A group of people who own environments together."""

    title = models.CharField(max_length=100, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    members: models.ManyToManyField[User, Membership] = models.ManyToManyField(
        User, through="Membership", related_name="organisations"
    )

    owner: Owner

    def __str__(self) -> str:
        return self.owner.name


class Owner(models.Model):
    """A name under which environments live: one namespace for people and organisations."""

    name = models.CharField(max_length=39, unique=True)
    user = models.OneToOneField(User, null=True, on_delete=models.PROTECT, related_name="owner")
    organisation = models.OneToOneField(
        Organisation, null=True, on_delete=models.PROTECT, related_name="owner"
    )

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(user__isnull=False, organisation__isnull=True)
                | Q(user__isnull=True, organisation__isnull=False),
                name="owner_is_user_or_organisation",
            ),
            models.CheckConstraint(
                condition=Q(name__regex=constraints.NAME), name="owner_name_rule"
            ),
        )

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A person's role in an organisation."""

    class Role(models.TextChoices):
        OWNER = "owner"
        MAINTAINER = "maintainer"
        MEMBER = "member"

    organisation = models.ForeignKey(
        Organisation, on_delete=models.CASCADE, related_name="memberships"
    )
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role.choices, default=Role.MEMBER)
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("organisation", "user"), name="one_role_a_member"),
            models.CheckConstraint(
                condition=Q(role__in=("owner", "maintainer", "member")), name="member_role_is_known"
            ),
        )

    def __str__(self) -> str:
        return f"{self.user} {self.role} of {self.organisation}"


class Invitation(models.Model):
    """An offer of a role in an organisation, to a user or to an email address.

    Only the digest of its secret is stored; it ends when accepted, declined, withdrawn or expired.
    """

    organisation = models.ForeignKey(
        Organisation, on_delete=models.CASCADE, related_name="invitations"
    )
    user = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.CASCADE, related_name="invitations"
    )
    email = models.EmailField(blank=True)
    role = models.CharField(max_length=12, choices=Membership.Role.choices)
    digest = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(user__isnull=False, email="") | (Q(user__isnull=True) & ~Q(email="")),
                name="invitation_is_to_user_or_email",
            ),
            models.UniqueConstraint(
                fields=("organisation", "user"),
                condition=Q(ended_at=None, user__isnull=False),
                name="one_open_invitation_a_person",
            ),
            models.UniqueConstraint(
                fields=("organisation", "email"),
                condition=Q(ended_at=None) & ~Q(email=""),
                name="one_open_invitation_an_address",
            ),
            models.CheckConstraint(
                condition=Q(accepted_at__isnull=True) | Q(ended_at__isnull=False),
                name="accepted_invitations_have_ended",
            ),
            models.CheckConstraint(
                condition=constraints.is_choice("role", Membership.Role),
                name="invitation_role_is_known",
            ),
            models.CheckConstraint(
                condition=constraints.sha256("digest"), name="invitation_digest_is_sha256"
            ),
            models.CheckConstraint(
                condition=constraints.after("expires_at", "created_at"),
                name="invitations_expire_after_they_begin",
            ),
        )

    def __str__(self) -> str:
        return f"{self.user or self.email} as {self.role} of {self.organisation}"


class Token(models.Model):
    """An API token: `hub_` + public id + secret + checksum; only its SHA-256 is kept.

    `published_with` is the trusted publisher it was minted for, `claims` those of the identity
    token; both are {} for a user's own token. A publisher of several environments gets one text,
    with a row for each environment it was used for: a row is limited to one environment and the
    rights of one user. `parent` is the token that made this one over the API: a child never has
    more rights than its parent (`tokens.mint`) and ends with it at the latest
    (`lineage.end_descendants`).
    """

    class Scope(models.TextChoices):
        READ = "read"
        PUBLISH = "publish"
        ADMIN = "admin"

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=80)
    public_id = models.CharField(max_length=12, unique=True)
    digest = models.CharField(max_length=64, db_index=True)
    scope = models.CharField(max_length=8, choices=Scope.choices)
    environment = models.ForeignKey(
        "registry.Environment",
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="tokens",
    )
    parent = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.CASCADE, related_name="children"
    )
    published_with = models.JSONField(default=dict)
    claims = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    revoked_because = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("digest", "environment"), name="one_row_a_token_reach"),
            models.CheckConstraint(
                condition=Q(scope__in=("read", "publish", "admin")), name="token_scope_is_known"
            ),
            models.CheckConstraint(
                condition=constraints.sha256("digest"), name="token_digest_is_sha256"
            ),
            models.CheckConstraint(
                condition=constraints.after("expires_at", "created_at"),
                name="tokens_expire_after_they_begin",
            ),
            models.CheckConstraint(
                condition=constraints.only_with("revoked_because", "revoked_at"),
                name="only_revoked_tokens_have_a_reason",
            ),
            models.CheckConstraint(
                condition=Q(parent__isnull=True) | ~Q(parent=models.F("id")),
                name="no_token_is_its_own_parent",
            ),
        )

    def __str__(self) -> str:
        return f"{self.name} ({self.public_id})"

    @property
    def usable(self) -> bool:
        """Neither revoked nor expired."""
        return self.revoked_at is None and (
            self.expires_at is None or self.expires_at > timezone.now()
        )


class DeviceLogin(models.Model):
    """A `hub login` that waits for approval in the browser (RFC 8628).

    The token is minted when the approved device polls, so that no secret is ever stored.
    """

    user_code = models.CharField(max_length=9, unique=True)
    device_digest = models.CharField(max_length=64, unique=True)
    device_name = models.CharField(max_length=80)
    user = models.ForeignKey(User, null=True, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    approved_at = models.DateTimeField(null=True)
    denied_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=constraints.sha256("device_digest"), name="device_digest_is_sha256"
            ),
            models.CheckConstraint(
                condition=constraints.after("expires_at", "created_at"),
                name="device_logins_expire_after_they_begin",
            ),
            models.CheckConstraint(
                condition=Q(approved_at__isnull=True)
                | Q(denied_at__isnull=True, user__isnull=False),
                name="approved_logins_have_a_person",
            ),
        )

    def __str__(self) -> str:
        return self.user_code


class Runner(models.Model):
    """A machine that executes runs; its token is its only credential of the hub.

    Since `draining_since`, where that is set, it gets no new run.
    """

    name = models.CharField(max_length=80, unique=True)
    digest = models.CharField(max_length=64, unique=True)
    enabled = models.BooleanField(default=True)
    capabilities = models.JSONField(default=dict)
    draining_since = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    last_seen_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=constraints.sha256("digest"), name="runner_digest_is_sha256"
            ),
        )

    def __str__(self) -> str:
        return self.name

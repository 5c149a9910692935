"""The admin site for staff: read everything, change what no service guards, quarantine versions.

Status, secrets and journal cannot be edited here: they change through the services alone.
"""

from __future__ import annotations

from allauth.account.admin import EmailAddress
from allauth.mfa.admin import Authenticator
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.db import transaction
from django.db.models import Model, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse

from registry import events, models
from registry.accounts import devices, owner_notices, services
from registry.catalog import overlays
from registry.errors import HubError

admin.site.site_header = admin.site.site_title = "Envyard staff"
# Their own screens would show staff the secrets of second factors, and let them change addresses.
admin.site.unregister((Authenticator, EmailAddress))


class FixedRows(admin.ModelAdmin):  # type: ignore[type-arg]  # no generic at run time
    """Rows that are not created or deleted here: they would lack a name or token."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Never."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never."""
        return False


class ReadOnly(FixedRows):
    """Read only."""

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Never."""
        return False


@admin.register(models.Version)
class VersionAdmin(ReadOnly):
    """Versions, with quarantine as an action."""

    list_display = ("__str__", "status", "listed_at", "yanked_at", "quarantined_at")
    list_filter = ("status", "framework")
    list_select_related = ("environment__owner",)
    search_fields = ("environment__name", "environment__owner__name", "version", "sha256")
    actions = ("quarantine", "release")

    @admin.action(description="Quarantine: nobody can install it", permissions=["view"])
    def quarantine(self, request: HttpRequest, rows: QuerySet[models.Version]) -> None:
        """Quarantine the versions."""
        for version in rows.select_related("environment__owner"):
            self._do(request, "quarantine", version, reason="quarantined by staff")

    @admin.action(description="Release from quarantine", permissions=["view"])
    def release(self, request: HttpRequest, rows: QuerySet[models.Version]) -> None:
        """Release the versions."""
        for version in rows.select_related("environment__owner"):
            self._do(request, "release", version)

    def _do(
        self, request: HttpRequest, verb: str, version: models.Version, **arguments: str
    ) -> None:
        try:
            getattr(overlays, verb)(version=version, by=request.user, **arguments)
        except HubError as refused:
            self.message_user(request, refused.message, messages.ERROR)


@admin.register(models.User)
class PersonAdmin(FixedRows, UserAdmin):  # type: ignore[type-arg]  # no generic at run time
    """Users, who register themselves. Staff disable them or make them staff, and set address or
    password where they can receive no link. The user name cannot change: they own it."""

    readonly_fields = ("username", "last_login", "date_joined")

    def save_model(
        self, request: HttpRequest, obj: models.User, form: ModelForm[models.User], change: bool
    ) -> None:
        """Save, end the invitations that the user may no longer send, and warn where a closed
        account was the last active owner: closing must be possible without another owner."""
        by = request.user if isinstance(request.user, models.User) else None
        with transaction.atomic():
            before = models.User.objects.get(pk=obj.pk)
            super().save_model(request, obj, form, change)
            if by and before.email != obj.email:
                emails = (before.email, obj.email)
                owner_notices.credential_set(user=obj, by=by, credential="email", emails=emails)
            if before.is_staff != obj.is_staff:
                verb = "user.staff_added" if obj.is_staff else "user.staff_removed"
                owner = getattr(obj, "owner", None)
                events.record(verb, by=by, owner=owner, user=str(obj))
            services.end_invitations(sender=obj)
            ownerless = [] if obj.is_active else services.without_active_owner(member=obj)
        for organisation in ownerless:
            text = (
                f"Organisation {organisation} has no owner with an active account: make a member "
                f"owner on /orgs/{organisation}/, or invite somebody as owner there."
            )
            self.message_user(request, text, messages.WARNING)

    def user_change_password(
        self,
        request: HttpRequest,
        id: str,  # noqa: A002 - Django's name
        form_url: str = "",
    ) -> HttpResponse:
        """The page on which staff set a password; the user gets a mail."""
        rows, by = models.User.objects.filter(pk__in=[id] if id.isdigit() else []), request.user
        before = rows.first()
        with transaction.atomic():
            answer: HttpResponse = super().user_change_password(request, id, form_url)
            after = rows.first()
            changed = before and after and before.password != after.password
            if after and changed and isinstance(by, models.User):
                emails = (after.email,)
                owner_notices.credential_set(
                    user=after, by=by, credential="password", emails=emails
                )
                devices.end_logins(user=after)
        return answer


@admin.register(models.Runner)
class RunnerAdmin(FixedRows):
    """Runners: disabled here, created with `create_runner`."""

    list_display = ("name", "enabled", "draining_since", "last_seen_at")
    fields = ("name", "enabled", "draining_since", "capabilities", "created_at", "last_seen_at")
    readonly_fields = ("name", "draining_since", "capabilities", "created_at", "last_seen_at")


@admin.register(models.Token)
class TokenAdmin(ReadOnly):
    """Tokens, without anything secret."""

    list_display = ("public_id", "name", "user", "scope", "expires_at", "last_used_at")
    exclude = ("digest",)
    list_select_related = ("user",)


@admin.register(models.Event)
class EventAdmin(ReadOnly):
    """The journal."""

    list_display = ("at", "verb", "actor", "environment", "version", "run")
    list_select_related = ("actor", "environment__owner", "version__environment__owner", "run")
    search_fields = ("verb",)
    ordering = ("-id",)


@admin.register(models.Environment)
class EnvironmentAdmin(ReadOnly):
    """Environments."""

    list_display = ("__str__", "visibility", "latest", "installs", "updated_at")
    list_select_related = ("owner", "latest__environment__owner")
    search_fields = ("name", "owner__name")


@admin.register(models.Run)
class RunAdmin(ReadOnly):
    """Runs."""

    list_display = ("id", "version", "status", "attempt", "runner", "created_at", "ended_at")
    list_filter = ("status",)
    list_select_related = ("version__environment__owner", "runner")


@admin.register(models.Organisation)
class OrganisationAdmin(FixedRows):
    """Organisations and their members."""

    list_display = ("__str__", "title", "created_at")
    list_select_related = ("owner",)
    search_fields = ("owner__name", "title")

"""DRF permission classes in front of `registry.accounts.permissions`, which has the rules.

They raise the hub's own refusals, so that 404, 401 and 403 give nothing away.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from registry.accounts import permissions
from registry.accounts.models import Token, User
from registry.api.auth import get_actor, person

# Verbs about the person who sends the request, which can be decided before the view runs.
ABOUT_ACTOR = (
    *("hub.moderate", "account.organise", "account.answer", "token.manage"),
    *("account.read_notifications", "account.mark_notifications"),
)
# Verbs for which nobody has to sign in where the object is public.
PUBLIC = ("environment.see", "version.see", "run.see")


class SignedIn(BasePermission):
    """Refuses a request without credentials with 401."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """True; raises 401."""
        if request.method != "OPTIONS":
            person(request)
        return True

    def is_public(self, method: str) -> bool:
        """Whether the document lists the method as one without sign-in."""
        return False


class SignedInToWrite(SignedIn):
    """The same for requests that change something."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        """True; raises 401."""
        return request.method in SAFE_METHODS or super().has_permission(request, view)

    def is_public(self, method: str) -> bool:
        """Whether the document lists the method as one without sign-in."""
        return method in SAFE_METHODS


def requires(**verbs: str) -> type[BasePermission]:
    """The permission class of a view: `@permission_classes([requires(GET="run.see")])`."""
    return type("Requires", (RequiresVerb,), {"verbs": verbs})


class RequiresVerb(BasePermission):
    """The verb that each method needs, about the objects that the view fetches with
    `registry.api.lookup`, which calls `check_object_permissions`."""

    verbs: ClassVar[Mapping[str, str]] = {}

    def has_permission(self, request: Request, view: APIView) -> bool:
        """True; raises 401 or 403 for a verb about the person."""
        verb = self._verb(request)
        if verb in ABOUT_ACTOR:
            actor = get_actor(request)[0]
            if verb != "hub.moderate":
                actor = person(request)
            if verb == "token.manage" and isinstance(actor, User):
                demand(request, verb, Token(user=actor))
            else:
                demand(request, verb, actor)
        return True

    def has_object_permission(self, request: Request, view: APIView, obj: Any) -> bool:
        """True; raises 404, 401 or 403."""
        verb = self._verb(request)
        if verb and verb not in ABOUT_ACTOR:
            demand(request, verb, obj)
        return True

    def is_public(self, method: str) -> bool:
        """Whether the document lists the method as one without sign-in."""
        return self.verbs.get(method, PUBLIC[0]) in PUBLIC

    def _verb(self, request: Request) -> str:
        method = "GET" if request.method == "HEAD" else str(request.method)
        return self.verbs.get(method, "")


def demand(request: Request, verb: str, obj: permissions.Object) -> None:
    """Return where the request's person and token may do that; else raise 404, 401 or 403."""
    actor, token = get_actor(request)
    permissions.require(actor, verb, obj, token)


def check_object(request: Request, obj: Any) -> None:
    """Check the permission classes of the request's view against an object."""
    view: APIView = (request.parser_context or {})["view"]
    view.check_object_permissions(request, obj)

"""DRF throttle classes in front of `registry.rate_limits`, which counts."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from registry.rate_limits import check


def rate_scope(scope: str, *, per_person: bool = False, method: str = "") -> type[BaseThrottle]:
    """The throttle class of a view: `@throttle_classes([rate_scope("token", per_person=True)])`.

    `method` is the only one that is counted, where the view has several.
    """
    values = {"scope": scope, "per_person": per_person, "method": method}
    return type("RateScope", (RateScope,), values)


class RateScope(BaseThrottle):
    """Counts requests of a scope by the client's address, or by the person that the
    view's permission class has required."""

    scope = ""
    per_person = False
    method = ""

    def allow_request(self, request: Request, view: APIView) -> bool:
        """True; raises 429 with the time to wait."""
        if request.method == (self.method or request.method):
            person = str(request.user.pk) if self.per_person else ""
            check(request._request, self.scope, person=person)  # noqa: SLF001 - the client's address is there
        return True

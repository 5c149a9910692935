"""The one page that is the hub's own: is it alive?"""

import logging

from django.db import Error, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

log = logging.getLogger(__name__)


@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """200 when the database answers, else 503; JSON for probes and load balancers."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        log.exception("the database does not answer")
        return JsonResponse({"status": "failing", "database": "unreachable"}, status=503)
    return JsonResponse({"status": "ok", "database": "ok"})

"""What the web server runs."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hub.settings")
_hub = get_wsgi_application()  # first: it sets Django up

from registry.api.published import published  # noqa: E402

application = published(_hub)

"""What the web server runs."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hub.settings")
_hub = get_wsgi_application()  # first: it sets Django up

from frontend.command import COMMAND, RUNNER, packed  # noqa: E402
from registry.api.published import published  # noqa: E402

for package in (COMMAND, RUNNER):
    packed(package)  # now: an update may change the files under a hub that goes on
application = published(_hub)

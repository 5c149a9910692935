"""The WSGI application."""

import gc
import os

import django
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hub.settings")
django.setup()

from hub import static_files, urls  # noqa: E402, F401 - else the first request imports all pages

static_files.serve()  # before WhiteNoise scans the folder
_hub = get_wsgi_application()

from frontend.command import COMMAND, RUNNER, packed  # noqa: E402
from hub.hosts import target_host  # noqa: E402
from registry.api.published import published  # noqa: E402

for package in (COMMAND, RUNNER):
    packed(package)  # now, because an update may change the files of a running hub
application = target_host(published(_hub))

# One of a hundred requests waited 0.1 s for a collection that goes through the whole program.
gc.collect()
gc.freeze()

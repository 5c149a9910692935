"""The hub's own settings with cheap passwords, plain static files and no broker at all.

Flow tests do not use this file: the processes they start read hub.settings.
"""

from base64 import b64encode

from hub.settings import *  # noqa: F403
from hub.settings import DATABASES, HUB_HOME, INSTALLED_APPS, STORAGES

INSTALLED_APPS = [*INSTALLED_APPS, "tests.quick_flush"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = STORAGES | {
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
}
STATIC_ROOT = HUB_HOME / "static"
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
CELERY_BROKER_URL = "memory://"
HUB_SECRETS_KEYS = (b64encode(bytes(32)).decode(),)
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A real file: locks and write-ahead log behave as they do in service.
    DATABASES["default"]["TEST"] = {"NAME": HUB_HOME / "test.sqlite3"}

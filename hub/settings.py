"""The settings of the hub that the environment changes; an invalid value stops the start.

Secrets are also read from the file that `NAME_FILE` names. docs/settings.md lists all settings.
"""

from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from envyard.contract.job import MODEL
from envyard.contract.probes import PROBE_NAMES
from hub import database, env, logs, mail, static_files
from hub.fixed_settings import *  # noqa: F403
from hub.fixed_settings import INSTALLED_APPS

BASE_DIR = Path(__file__).resolve().parent.parent

# --- Location --------------------------------------------------------------------------------
HUB_HOME = env.folder("HUB_HOME", BASE_DIR / ".hub")
HUB_PORT = env.integer("HUB_PORT", 8000, low=1, high=65535)
HUB_BIND = env.text("HUB_BIND", "127.0.0.1")  # the address that `serve` listens on
HUB_URL = env.url("HUB_URL", f"http://127.0.0.1:{HUB_PORT}")
DEBUG = env.flag("HUB_DEBUG", False)
SECRET_KEY = env.generated_secret("HUB_SECRET_KEY", HUB_HOME / "secret_key")

_https = HUB_URL.startswith("https://")
_host = urlsplit(HUB_URL).hostname or ""
_bound = f"[{HUB_BIND}]" if ":" in HUB_BIND else HUB_BIND
_hosts = env.hosts("HUB_ALLOWED_HOSTS", (_host, "localhost"))
# `serve` and its runner use the IP address on this machine, whatever the public name.
ALLOWED_HOSTS = [*_hosts, "127.0.0.1", "[::1]", _bound]
CSRF_TRUSTED_ORIGINS = [HUB_URL]

# --- Django (what no variable changes is in hub/fixed_settings.py) ----------------------------
DATABASES = {
    "default": database.from_url(env.secret("DATABASE_URL"), default_file=HUB_HOME / "hub.sqlite3")
}
STATIC_ROOT = static_files.root(HUB_HOME / "static", INSTALLED_APPS)
WHITENOISE_AUTOREFRESH = DEBUG
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _https
if _https:  # TLS ends at the proxy in front, which sets this header and strips a client's own
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

SPECTACULAR_SETTINGS = {
    "DEFAULT_GENERATOR_CLASS": "registry.api.schema.generator.Generator",
    "OAS_VERSION": "3.1.0",
    "TITLE": "Envyard",
    "VERSION": "1",
    "SERVERS": [{"url": HUB_URL}],
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "COMPONENT_SPLIT_PATCH": False,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "POSTPROCESSING_HOOKS": [],
    "SORT_OPERATIONS": False,
    "SORT_OPERATION_PARAMETERS": False,
}
# Shared state of all web processes, such as rate limits.
HUB_CACHE_URL = env.secret("HUB_CACHE_URL")
if HUB_CACHE_URL and not HUB_CACHE_URL.startswith(("redis://", "rediss://")):
    raise ImproperlyConfigured("HUB_CACHE_URL must start with redis:// or rediss://")
_redis = {
    "BACKEND": "django.core.cache.backends.redis.RedisCache",
    "LOCATION": HUB_CACHE_URL,
}
_table = {
    "BACKEND": "registry.cache.SharedCache",
    "LOCATION": "hub_cache",
    "OPTIONS": {"MAX_ENTRIES": 100_000},
}
CACHES = {
    "default": _redis if HUB_CACHE_URL else _table,
    # For values that each process can compute itself.
    "local": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
}
HUB_PROXIES = env.integer("HUB_PROXIES", 0, low=0, high=9)  # trusted ones in front, for addresses
HUB_ORGANISATIONS_PER_PERSON = env.integer("HUB_ORGANISATIONS_PER_PERSON", 20, low=0, high=10**6)
HUB_NEW_NAMES_PER_HOUR = env.integer("HUB_NEW_NAMES_PER_HOUR", 20, low=1, high=10**6)

# --- People ----------------------------------------------------------------------------------
HUB_EMAIL_URL = env.secret("HUB_EMAIL_URL")
HUB_EMAIL_FROM = env.text("HUB_EMAIL_FROM", f"Envyard <envyard@{_host or 'localhost'}>")
globals().update(mail.from_url(HUB_EMAIL_URL, folder=HUB_HOME / "mail"))
DEFAULT_FROM_EMAIL = SERVER_EMAIL = HUB_EMAIL_FROM
HUB_EMAIL_VERIFICATION = env.choice(
    "HUB_EMAIL_VERIFICATION", "optional", among=("none", "optional", "mandatory")
)
HUB_REQUIRE_MFA = env.choice("HUB_REQUIRE_MFA", "none", among=("none", "publish"))
ACCOUNT_EMAIL_VERIFICATION = HUB_EMAIL_VERIFICATION
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not _https  # browsers offer passkeys on http://localhost

# --- Trust -----------------------------------------------------------------------------------
# Issuers whose workflows may publish, as kind=issuer.
HUB_OIDC_ISSUERS = env.labelled_urls(
    "HUB_OIDC_ISSUERS",
    "github=https://token.actions.githubusercontent.com,gitlab=https://gitlab.com",
    labels=("github", "gitlab", "other"),
)
# The path of a trusted_root.json, `bundled` (sigstore library) or `tuf` (fetched once a day).
# Hosts that webhooks may reach although their addresses are private.
HUB_WEBHOOK_HOSTS = env.hosts("HUB_WEBHOOK_HOSTS", ())
HUB_SIGSTORE_TRUST = env.text("HUB_SIGSTORE_TRUST", "bundled")
if HUB_SIGSTORE_TRUST not in ("bundled", "tuf") and not Path(HUB_SIGSTORE_TRUST).is_file():
    raise env.refuse("HUB_SIGSTORE_TRUST", HUB_SIGSTORE_TRUST, "must be bundled, tuf or a file")

# --- Files -----------------------------------------------------------------------------------
HUB_MAX_WHEEL_BYTES = env.integer("HUB_MAX_WHEEL_BYTES", 100 << 20, low=1 << 16, high=1 << 30)
# Defaults of owners without limits of their own (registry.quotas).
HUB_UPLOADS_PER_HOUR = env.integer("HUB_UPLOADS_PER_HOUR", 100, low=0, high=10**6)
HUB_OWNER_BYTES = env.integer("HUB_OWNER_BYTES", 10 << 30, low=0, high=1 << 50)
HUB_QUEUED_VERSIONS = env.integer("HUB_QUEUED_VERSIONS", 100, low=0, high=10**6)
HUB_DELETED_DAYS = env.integer("HUB_DELETED_DAYS", 30, low=1, high=36500)
HUB_TRANSCRIPT_DAYS = env.integer("HUB_TRANSCRIPT_DAYS", 90, low=1, high=36500)
HUB_STORAGE = env.choice("HUB_STORAGE", "local", among=("local", "s3"))
HUB_STORAGE_PATH = env.path("HUB_STORAGE_PATH", HUB_HOME / "files")
HUB_ACCEL = env.flag("HUB_ACCEL", False)  # nginx sends the files of a local storage
HUB_S3_BUCKET = env.text("HUB_S3_BUCKET")
HUB_S3_PREFIX = env.text("HUB_S3_PREFIX")
HUB_S3_ENDPOINT_URL = env.url("HUB_S3_ENDPOINT_URL")
HUB_S3_REGION = env.text("HUB_S3_REGION")
HUB_S3_ACCESS_KEY_ID = env.secret("HUB_S3_ACCESS_KEY_ID")  # empty: boto3's own chain finds them
HUB_S3_SECRET_ACCESS_KEY = env.secret("HUB_S3_SECRET_ACCESS_KEY")
if HUB_STORAGE == "s3" and not HUB_S3_BUCKET:
    raise ImproperlyConfigured("HUB_STORAGE='s3' needs HUB_S3_BUCKET")
if HUB_STORAGE == "s3" and HUB_ACCEL:
    raise ImproperlyConfigured(
        "HUB_ACCEL needs HUB_STORAGE='local': a bucket serves its files itself"
    )

# --- Runs ------------------------------------------------------------------------------------
# The hub only names the model; each runner configures how it reaches it.
HUB_MODEL = env.text("HUB_MODEL")
HUB_MODEL_URL, HUB_JUDGE_MODEL = env.url("HUB_MODEL_URL"), env.text("HUB_JUDGE_MODEL")
HUB_TOKEN_PRICES = env.token_prices("HUB_TOKEN_PRICES")  # of a million tokens, by model
HUB_PRICE_CURRENCY = env.text("HUB_PRICE_CURRENCY")
HUB_SECRETS_KEYS = env.fernet_keys("HUB_SECRETS_KEYS")  # the first encrypts, all decrypt
HUB_CARD_KEYS = env.card_keys("HUB_CARD_KEYS", HUB_HOME / "card_key")  # the first signs
HUB_PROBES = env.words("HUB_PROBES", PROBE_NAMES, among=PROBE_NAMES)
HUB_POLICIES = (*HUB_PROBES, *((MODEL,) if HUB_MODEL else ()))  # in the order they run
if not HUB_POLICIES:
    raise ImproperlyConfigured("HUB_PROBES='none' needs HUB_MODEL: otherwise there is no policy")
HUB_PACKAGE_INDEX = env.public_url("HUB_PACKAGE_INDEX")  # shown to clients that resolve
HUB_GIT_REPOSITORIES = env.git_repositories("HUB_GIT_REPOSITORIES")  # that versions may depend on
HUB_GIT_MB = env.integer("HUB_GIT_MB", 100, low=1, high=4096)  # the files of one commit
HUB_REQUIRED_POLICIES = env.words("HUB_REQUIRED_POLICIES", HUB_POLICIES, among=HUB_POLICIES)
HUB_REMEASURE_RUNS_PER_DAY = env.integer("HUB_REMEASURE_RUNS_PER_DAY", 10, low=0, high=10**6)
HUB_REMEASURE_DAYS = env.integer("HUB_REMEASURE_DAYS", 30, low=1, high=36500)
HUB_SMOKE_TASKS = env.integer("HUB_SMOKE_TASKS", 5, low=1, high=1000)
HUB_SMOKE_ATTEMPTS = env.integer("HUB_SMOKE_ATTEMPTS", 4, low=1, high=64)  # by the model, a task
HUB_SURVEY_TASKS = env.integer("HUB_SURVEY_TASKS", 100_000, low=0, high=100_000)
HUB_FULL_TASKS = env.integer("HUB_FULL_TASKS", 100, low=1, high=100_000)
HUB_FULL_ATTEMPTS = env.integer("HUB_FULL_ATTEMPTS", 4, low=1, high=64)
HUB_ROLLOUT_SECONDS = env.integer("HUB_ROLLOUT_SECONDS", 120, low=1, high=86400)
HUB_RUN_SECONDS = env.integer("HUB_RUN_SECONDS", 900, low=10, high=604800)
HUB_EVALUATION_SECONDS = env.integer("HUB_EVALUATION_SECONDS", 3600, low=10, high=604800)
HUB_SHARD_ROLLOUTS = env.integer("HUB_SHARD_ROLLOUTS", 1000, low=1, high=100_000)
HUB_ACTIVE_EVALUATIONS = env.integer("HUB_ACTIVE_EVALUATIONS", 10, low=0, high=10**6)
HUB_JUDGE_CALLS = env.integer("HUB_JUDGE_CALLS", 4000, low=1, high=10**7)  # of one run
HUB_JUDGE_TOKENS = env.integer("HUB_JUDGE_TOKENS", 10_000_000, low=1, high=10**11)
HUB_JUDGE_ROLLOUT_CALLS = env.integer("HUB_JUDGE_ROLLOUT_CALLS", 32, low=1, high=10**5)
HUB_JUDGE_ROLLOUT_TOKENS = env.integer("HUB_JUDGE_ROLLOUT_TOKENS", 200_000, low=1, high=10**9)
HUB_JUDGE_REPLY_TOKENS = env.integer("HUB_JUDGE_REPLY_TOKENS", 2048, low=1, high=10**6)
HUB_LEASE_SECONDS = env.integer("HUB_LEASE_SECONDS", 60, low=5, high=3600)
HUB_LEASE_ATTEMPTS = env.integer("HUB_LEASE_ATTEMPTS", 3, low=1, high=20)
HUB_OWNER_RUNS = env.integer("HUB_OWNER_RUNS", 8, low=1, high=10000)
HUB_SWEEP_SECONDS = env.integer("HUB_SWEEP_SECONDS", 10, low=1, high=60)

# --- Queue -----------------------------------------------------------------------------------
# amqp://, redis://, or filesystem:///folder, which all processes of one machine share.
CELERY_BROKER_URL = env.secret("HUB_BROKER_URL", f"filesystem://{HUB_HOME / 'broker'}")
_brokers = ("amqp", "amqps", "pyamqp", "redis", "rediss", "pgmq", "filesystem", "memory")
if (_broker := CELERY_BROKER_URL.partition("://")[0]) not in _brokers:
    raise env.refuse("HUB_BROKER_URL", f"{_broker}://…"[:40], f"starts with none of {_brokers}")

HUB_START_CHECK_SECONDS = env.integer("HUB_START_CHECK_SECONDS", 10, low=0, high=86400)

# --- Readiness -------------------------------------------------------------------------------
_parts = ("database", "storage", "broker", "queue", "space")
HUB_READY_REQUIRED = env.words(
    "HUB_READY_REQUIRED", ("database", "storage", "broker", "space"), among=_parts
)
HUB_READY_SECONDS = env.integer("HUB_READY_SECONDS", 10, low=1, high=3600)
HUB_READY_TIMEOUT_SECONDS = env.integer("HUB_READY_TIMEOUT_SECONDS", 5, low=1, high=60)
HUB_READY_FREE_MB = env.integer("HUB_READY_FREE_MB", 500, low=0, high=10**7)
HUB_READY_QUEUE_SECONDS = env.integer("HUB_READY_QUEUE_SECONDS", 3600, low=1, high=10**7)

# --- Logs ------------------------------------------------------------------------------------
LOGGING = logs.configuration(
    line_format=env.choice("HUB_LOG_FORMAT", "plain", among=("plain", "json")),
    level=env.choice("HUB_LOG_LEVEL", "INFO", among=("DEBUG", "INFO", "WARNING", "ERROR")),
)

"""System checks of settings that are valid alone but not together."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, Tags, register

from hub import env
from registry.upkeep import integrity, upgrade

LOOPBACK = ("http://127.0.0.1", "http://localhost", "http://[::1]")


@register(deploy=False)
def filesystem_broker(**_: Any) -> list[CheckMessage]:
    """hub.W001: a database server suggests several machines, the filesystem broker serves one."""
    engine = settings.DATABASES["default"]["ENGINE"]
    if not settings.CELERY_BROKER_URL.startswith("filesystem://") or "sqlite" in engine:
        return []
    return [
        checks.Warning(
            "HUB_BROKER_URL is filesystem:// while DATABASE_URL names a server",
            hint="Web, hub worker and runner must then share HUB_HOME on one machine. "
            "Set HUB_BROKER_URL to RabbitMQ or Redis to use several machines.",
            id="hub.W001",
        )
    ]


@register(deploy=False)
def key_of_one_machine(**_: Any) -> list[CheckMessage]:
    """hub.W005: several machines would each sign cards with a key of their own."""
    engine = settings.DATABASES["default"]["ENGINE"]
    if "sqlite" in engine or env.secret("HUB_CARD_KEYS"):
        return []
    return [
        checks.Warning(
            f"cards are signed with {settings.HUB_HOME / 'card_key'}, which this machine created",
            hint="Set HUB_CARD_KEYS_FILE to one key (manage.py create_card_key) on all machines.",
            id="hub.W005",
        )
    ]


@register(deploy=False)
def plain_http(**_: Any) -> list[CheckMessage]:
    """hub.W002: passwords and tokens are sent over plain HTTP to other machines."""
    if settings.HUB_URL.startswith(("https://", *LOOPBACK)):
        return []
    return [
        checks.Warning(
            f"HUB_URL={settings.HUB_URL!r} sends passwords and tokens in clear text",
            hint="Put a TLS proxy in front (deploy/nginx) and set HUB_URL to its https:// address.",
            id="hub.W002",
        )
    ]


@register(deploy=False)
def mail_in_files(**_: Any) -> list[CheckMessage]:
    """hub.W003: a public hub does not send password resets and invitations."""
    if settings.HUB_EMAIL_URL or settings.HUB_URL.startswith(LOOPBACK):
        return []
    return [
        checks.Warning(
            f"mail is written to {settings.HUB_HOME / 'mail'} and not sent",
            hint="Set HUB_EMAIL_URL, e.g. smtp://user:password@host:587?tls=1",
            id="hub.W003",
        )
    ]


@register(deploy=False)
def incomplete_s3_key(**_: Any) -> list[CheckMessage]:
    """hub.E001: an S3 access key without its secret, or a secret without its key."""
    if bool(settings.HUB_S3_ACCESS_KEY_ID) == bool(settings.HUB_S3_SECRET_ACCESS_KEY):
        return []
    return [
        checks.Error(
            "HUB_S3_ACCESS_KEY_ID and HUB_S3_SECRET_ACCESS_KEY must be set together or not at all",
            hint="Leave both out to use the machine's own AWS credentials.",
            id="hub.E001",
        )
    ]


@register(deploy=False)
def model_without_name(**_: Any) -> list[CheckMessage]:
    """hub.E002: runs would never use the configured model server."""
    if settings.HUB_MODEL or not settings.HUB_MODEL_URL:
        return []
    return [
        checks.Error(
            f"HUB_MODEL_URL={settings.HUB_MODEL_URL!r} is set and HUB_MODEL is not",
            hint="Set HUB_MODEL to a name that GET /models of that server lists.",
            id="hub.E002",
        )
    ]


@register(Tags.database)
def damaged_database(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """hub.E003: `migrate` would write into a damaged database."""
    if not databases or not (damage := integrity.at_start()):
        return []
    return [
        checks.Error(
            f"the hub's database is damaged: {damage[0]}", hint=integrity.advice(), id="hub.E003"
        )
    ]


@register(Tags.database)
def replaced_migrations(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """hub.E004: `migrate` cannot upgrade a database that lacks some of the replaced migrations."""
    if not databases or not (names := upgrade.missing_here()):
        return []
    return [
        checks.Error(
            f"the database lacks migrations that this release no longer has: {', '.join(names)}",
            hint=upgrade.ADVICE,
            id="hub.E004",
        )
    ]


@register(deploy=False)
def unknown_variables(**_: Any) -> list[CheckMessage]:
    """hub.W004: a misspelt variable has no effect and no other symptom."""
    return [
        checks.Warning(
            f"{name} is set, and the hub has no such setting",
            hint=f"Did you mean {suggestion}?"
            if suggestion
            else "docs/settings.md lists all of them.",
            id="hub.W004",
        )
        for name, suggestion in env.unknown().items()
    ]

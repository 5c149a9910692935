"""The storage of the settings."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from django.conf import settings

from registry.storage.base import Storage
from registry.storage.local import LocalStorage


def get() -> Storage:
    """The hub's storage; an S3 client is created once for the same settings."""
    if settings.HUB_STORAGE == "local":
        return LocalStorage(Path(settings.HUB_STORAGE_PATH))
    return _s3(
        settings.HUB_S3_BUCKET,
        settings.HUB_S3_PREFIX,
        settings.HUB_S3_ENDPOINT_URL,
        settings.HUB_S3_REGION,
        settings.HUB_S3_ACCESS_KEY_ID,
        settings.HUB_S3_SECRET_ACCESS_KEY,
    )


@cache
def _s3(
    bucket: str, prefix: str, endpoint: str, region: str, access_key: str, secret_key: str
) -> Storage:
    """A client takes half a second to create and may be shared between threads."""
    from registry.storage.s3 import S3Storage  # boto3 is slow to import

    return S3Storage(
        bucket=bucket,
        prefix=prefix,
        endpoint_url=endpoint,
        region=region,
        access_key_id=access_key,
        secret_access_key=secret_key,
    )

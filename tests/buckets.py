"""A real S3-compatible server, and buckets on it; a plugin that tests/plugin.py loads."""

import secrets
from collections.abc import Iterator

import pytest

from registry.storage.s3 import S3Storage
from tests import ceph


@pytest.fixture(scope="session")
def s3_server() -> Iterator[ceph.Ceph]:
    """A real S3-compatible server."""
    if gone := ceph.missing():
        pytest.skip(f"{', '.join(gone)} are not installed: `make setup-tests` installs them")
    with ceph.server() as running:
        yield running


@pytest.fixture
def bucket(s3_server: ceph.Ceph) -> S3Storage:
    """A new bucket there."""
    return new_bucket(s3_server)


def new_bucket(s3_server: ceph.Ceph) -> S3Storage:
    """A new bucket there."""
    storage = S3Storage(
        bucket=f"hub-{secrets.token_hex(6)}",
        prefix="/hub/",
        endpoint_url=s3_server.endpoint,
        region="us-east-1",
        access_key_id=s3_server.access_key_id,
        secret_access_key=s3_server.secret_access_key,
    )
    storage.client.create_bucket(Bucket=storage.bucket)
    return storage

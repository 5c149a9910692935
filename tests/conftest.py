"""The people of every test, and no network but this machine's own."""

import ipaddress
import secrets
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from registry.models import Membership, Organisation, Owner, User
from registry.storage.s3 import S3Storage
from tests import ceph


@pytest.fixture(scope="session", autouse=True)
def no_network() -> Iterator[None]:
    """Refuse connections that leave the machine, in this process; children are their own."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            host = address[0]
            if host != "localhost" and not ipaddress.ip_address(host).is_loopback:
                raise PermissionError(f"a test tried to connect to {address}")
        connect(self, address)

    socket.socket.connect = guarded  # type: ignore[method-assign]
    yield
    socket.socket.connect = connect  # type: ignore[method-assign]


@pytest.fixture(scope="session")
def s3_server() -> Iterator[ceph.Ceph]:
    """A real S3-compatible server."""
    if gone := ceph.missing():
        pytest.skip(f"no {', '.join(gone)} here: {ceph.INSTALL}")
    with ceph.server() as running:
        yield running


@pytest.fixture
def bucket(s3_server: ceph.Ceph) -> S3Storage:
    """A new bucket there."""
    return new_bucket(s3_server)


def new_bucket(s3_server: ceph.Ceph) -> S3Storage:
    """A new bucket there."""
    made = S3Storage(
        bucket=f"hub-{secrets.token_hex(6)}",
        prefix="/hub/",
        endpoint_url=s3_server.endpoint,
        region="us-east-1",
        access_key_id=s3_server.access_key_id,
        secret_access_key=s3_server.secret_access_key,
    )
    made.client.create_bucket(Bucket=made.bucket)
    return made


def person(name: str, *, staff: bool = False) -> User:
    """A user who owns the name `name`; the password is `name` too."""
    user = User.objects.create_user(
        name, email=f"{name}@example.com", password=name, is_staff=staff, is_superuser=staff
    )
    Owner.objects.create(name=name, user=user)
    return user


@pytest.fixture
def alice(db: None) -> User:
    """Owns what the test is about."""
    return person("alice")


@pytest.fixture
def bob(db: None) -> User:
    """In organisation `lab` with alice where a test asks for `lab`; else just another person."""
    return person("bob")


@pytest.fixture
def carol(db: None) -> User:
    """A stranger."""
    return person("carol")


@pytest.fixture
def root(db: None) -> User:
    """Staff."""
    return person("root", staff=True)


@pytest.fixture
def lab(alice: User, bob: User) -> Organisation:
    """The organisation that alice owns and bob is a member of."""
    organisation = Organisation.objects.create(title="Lab")
    Owner.objects.create(name="lab", organisation=organisation)
    Membership.objects.create(organisation=organisation, user=alice, role=Membership.Role.OWNER)
    Membership.objects.create(organisation=organisation, user=bob, role=Membership.Role.MEMBER)
    return organisation

"""The people of every test that has a database; a plugin that tests/plugin.py loads."""

import pytest

from registry.models import Membership, Organisation, Owner, User


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
    """In organisation `lab` with alice where a test uses `lab`; else just another person."""
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
    return make_lab(alice, bob)


def make_lab(alice: User, bob: User) -> Organisation:
    """An organisation `lab` with that owner and that member."""
    organisation = Organisation.objects.create(title="Lab")
    Owner.objects.create(name="lab", organisation=organisation)
    Membership.objects.create(organisation=organisation, user=alice, role=Membership.Role.OWNER)
    Membership.objects.create(organisation=organisation, user=bob, role=Membership.Role.MEMBER)
    return organisation

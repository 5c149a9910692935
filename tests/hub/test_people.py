"""The people of the tests."""

from registry.models import Organisation, User


def test_alice_owns_the_lab_and_bob_is_in_it(lab: Organisation, alice: User, bob: User) -> None:
    roles = {str(m.user): m.role for m in lab.memberships.all()}
    assert roles == {"alice": "owner", "bob": "member"}
    assert (alice.owner.name, lab.owner.name) == ("alice", "lab")


def test_root_is_staff_and_carol_a_stranger(root: User, carol: User, lab: Organisation) -> None:
    assert root.is_staff
    assert not carol.is_staff
    assert not carol.organisations.exists()

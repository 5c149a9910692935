"""The pages of allauth are written like all others: one capital at the beginning of a heading."""

import pytest
from django.test import Client

from frontend.templatetags.headings import sentence_case
from registry.accounts.models import User
from tests.frontend.people import sign_in


@pytest.mark.parametrize(
    ("heading", "shown"),
    [
        ("Two-Factor Authentication", "Two-factor authentication"),
        ("Recovery Codes", "Recovery codes"),
        ("New Password (again)", "New password (again)"),
        ("Scan the QR with WebAuthn on an iPhone", "Scan the QR with WebAuthn on an iPhone"),
        ("Email", "Email"),
    ],
)
def test_a_heading_keeps_its_first_capital_and_abbreviations(heading: str, shown: str) -> None:
    assert sentence_case(heading) == shown


@pytest.mark.parametrize(
    ("address", "shown", "hidden"),
    [
        ("/settings/security/", "Two-factor authentication", "Two-Factor"),
        ("/settings/security/", "Recovery codes", "Recovery Codes"),
        ("/password/change/", ">Current password<", 'placeholder="Current'),
    ],
)
def test_a_page_of_allauth_has_no_capitals_within_headings_and_labels(
    client: Client, alice: User, address: str, shown: str, hidden: str
) -> None:
    sign_in(client, alice.username)
    page = client.get(address, follow=True).content.decode()
    assert shown in page
    assert hidden not in page

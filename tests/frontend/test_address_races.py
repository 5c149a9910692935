"""Accounts that confirm the same address at the same moment."""

from __future__ import annotations

import threading

import pytest
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from django.db import connection
from django.test import Client

from tests.frontend.test_addresses import PASSWORD


def confirm_at(ready: threading.Barrier, path: str, statuses: list[int]) -> None:
    """Follow a link as soon as all are ready."""
    try:
        ready.wait(30)
        statuses.append(Client(raise_request_exception=False).post(path).status_code)
    finally:
        connection.close()


@pytest.mark.django_db(transaction=True)
def test_of_accounts_that_confirm_one_address_at_once_one_does() -> None:
    for n in range(4):
        email = f"shared-{n}@example.com"
        paths = []
        for name in (f"dora-{n}", f"eve-{n}", f"fay-{n}"):
            form = {"username": name, "email": email, "password1": PASSWORD}
            Client().post("/signup/", form, REMOTE_ADDR=f"10.8.1.{n}")
            row = EmailAddress.objects.get(user__username=name)
            paths.append(f"/confirm-email/{EmailConfirmationHMAC(row).key}/")
        ready, statuses = threading.Barrier(3), list[int]()
        threads = [
            threading.Thread(target=confirm_at, args=(ready, path, statuses)) for path in paths
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert len(statuses) == 3
        assert max(statuses) < 400
        rows = EmailAddress.objects.filter(email=email)
        assert rows.filter(verified=True).count() == 1
        assert rows.filter(primary=True).count() == 3

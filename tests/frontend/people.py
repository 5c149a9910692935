"""What people do in the browser, for the tests of several pages."""

from __future__ import annotations

import re

from django.core import mail
from django.test import Client

LINK = re.compile(r"http://\S+")


def sign_in(client: Client, name: str, password: str = "") -> Client:
    """Through the form, so that the password counts as typed just now; it is the name too."""
    client.logout()
    answer = client.post("/login/", {"login": name, "password": password or name})
    assert answer.status_code == 302, answer.content.decode()
    return client


def text(client: Client, url: str, status: int = 200) -> str:
    """The page's HTML, its status checked."""
    answer = client.get(url)
    assert answer.status_code == status, f"{url}: {answer.status_code}"
    return answer.content.decode()


def link_in_mail(to: str, subject: str = "") -> str:
    """The path of the first link in the newest mail to that address."""
    found = next(m for m in reversed(mail.outbox) if to in m.to and subject in m.subject)
    link = next(link for link in LINK.findall(str(found.body)) if link.count("/") > 3)
    return "/" + link.split("/", 3)[3]

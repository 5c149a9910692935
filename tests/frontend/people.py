"""What people do in the browser, for the tests of several pages."""

from __future__ import annotations

import re

from django.core import mail
from django.http import HttpResponse
from django.test import Client

LINK = re.compile(r"http://\S+")
SPACE_BEFORE = re.compile(r" (</|>)")
SPACE_AFTER = re.compile(r"(<[a-z][^<>]*>|</(?:dd|details|div|dt|h\d|li|p|pre|summary|td|tr)>) ")


def sign_in(client: Client, name: str, password: str = "") -> Client:
    """Through the form, so that the password counts as typed just now; it is the name too."""
    client.logout()
    answer = client.post("/login/", {"login": name, "password": password or name})
    assert answer.status_code == 302, answer.content.decode()
    return client


def text(client: Client, url: str, status: int = 200) -> str:
    """The page's HTML without its layout, its status checked."""
    response = client.get(url)
    assert response.status_code == status, f"{url}: {response.status_code}"
    return flat(response)


def flat(response: HttpResponse) -> str:
    """The HTML with single spaces, and none at the start or end of an element."""
    html = " ".join(response.content.decode().split())
    for pattern in (SPACE_BEFORE, SPACE_AFTER):
        html = pattern.sub(r"\1", html)
    return html


def link_in_mail(to: str, subject: str = "") -> str:
    """The path of the first link in the newest mail to that address."""
    message = next(m for m in reversed(mail.outbox) if to in m.to and subject in m.subject)
    link = next(link for link in LINK.findall(str(message.body)) if link.count("/") > 3)
    return "/" + link.split("/", 3)[3]

"""The sessions of a person in browsers: where they are signed in, and how these are ended.

Why not allauth's: docs/decisions/0090.
"""

from __future__ import annotations

import ipaddress
from datetime import datetime

from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from registry import events
from registry.accounts.models import User
from registry.accounts.session_models import SignedInBrowser
from registry.errors import NotFound

PREFIX = {4: 24, 6: 48}  # bits of an address that are kept
UNKNOWN = "Unknown browser"
# The first that a User-Agent contains; later ones claim to be earlier ones.
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
)
SYSTEMS = (
    ("Windows", "Windows"),
    ("Android", "Android"),
    ("iPhone", "iOS"),
    ("iPad", "iPadOS"),
    ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def family(user_agent: str) -> str:
    """`Firefox on Linux`: browser and system without their versions."""
    browser = next((name for mark, name in BROWSERS if mark in user_agent), UNKNOWN)
    system = next((name for mark, name in SYSTEMS if mark in user_agent), "")
    return f"{browser} on {system}" if system else browser


def prefix(address: str) -> str:
    """The network of the address, `192.0.2.0/24`; empty for what is none."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:  # a proxy may write anything
        return ""
    return str(ipaddress.ip_network(f"{parsed}/{PREFIX[parsed.version]}", strict=False))


def seen(*, session_key: str, user_id: int, user_agent: str, address: str, now: datetime) -> None:
    """Store that the session was used; nothing where it has ended meanwhile."""
    values = {"family": family(user_agent), "address_prefix": prefix(address), "seen_at": now}
    rows = SignedInBrowser.objects.filter(session=session_key)
    if rows.update(user_id=user_id, **values):
        return
    try:
        with transaction.atomic():
            # Locked, or a sign-out between the two would leave a row without a session.
            session = Session.objects.select_for_update().filter(pk=session_key).first()
            if session is not None:
                SignedInBrowser.objects.create(session=session, user_id=user_id, **values)
    except IntegrityError:  # another request was first
        return


def of(user: User) -> list[SignedInBrowser]:
    """Where the person is signed in, the last used first: without sessions that have expired, and
    those that a new password ended."""
    rows = SignedInBrowser.objects.filter(
        user=user, session__expire_date__gt=timezone.now()
    ).select_related("session")
    current = user.get_session_auth_hash()
    return [
        row
        for row in rows
        if constant_time_compare(str(row.session.get_decoded().get(HASH_SESSION_KEY, "")), current)
    ]


def end(*, user: User, pk: int) -> SignedInBrowser:
    """Sign that browser of the person out; raises NotFound where it is another's or has ended."""
    row = SignedInBrowser.objects.select_related("session").filter(user=user, pk=pk).first()
    if row is None:
        raise NotFound("this session has ended")
    with transaction.atomic():
        row.session.delete()
        events.record(
            "account.session_ended", by=user, owner=getattr(user, "owner", None), browser=row.family
        )
    return row


def end_others(*, user: User, session_key: str) -> int:
    """Sign out all browsers of the person but that of the session; how many there were."""
    with transaction.atomic():
        rows = list(
            SignedInBrowser.objects.filter(user=user)
            .exclude(session=session_key)
            .select_related("session")
        )
        for row in rows:
            row.session.delete()
        if rows:
            events.record(
                "account.sessions_ended",
                by=user,
                owner=getattr(user, "owner", None),
                sessions=len(rows),
            )
    return len(rows)

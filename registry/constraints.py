"""Conditions for the constraints of every slice."""

from __future__ import annotations

from django.db.models import Choices, F, Q

NAME = r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$"
SHA256 = r"^[0-9a-f]{64}$"
VERB = r"^[a-z]+(_[a-z]+)*(\.[a-z0-9]+(_[a-z0-9]+)*)+$"


def is_choice(field: str, choices: type[Choices]) -> Q:
    """One of the choices: Django itself checks that in forms only."""
    return Q(**{f"{field}__in": sorted(choices.values)})


def sha256(*fields: str) -> Q:
    """Each is 64 lower-case hex digits."""
    return Q(**{f"{field}__regex": SHA256 for field in fields})


def after(field: str, earlier: str) -> Q:
    """The one time is later than the other, where both are set."""
    return Q(**{f"{field}__gt": F(earlier)})


def only_with(text: str, time: str) -> Q:
    """The text is empty until that time is set."""
    return Q(**{text: ""}) | Q(**{f"{time}__isnull": False})

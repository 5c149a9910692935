#!/usr/bin/env python
"""Django's entry point: `python manage.py <command>`."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import DatabaseError, OperationalError


def explained(error: DatabaseError) -> str | None:
    """What the operator should do about an error of the database; None where it is a bug."""
    from registry.upkeep import integrity

    try:
        damages = integrity.at_start()
    except Exception:  # noqa: BLE001 - it cannot be looked at, so the error itself is shown
        damages = []
    if damages:
        return f"the hub's database is damaged: {damages[0]}. {integrity.advice()}"
    if isinstance(error, OperationalError):
        return f"the database refused ({error}): see that DATABASE_URL is right and it runs"
    return None


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "hub.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as refused:
        sys.exit(f"error: {refused}")
    except DatabaseError as error:
        if (message := explained(error)) is None:
            raise
        sys.exit(f"error: {message}")

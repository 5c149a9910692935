"""Objects that lost their last row go, while uploads of the same bytes may be under way."""

from __future__ import annotations

from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet

from registry.storage.choice import get


def delete_unnamed(key: str, rows: QuerySet[Any]) -> bool:
    """Delete the object unless one of the rows names it; whether it did.

    No row of that table can be committed meanwhile. So whoever puts an object before its row
    makes sure, in the row's transaction, that the object is still there.
    """
    with transaction.atomic():
        if connection.vendor == "postgresql":
            table = connection.ops.quote_name(rows.model._meta.db_table)  # noqa: SLF001
            with connection.cursor() as cursor:
                cursor.execute(f"LOCK TABLE {table} IN SHARE MODE")
        # SQLite has one writer at a time, and that is this transaction.
        if rows.exists():
            return False
        get().delete(key)
    return True

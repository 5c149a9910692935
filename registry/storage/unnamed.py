"""Delete objects without rows safely while uploads of the same bytes may be in progress."""

from __future__ import annotations

from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet

from registry.storage.choice import get


def delete_unnamed(key: str, rows: QuerySet[Any]) -> bool:
    """Delete the object unless one of the rows refers to it; returns whether it did.

    No row of that table can be committed meanwhile. So code that stores an object before its row
    must check, in the transaction of the row, that the object still exists.
    """
    with transaction.atomic():
        if connection.vendor == "postgresql":
            table = connection.ops.quote_name(rows.model._meta.db_table)  # noqa: SLF001
            with connection.cursor() as cursor:
                cursor.execute(f"LOCK TABLE {table} IN SHARE MODE")
        # SQLite has a single writer, which is this transaction.
        if rows.exists():
            return False
        get().delete(key)
    return True

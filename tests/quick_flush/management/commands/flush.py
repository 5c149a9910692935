"""Empty the tables that have rows: Django's own empties each, which takes most of a test's time.

Django calls this after every test that commits. Content types and permissions stay: only
`migrate` makes them, and its signal would make them again after each test.
"""

from typing import Any

from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.management.commands import flush
from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

KEPT = {ContentType._meta.db_table, Permission._meta.db_table}


class Command(flush.Command):
    """Used by Django's TransactionTestCase alone."""

    def handle(self, **options: Any) -> None:
        """Delete in any order: foreign keys are checked at the end of the transaction."""
        connection = connections[options["database"]]
        with transaction.atomic(using=options["database"]), connection.cursor() as cursor:
            for table in _tables_with_rows(connection):
                cursor.execute(f"DELETE FROM {connection.ops.quote_name(table)}")


def _tables_with_rows(connection: BaseDatabaseWrapper) -> list[str]:
    tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
    queries = [
        f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {connection.ops.quote_name(table)})"
        for table in tables
        if table not in KEPT
    ]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(queries))
        return [row[0] for row in cursor.fetchall()]

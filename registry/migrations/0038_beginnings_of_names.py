"""Find the most used documents with a frequent word in their names by an index on PostgreSQL."""

from django.db import migrations

from registry.catalog.search import postgresql


def install(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        postgresql.install(schema_editor.connection)


class Migration(migrations.Migration):
    dependencies = (("registry", "0037_runs_by_environment"),)
    operations = (migrations.RunPython(install, migrations.RunPython.noop),)

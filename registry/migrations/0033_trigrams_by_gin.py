"""Find misspelled words by GIN on PostgreSQL: GiST read the whole index for each word."""

from django.db import migrations

from registry.catalog.search import postgresql


def install(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        postgresql.install(schema_editor.connection)


class Migration(migrations.Migration):
    dependencies = (("registry", "0032_answers_of_rollouts"),)
    operations = (migrations.RunPython(install, migrations.RunPython.noop),)

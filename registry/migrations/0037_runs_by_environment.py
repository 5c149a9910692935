"""Each run has an environment, and an index holds the newest runs of one.

SQLite copies the table for it, and with it loses the statistics by which it chooses indexes.
"""

import django.db.models.deletion
from django.db import migrations, models

ROWS = 1_000  # of each index that are read


def analyze(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(f"PRAGMA analysis_limit = {ROWS}")
        schema_editor.execute("ANALYZE registry_run")
        schema_editor.execute("PRAGMA analysis_limit = 0")


class Migration(migrations.Migration):
    dependencies = (("registry", "0036_set_environments_of_runs"),)
    operations = (
        migrations.AlterField(
            "run",
            "environment",
            models.ForeignKey(
                "registry.environment",
                on_delete=django.db.models.deletion.PROTECT,
                related_name="runs",
                db_index=False,
            ),
        ),
        migrations.AddIndex(
            "run",
            models.Index(
                fields=["environment", "-created_at", "id", "parent"], name="run_by_env"
            ),
        ),
        migrations.RunPython(analyze, migrations.RunPython.noop),
    )

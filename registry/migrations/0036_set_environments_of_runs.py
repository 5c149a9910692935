"""Set the environment of runs to their version's, a range of versions a transaction.

PostgreSQL alters no table with rows of the same transaction: 0037 makes the column obligatory.
"""

from django.db import migrations, transaction
from django.db.models import Max, OuterRef, Subquery

BATCH = 10_000  # versions


def set_environments(apps, schema_editor):
    runs = apps.get_model("registry", "Run").objects.using(schema_editor.connection.alias)
    versions = apps.get_model("registry", "Version").objects.using(runs.db)
    environments = versions.filter(pk=OuterRef("version_id")).values("environment_id")
    rows = runs.filter(environment=None).order_by()
    last = rows.aggregate(last=Max("version_id"))["last"] or 0
    for first in range(0, last + 1, BATCH):
        with transaction.atomic(using=runs.db):
            rows.filter(version_id__gte=first, version_id__lt=first + BATCH).update(
                environment_id=Subquery(environments[:1])
            )


class Migration(migrations.Migration):
    atomic = False
    dependencies = (("registry", "0035_environments_of_runs"),)
    operations = (migrations.RunPython(set_environments, migrations.RunPython.noop),)

"""The environment of each run, empty until 0036 has set it."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("registry", "0034_keys_of_listed_versions"),)
    operations = (
        migrations.AddField(
            "run",
            "environment",
            models.ForeignKey(
                "registry.environment",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="runs",
                db_index=False,
            ),
        ),
    )

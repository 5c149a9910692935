"""Count the tokens that a model spent on reasoning."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    """One column; null for every rollout recorded before it."""

    dependencies = [("registry", "0028_quotas")]

    operations = [
        migrations.AddField(
            model_name="rollout",
            name="reasoning_tokens",
            field=models.PositiveIntegerField(null=True),
        )
    ]

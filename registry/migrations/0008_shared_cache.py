from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("registry", "0007_trust")]

    operations = [
        migrations.CreateModel(
            name="CacheRow",
            fields=[
                (
                    "cache_key",
                    models.CharField(max_length=255, primary_key=True, serialize=False),
                ),
                ("value", models.TextField()),
                ("expires", models.DateTimeField(db_index=True)),
            ],
            options={"db_table": "hub_cache"},
        ),
    ]

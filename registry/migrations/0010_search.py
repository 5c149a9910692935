"""Documents and words for search; 0015 fills them."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [("registry", "0009_constraints")]

    operations = [
        migrations.CreateModel(
            name="SearchWord",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("word", models.CharField(max_length=60, unique=True)),
            ],
        ),
        migrations.CreateModel(
            name="SearchDocument",
            fields=[
                ("environment", models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name="document", serialize=False, to="registry.environment")),
                ("place", models.BigIntegerField(unique=True)),
                ("listed", models.BooleanField()),
                ("visibility", models.CharField(max_length=8)),
                ("framework", models.CharField(max_length=20)),
                ("license", models.CharField(max_length=200)),
                ("labels", models.JSONField()),
                ("name", models.TextField()),
                ("owner_name", models.TextField()),
                ("tags", models.TextField()),
                ("summary", models.TextField()),
                ("readme", models.TextField()),
                ("owner", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="registry.owner")),
            ],
            options={
                "indexes": [
                    models.Index(fields=["framework", "listed"], name="document_by_framework"),
                    models.Index(fields=["license", "listed"], name="document_by_license"),
                ],
            },
        ),
        migrations.AddIndex(
            model_name="environment",
            index=models.Index(fields=["fresh_at", "id"], name="environment_by_fresh_at"),
        ),
        migrations.AddIndex(
            model_name="environment",
            index=models.Index(fields=["installs", "id"], name="environment_by_installs"),
        ),
        migrations.AddIndex(
            model_name="environment",
            index=models.Index(fields=["star_count", "id"], name="environment_by_stars"),
        ),
        migrations.AddIndex(
            model_name="environment",
            index=models.Index(fields=["name", "id"], name="environment_by_name"),
        ),
    ]
